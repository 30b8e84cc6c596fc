"""Two ways to compute the same graph, on the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.levels import open_at_level
from app.adapters.ort.session import GraphSession
from app.lab.verify.bisection import first_difference
from app.lab.verify.figures import INSIDE, Figures, Limit, figures_of
from app.voices.prepare.shown import nodes_of, shown_copy

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One way.

    Attributes:
        graph: its weights may lie beside it.
        level: of optimisation, see `app.adapters.ort.levels`.
    """

    graph: Path
    level: str = "all"
    place: str = "cpu"

    def open(self, shown: Sequence[str] = ()) -> GraphSession:
        """A session, with these tensors as further outputs."""
        model = shown_copy(self.graph, shown) if shown else self.graph
        return open_at_level(model, self.level, self.graph.stem, place=self.place, weights=self.graph.parent)


@dataclass(frozen=True, slots=True)
class Pair:
    """A graph computed in two ways.

    Attributes:
        name: of the graph.
        exact, other: the way that is taken to be right, and the one that is judged.
        outputs: of both, in the same order.
        same: names of tensors inside that hold the same, in `other` → in `exact`; None where both graphs are one.
    """

    name: str
    exact: Side
    other: Side
    limit: Limit
    outputs: Mapping[str, str]
    same: Mapping[str, str] | None = None

    def find(self, exact_values: Values, other_values: Values) -> str | None:
        """The first tensor of `other` that differs, by its name; None where the results agree."""
        probe = _Probe(self, exact_values, other_values)
        bad = probe.bad_output()
        if bad is None:
            return None
        nodes = nodes_of(self.other.graph)
        same = self.same if self.same is not None else {name: name for node in nodes for name in node.outputs}
        return first_difference(nodes, bad, same, probe)


@dataclass(slots=True)
class _Probe:
    """Looks at tensors on both sides, each in sessions of their own."""

    pair: Pair
    exact_values: Values
    other_values: Values
    _bad: str = field(default="", init=False)

    def bad_output(self) -> str | None:
        pair = self.pair
        expected = pair.exact.open().run(dict(self.exact_values), list(pair.outputs.values()))
        found = pair.other.open().run(dict(self.other_values), list(pair.outputs))
        for name, a, b in zip(pair.outputs, expected, found, strict=True):
            if not pair.limit.holds(figures_of(pair.name, [a], [b])):
                self._bad = name
                return name
        return None

    def __call__(self, names: Sequence[str]) -> dict[str, bool | None]:
        """As `Probe`; where showing them together ends the difference, one by one."""
        found = self._differ(names)
        if found is None and len(names) > 1:
            each = [self._differ([name]) for name in names]
            return {name: one[name] if one is not None else None for name, one in zip(names, each, strict=True)}
        return found if found is not None else dict.fromkeys(names)

    def _differ(self, names: Sequence[str]) -> dict[str, bool | None] | None:
        """None where the results agree as soon as these are shown: they lay inside a fused node, which was at fault."""
        pair, same = self.pair, self.pair.same
        inside = [same[name] if same is not None else name for name in names]
        wanted = [*names, self._bad]
        found = pair.other.open(names).run(dict(self.other_values), wanted)
        expected = pair.exact.open(inside).run(dict(self.exact_values), [*inside, pair.outputs[self._bad]])
        if pair.limit.holds(figures_of(pair.name, expected[-1:], found[-1:])):
            return None
        return {name: self._is_other(a, b) for name, a, b in zip(names, expected, found, strict=False)}

    def _is_other(self, expected: np.ndarray, found: np.ndarray) -> bool | None:
        if self.pair.same is not None and np.squeeze(expected).shape != np.squeeze(found).shape:
            return None  # nodes of the same name that hold something else
        return not self.pair.limit.inside.holds(figures_of(INSIDE, [expected], [found]))


def judged(pair: Pair, expected: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> tuple[Figures, bool]:
    """Figures of results, and whether they are within the limit."""
    figures = figures_of(pair.name, expected, found)
    return figures, pair.limit.holds(figures)
