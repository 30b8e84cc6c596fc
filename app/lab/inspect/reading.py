"""Reads graphs and counts what they do, graph by graph. Only in a confined child."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from app.errors import AppError
from app.lab.counting import Counted, counted
from app.lab.given import Sizes
from app.lab.parts import by_part, module_paths, telling_depth
from app.progress import Report
from app.voices.prepare.graph_facts import GraphFacts, Value, graph_facts
from app.voices.prepare.store import load_graph

LARGEST = 5  # weights that are listed
Graph = tuple[str, str, Path]  # form, name, file


def read_all(graphs: Sequence[Graph], sizes: Sizes, report: Report) -> Iterator[dict[str, Any]]:
    """What each graph is made of, then what each does: what kills the second leaves the first."""
    facts = []
    for index, (form, name, path) in enumerate(graphs):
        report("reading", 0.3 * index / len(graphs))
        facts.append(graph_facts(load_graph(path, outside=False)))
        yield (
            {"kind": "facts", "form": form, "graph": name}
            | _facts(facts[-1])
            | {"why": _why_whole(path) if (form, name) == ("prepared", "whole") else ""}
        )
    for index, ((form, name, path), known) in enumerate(zip(graphs, facts, strict=True)):
        report("checking", 0.3 + 0.7 * index / len(graphs))
        found = {"kind": "work", "form": form, "graph": name}
        try:
            work = counted(load_graph(path, outside=False), known, path.parent, sizes, form, name)
        except AppError as exc:
            yield found | {"failed": f"{exc.message} {exc.hint}".strip()}
            continue
        if work.frames:
            sizes = Sizes(**sizes.values() | {"frames": work.frames})  # the prepared graphs are given as many
        yield found | _work(known, work)


def _facts(facts: GraphFacts) -> dict[str, Any]:
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for weight in facts.weights:
        for index, amount in enumerate((1, weight.count, weight.bytes)):
            kinds[weight.dtype][index] += amount
    largest = sorted(facts.weights, key=lambda item: -item.bytes)[:LARGEST]
    return {
        "nodes": len([operator for step in facts.steps for operator in step.operators]),
        "opset": facts.opset,
        "domains": facts.domains,
        "parameters": sum(weight.count for weight in facts.weights),
        "bytes": sum(weight.bytes for weight in facts.weights),
        "operators": dict(Counter(operator for step in facts.steps for operator in step.operators).most_common()),
        "inputs": list(map(_value, facts.inputs)),
        "outputs": list(map(_value, facts.outputs)),
        "weights": dict(sorted(kinds.items(), key=lambda item: -item[1][2])),
        "largest": [[item.name, item.dtype, list(item.shape), item.bytes] for item in largest],
    }


def _value(item: Value) -> list[Any]:
    return [item.name, item.dtype, None if item.shape is None else list(item.shape)]


def _work(facts: GraphFacts, work: Counted) -> dict[str, Any]:
    paths = module_paths([step.name for step in facts.steps])
    modules = by_part(paths, work.by_node, 1)
    return {
        "macs": work.macs,
        "macs_int8": work.int8,
        "operators": work.operators,
        "frames": work.frames,
        "given": {name: list(values.shape) for name, values in work.values.items()},
        "parts": by_part(paths, work.by_node, telling_depth(paths, work.by_node)),
        "modules": modules,
    }


def _why_whole(path: Path) -> str:
    """Why a voice in one graph cannot be split; empty where it can."""
    from app.voices.prepare.cut import cut_graphs
    from app.voices.prepare.links import UnknownGraphError

    try:
        cut_graphs(load_graph(path))
    except UnknownGraphError as exc:
        return str(exc)
    return ""
