"""A voice with both precisions that takes no time to prepare: the shipped one, with a fainter decoder in place of its int8 form."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.common.progress import Report, ignore_report
from app.voices.int8_result import Int8Graph, Int8Rejection, Int8Result
from app.voices.pending_refinement import mark_refinement_pending
from app.voices.prepared_voice import PreparationResult, VoiceManifest, read_manifest, write_manifest
from tests.install.voice_files import quick

FAINTER = 0.8
FAST = Int8Result({"decoder": Int8Graph("decoder_int8.onnx", 41.4, 0.21, gain=2.9)}, 41.4, 0.21, 1.0, 2.6)
REFUSED = {"prosody": Int8Rejection("lengths", 52.0, 0.1, 0.971, 1.4), "flow": Int8Rejection("noise", 31.2, 0.6, 1.0, 2.2)}


def fainter(source: Path, target: Path, factor: float = FAINTER) -> None:
    """Stands for the same graph in int8: what comes out of it is less."""
    target.write_bytes(_make_fainter(source.read_bytes(), factor))


@lru_cache(maxsize=8)
def _make_fainter(graph: bytes, factor: float) -> bytes:
    model = onnx.load_from_string(graph)
    result = model.graph.output[0]
    kind = helper.tensor_dtype_to_np_dtype(result.type.tensor_type.elem_type)
    for node in model.graph.node:
        node.output[:] = ["exact" if name == result.name else name for name in node.output]
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(factor, kind), "less"))
    model.graph.node.append(helper.make_node("Mul", ["exact", "less"], [result.name]))
    made: bytes = model.SerializeToString()
    return made


def make_fast(manifest: VoiceManifest, folder: Path) -> VoiceManifest:
    """Gives a prepared copy of the shipped voice a faster way to speak."""
    return make_results(manifest, folder, folder)


def make_results(manifest: VoiceManifest, folder: Path, results: Path) -> VoiceManifest:
    """As `make_fast`, but what is made lies elsewhere."""
    fainter(folder / "decoder.onnx", results / "decoder_int8.onnx")
    made = replace(manifest, fast=FAST, refused=REFUSED)
    write_manifest(made, results)
    return made


def quick_pending(source: Path, folder: Path, report: Report) -> PreparationResult:
    """As `quick`, with the faster way to speak left for `quick_refined`."""
    prepared = quick(source, folder, report)
    mark_refinement_pending(folder, {})
    return prepared


def quick_refined(
    folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> tuple[VoiceManifest, float | None]:
    """In place of refining a voice in the sandbox; it waits as that does."""
    while is_paused():
        time.sleep(0.01)
    report("cutting", 0.5)
    return make_results(read_manifest(folder), folder, results), 2e-6
