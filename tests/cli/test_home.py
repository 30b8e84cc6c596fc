"""What KOEBAKO_HOME may hold: it works, or one sentence and a hint say why it cannot."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.common.errors import InputError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import check_data_dir

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
COMMANDS = [
    ["voices", "list"],
    ["speak", "あ", "-o", "a.wav"],
    ["g2p"],
    ["dict", "list"],
    ["bert", "list"],
    ["backends"],
    ["voices", "info", "mei"],
]


def make_file(folder: Path) -> str:
    (folder / "file").write_text("")
    return str(folder / "file")


def below_a_file(folder: Path) -> str:
    return make_file(folder) + "/home"


def a_link_in_circles(folder: Path) -> str:
    (folder / "circle").symlink_to(folder / "circle")
    return str(folder / "circle")


def a_link_that_leads_nowhere(folder: Path) -> str:
    (folder / "link").symlink_to(folder / "gone")
    return str(folder / "link")


def a_name_that_is_no_text(folder: Path) -> str:
    return os.fsdecode(os.fsencode(folder) + b"/\x90\xba")


REFUSED: dict[str, tuple[Callable[[Path], str], str]] = {
    "nobody's": (lambda _: "~nobody-is-called-so/x", "home folder was not found"),
    "a file": (make_file, "” is not a folder"),
    "below a file": (below_a_file, "” is not a folder"),
    "too long a name": (lambda folder: str(folder / ("x" * 300)), "the name is too long"),
    "too long a path": (lambda folder: f"{folder}" + "/z" * 2040, "the name is too long"),
}
REFUSED_ON_UNIX = {
    "a device": (lambda _: "/dev/null", "“/dev/null” is not a folder"),
    "below a device": (lambda _: "/dev/null/x", "“/dev/null” is not a folder"),
    "a link in circles": (a_link_in_circles, "links form a loop"),
    "a link that leads nowhere": (a_link_that_leads_nowhere, "is broken"),
    "bytes that are no UTF-8": (a_name_that_is_no_text, "not UTF-8"),
}


@UNIX
@pytest.mark.parametrize("case", REFUSED | REFUSED_ON_UNIX)
def test_what_can_be_no_folder_is_refused_by_every_command(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, words = (REFUSED | REFUSED_ON_UNIX)[case]
    monkeypatch.setenv("KOEBAKO_HOME", make(tmp_path))
    for command in COMMANDS:
        assert main(command) == 2
        told = capsys.readouterr()
        shown = json.loads(told.out)["error"]["message"] if command == ["g2p"] else told.err
        assert "The data folder" in shown
        assert words in shown
        assert "KOEBAKO_HOME" in told.err + told.out
    assert main(["doctor", "--json", "--only", "data_dir"]) == 70
    assert words in json.loads(capsys.readouterr().out)["checks"][0]["found"]
    for writes in (False, True):
        with pytest.raises(InputError):
            check_data_dir(must_be_writable=writes)


def test_help_needs_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", "/dev/null/x")
    with pytest.raises(SystemExit) as ended:
        main(["speak", "--help"])
    assert ended.value.code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a place that nobody can write to, root neither")
def test_where_nothing_can_be_written_it_speaks_and_says_so_when_it_has_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", "/proc/koebako")
    assert main(["speak", "あ", "-o", str(tmp_path / "a.wav")]) == 0
    assert (tmp_path / "a.wav").stat().st_size > 1000
    assert main(["dict", "add", "声箱", "コエバコ"]) == 7
    assert "could not be written" in capsys.readouterr().err
    with pytest.raises(OutputFileError, match="Cannot write to the data folder") as told:
        check_data_dir(must_be_writable=True)
    assert "KOEBAKO_HOME" in told.value.hint


def test_an_empty_one_is_none_and_a_relative_one_counts_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", "")
    assert find_data_dir().is_absolute()
    assert find_data_dir().name == "Koebako"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KOEBAKO_HOME", "声")
    assert find_data_dir() == tmp_path / "声"
    check_data_dir(must_be_writable=True)
    assert find_data_dir().is_dir()
    monkeypatch.setenv("KOEBAKO_HOME", "~")
    assert find_data_dir() == Path.home()


@UNIX
def test_a_relative_one_without_a_working_directory_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", "声")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InputError, match="current directory does not exist"):
        check_data_dir()
