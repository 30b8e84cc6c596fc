"""Files that libraries read while they hold Python's lock, brought into memory before: a disk must not hold up the window.

Libraries: ONNX Runtime 1.24 to 1.32, SudachiPy 0.7. Buys: 0.1 to 0.4 s of a frozen window where files come from the disk. Remove when
tests/adapters/test_file_prefetch.py finds that they read without Python's lock.
"""

import importlib.util
import logging
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

PREFETCHED_FILES = {"onnxruntime": "capi/*", "sudachidict_core": "resources/system.dic"}
"""By package, in the order in which they are needed."""

PREFETCH_BLOCK_BYTES = 1 << 20
_reading: dict[str, Future[int]] = {}


def start_prefetch() -> None:
    """Start reading in a thread of its own, once in a process."""
    if _reading:
        return
    thread = ThreadPoolExecutor(1, "read ahead")
    for package, pattern in PREFETCHED_FILES.items():
        _reading[package] = thread.submit(read_files, package, pattern)
    thread.shutdown(wait=False)


def wait_for_package(package: str) -> None:
    """Wait until the files of a package are in memory; if no prefetch was started, they are read when they are used."""
    if package in _reading:
        wait([_reading[package]])


def read_files(package: str, pattern: str) -> int:
    """Read matching files in the folder of a package, which is not imported; return how many bytes they have."""
    size, block = 0, bytearray(PREFETCH_BLOCK_BYTES)
    try:
        spec = importlib.util.find_spec(package)
        folders = [Path(folder) for folder in spec.submodule_search_locations or ()] if spec is not None else []
        for path in (path for folder in folders for path in folder.glob(pattern) if path.is_file()):
            with path.open("rb", buffering=0) as file:
                while read := file.readinto(block):
                    size += read
    except (OSError, ImportError, ValueError) as exc:  # the library that needs the files reports what is wrong
        logging.getLogger("koebako").info("%s was not read ahead: %s", package, exc)
    return size
