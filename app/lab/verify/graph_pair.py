"""Two ways to compute the same graph, on the same values: how far apart the results are, whether that is allowed, and where it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from app.adapters.ort.backends import FLOAT16_TOLERANCE, FLOAT32_TOLERANCE
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.lab_sessions import open_at_level
from app.core.sound.result_metrics import AUDIO_GRAPHS, INCOMPARABLE, MAX_SNR_DB, ResultDifference, compute_difference
from app.export.loudness import compute_integrated_lufs, measure_loudness
from app.install.bert_preparation import MIN_BERT_COSINE
from app.voices.int8_result import MIN_INT8_SNR_DB
from app.voices.prepare.graph_facts import GraphNode, expose_graph_tensors, list_nodes

TENSORS_PER_PROBE = 3  # shown at a time: ONNX Runtime does not fuse what has to be shown
ProbeTensors = Callable[[Sequence[str]], Mapping[str, bool | None]]  # tensors → whether each differs; None where that cannot be known

ResultArrays = Sequence[np.ndarray]
SOUND_TOLERANCE, BERT_TOLERANCE = 1e-3, 1e-5  # of full scale; of the largest feature
MIN_PROSODY_COSINE = 0.99  # of log durations in 8 bits; whether frames change is counted over more sentences when a voice is prepared
INNER_TENSOR = "inside"  # in place of a graph's name: a tensor between its inputs and its outputs
INNER_TENSOR_TOLERANCE = 1e-4  # of the largest value of a tensor: rounding stays a tenth of it


def find_first_difference(nodes: Sequence[GraphNode], start_tensor: str, candidates: Iterable[str], probe: ProbeTensors) -> str:
    """Return the tensor that differs although none of its own inputs does, as far as they are candidates.

    Halving assumes that all tensors above an equal one are equal. That is not always so: a slice may show a part without the fault.
    So what the tensor is made of is looked at in the end, and where that differs the search continues there.

    Args:
        nodes: in the order of the graph.
        start_tensor: a tensor that differs.
        candidates: tensors that can be looked at.
    """
    names = sorted({*candidates, start_tensor})
    above, parents = _map_ancestors(nodes, names)
    verdicts: dict[str, bool | None] = {}

    def probe_unseen(wanted: Sequence[str]) -> list[str]:
        new = [name for name in wanted if name not in verdicts]
        for start in range(0, len(new), TENSORS_PER_PROBE):
            verdicts.update(probe(new[start : start + TENSORS_PER_PROBE]))
        return [name for name in wanted if verdicts[name]]

    while True:
        start_tensor = _narrow_by_halving(start_tensor, names, above, probe_unseen, verdicts)
        differing = probe_unseen(parents[start_tensor])
        if not differing:
            return start_tensor
        start_tensor = differing[0]


def _narrow_by_halving(
    bad: str,
    names: Sequence[str],
    above: Mapping[str, int],
    probe_unseen: Callable[[Sequence[str]], list[str]],
    verdicts: Mapping[str, bool | None],
) -> str:
    """Return a tensor that differs and has only equal ones above it, or only ones that are above an equal one."""
    bits = {name: 1 << index for index, name in enumerate(names)}
    suspects = above[bad] & ~bits[bad]
    for name in names:
        if name in verdicts:
            suspects &= ~bits[name]
    while suspects:
        looked_at = _choose_halving_points([name for name in names if suspects & bits[name]], above, suspects)
        differing = probe_unseen(looked_at)
        for name in looked_at:
            suspects &= ~(above[name] if verdicts[name] is False else bits[name])
        if differing:
            bad = min(differing, key=lambda name: (suspects & above[name]).bit_count())
            suspects &= above[bad]
    return bad


def _map_ancestors(nodes: Sequence[GraphNode], names: Sequence[str]) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return for each name its ancestors and itself, one bit each, for a graph of 5,000 nodes has millions of such pairs; and the nearest ones."""
    own_bits = {name: 1 << index for index, name in enumerate(names)}
    above: dict[str, int] = {}
    nearest: dict[str, tuple[str, ...]] = {}
    parents: dict[str, list[str]] = {}
    for node in nodes:
        bits, near = 0, dict[str, None]()
        for name in node.inputs:
            bits |= above.get(name, 0)
            near.update(dict.fromkeys(nearest.get(name, ())))
        for name in node.outputs:
            above[name] = bits | own_bits.get(name, 0)
            nearest[name] = (name,) if name in own_bits else tuple(near)
            if name in own_bits:
                parents[name] = list(near)
    return {name: above.get(name, own_bits[name]) for name in names}, {name: parents.get(name, []) for name in names}


