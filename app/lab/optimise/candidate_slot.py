"""A graph that could stand for another one, and the place where Koebako itself could use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.common.errors import InputError
from app.common.language import localize
from app.lab.report_rows import Row, make_row
from app.voices.bert_models import VOCABULARY_NAME

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject

CandidateSlot = Literal["int8", "fast"]
INT8_CANDIDATE_PREFIX = "int8-"  # begins the names of those that are made with other settings

PREPARED, AS_IT_CAME, INSTALLED = "prepared", "as-it-came", "int8"
MakeCandidate = Callable[[Path], Path]
"""Writes a graph and all that belongs to it into an empty folder; gives the graph's file. Raises an AppError where it cannot be made."""


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A candidate that is measured against a prepared graph; one that gives a file outside its folder has nothing to make."""

    name: str
    make: MakeCandidate
    note: str = ""


@dataclass(frozen=True, slots=True)
class CandidateFiles:
    """A candidate on the disk; its graph is inside the folder, unless it was there before."""

    graph: Path
    folder: Path

    @property
    def vocabulary(self) -> Path | None:
        """Return the vocabulary of a BERT with other tokens; None if they are the same."""
        vocabulary_file = self.folder / VOCABULARY_NAME
        return vocabulary_file if vocabulary_file.is_file() else None

    @property
    def size_bytes(self) -> int:
        return measure_graph_bytes(self.graph)


def measure_graph_bytes(graph: Path | bytes) -> int:
    if isinstance(graph, bytes):
        return len(graph)
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_variants import list_weight_files

    return graph.stat().st_size + sum(path.stat().st_size for path in list_weight_files(graph))


def find_slot(graph: str, candidate: str) -> CandidateSlot | None:
    """Return the slot that a candidate fits, None if Koebako has none for it; the exact graph fits, too: with it the slot is empty."""
    if candidate not in (INSTALLED, PREPARED) and not candidate.startswith((INT8_CANDIDATE_PREFIX, f"{INSTALLED}:")):
        return None
    return "int8" if graph == "bert" else "fast"


def install_candidate(subject: LabSubject, graph: str, candidate: str, file: Path) -> Row:
    """Put a candidate into its slot, if it passes the importer's limits; raise InputError where there is no slot for it, or nothing is installed."""
    from app.install.int8_exchange import install_bert_int8, install_int8_graph

    require_installed(subject)
    slot = find_slot(graph, candidate)
    if slot is None:
        raise InputError(
            localize(f"候補「{candidate}」は組み込めません。", f"The candidate “{candidate}” cannot be installed."),
            localize("組み込めるのは int8 の候補だけです。-o で保存できます。", "Only int8 candidates can be installed. Save it with -o."),
        )
    if candidate == INSTALLED and f"{graph}_int8" in subject.prepared:
        raise InputError(
            localize("この候補はすでに組み込まれています。", "This candidate is already installed."),
            localize("ほかの候補を選んでください。", "Choose another candidate."),
        )
    if slot == "int8" and subject.bert is not None:
        return _build_row(subject, graph, candidate, cosine=install_bert_int8(subject.bert, file).int8_cosine)
    assert subject.voice is not None
    manifest = install_int8_graph(subject.voice.manifest.id, graph, file)
    assert manifest.fast is not None
    result = manifest.fast.graphs[graph]
    return _build_row(subject, graph, candidate, snr_db=result.snr_db, lsd_db=result.lsd_db, frames_equal=result.frames_equal)


def install_exact(subject: LabSubject, graph: str | None) -> Iterator[Row]:
    """Empty the slot of a graph, or all slots in use, so that the exact graph computes again; raise the errors of `install_candidate`."""
    from app.install.int8_exchange import build_already_exact_error, remove_bert_int8, remove_int8_graph
    from app.lab.report_rows import INT8_SUFFIX

    require_installed(subject)
    filled = [name.removesuffix(INT8_SUFFIX) for name in subject.prepared if name.endswith(INT8_SUFFIX)]
    if graph is None and not filled:
        raise build_already_exact_error(subject.name)
    for name in filled if graph is None else [graph]:
        if subject.bert is not None:
            remove_bert_int8(subject.bert)
        else:
            assert subject.voice is not None
            remove_int8_graph(subject.voice.manifest.id, name)
        note = localize(
            f"「{subject.name}」の {name} を元のグラフに戻しました。", f"“{subject.name}” uses the exact graph of {name} again."
        )
        yield make_row("installed", graph=name, candidate=PREPARED, note=note)


def require_installed(subject: LabSubject) -> None:
    """Raise InputError unless the subject is installed; a folder from anywhere may claim the id of an installed voice."""
    if not subject.installed:
        raise InputError(
            localize(f"「{subject.name}」はまだ追加されていません。", f"“{subject.name}” has not been added."),
            localize("追加してから、ID か名前で指定してください。", "Add it first, and specify it by its ID or name."),
        )


def _build_row(subject: LabSubject, graph: str, candidate: str, **figures: float | None) -> Row:
    slot = localize("int8 の BERT", "int8 BERT") if graph == "bert" else localize("高速な音声", "Fast sound")
    note = localize(f"「{subject.name}」の{slot}として組み込みました。", f"Installed as the {slot} of “{subject.name}”.")
    known = {name: value for name, value in figures.items() if value is not None}
    return make_row("installed", graph=graph, candidate=candidate, **known, note=note)
