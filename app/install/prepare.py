"""Turns a voice file of any kind into a prepared voice: three graphs that were proved against it, or one where that cannot be."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.data_file import drop
from app.errors import OutputFileError
from app.install.prepared import Prepared
from app.install.verify import SourceGraph, verify_prepared, verify_whole
from app.language import localized
from app.progress import Report, part, unreported
from app.system_errors import reason_of
from app.voices.containers.sources import read_source
from app.voices.manifest import MANIFEST_NAME, VoiceManifest, write_manifest
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.voice import Voice, read_prepared

EXACT_SHARE = 0.7  # of the time; the rest makes the int8 graphs

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.


def prepare_voice(source: Path, folder: Path, report: Report = unreported, *, int8: bool = True) -> Prepared:
    """Writes a prepared voice into an empty folder, which is empty again when that fails.

    Args:
        source: any single voice that `read_source` opens.
        int8: make int8 graphs for the faster way to speak, too.

    Raises:
        VoiceError: the source is no voice, makes no sense, or differs from what it was turned into.
        OutputFileError: the files cannot be written.
    """
    try:
        report("reading", 0.0)
        voice = read_source(source)
        make = _from_graph if voice.manifest.opaque else _from_parts
        prepared = make(voice, folder, part(report, 0.0, EXACT_SHARE) if int8 else report)
        if int8 and not prepared.manifest.opaque:
            from app.install.int8 import add_fast  # the text front end, which only this needs

            prepared = replace(prepared, manifest=add_fast(read_prepared(folder), folder, part(report, EXACT_SHARE, 1.0)))
    except BaseException as exc:
        _let_go(exc)
        for item in folder.iterdir():
            drop(item)
        raise
    report("checking", 1.0)
    return prepared


def _let_go(error: BaseException) -> None:
    """Closes what the failed calls had open, those behind the error included: open sessions hold their files, which Windows then keeps."""
    behind: BaseException | None = error
    while behind is not None:
        traceback.clear_frames(behind.__traceback__)
        behind = behind.__cause__ or behind.__context__


@contextmanager
def prepared_copy(source: Path, report: Report = unreported) -> Iterator[Voice]:
    """A prepared voice made from a source for as long as it is needed; a folder that holds one already is used as it is."""
    if (source / MANIFEST_NAME).is_file():
        yield read_prepared(source)
        return
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        prepare_voice(source, Path(folder), report, int8=False)
        yield read_prepared(Path(folder))


def _from_graph(voice: Voice, folder: Path, report: Report) -> Prepared:
    """Cuts the public SBV2 graph."""
    from app.voices.prepare.cut import cut_graphs
    from app.voices.prepare.links import UnknownGraphError
    from app.voices.prepare.noise import baked_scales, noisy_copy
    from app.voices.prepare.store import load_graph, store_graph

    model = load_graph(voice.graphs.pop("whole"))
    report("cutting", 0.1)
    try:
        graphs = cut_graphs(model)
    except UnknownGraphError as exc:
        return _opaque(voice, model, folder, str(exc), report)
    report("storing", 0.3)
    multilingual = "ja_bert" in {item.name for item in graphs.prosody.graph.input}
    files = {name: store_graph(getattr(graphs, name), folder, name) for name in ("prosody", "flow", "decoder")}
    written = _write(replace(voice.manifest, margin_frames=graphs.margin_frames, multilingual=multilingual), files, voice, folder)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        file_name = store_graph(noisy_copy(model), Path(scratch), "source")
        original = SourceGraph(Path(scratch) / file_name, baked_scales(model))
        del model
        difference = verify_prepared(written, original, part(report, 0.4, 1.0))
    return Prepared(written.manifest, difference, None)


def _opaque(voice: Voice, model: Any, folder: Path, why: str, report: Report) -> Prepared:
    """Keeps the graph whole."""
    from app.voices.prepare.store import store_graph

    report("storing", 0.3)
    multilingual = "ja_bert" in {item.name for item in model.graph.input}
    files = {"whole": store_graph(model, folder, "whole")}
    written = _write(replace(voice.manifest, multilingual=multilingual), files, voice, folder)
    verify_whole(written, part(report, 0.4, 1.0))
    reason = localized(f"この声は分割できませんでした（{why}）。", f"This voice could not be split into three graphs ({why}).")
    return Prepared(written.manifest, None, reason)


def _from_parts(voice: Voice, folder: Path, report: Report) -> Prepared:
    """Stores graphs that were built from weights, or prepared before."""
    from app.voices.prepare.store import load_graph, store_graph

    names, files = list(voice.graphs), {}
    for index, name in enumerate(names):
        report("storing", 0.3 + 0.1 * index / len(names))
        files[name] = store_graph(load_graph(voice.graphs.pop(name)), folder, name)
    written = _write(voice.manifest, files, voice, folder)
    verify_prepared(written, None, part(report, 0.4, 1.0))
    return Prepared(written.manifest, None, None)


def _write(manifest: VoiceManifest, files: dict[str, str], voice: Voice, folder: Path) -> Voice:
    """The description and the style vectors; gives back the voice as it is read from the folder."""
    try:
        np.save(folder / STYLE_VECTORS_NAME, voice.style_vectors)
        write_manifest(replace(manifest, graphs=files, fast=None, refused={}), folder)
    except OSError as exc:
        raise OutputFileError(
            localized(f"声のファイルを書き込めません: {folder}", f"The voice files cannot be written: {folder}"),
            localized(f"ディスクの空き容量を確認してください。（{reason_of(exc)}）", f"Check the free disk space. ({reason_of(exc)})"),
        ) from exc
    return read_prepared(folder)