def _choose_halving_points(suspected: Sequence[str], above: Mapping[str, int], suspects: int) -> list[str]:
    """Return the suspects below about a quarter, a half and three quarters of all."""
    counts = {name: (suspects & above[name]).bit_count() for name in suspected}
    goals = [len(suspected) * (index + 1) / (TENSORS_PER_PROBE + 1) for index in range(TENSORS_PER_PROBE)]
    return list(dict.fromkeys(min(counts, key=lambda name: abs(counts[name] - goal)) for goal in goals))


GraphValues = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphSide:
    """One way: a graph, whose weights may be next to it, at a level of `app.adapters.ort.lab_sessions`."""

    graph: Path
    level: str = "all"
    place: str = "cpu"

    def open_session(self, extra_outputs: Sequence[str] = ()) -> GraphSession:
        """Open a session, with these tensors as further outputs."""
        model = expose_graph_tensors(self.graph, extra_outputs) if extra_outputs else self.graph
        return open_at_level(model, self.level, self.graph.stem, place=self.place, weights=self.graph.parent)


@dataclass(frozen=True, slots=True)
class VerifyLimit:
    """A limit that decides whether a comparison passes: `relative` may not be above the value, other figures not below."""

    by: Literal["relative", "snr_db", "cosine"]
    value: float

    def is_met(self, figures: VerifyFigures) -> bool:
        """Return whether the figures are within the limit; figures that are no numbers are not."""
        figure = getattr(figures, self.by)
        return bool(figure <= self.value if self.by == "relative" else figure >= self.value)

    @property
    def inner_limit(self) -> VerifyLimit:
        """Return the limit for tensors inside a graph: small faults grow on the way to its end."""
        return VerifyLimit("relative", min(self.value, INNER_TENSOR_TOLERANCE)) if self.by == "relative" else self


@dataclass(frozen=True, slots=True)
class VerifyFigures(ResultDifference):
    """Differences of all results of a graph, the worst of them; `relative` is the largest as a share of full scale."""

    relative: float


NOTHING_ALIKE = VerifyFigures(INCOMPARABLE.max_abs, INCOMPARABLE.snr_db, INCOMPARABLE.cosine, float("inf"))


def choose_exact_limit(graph: str) -> VerifyLimit:
    """Return the limit for two graphs that should be equal but for rounding; in 8 bits rounding decides whole steps."""
    if graph.endswith("_int8"):
        return choose_int8_limit(graph)
    if graph.startswith("bert"):
        return VerifyLimit("relative", BERT_TOLERANCE)
    return VerifyLimit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def choose_int8_limit(graph: str) -> VerifyLimit:
    """Return the limit for the int8 form of a graph against its exact one, as preparing demands it; of log durations only the frames are heard."""
    if graph.startswith("prosody"):
        return VerifyLimit("cosine", MIN_PROSODY_COSINE)
    return VerifyLimit("cosine", MIN_BERT_COSINE) if graph.startswith("bert") else VerifyLimit("snr_db", MIN_INT8_SNR_DB)


def choose_device_limit(graph: str, *, is_half: bool) -> VerifyLimit:
    if is_half:
        return VerifyLimit("relative", FLOAT16_TOLERANCE)
    return VerifyLimit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def compute_figures(graph: str, expected: ResultArrays, results: ResultArrays) -> VerifyFigures:
    """Return the figures of two results; axes of one element do not count, as original graphs have one for the batch."""
    pairs = [(_flatten_array(a), _flatten_array(b)) for a, b in zip(expected, results, strict=True)]
    if graph == INNER_TENSOR:
        pairs = [_remove_masks(a, b) for a, b in pairs]
    if any(a.shape != b.shape or not np.isfinite(b).all() for a, b in pairs):
        return NOTHING_ALIKE
    return merge_worst([_compute_array_figures(graph, a, b) for a, b in pairs if a.size])


def merge_worst(each: Sequence[VerifyFigures]) -> VerifyFigures:
    return VerifyFigures(
        max((item.max_abs for item in each), default=0.0),
        min((item.snr_db for item in each), default=MAX_SNR_DB),
        min((item.cosine for item in each), default=1.0),
        max((item.relative for item in each), default=0.0),
    )


def _compute_array_figures(graph: str, expected: np.ndarray, result: np.ndarray) -> VerifyFigures:
    largest = float(np.abs(expected).max())
    if graph.startswith("bert") or graph == INNER_TENSOR:
        scale = max(largest, 1e-9)
    else:
        scale = 1.0 if graph.removesuffix("_int8") in AUDIO_GRAPHS else max(1.0, largest)
    found_out = compute_difference([expected], [result], by_token=graph.startswith("bert") and expected.ndim == 2)
    return VerifyFigures(found_out.max_abs, found_out.snr_db, found_out.cosine, found_out.max_abs / scale)


