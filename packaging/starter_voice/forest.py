"""The trees of all voices side by side, and which leaves a label falls into.

The voice's graph walks through the same tables (`export_advice.py`).
"""

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cast import CAST, Role
from contexts import CODES, FIELDS, ZERO
from hts import STATES
from numpy.typing import NDArray
from teacher import DECIBEL, LOG_F0_CENTRE
from trees import TREES, Question, Tree, read_trees

ORDER = 35  # mel-cepstra
VOICED = 0.5  # share of voiced frames in a leaf from which on its states are voiced
KINDS = 3  # of means: of a value, of its slope and of its curvature


@dataclass(frozen=True)
class Forest:
    """A node that is a leaf is its own child.

    Attributes:
        fields, yes: (questions,), (questions, CODES): what a question looks at, and its answers.
        question, children, leaf: (nodes,), (nodes, 2), (nodes,): what a node asks, where no and yes lead, and the number of a leaf in its tree.
        roots, first: (roles, TREES): where a tree begins, and where its leaves do in the table of its kind.
        durations, spectra, pitches: tables of leaves: means and variances of 5 states; KINDS · ORDER means of the mel-cepstra and as many
            inverse deviations; KINDS means of log F0, KINDS inverse deviations, share of voiced frames. All are exact in half precision.
        spreads: (roles, ORDER): variance of the mel-cepstra over a line that a voice wants, 0 if it wants none.
        depth: nodes from a root to the last leaf, at most.
    """

    fields: NDArray[np.int64]
    yes: NDArray[np.uint8]
    question: NDArray[np.int64]
    children: NDArray[np.int64]
    leaf: NDArray[np.int64]
    roots: NDArray[np.int64]
    first: NDArray[np.int64]
    durations: NDArray[np.float32]
    spectra: NDArray[np.float32]
    pitches: NDArray[np.float32]
    spreads: NDArray[np.float32]
    depth: int

    def leaves(self, codes: NDArray[np.int64], role: int) -> NDArray[np.int64]:
        """Rows (labels, TREES) of the tables for labels of `contexts.contexts`."""
        answers = self.yes[np.arange(len(self.fields)), codes[:, self.fields]].astype(np.int64)
        label, node = np.arange(len(codes))[:, None], np.tile(self.roots[role], (len(codes), 1))
        for _ in range(self.depth):
            node = self.children[node, answers[label, self.question[node]]]
        return self.leaf[node] + self.first[role]


class _Planter:
    """Collects nodes and questions; equal ones once."""

    def __init__(self) -> None:
        self.questions: dict[Question, int] = {}
        self.question, self.children, self.leaf = list[int](), list[tuple[int, int]](), list[int]()
        self._planted: dict[str, int] = {}

    def plant(self, tree: Tree, leaves: int) -> int:
        """The root of a tree."""
        key = repr((tree, leaves))
        if key not in self._planted:
            self._planted[key] = self._grow(tree, leaves)
        return self._planted[key]

    def _grow(self, tree: Tree, leaves: int) -> int:
        root = len(self.question)
        ends = root + len(tree.rows)
        for question, no, yes in tree.rows:
            no, yes = (root + end if end >= 0 else ends - end - 1 for end in (no, yes))
            self._node(question, no, yes, 0)
        for number in range(leaves):
            self._node(Question(0, bytes(CODES)), ends + number, ends + number, number)
        return root

    def _node(self, question: Question, no: int, yes: int, leaf: int) -> None:
        self.question.append(self.questions.setdefault(question, len(self.questions)))
        self.children.append((no, yes))
        self.leaf.append(leaf)


def _short_sighted(tree: Tree, phrases: int) -> Tree:
    """A teacher that counts no further than so many phrases of a breath group."""
    field, last = FIELDS.index("f5"), ZERO + phrases

    def limited(question: Question) -> Question:
        if question.field != field:
            return question
        return Question(field, question.yes[: last + 1] + question.yes[last : last + 1] * (CODES - last - 1))

    return Tree([(limited(question), no, yes) for question, no, yes in tree.rows])


def _halves(role: Role, tree: int, leaves: NDArray[np.float32]) -> NDArray[np.float16]:
    """What is kept of a tree's leaves. The file has means of value, slope and curvature, then their variances."""
    if tree == 0:
        return leaves.astype(np.float16)
    width = KINDS * (ORDER if tree <= STATES else 1)
    means, rest = leaves[:, :width].copy(), leaves[:, 2 * width :]
    means[:, 0] += role.level_db * DECIBEL if tree <= STATES else -LOG_F0_CENTRE
    if tree > STATES:
        means[leaves[:, -1] <= VOICED] = 0  # of a few stray frames, or of none
    return np.column_stack([means, leaves[:, width : 2 * width] ** -0.5, rest]).astype(np.float16)


def open_forest(shared: Path, work: Path) -> Forest:
    """As `read_forest`, which `work` keeps."""
    path = work / "forest.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(read_forest(shared)))
    forest: Forest = pickle.loads(path.read_bytes())
    return forest


def read_forest(shared: Path) -> Forest:
    """The trees of every role of CAST."""
    planter, tables = _Planter(), list[list[NDArray[np.float16]]]([[], [], []])
    roots, first = (np.zeros((len(CAST), TREES), np.int64) for _ in range(2))
    spreads = np.zeros((len(CAST), ORDER), np.float32)
    for place, role in enumerate(CAST):
        trees, leaves, spread = read_trees(shared / "htsvoice" / f"{role.file}.htsvoice")
        spreads[place] = 0 if spread is None else spread
        for number in range(TREES):
            table = tables[0 if number == 0 else 1 if number <= STATES else 2]
            roots[place, number] = planter.plant(_short_sighted(trees[number], role.phrases), len(leaves[number]))
            first[place, number] = sum(map(len, table))
            table.append(_halves(role, number, leaves[number]))
    children = np.array(planter.children)
    durations, spectra, pitches = (np.concatenate(table).astype(np.float32) for table in tables)
    yes = np.frombuffer(b"".join(question.yes for question in planter.questions), np.uint8).reshape(-1, CODES)
    return Forest(
        np.array([question.field for question in planter.questions]), yes, np.array(planter.question), children, np.array(planter.leaf),
        roots, first, durations, spectra, pitches, spreads, _depth(roots, children),
    )  # fmt: skip


def _depth(roots: NDArray[np.int64], children: NDArray[np.int64]) -> int:
    reached, steps = np.unique(roots), 0
    while len(inner := reached[children[reached, 0] != reached]):
        reached, steps = np.unique(children[inner]), steps + 1
    return steps
