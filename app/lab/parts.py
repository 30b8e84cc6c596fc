"""Which part of a network a node belongs to: by the module path that exporters leave in its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LAYER = re.compile(r"layer\.\d+")
Path = tuple[str, ...]
MOST_IN_ONE = 0.95  # of the work; then its parts are shown instead
DEEPEST = 16  # modules inside each other; those of voices and BERTs have up to 8
ROOT: Path = ("/",)


def module_paths(names: Sequence[str]) -> list[Path]:
    """Modules of each node, outermost first, as many as say something; ROOT for what an exporter names as outside of all (`/MatMul`).

    A node without a path belongs to where the one before it does, () at the start.
    """
    found: list[Path] = []
    last: Path = ()
    for name in names:
        *modules, _own = name.removeprefix("/").split("/")
        last = tuple(modules[:DEEPEST]) or (ROOT if name.startswith("/") else last)
        found.append(last)
    return found


def part_of(path: Path, depth: int) -> str:
    """The layer, in a stack of layers; else the first modules of the path."""
    layer = next((module for module in path if LAYER.fullmatch(module)), None)
    return layer or "/".join(path[:depth])


def by_part(paths: Sequence[Path], macs: Mapping[int, int], depth: int) -> dict[str, tuple[int, int]]:
    """Nodes and multiply-adds of each part, in the order of the graph.

    Args:
        macs: by index of the node.
    """
    found: dict[str, tuple[int, int]] = {}
    for index, path in enumerate(paths):
        part = part_of(path, depth)
        nodes, work = found.get(part, (0, 0))
        found[part] = nodes + 1, work + macs.get(index, 0)
    return found


def telling_depth(paths: Sequence[Path], macs: Mapping[int, int]) -> int:
    """How many modules name a part, so that not nearly all the work is in one."""
    deepest = max(map(len, paths), default=0)
    for depth in range(1, deepest + 1):
        works = [work for _, work in by_part(paths, macs, depth).values()]
        if max(works) <= MOST_IN_ONE * sum(works):
            return depth
    return 1
