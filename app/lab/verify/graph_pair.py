"""Two ways to compute the same graph, on the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimization_levels import open_at_level
from app.lab.verify.verify_limits import INNER_TENSOR, VerifyFigures, VerifyLimit, compute_figures
from app.voices.prepare.expose_tensors import GraphNode, expose_graph_tensors, list_nodes

# Shown at a time: ONNX Runtime does not fuse what has to be shown.
TENSORS_PER_PROBE = 3
ProbeTensors = Callable[[Sequence[str]], Mapping[str, bool | None]]
"""Tensors → whether each differs; None where that cannot be known."""


def find_first_difference(nodes: Sequence[GraphNode], start_tensor: str, candidates: Iterable[str], probe: ProbeTensors) -> str:
    """Return the tensor that differs although none of its own inputs does, as far as they are candidates.

    Halving takes what lies above an equal tensor to be equal. That is not always so: a slice may show a part without the fault.
    So what the tensor is made of is looked at in the end, and where that differs the search continues there.

    Args:
        nodes: in the order of the graph.
        start_tensor: a tensor that differs.
        candidates: tensors that can be looked at.
    """
    names = sorted({*candidates, start_tensor})
    above, parents = _map_ancestors(nodes, names)
    seen: dict[str, bool | None] = {}

    def probe_unseen(wanted: Sequence[str]) -> list[str]:
        new = [name for name in wanted if name not in seen]
        for start in range(0, len(new), TENSORS_PER_PROBE):
            seen.update(probe(new[start : start + TENSORS_PER_PROBE]))
        return [name for name in wanted if seen[name]]

    while True:
        start_tensor = _narrow_by_halving(start_tensor, names, above, probe_unseen, seen)
        differing = probe_unseen(parents[start_tensor])
        if not differing:
            return start_tensor
        start_tensor = differing[0]


def _narrow_by_halving(
    bad: str,
    names: Sequence[str],
    above: Mapping[str, int],
    probe_unseen: Callable[[Sequence[str]], list[str]],
    seen: Mapping[str, bool | None],
) -> str:
    """Return a tensor that differs and has only equal ones above it, or such as lie above an equal one."""
    own = {name: 1 << place for place, name in enumerate(names)}
    suspects = above[bad] & ~own[bad]
    for name in names:
        if name in seen:
            suspects &= ~own[name]
    while suspects:
        looked_at = _choose_halving_points([name for name in names if suspects & own[name]], above, suspects)
        differing = probe_unseen(looked_at)
        for name in looked_at:
            suspects &= ~(above[name] if seen[name] is False else own[name])
        if differing:
            bad = min(differing, key=lambda name: (suspects & above[name]).bit_count())
            suspects &= above[bad]
    return bad


def _map_ancestors(nodes: Sequence[GraphNode], names: Sequence[str]) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return for each name its ancestors and itself, one bit each, for a graph of 5,000 nodes has millions of such pairs; and the nearest ones."""
    own = {name: 1 << place for place, name in enumerate(names)}
    above: dict[str, int] = {}
    nearest: dict[str, tuple[str, ...]] = {}
    parents: dict[str, list[str]] = {}
    for node in nodes:
        bits, near = 0, dict[str, None]()
        for name in node.inputs:
            bits |= above.get(name, 0)
            near.update(dict.fromkeys(nearest.get(name, ())))
        for name in node.outputs:
            above[name] = bits | own.get(name, 0)
            nearest[name] = (name,) if name in own else tuple(near)
            if name in own:
                parents[name] = list(near)
    return {name: above.get(name, own[name]) for name in names}, {name: parents.get(name, []) for name in names}


