"""Preparing a tiny voice in less time: fewer and shorter lines are spoken, for tests of something else than how many there are."""

import hashlib
from collections.abc import Container, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.optimized_graphs import list_graph_files
from app.install import calibration_runs, int8_graphs, verify_voice
from app.install.calibration_runs import build_calibration_sentences
from app.install.int8_graphs import GraphTiming
from app.voices import int8_result

TEXTS = ("はい。", "本当？", "そうです。", "また明日。")
assert len(TEXTS) > int8_graphs.CALIBRATING, "some are left to be compared"
Quantised = dict[str, bytes]
_quantised: dict[str, Quantised] = {}


def calibrate_briefly(patch: pytest.MonkeyPatch) -> None:
    """Int8 graphs are made and judged by a few words, and by few frames of them: a voice of random weights speaks slowly."""
    patch.setattr(calibration_runs, "MAX_CALIBRATION_FRAMES", 40)
    patch.setattr(int8_graphs, "build_calibration_sentences", partial(build_calibration_sentences, texts=TEXTS))


def verify_briefly(patch: pytest.MonkeyPatch) -> None:
    """A voice is compared with its source by two short lines, as where it is added."""
    patch.setattr(verify_voice, "VERIFICATION_PLANS", verify_voice.QUICK_PLANS)


def accept_all_int8(patch: pytest.MonkeyPatch) -> None:
    """Random weights need not bear 8 bits well, and so few numbers are no work whose speed could be compared."""
    for name, limit in (("MIN_INT8_SNR_DB", 10.0), ("MAX_INT8_LSD_DB", 9.0), ("MIN_FRAMES_EQUAL", 0.5), ("MIN_INT8_GAIN", 0.0)):
        patch.setattr(int8_result, name, limit)


def time_nothing(patch: pytest.MonkeyPatch) -> None:
    """Every int8 graph is twice as fast, unmeasured."""
    patch.setattr(int8_graphs, "measure_timing", lambda *_given: GraphTiming(2.0, 1.0))


def quantise_once(patch: pytest.MonkeyPatch) -> None:
    """The same graph gets the same form in int8 where the numbers in it are the same, so it is made by the first test that wants it."""
    quantise = int8_graphs.quantise_graph

    def once(
        graph: Path | bytes, name: str, inputs: Sequence[dict[str, Any]], folder: Path, allowed_results: Container[str] | None = None
    ) -> str | None:
        if isinstance(graph, bytes) or allowed_results is not None:
            return quantise(graph, name, inputs, folder, allowed_results)
        key = _key_of(graph, inputs)
        if key not in _quantised:
            file = quantise(graph, name, inputs, folder)
            made = [] if file is None else list_graph_files(folder / file)
            _quantised[key] = {path.name: path.read_bytes() for path in made}
        for file_name, content in _quantised[key].items():
            (folder / file_name).write_bytes(content)
        return next(iter(_quantised[key]), None)

    patch.setattr(int8_graphs, "quantise_graph", once)


def _key_of(graph: Path, inputs: Sequence[dict[str, Any]]) -> str:
    content = [path.read_bytes() for path in list_graph_files(graph)]
    content += [name.encode() + np.asarray(value).tobytes() for values in inputs for name, value in values.items()]
    return graph.stem + hashlib.sha256(b"".join(content)).hexdigest()
