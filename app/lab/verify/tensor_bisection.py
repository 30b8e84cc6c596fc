"""The first tensor that differs, found by looking at few of them at a time: as `git bisect` does, in a graph that branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.voices.prepare.expose_tensors import GraphNode

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
