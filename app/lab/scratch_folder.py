"""Folders for what is made in passing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def create_scratch_folder() -> Iterator[Path]:
    """Create a folder for copies of graphs and a child's temporary files; it is removed afterwards, also if the child was stopped."""
    with tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
