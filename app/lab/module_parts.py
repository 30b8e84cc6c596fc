"""Finds the part of a network that a node belongs to, by the module path that exporters leave in its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LAYER_PATTERN = re.compile(r"layer\.\d+")
ModulePath = tuple[str, ...]
# Of the work; then its parts are shown instead.
MAX_SHARE_IN_ONE_PART = 0.95
# Modules inside each other; those of voices and BERTs have up to 8.
MAX_MODULE_DEPTH = 16
ROOT_MODULE: ModulePath = ("/",)


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


def name_part(path: ModulePath, depth: int) -> str:
    """Return the layer in a stack of layers, or else the first modules of the path."""
    layer = next((module for module in path if LAYER_PATTERN.fullmatch(module)), None)
    return layer or "/".join(path[:depth])


def sum_by_part(paths: Sequence[ModulePath], macs: Mapping[int, int], depth: int) -> dict[str, tuple[int, int]]:
    """Return nodes and multiply-adds of each part, in the order of the graph.

    Args:
        macs: by index of the node.
    """
    found: dict[str, tuple[int, int]] = {}
    for index, path in enumerate(paths):
        part = name_part(path, depth)
        nodes, work = found.get(part, (0, 0))
        found[part] = nodes + 1, work + macs.get(index, 0)
    return found


def choose_depth(paths: Sequence[ModulePath], macs: Mapping[int, int]) -> int:
    """Return how many modules of a path name a part, so that not nearly all the work is in one."""
    deepest = max(map(len, paths), default=0)
    for depth in range(1, deepest + 1):
        works = [work for _, work in sum_by_part(paths, macs, depth).values()]
        if max(works) <= MAX_SHARE_IN_ONE_PART * sum(works):
            return depth
    return 1
