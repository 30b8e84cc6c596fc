"""Turns a voice file of any kind into a prepared voice: three graphs that were proved against it, or one where that cannot be.

Both steps run in the sandbox; `app.install.refinement_runs` adopts what the second one makes.
"""

import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.common.errors import OutputFileError
from app.common.files.whole_files import remove_path
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.common.system_errors import describe_reason
from app.core.sound.voice_traits import ARCHITECTURES
from app.install.verify_voice import SourceGraph, verify_prepared_voice, verify_single_graph_voice
from app.voices.containers.voice_sources import read_voice_source
from app.voices.pending_refinement import SOURCE_GRAPH_STEM, mark_refinement_pending, read_pending_refinement
from app.voices.prepared_voice import MANIFEST_NAME, PreparationResult, Voice, VoiceManifest, read_prepared_voice, write_manifest
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME

EXACT_STEP_SHARE, COMPARISON_SHARE = 0.7, 0.4  # of the time; the rest makes the int8 graphs

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.


def prepare_voice(
    source: Path, folder: Path, report: Report = ignore_report, *, int8: bool = True, is_quick: bool = False
) -> PreparationResult:
    """Write a prepared voice into an empty folder, which is empty again if that fails.

    Args:
        source: any single voice that `read_voice_source` opens.
        is_quick: compare two short lines only, make no int8 graphs, and leave both to `compute_refinement`, which finds what it needs there.

    Raises:
        VoiceError: the source is no voice, makes no sense, or differs from what it was turned into.
        OutputFileError: the files cannot be written.
    """
    try:
        report("reading", 0.0)
        voice, int8 = read_voice_source(source), int8 and not is_quick
        make = _prepare_from_graph if voice.manifest.is_single_graph else _store_built_graphs
        prepared = make(voice, folder, build_part_report(report, 0.0, EXACT_STEP_SHARE) if int8 else report, is_quick=is_quick)
        if int8 and not prepared.manifest.is_single_graph:
            # The text front end, which only this needs.
            from app.install.int8_graphs import add_int8_graphs

            prepared = replace(
                prepared, manifest=add_int8_graphs(read_prepared_voice(folder), folder, build_part_report(report, EXACT_STEP_SHARE, 1.0))
            )
    except BaseException as exc:
        _release_open_files(exc)
        for item in folder.iterdir():
            remove_path(item)
        raise
    report("checking", 1.0)
    return prepared


def _release_open_files(error: BaseException) -> None:
    """Close the files that the failed calls had open, also those of the errors that led to this one: open sessions hold their files, which Windows then keeps."""
    behind: BaseException | None = error
    while behind is not None:
        traceback.clear_frames(behind.__traceback__)
        behind = behind.__cause__ or behind.__context__


@contextmanager
def open_prepared_copy(source: Path, report: Report = ignore_report) -> Iterator[Voice]:
    """Prepare a voice from a source for as long as the block runs; a folder that holds a prepared voice is used as it is."""
    if (source / MANIFEST_NAME).is_file():
        yield read_prepared_voice(source)
        return
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        prepare_voice(source, Path(folder), report, int8=False)
        yield read_prepared_voice(Path(folder))


def _prepare_from_graph(voice: Voice, folder: Path, report: Report, *, is_quick: bool) -> PreparationResult:
    from app.voices.prepare.graph_cutting import cut_voice_graph
    from app.voices.prepare.graph_store import load_graph, store_graph
    from app.voices.prepare.graph_walk import UnknownGraphError
    from app.voices.prepare.source_graphs import expose_noise_inputs, find_baked_noise_scales

    model = load_graph(voice.graphs.pop("whole"))
    report("cutting", 0.1)
    try:
        graphs = cut_voice_graph(model)
    except UnknownGraphError as exc:
        return _keep_single_graph(voice, model, folder, str(exc), report)
    report("storing", 0.3)
    multilingual = "ja_bert" in {item.name for item in graphs.prosody.graph.input}
    files = {name: store_graph(getattr(graphs, name), folder, name) for name in ("prosody", "flow", "decoder")}
    written = _write_voice(replace(voice.manifest, margin_frames=graphs.margin_frames, multilingual=multilingual), files, voice, folder)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        source_folder = folder if is_quick else Path(scratch)
        file_name = store_graph(expose_noise_inputs(model), source_folder, SOURCE_GRAPH_STEM)
        original = SourceGraph(source_folder / file_name, find_baked_noise_scales(model))
        del model
        difference = verify_prepared_voice(written, original, build_part_report(report, 0.4, 1.0), is_quick=is_quick)
    if is_quick:
        mark_refinement_pending(folder, original.baked_scales)
    return PreparationResult(written.manifest, difference, None)


