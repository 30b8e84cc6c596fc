"""Files that are whole or not there, and what is left of those that a dying process had begun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import data_file
from app.data_file import ABANDONED_S, load_data, part_beside, save_data, write_json, write_whole
from app.errors import InputError, OutputFileError

BEGIN_AND_DIE = """
import os, sys
from pathlib import Path
from app.adapters.part_file import PartFile
PartFile(Path(sys.argv[1])).write(b"half")
os._exit(9)
"""


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def names(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir()}


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_what_is_the_users_own_is_read_by_nobody_else(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_json(tmp_path / "voice.json", {})
        save_data(tmp_path / "script.json", {}, "no")
    finally:
        os.umask(before)
    assert (tmp_path / "voice.json").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "script.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, real = tmp_path / "settings.json", tmp_path / "elsewhere" / "settings.json"
    link.symlink_to(real)
    for content in (b"1", b"2"):
        write_whole(link, content)
        assert link.is_symlink()
        assert real.read_bytes() == content
    assert names(tmp_path / "elsewhere") == {"settings.json"}


@pytest.mark.parametrize("refusals", [0, 2, 3])
def test_a_file_somebody_looks_into_is_waited_for(refusals: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, tries = Path.replace, []

    def refused_at_first(source: Path, target: Path) -> Path:
        tries.append(source)
        if len(tries) <= refusals:
            raise PermissionError(13, "in use")
        return replace(source, target)

    monkeypatch.setattr(data_file, "WAITS_S", (0.0, 0.0))
    monkeypatch.setattr(Path, "replace", refused_at_first)
    if refusals > 2:
        with pytest.raises(PermissionError):
            write_whole(tmp_path / "x", b"new")
        assert names(tmp_path) == set()
    else:
        write_whole(tmp_path / "x", b"new")
        assert (tmp_path / "x").read_bytes() == b"new"
    assert len(tries) == min(refusals, 2) + 1


def test_an_export_that_was_killed_is_swept_by_one_of_a_later_day(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", BEGIN_AND_DIE, tmp_path / "声.wav"], cwd=Path(__file__).parents[1], check=False)
    assert died.returncode == 9
    (left,) = tmp_path.iterdir()
    write_whole(tmp_path / "a.wav", b"")
    assert left.exists(), "it could belong to a program that still runs"
    age(left, ABANDONED_S + 60)
    write_whole(tmp_path / "a.wav", b"")
    assert names(tmp_path) == {"a.wav"}


def test_only_our_own_leftovers_are_swept(tmp_path: Path) -> None:
    folder = tmp_path / ".voice-0123abcd.part"
    (folder / "media").mkdir(parents=True)
    foreign = (
        ".voice.part",
        "voice-0123abcd.part",
        ".other-0123ABCD.part",  # no other spelling of the folder: Windows takes them for one
        ".voice-0123abcd.part.mp4",
        ".-0123abcd.part",
        ".a-12345678.part~",
    )
    for name in foreign:
        (tmp_path / name).write_bytes(b"")
    for path in tmp_path.iterdir():
        age(path, ABANDONED_S + 60)
    part = part_beside(tmp_path / "new")
    assert names(tmp_path) == set(foreign)
    assert part.parent == tmp_path
    assert not part.exists()


def test_data_comes_back_with_letters_that_are_no_text(tmp_path: Path) -> None:
    data = {"声\ud83d\ude00\udc80": ["🎐", 1.5, None, True]}
    for indent in (1, None):
        save_data(tmp_path / "x.json", data, "no", indent=indent)
        assert load_data(tmp_path / "x.json", lambda found: found, "no") == (data, None)


def test_what_cannot_be_read_is_told_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert load_data(path, dict, "Not read.") == (None, None)
    path.write_bytes(b"{")
    found, error = load_data(path, dict, "Not read.")
    assert found is None
    assert isinstance(error, InputError)
    assert error.message.startswith("Not read. (")
    assert (tmp_path / "x.json.unreadable").read_bytes() == b"{"
    (tmp_path / "x.json.unreadable").unlink()
    (tmp_path / "x.json.unreadable").mkdir()
    found, error = load_data(path, dict, "Not read.")
    assert error is not None
    assert error.hint == "", "no copy could be made, so none is spoken of"


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputFileError, match=r"Not kept: .*x\.json"):
        save_data(tmp_path / "file" / "x.json", {}, "Not kept")
