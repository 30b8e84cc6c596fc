"""Reads graphs and counts what they do, graph by graph and part by part. Only in a confined child."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.common.errors import AppError
from app.common.progress import Report
from app.lab.synthetic_runs import InputSizes, OperationCounts, count_operations
from app.voices.prepare.graph_facts import GraphFacts, GraphValue, collect_graph_facts
from app.voices.prepare.graph_store import load_graph

MAX_LARGEST_WEIGHTS = 5  # weights that are listed
GraphFile = tuple[str, str, Path]  # form, name, file
LAYER_PATTERN = re.compile(r"layer\.\d+")
ModulePath = tuple[str, ...]
MAX_SHARE_IN_ONE_PART = 0.95  # of the work; then its parts are shown instead
MAX_MODULE_DEPTH = 16  # modules inside each other; those of voices and BERTs have up to 8
ROOT_MODULE: ModulePath = ("/",)


def read_graphs(graphs: Sequence[GraphFile], sizes: InputSizes, report: Report) -> Iterator[dict[str, Any]]:
    """Read the contents of each graph, then its behaviour: a crash in the second leaves the results of the first."""
    facts = []
    for index, (form, name, path) in enumerate(graphs):
        report("reading", 0.3 * index / len(graphs))
        facts.append(collect_graph_facts(load_graph(path, with_external_weights=False)))
        yield (
            {"kind": "facts", "form": form, "graph": name}
            | _build_facts(facts[-1])
            | {"why": _explain_single_graph(path) if (form, name) == ("prepared", "whole") else ""}
        )
    for index, ((form, name, path), known) in enumerate(zip(graphs, facts, strict=True)):
        report("checking", 0.3 + 0.7 * index / len(graphs))
        found = {"kind": "work", "form": form, "graph": name}
        try:
            work = count_operations(load_graph(path, with_external_weights=False), known, path.parent, sizes, form, name)
        except AppError as exc:
            yield found | {"failed": f"{exc.message} {exc.hint}".strip()}
            continue
        if work.frames:
            # The prepared graphs are given as many.
            sizes = replace(sizes, frames=work.frames)
        yield found | _build_work(known, work)


def _build_facts(facts: GraphFacts) -> dict[str, Any]:
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for weight in facts.weights:
        for index, amount in enumerate((1, weight.element_count, weight.bytes)):
            kinds[weight.dtype][index] += amount
    largest = sorted(facts.weights, key=lambda item: -item.bytes)[:MAX_LARGEST_WEIGHTS]
    return {
        "nodes": len([operator for step in facts.steps for operator in step.operators]),
        "opset": facts.opset,
        "domains": facts.domains,
        "parameters": sum(weight.element_count for weight in facts.weights),
        "bytes": sum(weight.bytes for weight in facts.weights),
        "operators": dict(Counter(operator for step in facts.steps for operator in step.operators).most_common()),
        "inputs": list(map(_build_value, facts.inputs)),
        "outputs": list(map(_build_value, facts.outputs)),
        "weights": dict(sorted(kinds.items(), key=lambda item: -item[1][2])),
        "largest": [[item.name, item.dtype, list(item.shape), item.bytes] for item in largest],
    }


def _build_value(item: GraphValue) -> list[Any]:
    return [item.name, item.dtype, None if item.shape is None else list(item.shape)]


def _build_work(facts: GraphFacts, work: OperationCounts) -> dict[str, Any]:
    paths = parse_module_paths([step.name for step in facts.steps])
    return {
        "macs": work.macs,
        "macs_int8": work.int8_macs,
        "operators": work.operators,
        "frames": work.frames,
        "given": {name: list(values.shape) for name, values in work.values.items()},
        "parts": sum_by_part(paths, work.by_node, choose_depth(paths, work.by_node)),
        "modules": sum_by_part(paths, work.by_node, 1),
    }


def _explain_single_graph(path: Path) -> str:
    """Return the reason why a single-graph voice cannot be split; empty where it can."""
    from app.voices.prepare.graph_cutting import cut_voice_graph
    from app.voices.prepare.graph_walk import UnknownGraphError

    try:
        cut_voice_graph(load_graph(path))
    except UnknownGraphError as exc:
        return str(exc)
    return ""


def parse_module_paths(names: Sequence[str]) -> list[ModulePath]:
    """Return the modules of each node, outermost first, as many as are meaningful; ROOT for a node that an exporter names as outside of all
    (`/MatMul`).

    A node without a path belongs to where the one before it does, () at the start.
    """
    found: list[ModulePath] = []
    last: ModulePath = ()
    for name in names:
        *modules, _own = name.removeprefix("/").split("/")
        last = tuple(modules[:MAX_MODULE_DEPTH]) or (ROOT_MODULE if name.startswith("/") else last)
        found.append(last)
    return found


def sum_by_part(paths: Sequence[ModulePath], macs: Mapping[int, int], depth: int) -> dict[str, tuple[int, int]]:
    """Return nodes and multiply-adds (given by index of the node) of each part, in the order of the graph."""
    found: dict[str, tuple[int, int]] = {}
    for index, path in enumerate(paths):
        # The layer in a stack of layers, or else the first modules of the path.
        part = next((module for module in path if LAYER_PATTERN.fullmatch(module)), "/".join(path[:depth]))
        nodes, work = found.get(part, (0, 0))
        found[part] = nodes + 1, work + macs.get(index, 0)
    return found


def choose_depth(paths: Sequence[ModulePath], macs: Mapping[int, int]) -> int:
    """Return how many modules of a path name a part, so that not nearly all the work is in one."""
    for depth in range(1, max(map(len, paths), default=0) + 1):
        works = [work for _, work in sum_by_part(paths, macs, depth).values()]
        if max(works) <= MAX_SHARE_IN_ONE_PART * sum(works):
            return depth
    return 1
