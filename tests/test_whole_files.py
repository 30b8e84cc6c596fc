"""Files that are whole or not there, and what is left of those that a dying process had begun."""

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from app.common.errors import InputError, OutputFileError
from app.common.files import whole_files
from app.common.files.whole_files import (
    MIN_ABANDONED_PART_AGE_S,
    encode_readable_json,
    load_cache,
    load_data,
    move_to_free_name,
    prepare_part_path,
    save_data,
    write_file_atomically,
    write_json,
)
from tests.test_untrusted_json import VALUES

BEGIN_AND_DIE = """
import os, sys
from pathlib import Path
from app.adapters.files.part_file import PartFile
PartFile(Path(sys.argv[1])).write(b"half")
os._exit(9)
"""


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def names(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir()}


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_takes_no_name_that_something_has(tmp_path: Path, has_links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_target: Path, _source: Path) -> None:
        raise PermissionError(errno.EPERM, "as on FAT")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    source, target = tmp_path / "a.part", tmp_path / "a.txt"
    source.write_text("new")
    target.write_text("mine")
    (tmp_path / "folder").mkdir()
    for taken in (target, tmp_path / "folder"):
        with pytest.raises(FileExistsError):
            move_to_free_name(source, taken)
    if os.name != "nt":
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(FileExistsError):
            move_to_free_name(source, tmp_path / "link")
    assert target.read_text() == "mine"
    target.unlink()
    move_to_free_name(source, target)
    assert target.read_text() == "new"
    assert not source.exists()
    assert not (tmp_path / "nowhere").exists()


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
        write_file_atomically(link, content)
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

    monkeypatch.setattr(whole_files, "RETRY_DELAYS_S", (0.0, 0.0))
    monkeypatch.setattr(Path, "replace", refused_at_first)
    if refusals > 2:
        with pytest.raises(PermissionError):
            write_file_atomically(tmp_path / "x", b"new")
        assert names(tmp_path) == set()
    else:
        write_file_atomically(tmp_path / "x", b"new")
        assert (tmp_path / "x").read_bytes() == b"new"
    assert len(tries) == min(refusals, 2) + 1