def _remove_masks(expected: np.ndarray, result: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remove the masks, which are infinite on purpose on both sides."""
    if expected.shape != result.shape:
        return expected, result
    masked = ~np.isfinite(expected) & ((expected == result) | (np.isnan(expected) & np.isnan(result)))
    return np.where(masked, 0.0, expected), np.where(masked, 0.0, result)


def _flatten_array(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float64).squeeze()


def measure_loudness_difference(expected: np.ndarray, samples: np.ndarray, rate: int) -> float | None:
    """Return the difference of two sounds in LU; None if one is silent or shorter than a block of 400 ms."""
    loudness = [
        compute_integrated_lufs(measure_loudness(np.asarray(item, np.float32).reshape(-1), rate).powers) for item in (expected, samples)
    ]
    return abs(loudness[0] - loudness[1]) if np.isfinite(loudness).all() else None


@dataclass(frozen=True, slots=True)
class GraphPair:
    """A graph computed in two ways, `exact` taken to be right; inner tensors that hold the same go from `other` to `exact`, None for one graph."""

    name: str
    exact: GraphSide
    other: GraphSide
    limit: VerifyLimit
    outputs: Mapping[str, str]
    same_tensors: Mapping[str, str] | None = None

    def find_first_difference(self, exact_values: GraphValues, other_values: GraphValues) -> str | None:
        """Return the name of the first tensor of `other` that differs; None if the results agree."""
        probe = _TensorProbe(self, exact_values, other_values)
        bad = probe.find_differing_output()
        if bad is None:
            return None
        nodes = list_nodes(self.other.graph)
        same_tensors = self.same_tensors if self.same_tensors is not None else {name: name for node in nodes for name in node.outputs}
        return find_first_difference(nodes, bad, same_tensors, probe)


@dataclass(slots=True)
class _TensorProbe:
    """Looks at tensors on both sides, each in sessions of their own."""

    pair: GraphPair
    exact_values: GraphValues
    other_values: GraphValues
    _differing_output: str = field(default="", init=False)

    def find_differing_output(self) -> str | None:
        pair = self.pair
        expected = pair.exact.open_session().run_graph(dict(self.exact_values), list(pair.outputs.values()))
        results = pair.other.open_session().run_graph(dict(self.other_values), list(pair.outputs))
        for name, a, b in zip(pair.outputs, expected, results, strict=True):
            if not pair.limit.is_met(compute_figures(pair.name, [a], [b])):
                self._differing_output = name
                return name
        return None

    def __call__(self, names: Sequence[str]) -> dict[str, bool | None]:
        """Probe the tensors together, or one by one if exposing them together ends the difference."""
        verdicts = self._compare_tensors(names)
        if verdicts is None and len(names) > 1:
            each = [self._compare_tensors([name]) for name in names]
            return {name: verdict[name] if verdict is not None else None for name, verdict in zip(names, each, strict=True)}
        return verdicts if verdicts is not None else dict.fromkeys(names)

    def _compare_tensors(self, names: Sequence[str]) -> dict[str, bool | None] | None:
        """Compare the tensors; return None if exposing the tensors makes the results agree: they were inside a faulty fused node."""
        pair, same_tensors = self.pair, self.pair.same_tensors
        inside = [same_tensors[name] if same_tensors is not None else name for name in names]
        results = pair.other.open_session(names).run_graph(dict(self.other_values), [*names, self._differing_output])
        expected = pair.exact.open_session(inside).run_graph(dict(self.exact_values), [*inside, pair.outputs[self._differing_output]])
        if pair.limit.is_met(compute_figures(pair.name, expected[-1:], results[-1:])):
            return None
        return {name: self._is_different(a, b) for name, a, b in zip(names, expected, results, strict=False)}

    def _is_different(self, expected: np.ndarray, result: np.ndarray) -> bool | None:
        if self.pair.same_tensors is not None and np.squeeze(expected).shape != np.squeeze(result).shape:
            # Nodes of the same name that hold something else.
            return None
        return not self.pair.limit.inner_limit.is_met(compute_figures(INNER_TENSOR, [expected], [result]))


def compare_results(pair: GraphPair, expected: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> tuple[VerifyFigures, bool]:
    """Return the figures of results, and whether they are within the limit."""
    figures = compute_figures(pair.name, expected, results)
    return figures, pair.limit.is_met(figures)
