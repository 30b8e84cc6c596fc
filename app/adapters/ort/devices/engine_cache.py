"""The folder of graphs that a backend compiled for a device, so that the next start finds them.

TensorRT names a kept engine after the graph's file and its inputs, whatever their sizes, and fails on one of another version instead of making
a new one. So each graph, size, adapter, driver and ONNX Runtime has a folder, and a folder that nothing opened from is removed.
"""

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.ort_devices import collect_device_facts
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.common.files import paths
from app.common.files.private_data_dir import make_private_folder

MAX_ENGINE_CACHE_BYTES = 4 << 30  # all of them together


@contextmanager
def open_engine_cache(model: Path | bytes, place: str, fixed_dims: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """Yield the options with which a provider keeps its compiled engines for a session to be opened in the block, which fixes sizes by name."""
    folder = _find_cache_folder(model, place, fixed_dims)
    if folder is None:
        yield {}
        return
    try:
        yield {name: value.format(folder=folder) for name, value in BACKENDS[parse_backend(place)].cache_options.items()}
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        # It is gone, or something was kept.
        with suppress(OSError):
            folder.rmdir()


def _find_cache_folder(model: Path | bytes, place: str, fixed_dims: Mapping[str, int]) -> Path | None:
    """Return an existing folder; None if nothing can be written."""
    sizes = [f"{name} {size}" for name, size in sorted(fixed_dims.items())]
    facts = "\0".join((compute_graph_identity(model), *sizes, place, *collect_device_facts(place)))
    folder = paths.find_data_dir() / "cache" / "engines" / hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    try:
        make_private_folder(folder)
        os.utime(folder)
        _remove_oldest_engines(folder)
    except OSError as exc:
        logging.getLogger("koebako").info("nothing is kept of what %s compiles: %s", place, exc)
        return None
    return folder


def _remove_oldest_engines(newest: Path) -> None:
    folders = sorted((folder for folder in newest.parent.iterdir() if folder != newest), key=lambda folder: folder.stat().st_mtime)
    sizes = {folder: sum(file.stat().st_size for file in folder.iterdir()) for folder in folders}
    for folder in folders:
        if sum(sizes.values()) > MAX_ENGINE_CACHE_BYTES:
            shutil.rmtree(folder, ignore_errors=True)
            del sizes[folder]
