"""Two ways to compute the same graph, on the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimization_levels import open_at_level
from app.lab.verify.tensor_bisection import find_first_difference
from app.lab.verify.verify_limits import INNER_TENSOR, VerifyFigures, VerifyLimit, compute_figures
from app.voices.prepare.expose_tensors import expose_graph_tensors, list_nodes

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