def test_an_export_that_was_killed_is_swept_by_one_of_a_later_day(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", BEGIN_AND_DIE, tmp_path / "声.wav"], cwd=Path(__file__).parents[1], check=False)
    assert died.returncode == 9
    (left,) = tmp_path.iterdir()
    write_file_atomically(tmp_path / "a.wav", b"")
    assert left.exists(), "it could belong to a program that still runs"
    age(left, MIN_ABANDONED_PART_AGE_S + 60)
    write_file_atomically(tmp_path / "a.wav", b"")
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
        age(path, MIN_ABANDONED_PART_AGE_S + 60)
    part = prepare_part_path(tmp_path / "new")
    assert names(tmp_path) == set(foreign)
    assert part.parent == tmp_path
    assert not part.exists()


def test_data_comes_back_with_letters_that_are_no_text(tmp_path: Path) -> None:
    data = {"声\ud83d\ude00\udc80": ["🎐", 1.5, None, True]}
    save_data(tmp_path / "x.json", data, "no")
    assert load_data(tmp_path / "x.json", lambda found: found, "no") == (data, None)


@pytest.mark.parametrize("content", [b"", b"{", b"[1", b"\xff\xfe\x00", b"[" * 300_000, b"[" + b"0," * 10_000_001 + b"0]"])
def test_what_is_no_json_is_told_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    assert load_data(path, dict, "Not read.") == (None, None), "there is no file, which is nothing to tell"
    path.write_bytes(content)
    found, error = load_data(path, dict, "Not read.")
    assert found is None
    assert error is not None
    assert error.message == "Not read. (its content is damaged)"
    assert error.hint == f"A copy of the original was kept as {path}.unreadable."
    assert (tmp_path / "x.json.unreadable").read_bytes() == path.read_bytes() == content


@pytest.mark.parametrize("fault", [ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, InputError])
def test_whatever_a_reader_raises_is_a_fault_of_the_file(tmp_path: Path, fault: type[Exception]) -> None:
    def read(_data: object) -> None:
        raise fault("x")

    (tmp_path / "x.json").write_text("{}", encoding="ascii")
    found, error = load_data(tmp_path / "x.json", read, "Not read.")
    assert found is None
    assert error is not None
    assert error.backup == tmp_path / "x.json.unreadable"
    assert load_cache(tmp_path / "x.json", read) is None


def test_numbers_that_are_none_reach_the_reader_as_such(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": NaN, "b": 1e999, "c": ' + "9" * 400 + ', "d": 1, "d": 2}', encoding="ascii")
    found, _ = load_data(tmp_path / "x.json", dict, "Not read.")
    assert found is not None
    assert [str(value) for value in found.values()] == ["nan", "nan", "nan", "2"]


def test_older_copies_stay_and_there_are_only_a_few(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for number in [*range(9), 8, 8, 0]:
        path.write_text(f"{{{number}", encoding="ascii")
        _, error = load_data(path, dict, "Not read.")
        assert error is not None
        assert error.backup is not None
        assert error.backup.read_text(encoding="ascii") == f"{{{number}"
    copies = {item.name: item.read_text(encoding="ascii") for item in tmp_path.iterdir() if item != path}
    assert copies == {"x.json.unreadable": "{0"} | {f"x.json.unreadable.{copy}": f"{{{copy - 1}" for copy in (2, 3, 4)} | {
        "x.json.unreadable.5": "{8"
    }


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "a").write_bytes(b"a")


def _pipe(path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes of Unix")
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(whole_files.LARGEST_BYTES + 1)  # a hole, which takes no room


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices of Unix")
@pytest.mark.parametrize("make", [_folder, _pipe, _device, _huge])
def test_what_cannot_be_copied_is_renamed_and_gives_way_to_the_next_save(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "x.json"
    make(path)
    kind = path.lstat().st_mode
    found, error = load_data(path, dict, "Not read.")
    assert found is None
    assert error is not None
    assert error.backup == tmp_path / "x.json.unreadable"
    assert error.backup.lstat().st_mode == kind
    save_data(path, {"a": 1}, "no")
    assert load_data(path, dict, "Not read.") == ({"a": 1}, None)


def test_what_can_neither_be_copied_nor_renamed_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, _target: Path) -> Path:
        raise PermissionError(13, "no")

    _pipe(tmp_path / "x.json")
    monkeypatch.setattr(Path, "rename", refuse)
    _, error = load_data(tmp_path / "x.json", dict, "Not read.")
    assert error is not None
    assert (error.backup, error.hint) == (None, "")


def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    """`dict export /dev/null` by an administrator, or settings that are a link to a device."""
    _pipe(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(OSError, match="not a file"):
            write_file_atomically(path, b"x")
        assert stat.S_ISFIFO(path.stat().st_mode)
    assert names(tmp_path) == {"pipe", "link"}


def test_a_cache_that_makes_no_sense_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "koebako")
    assert load_cache(tmp_path / "x.json", dict) is None
    assert caplog.messages == []
    (tmp_path / "x.json").write_bytes(b"[[")
    assert load_cache(tmp_path / "x.json", dict) is None
    assert "x.json cannot be used: JSONDecodeError: Expecting value" in caplog.messages[0]
    assert names(tmp_path) == {"x.json"}


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputFileError, match=r"Not kept: .*x\.json"):
        save_data(tmp_path / "file" / "x.json", {}, "Not kept")


@given(VALUES)
def test_a_script_in_pieces_is_the_same_data(value: Any) -> None:
    assert json.loads(encode_readable_json(value).decode("utf-8", "surrogatepass")) == value


def test_each_line_of_a_script_has_a_line_of_the_file() -> None:
    data = {"script": {"lines": [{"text": "雨。"}, {"text": "雪。", "settings": {"speed": 1.5}}], "title": ""}, "voices": []}
    assert encode_readable_json(data).decode() == (
        '{\n "script": {\n  "lines": [\n   {"text": "雨。"},\n   {"text": "雪。", "settings": {"speed": 1.5}}\n  ],\n  "title": ""\n },\n "voices": []\n}'
    )
