"""Small files: regular ones, whole, and within a limit; whatever else lies there is refused at once."""

import os
import socket
import sys
import tracemalloc
from pathlib import Path

import pytest

from app.common.files.whole_files import FileTooLargeError, NotRegularFileError, open_regular_file, read_bounded

LIMIT = 1 << 16
unix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of Unix")


@pytest.mark.parametrize("size", [0, 1, LIMIT - 1, LIMIT])
def test_a_file_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    assert read_bounded(tmp_path / "a", LIMIT) == b"x" * size


@pytest.mark.parametrize("size", [LIMIT + 1, 40 * LIMIT])
def test_one_byte_too_many_is_too_large(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    with pytest.raises(FileTooLargeError, match="64 KB"):
        read_bounded(tmp_path / "a", LIMIT)


def test_a_link_leads_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    try:
        (tmp_path / "b").symlink_to(tmp_path / "a")
    except OSError:
        pytest.skip("no links here")
    assert read_bounded(tmp_path / "b", LIMIT) == b"x"
    (tmp_path / "c").symlink_to(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "c", LIMIT)


@unix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_devices_are_refused_also_behind_links(tmp_path: Path, device: str) -> None:
    (tmp_path / "a").symlink_to(device)
    with pytest.raises(OSError, match=r"not a file|No such device"):  # there is no terminal in a test
        read_bounded(tmp_path / "a", LIMIT)


def test_pipes_sockets_and_folders_are_refused_at_once(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes and devices of Unix")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotRegularFileError):
        read_bounded(tmp_path / "pipe", LIMIT)  # nobody ever writes into it
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(OSError, match=r"s$|s'"):
            read_bounded(tmp_path / "s", LIMIT)
    with pytest.raises(OSError, match=str(tmp_path)):
        read_bounded(tmp_path, LIMIT)


@pytest.mark.parametrize("name", ["none", "a\0b", "a" * 5000, "none/a"])
def test_a_name_of_nothing_is_an_os_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"."):
        open_regular_file(tmp_path / name)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_files_without_a_size_are_read_and_limited() -> None:
    assert b"Name:" in read_bounded(Path("/proc/self/status"), LIMIT)
    with pytest.raises(FileTooLargeError):
        read_bounded(Path("/proc/self/status"), 100)


def test_no_more_memory_is_taken_than_there_are_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * LIMIT)
    tracemalloc.start()
    try:
        read_bounded(tmp_path / "a", 1 << 30)
        assert tracemalloc.get_traced_memory()[1] < 8 * LIMIT
    finally:
        tracemalloc.stop()
