"""A limit to the size of files, in the place of a full disk."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def small_files(largest_bytes: int) -> Iterator[None]:
    """No file of this process, or of those that it starts, grows beyond that: the system refuses the write, as on a full disk.

    Bytecode is not written meanwhile: Python keeps what fits of it as if it were whole, and every later process that reads it dies. (One that
    is killed leaves none: bytecode gets its name when it is complete.)
    """
    resource = pytest.importorskip("resource", reason="no limit to the size of files here")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
