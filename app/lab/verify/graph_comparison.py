"""Comparisons of a graph over several sentences, as rows; of prepared graphs, optimised and not, exact and in 8-bit integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from app.adapters.ort.devices.output_difference import AUDIO_GRAPHS
from app.common.errors import AppError
from app.core.sound.durations import compute_symbol_frames
from app.core.sound.ports import Prosody
from app.install.verify_voice import VerificationInput, adjust_to_avoid_ties
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph
from app.lab.report_rows import INT8_SUFFIX, Row
from app.lab.verify.graph_pair import (
    GraphPair,
    GraphSide,
    GraphValues,
    VerifyFigures,
    VerifyLimit,
    choose_exact_limit,
    choose_int8_limit,
    compare_results,
    measure_loudness_difference,
)
from app.voices.prepare.expose_tensors import list_nodes, list_output_names, store_graph_file
from app.voices.prepare.source_graphs import DURATIONS_OUTPUT, build_noiseless_graph
from app.voices.voice_manifest import VoiceManifest

ResultArrays = Sequence[np.ndarray]


@dataclass(frozen=True, slots=True)
class GraphCase:
    """A sentence: its name, and what the two sides are given."""

    sentence: str
    exact: GraphValues
    other: GraphValues


@dataclass(frozen=True, slots=True)
class GraphComparison:
    """A pair of graphs on sentences; the voice is None for a BERT."""

    case: str
    pair: GraphPair
    graph_cases: Sequence[GraphCase]
    voice: VoiceManifest | None = None

    def build_rows(self) -> Iterator[Row]:
        """Yield a row for each sentence. The two sides are open one after the other: a real BERT takes a gigabyte."""
        try:
            exact = _run_all(self.pair.exact, list(self.pair.outputs.values()), [item.exact for item in self.graph_cases])
            other = _run_all(self.pair.other, list(self.pair.outputs), [item.other for item in self.graph_cases])
        except AppError as error:
            yield build_failed_row(self.pair.name, self.case, self.pair.limit, error)
            return
        for given, expected, found in zip(self.graph_cases, exact, other, strict=True):
            yield self._build_row(given, expected, found)

    def _build_row(self, graph_case: GraphCase, expected: ResultArrays, found: ResultArrays) -> Row:
        pair, case = self.pair, f"{self.case}: {graph_case.sentence}"
        sound = pair.name.removesuffix("_int8") in AUDIO_GRAPHS
        figures, holds = compare_results(pair, expected[:1] if sound else expected, found[:1] if sound else found)
        frames = self._has_equal_frames(expected, found)
        loudness = None
        if sound and self.voice is not None:
            loudness = measure_loudness_difference(expected[0], found[0], self.voice.sampling_rate)
        # 8 bits may move a frame.
        ok = holds and (frames is not False or pair.name.endswith("_int8"))
        first = None if ok else pair.find_first_difference(graph_case.exact, graph_case.other)
        return build_verify_row(pair.name, case, figures, pair.limit, ok=ok, frames=frames, loudness=loudness, first=first)

    def _has_equal_frames(self, expected: ResultArrays, found: ResultArrays) -> bool | None:
        if self.pair.name == "whole" and len(expected) > 1:
            return np.array_equal(expected[1].reshape(-1), found[1].reshape(-1))
        if self.pair.name.removesuffix("_int8") != "prosody" or self.voice is None:
            return None
        return has_same_frames(self.voice, [item.squeeze() for item in expected], [item.squeeze() for item in found])


def has_same_frames(voice: VoiceManifest, expected: ResultArrays, found: ResultArrays) -> bool:
    """Return whether log durations `(T,)` become the same frames, at a speed near 1 where no last digit decides that."""
    if not all(np.isfinite(item).all() for item in (expected[0], found[0])):
        return False
    speed = VerificationInput({"length_scale": np.asarray(1.0, np.float32)}, None)
    scale = float(adjust_to_avoid_ties(speed, Prosody(*expected)).case["length_scale"])
    frames, others = (compute_symbol_frames(np.atleast_1d(item[0]), scale, voice.durations) for item in (expected, found))
    return np.array_equal(frames, others)


def _run_all(side: GraphSide, outputs: Sequence[str], given: Sequence[GraphValues]) -> list[list[np.ndarray]]:
    session = side.open_session()
    return [session.run_graph(dict(values), outputs) for values in given]


def build_verify_row(
    graph: str,
    case: str,
    figures: VerifyFigures,
    limit: VerifyLimit,
    *,
    ok: bool,
    frames: bool | None = None,
    loudness: float | None = None,
    first: str | None = None,
) -> Row:
    """Build a row of the report; figures that are no numbers are left out."""
    return {
        "type": "verify",
        "graph": graph,
        "case": case,
        "max_abs_diff": _drop_non_finite(figures.max_abs),
        "snr_db": _drop_non_finite(figures.snr_db),
        "cosine": _drop_non_finite(figures.cosine),
        "frames_equal": frames,
        "first_difference": first,
        "lufs_difference": loudness,
        "judged_by": limit.by,
        "limit": limit.value,
        "ok": ok,
        "error": None,
    }


def build_failed_row(graph: str, case: str, limit: VerifyLimit, error: AppError) -> Row:
    """Build the row for a comparison of which one side did not run."""
    row = dict.fromkeys(("max_abs_diff", "snr_db", "cosine", "frames_equal", "first_difference", "lufs_difference"))
    judged_by: Row = {"judged_by": limit.by, "limit": limit.value, "ok": False, "error": f"{error.message} {error.hint}".strip()}
    return {"type": "verify", "graph": graph, "case": case, **row, **judged_by}


def _drop_non_finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def write_graph_files(subject: LabSubject, folder: Path) -> dict[str, Path]:
    """Write every prepared graph as a file with its weights beside it; a graph that draws noise is silenced."""
    files = {}
    for name, graph in subject.prepared.items():
        files[name] = store_graph_file(build_noiseless_graph(graph)[0] if name == "whole" else graph, folder, name)
    return files


def map_outputs(name: str, file: Path) -> dict[str, str]:
    """Return the outputs to compare, by their name on both sides; of a single graph the sound and the frames."""
    names = list_output_names(file)
    if name == "whole":
        names = [names[0], *(item for item in names if item == DURATIONS_OUTPUT)]
    return {item: item for item in names}


def compare_optimised(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph as ONNX Runtime optimises it with the same graph as it is written."""
    for name, file in files.items():
        exact, other = GraphSide(file, "none"), GraphSide(file, "all")
        pair = GraphPair(name, exact, other, choose_exact_limit(name), map_outputs(name, file))
        yield GraphComparison("optimised", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def compare_precisions(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph in 8-bit integers with the exact one."""
    for name in [name for name in files if name.endswith(INT8_SUFFIX)]:
        exact = name.removesuffix(INT8_SUFFIX)
        same = {item: item for item in _list_tensors(files[name]) & _list_tensors(files[exact])}
        outputs = dict(zip(map_outputs(name, files[name]), map_outputs(exact, files[exact]), strict=True))
        pair = GraphPair(name, GraphSide(files[exact]), GraphSide(files[name]), choose_int8_limit(name), outputs, same)
        yield GraphComparison("int8", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def _build_graph_cases(name: str, calls: CallsByGraph) -> list[GraphCase]:
    return [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix(INT8_SUFFIX)]]


def _list_tensors(file: Path) -> set[str]:
    return {name for node in list_nodes(file) for name in node.outputs}