def _keep_single_graph(voice: Voice, model: Any, folder: Path, single_graph_reason: str, report: Report) -> PreparationResult:
    from app.voices.prepare.graph_store import store_graph

    report("storing", 0.3)
    multilingual = "ja_bert" in {item.name for item in model.graph.input}
    files = {"whole": store_graph(model, folder, "whole")}
    written = _write_voice(replace(voice.manifest, multilingual=multilingual), files, voice, folder)
    verify_single_graph_voice(written, build_part_report(report, 0.4, 1.0))
    reason = localize(
        f"この声は分割できませんでした（{single_graph_reason}）。",
        f"This voice could not be split into three graphs ({single_graph_reason}).",
    )
    return PreparationResult(written.manifest, None, reason)


def _store_built_graphs(voice: Voice, folder: Path, report: Report, *, is_quick: bool) -> PreparationResult:
    from app.voices.prepare.graph_store import load_graph, store_graph

    names, files = list(voice.graphs), {}
    for index, name in enumerate(names):
        report("storing", 0.3 + 0.1 * index / len(names))
        files[name] = store_graph(load_graph(voice.graphs.pop(name)), folder, name)
    written = _write_voice(voice.manifest, files, voice, folder)
    verify_prepared_voice(written, None, build_part_report(report, 0.4, 1.0), is_quick=is_quick)
    if is_quick:
        mark_refinement_pending(folder, {})
    return PreparationResult(written.manifest, None, None)


def _write_voice(manifest: VoiceManifest, files: dict[str, str], voice: Voice, folder: Path) -> Voice:
    """Write the description and the style vectors, and return the voice as it is read from the folder."""
    kind = ARCHITECTURES[manifest.architecture]
    # Of a voice that a newer version has prepared the graphs stay as they are, and so does the number.
    recipe = max(manifest.recipe, kind.recipe) if kind.is_renewed_from_itself else manifest.recipe
    try:
        np.save(folder / STYLE_VECTORS_NAME, voice.style_vectors)
        write_manifest(replace(manifest, graphs=files, fast=None, refused={}, recipe=recipe), folder)
    except OSError as exc:
        raise OutputFileError(
            localize(f"声のファイルを書き込めません: {folder}", f"The voice files cannot be written: {folder}"),
            localize(
                f"ディスクの空き容量を確認してください。（{describe_reason(exc)}）", f"Check the free disk space. ({describe_reason(exc)})"
            ),
        ) from exc
    return read_prepared_voice(folder)


def compute_refinement(folder: Path, results: Path, report: Report = ignore_report) -> float | None:
    """Compare the voice in a folder with its source in every way, and write its int8 graphs and new manifest into another.

    Return the largest difference of a sample, None without a source; raise VoiceError if it is not what its source makes, OutputFileError.
    """
    # The text front end, which only this needs.
    from app.install.int8_graphs import add_int8_graphs

    voice, pending = read_prepared_voice(folder), read_pending_refinement(folder)
    source = SourceGraph(pending.source, pending.baked_scales) if pending is not None and pending.source is not None else None
    difference = verify_prepared_voice(voice, source, build_part_report(report, 0.0, COMPARISON_SHARE))
    add_int8_graphs(voice, results, build_part_report(report, COMPARISON_SHARE, 1.0))
    return difference