def _choose_halving_points(suspected: Sequence[str], above: Mapping[str, int], suspects: int) -> list[str]:
    """Return the suspects below about a quarter, a half and three quarters of all."""
    counts = {name: (suspects & above[name]).bit_count() for name in suspected}
    goals = [len(suspected) * (place + 1) / (TENSORS_PER_PROBE + 1) for place in range(TENSORS_PER_PROBE)]
    return list(dict.fromkeys(min(counts, key=lambda name: abs(counts[name] - goal)) for goal in goals))


GraphValues = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphSide:
    """One way.

    Attributes:
        graph: its weights may lie beside it.
        level: of optimisation, see `app.adapters.ort.optimization_levels`.
    """

    graph: Path
    level: str = "all"
    place: str = "cpu"

    def open_session(self, extra_outputs: Sequence[str] = ()) -> GraphSession:
        """Open a session, with these tensors as further outputs."""
        model = expose_graph_tensors(self.graph, extra_outputs) if extra_outputs else self.graph
        return open_at_level(model, self.level, self.graph.stem, place=self.place, weights=self.graph.parent)


@dataclass(frozen=True, slots=True)
class GraphPair:
    """A graph computed in two ways.

    Attributes:
        name: of the graph.
        exact, other: the way that is taken to be right, and the one that is judged.
        outputs: of both, in the same order.
        same_tensors: names of tensors inside that hold the same, in `other` → in `exact`; None where both graphs are one.
    """

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
        same = self.same_tensors if self.same_tensors is not None else {name: name for node in nodes for name in node.outputs}
        return find_first_difference(nodes, bad, same, probe)


@dataclass(slots=True)
class _TensorProbe:
    """Looks at tensors on both sides, each in sessions of their own."""

    pair: GraphPair
    exact_values: GraphValues
    other_values: GraphValues
    _differing: str = field(default="", init=False)

    def find_differing_output(self) -> str | None:
        pair = self.pair
        expected = pair.exact.open_session().run_graph(dict(self.exact_values), list(pair.outputs.values()))
        found = pair.other.open_session().run_graph(dict(self.other_values), list(pair.outputs))
        for name, a, b in zip(pair.outputs, expected, found, strict=True):
            if not pair.limit.is_met(compute_figures(pair.name, [a], [b])):
                self._differing = name
                return name
        return None

    def __call__(self, names: Sequence[str]) -> dict[str, bool | None]:
        """Probe the tensors together, or one by one if exposing them together ends the difference."""
        found = self._compare_tensors(names)
        if found is None and len(names) > 1:
            each = [self._compare_tensors([name]) for name in names]
            return {name: one[name] if one is not None else None for name, one in zip(names, each, strict=True)}
        return found if found is not None else dict.fromkeys(names)

    def _compare_tensors(self, names: Sequence[str]) -> dict[str, bool | None] | None:
        """Compare the tensors; return None if the results agree as soon as the tensors are exposed: they lay inside a faulty fused node."""
        pair, same = self.pair, self.pair.same_tensors
        inside = [same[name] if same is not None else name for name in names]
        wanted = [*names, self._differing]
        found = pair.other.open_session(names).run_graph(dict(self.other_values), wanted)
        expected = pair.exact.open_session(inside).run_graph(dict(self.exact_values), [*inside, pair.outputs[self._differing]])
        if pair.limit.is_met(compute_figures(pair.name, expected[-1:], found[-1:])):
            return None
        return {name: self._is_different(a, b) for name, a, b in zip(names, expected, found, strict=False)}

    def _is_different(self, expected: np.ndarray, found: np.ndarray) -> bool | None:
        if self.pair.same_tensors is not None and np.squeeze(expected).shape != np.squeeze(found).shape:
            # Nodes of the same name that hold something else.
            return None
        return not self.pair.limit.inner_limit.is_met(compute_figures(INNER_TENSOR, [expected], [found]))


def compare_results(pair: GraphPair, expected: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> tuple[VerifyFigures, bool]:
    """Return the figures of results, and whether they are within the limit."""
    figures = compute_figures(pair.name, expected, found)
    return figures, pair.limit.is_met(figures)
