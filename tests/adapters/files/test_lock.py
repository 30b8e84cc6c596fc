"""A lock between processes: one holds it, and death lets go of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.files.lock import FileLock
from app.errors import OutputFileError

ROOT = Path(__file__).parents[3]


def test_one_at_a_time(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.acquire()
    assert not second.acquire()
    with pytest.raises(OutputFileError, match="Another Koebako"):
        second.wait(0.1)
    first.release()
    first.release()
    second.wait(0.1)
    second.release()


def test_it_names_its_owner_and_dies_with_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from app.adapters.files.lock import FileLock\n"
        "lock = FileLock(Path(sys.argv[1])); print(lock.acquire(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "lock")], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert (tmp_path / "lock").read_text() == f"{process.pid}\n"
        lock = FileLock(tmp_path / "lock")
        assert not lock.acquire()
        process.kill()
    lock.wait(5)
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="lock"):
        FileLock(tmp_path / "missing" / "lock").acquire()
