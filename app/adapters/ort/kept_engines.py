"""Where a backend keeps what it compiled for a device, so that the next start finds it.

TensorRT names a kept engine after the graph's file and its inputs, whatever their sizes, and fails on one of another version instead of making
a new one. So each graph, size, adapter, driver and ONNX Runtime has a folder, and a folder that nothing opened from is removed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from app import paths
from app.adapters.ort.backends import BACKENDS, backend_of
from app.adapters.ort.device_facts import device_facts
from app.adapters.ort.optimized_graphs import identity_of
from app.own_folder import make_folder

MOST_BYTES = 4 << 30  # all of them together


@contextmanager
def keeping_engines(model: Path | bytes, place: str, free: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """Options with which a provider keeps what it compiles for a session, which is to be opened meanwhile; none for one that does not.

    Args:
        free: sizes that the session fixes, by name.
    """
    kept = BACKENDS[backend_of(place)].keeps
    folder = _folder(model, place, free) if kept else None
    if folder is None:
        yield {}
        return
    try:
        yield {name: value.format(folder=folder) for name, value in kept.items()}
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        with suppress(OSError):  # it is gone, or something was kept
            folder.rmdir()


def _folder(model: Path | bytes, place: str, free: Mapping[str, int]) -> Path | None:
    """A folder that is there; None where nothing can be written."""
    sizes = [f"{name} {size}" for name, size in sorted(free.items())]
    facts = "\0".join((identity_of(model), *sizes, place, *device_facts(place)))
    folder = paths.data_dir() / "cache" / "engines" / hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    try:
        make_folder(folder)
        os.utime(folder)
        _make_room(folder)
    except OSError as exc:
        logging.getLogger("koebako").info("nothing is kept of what %s compiles: %s", place, exc)
        return None
    return folder


def _make_room(newest: Path) -> None:
    """Removes what was used longest ago."""
    found = sorted((folder.stat().st_mtime, folder) for folder in newest.parent.iterdir() if folder != newest)
    held = {folder: sum(file.stat().st_size for file in folder.iterdir()) for _, folder in found}
    for _, folder in found:
        if sum(held.values()) > MOST_BYTES:
            shutil.rmtree(folder, ignore_errors=True)
            del held[folder]
