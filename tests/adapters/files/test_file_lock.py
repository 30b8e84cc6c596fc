"""A lock between processes: one holds it, and death lets go of it."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.files import file_lock
from app.adapters.files.file_lock import FileLock, PassingLock, lock_path_for_change, lock_user_file
from app.common.errors import OutputFileError

ROOT = Path(__file__).parents[3]


def test_one_at_a_time(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.acquire()
    assert not second.acquire()
    with pytest.raises(OutputFileError, match="Another Koebako"):
        second.wait_for_lock(0.1)
    first.release()
    first.release()
    second.wait_for_lock(0.1)
    second.release()


def test_it_names_its_owner_and_dies_with_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from app.adapters.files.file_lock import FileLock\n"
        "lock = FileLock(Path(sys.argv[1])); print(lock.acquire(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "lock")], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert (tmp_path / "lock").read_text() == f"{process.pid}\n"
        lock = FileLock(tmp_path / "lock")
        assert not lock.acquire()
        process.kill()
    lock.wait_for_lock(5)
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


@pytest.mark.skipif(sys.platform == "win32", reason="flock of Unix")
def test_a_full_disk_and_one_without_locks_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def full(_file: int, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    def unknown(_file: int, _kind: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        lock = FileLock(tmp_path / "lock")
        assert lock.acquire()
        assert not FileLock(tmp_path / "lock").acquire(), "it is held although it names nobody"
        lock.release()
    assert lock.acquire()
    lock.release()
    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", unknown)
        with lock_path_for_change(tmp_path / "settings.json"):
            assert not lock.acquire()
    with lock_path_for_change(tmp_path / "settings.json"):
        assert not FileLock(tmp_path / "settings.lock").acquire()


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="lock"):
        FileLock(tmp_path / "missing" / "lock").acquire()


def test_a_lock_beside_a_file_of_the_user_leaves_nothing(tmp_path: Path) -> None:
    with lock_user_file(tmp_path / "a.koebako"):
        (path,) = tmp_path.iterdir()
        assert path.name.startswith(".")
        assert not PassingLock(path).acquire()
        with lock_user_file(tmp_path / "b.koebako"):
            pass
    assert list(tmp_path.iterdir()) == []
    with lock_user_file(tmp_path / "missing" / "a.koebako"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a file that somebody has open cannot be removed there")
def test_a_lock_that_its_last_holder_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, lock_byte = PassingLock(tmp_path / "lock"), PassingLock(tmp_path / "lock"), file_lock.lock_byte
    assert first.acquire()

    def lock_late(file: int) -> None:
        first.release()
        lock_byte(file)

    with monkeypatch.context() as patch:
        patch.setattr(file_lock, "lock_byte", lock_late)
        assert not second.acquire()
    assert second.acquire()
    assert not first.acquire()
    second.release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    with lock_user_file(tmp_path / "a.koebako"):
        (path,) = tmp_path.iterdir()
    (tmp_path / "mine.txt").write_text("mine")
    for target in (tmp_path / "mine.txt", tmp_path / "nowhere"):
        path.symlink_to(target)
        with lock_user_file(tmp_path / "a.koebako"):
            pass
        path.unlink()
    path.hardlink_to(tmp_path / "mine.txt")
    with lock_user_file(tmp_path / "a.koebako"):
        pass
    assert [(item.name, item.read_text()) for item in tmp_path.iterdir()] == [("mine.txt", "mine")]
