"""The store of fixed-shape graphs: a process of its own makes each when its graph is first put on a device.

A form belongs to the very file it was made from: a voice that is updated, exported or added again gets a new one when it is needed.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from app.adapters.ort.devices.device_thread import PROGRAM_ENDING
from app.adapters.ort.fixed_shapes.device_openings import NoFixedShapeGraphError
from app.adapters.ort.fixed_shapes.fixed_shape_graph import FixedShapeGraph, read_fixed_shape_graph
from app.adapters.ort.optimized_graphs import GraphStore, list_graph_files
from app.common.language import localize
from app.common.processes.self_launch import start_own_program

FIXED_SHAPE_VERSION = "device form 1"
EXACT_OPTION = "--exact"
_CONVERSION_TIMEOUT_S = 900
CONVERSION_POLL_S = 0.1
MAX_FIXED_SHAPE_BYTES = 2 << 30


def create_fixed_shape_store(folder: Path) -> GraphStore:
    """Keep fixed-shape graphs in a folder, which may be deleted at any time."""
    return GraphStore(folder, max_bytes=4 << 30, smallest_bytes=0, largest_bytes=MAX_FIXED_SHAPE_BYTES)


def find_or_make_fixed_shape_graph(
    store: GraphStore, graph: str, source: Path, *, is_exact: bool = False, may_make: bool = True
) -> FixedShapeGraph:
    """Return the fixed-shape graph of a graph; building one takes up to minutes.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of the voice or of the BERT.
        is_exact: in single precision, also where the graph bears half.
        may_make: one that is not there yet.

    Raises:
        NoFixedShapeGraphError: there is none.
    """

    def write_graph(folder: Path) -> None:
        if not may_make:
            raise FileNotFoundError(f"{graph} has not been converted yet")
        if is_hard_link(source):
            raise FileExistsError(f"{source} is a hard link")
        _make_in_child(graph, source, folder, is_exact=is_exact)

    copy = store.find_or_write_copy(
        source, f"{FIXED_SHAPE_VERSION} {graph} exact" if is_exact else f"{FIXED_SHAPE_VERSION} {graph}", write_graph
    )
    if copy is None:
        raise NoFixedShapeGraphError(_describe_hard_link() if is_hard_link(source) else _describe_unfit_graph())
    try:
        return read_fixed_shape_graph(copy.parent)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as exc:
        logging.getLogger("koebako").info("the device form of %s cannot be read: %s", source, exc)
        raise NoFixedShapeGraphError(_describe_unfit_graph()) from exc


def is_hard_link(source: Path) -> bool:
    """Return whether weights beside a graph are one file under several names, which ONNX does not read: another program may change them."""
    return any(file.stat().st_nlink > 1 for file in list_graph_files(source)[1:])


def _describe_unfit_graph() -> str:
    return localize("この声のグラフはこのデバイス用に変換できません。", "this graph cannot be converted for the device.")


def _describe_hard_link() -> str:
    return localize(
        "モデルのファイルがハードリンクなので変換できません。フォルダーをコピーして元のフォルダーと入れ替えてください。",
        "its files are hard links, which cannot be converted. Copy their folder and put the copy in its place.",
    )


def _make_in_child(graph: str, source: Path, folder: Path, *, is_exact: bool) -> None:
    options = (EXACT_OPTION,) if is_exact else ()
    process, end = start_own_program(os.environ, "--device-form", *options, graph, source, folder), time.monotonic() + _CONVERSION_TIMEOUT_S
    while process.poll() is None:
        if PROGRAM_ENDING.wait(CONVERSION_POLL_S) or time.monotonic() > end:
            process.kill()
    output = process.communicate()[0]
    if process.returncode:
        raise OSError(f"exit code {process.returncode}: {output.decode('utf-8', 'replace').strip()[-300:]}")
