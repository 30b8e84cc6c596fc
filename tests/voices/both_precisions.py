"""A voice with both precisions that takes no time to prepare: the shipped one, with a fainter decoder in place of its int8 form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.common.progress import Report
from app.install.preparation_results import PreparationResult
from app.voices.int8_result import Int8Graph, Int8Rejection, Int8Result
from app.voices.voice_manifest import VoiceManifest, write_manifest
from tests.install.voice_files import quick

FAINTER = 0.8
FAST = Int8Result({"decoder": Int8Graph("decoder_int8.onnx", 41.4, 0.21, gain=2.9)}, 41.4, 0.21, 1.0, 2.6)
REFUSED = {"prosody": Int8Rejection("lengths", 52.0, 0.1, 0.971, 1.4), "flow": Int8Rejection("noise", 31.2, 0.6, 1.0, 2.2)}


def fainter(source: Path, target: Path, factor: float = FAINTER) -> None:
    """Stands for the same graph in int8: what comes out of it is less."""
    model = onnx.load(str(source))
    result = model.graph.output[0]
    kind = helper.tensor_dtype_to_np_dtype(result.type.tensor_type.elem_type)
    for node in model.graph.node:
        node.output[:] = ["exact" if name == result.name else name for name in node.output]
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(factor, kind), "less"))
    model.graph.node.append(helper.make_node("Mul", ["exact", "less"], [result.name]))
    onnx.save(model, str(target))


def make_fast(manifest: VoiceManifest, folder: Path) -> VoiceManifest:
    """Gives a prepared copy of the shipped voice a faster way to speak."""
    fainter(folder / "decoder.onnx", folder / "decoder_int8.onnx")
    made = replace(manifest, fast=FAST, refused=REFUSED)
    write_manifest(made, folder)
    return made


def quick_fast(source: Path, folder: Path, report: Report) -> PreparationResult:
    """As `quick`, with both precisions."""
    prepared = quick(source, folder, report)
    return replace(prepared, manifest=make_fast(prepared.manifest, folder))
