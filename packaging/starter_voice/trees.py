"""The decision trees of HTS voices: what they ask of a label, and what their leaves hold.

Format of a `.htsvoice` (hts_engine API 1.10): a header with places of the parts, questions and trees as text, numbers of leaves as float32.
"""

import fnmatch
import functools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from contexts import CODES, FIELDS, NOTHING, PHONES, TEMPLATE, ZERO
from hts import STATES
from numpy.typing import NDArray

TREES = 1 + 2 * STATES  # one for durations, one a state for the mel-cepstra, and one a state for log F0
ANY = "~~~"  # is in a field that a question does not look at
QUESTION = re.compile(r"^QS (\S+) \{(.*)\}", re.MULTILINE)
TREE = re.compile(r"^\{\*\}\[\d+\]\s*(?:\{(.*?)^\}|(\S+))", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Question:
    """The field it looks at, and for each code of the field (0 or 1) whether the answer is yes."""

    field: int
    yes: bytes


@dataclass(frozen=True)
class Tree:
    """Rows (question, node if no, node if yes): 0 and above is a row, -1 the first leaf, -2 the second. None in a tree of one leaf."""

    rows: list[tuple[Question, int, int]]


def _texts(field: str) -> list[tuple[int, str]]:
    """Codes of a field with how labels write them."""
    if field[0] == "p":
        return list(enumerate(PHONES))
    width = 2 if field in ("b1", "c1", "d1") else 1
    least = 1 if field == "a1" else ZERO  # only the distance to the nucleus can be negative
    return [(NOTHING, "xx"), *((code, str(code - ZERO).zfill(width)) for code in range(least, CODES))]


@functools.cache
def _examples() -> list[tuple[int, int, str]]:
    """Field, code and a label that says nothing else, for all codes of all fields."""
    nothing = dict.fromkeys(FIELDS, ANY)
    return [
        (place, code, TEMPLATE.format(**{**nothing, field: text})) for place, field in enumerate(FIELDS) for code, text in _texts(field)
    ]


@functools.cache
def _question(patterns: tuple[str, ...]) -> Question:
    matches = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
    found = [(field, code) for field, code, label in _examples() if matches(label)]
    fields = {field for field, _ in found}
    if len(fields) > 1:
        raise ValueError(f"a question about several fields: {patterns}")
    yes = np.zeros(CODES, np.uint8)
    yes[[code for _, code in found]] = 1
    return Question(min(fields, default=0), yes.tobytes())


def _trees(text: str) -> list[Tree]:
    patterns = {name: tuple(re.findall(r'"([^"]*)"', listed)) for name, listed in QUESTION.findall(text)}
    trees = []
    for body, _ in TREE.findall(text):
        rows = [line.split() for line in body.splitlines() if line.strip()]
        place = {row[0]: number for number, row in enumerate(rows)}
        ends = [[place[end] if end in place else -int(end.strip('"').rsplit("_", 1)[1]) for end in row[2:]] for row in rows]
        trees.append(Tree([(_question(patterns[row[1]]), no, yes) for row, (no, yes) in zip(rows, ends, strict=True)]))
    return trees


def _leaves(data: bytes, trees: int) -> list[NDArray[np.float32]]:
    counts = np.frombuffer(data[: 4 * trees], np.uint32).astype(int)
    return np.split(np.frombuffer(data[4 * trees :], np.float32).reshape(counts.sum(), -1), np.cumsum(counts)[:-1])


def read_trees(path: Path) -> tuple[list[Tree], list[NDArray[np.float32]], NDArray[np.float32] | None]:
    """A voice's TREES trees, for each the numbers of its leaves as the file has them, and what variance its mel-cepstra want over a line.

    Leaves hold means and variances, for log F0 the share of voiced frames too. The trees of the low-pass filter are left out: it is the
    same everywhere. The wanted variance ("global variance", None if the voice has none) is the mean over its few leaves.
    """
    head, data = path.read_bytes().split(b"[DATA]\n", 1)
    places = dict(re.findall(r"^(\S+?):(\S*)$", head.decode("utf-8", "replace").split("[POSITION]")[1], re.MULTILINE))

    def part(name: str) -> bytes:
        start, last = map(int, places[name].split("-"))
        return data[start : last + 1]

    spectrum = "MCP" if "STREAM_TREE[MCP]" in places else "MGC"
    trees, leaves = _trees(part("DURATION_TREE").decode()), _leaves(part("DURATION_PDF"), 1)
    for stream in (spectrum, "LF0"):
        trees += _trees(part(f"STREAM_TREE[{stream}]").decode())
        leaves += _leaves(part(f"STREAM_PDF[{stream}]"), STATES)
    if len(trees) != TREES:
        raise ValueError(f"another form of voice: {path}")
    if f"GV_PDF[{spectrum}]" not in places:
        return trees, leaves, None
    (wanted,) = _leaves(part(f"GV_PDF[{spectrum}]"), 1)
    return trees, leaves, wanted[:, : wanted.shape[1] // 2].mean(0)
