"""Where the device forms of graphs are kept: made once by a process of their own, when a graph is first put on a device.

A form belongs to the very file it was made from: a voice that is updated, exported or added again gets a new one when it is needed.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from app.adapters.ort.device_form import DeviceForm, read_form
from app.adapters.ort.device_openings import NoFormError
from app.adapters.ort.device_thread import ENDING
from app.adapters.ort.optimized_graphs import GraphStore, files_of
from app.language import localized
from app.own_program import start_own

VERSION = "device form 1"
EXACT = "--exact"
_TIMEOUT_S = 900
LOOKED_AFTER_S = 0.1
LARGEST_BYTES = 2 << 30


def form_store(folder: Path) -> GraphStore:
    """Keeps forms in a folder, which may be deleted at any time."""
    return GraphStore(folder, max_bytes=4 << 30, smallest_bytes=0, largest_bytes=LARGEST_BYTES)


def device_form(store: GraphStore, graph: str, source: Path, *, exact: bool = False, make: bool = True) -> DeviceForm:
    """The form of a graph, which takes up to minutes where it is not there yet.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of the voice or of the BERT.
        exact: in single precision, also where the graph bears half.
        make: one that is not there yet.

    Raises:
        NoFormError: there is none.
    """

    def write(folder: Path) -> None:
        if not make:
            raise FileNotFoundError(f"{graph} has not been converted yet")
        if is_hard_link(source):
            raise FileExistsError(f"{source} is a hard link")
        _make(graph, source, folder, exact=exact)

    copy = store.copy_of(source, f"{VERSION} {graph} exact" if exact else f"{VERSION} {graph}", write)
    if copy is None:
        raise NoFormError(_hard_link_words() if is_hard_link(source) else _unfit_words())
    try:
        return read_form(copy.parent)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as exc:
        logging.getLogger("koebako").info("the device form of %s cannot be read: %s", source, exc)
        raise NoFormError(_unfit_words()) from exc


def is_hard_link(source: Path) -> bool:
    """Whether weights beside a graph are one file under several names, which ONNX does not read: another program may change them."""
    return any(file.stat().st_nlink > 1 for file in files_of(source)[1:])


def _unfit_words() -> str:
    return localized("この声のグラフはこのデバイス用に変換できません。", "this graph cannot be converted for the device.")


def _hard_link_words() -> str:
    return localized(
        "モデルのファイルがハードリンクなので変換できません。フォルダーをコピーして元のフォルダーと入れ替えてください。",
        "its files are hard links, which cannot be converted. Copy their folder and put the copy in its place.",
    )


def _make(graph: str, source: Path, folder: Path, *, exact: bool) -> None:
    options = (EXACT,) if exact else ()
    process, end = start_own(os.environ, "--device-form", *options, graph, source, folder), time.monotonic() + _TIMEOUT_S
    while process.poll() is None:
        if ENDING.wait(LOOKED_AFTER_S) or time.monotonic() > end:
            process.kill()
    output = process.communicate()[0]
    if process.returncode:
        raise OSError(f"exit code {process.returncode}: {output.decode('utf-8', 'replace').strip()[-300:]}")
