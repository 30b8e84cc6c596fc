"""Finds the place where Koebako itself could use a candidate, and puts it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.common.errors import InputError
from app.common.language import localize
from app.lab.optimise.graph_candidate import INSTALLED, PREPARED
from app.lab.report_rows import ReportRow

if TYPE_CHECKING:
    # With all that prepares voices, which the window does not need.
    from app.lab.lab_subject import LabSubject

CandidateSlot = Literal["int8", "fast"]
# Begins the names of those that are made with other settings.
INT8_CANDIDATE_PREFIX = "int8-"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledRow(ReportRow):
    """A candidate that Koebako uses from now on, with the figures that it was let in for."""

    kind = "installed"
    optional_columns = frozenset({"cosine", "snr_db", "lsd_db", "frames_equal"})
    graph: str
    candidate: str
    cosine: float | None = None
    snr_db: float | None = None
    lsd_db: float | None = None
    frames_equal: float | None = None
    note: str


def find_slot(graph: str, candidate: str) -> CandidateSlot | None:
    """Return the slot that a candidate fits; None if Koebako has none, as for half precision, fewer layers and other formats.

    The exact graph fits, too: with it the slot is empty.
    """
    if candidate not in (INSTALLED, PREPARED) and not candidate.startswith((INT8_CANDIDATE_PREFIX, f"{INSTALLED}:")):
        return None
    return "int8" if graph == "bert" else "fast"


def install_candidate(subject: LabSubject, graph: str, candidate: str, file: Path) -> InstalledRow:
    """Put a candidate into its slot, if it passes the importer's limits.

    Raises:
        InputError: there is no slot for it, or the voice or BERT is not installed.
        VoiceError, OutputFileError: see `app.install.int8_exchange`, `app.install.bert_int8_exchange`.
    """
    from app.install.bert_int8_exchange import install_bert_int8  # with what prepares voices
    from app.install.int8_exchange import install_int8_graph

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
        bert = install_bert_int8(subject.bert, file)
        return _build_row(subject, graph, candidate, cosine=bert.int8_cosine)
    assert subject.voice is not None
    manifest = install_int8_graph(subject.voice.manifest.id, graph, file)
    assert manifest.fast is not None
    found = manifest.fast.graphs[graph]
    return _build_row(subject, graph, candidate, snr_db=found.snr_db, lsd_db=found.lsd_db, frames_equal=found.frames_equal)


def install_exact(subject: LabSubject, graph: str | None) -> Iterator[InstalledRow]:
    """Empty the slot of a graph, or all slots in use, so that the exact graph computes again; raise the errors of `install_candidate`."""
    from app.install.bert_int8_exchange import remove_bert_int8
    from app.install.graph_exchange_files import build_already_exact_error
    from app.install.int8_exchange import remove_int8_graph
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
        yield InstalledRow(graph=name, candidate=PREPARED, note=note)


def require_installed(subject: LabSubject) -> None:
    """Raise InputError unless the subject is installed; a folder from anywhere may claim the id of an installed voice."""
    if not subject.installed:
        raise InputError(
            localize(f"「{subject.name}」はまだ追加されていません。", f"“{subject.name}” has not been added."),
            localize("追加してから、ID か名前で指定してください。", "Add it first, and specify it by its ID or name."),
        )


def _build_row(subject: LabSubject, graph: str, candidate: str, **figures: float | None) -> InstalledRow:
    slot = localize("int8 の BERT", "int8 BERT") if graph == "bert" else localize("高速な音声", "Fast sound")
    note = localize(f"「{subject.name}」の{slot}として組み込みました。", f"Installed as the {slot} of “{subject.name}”.")
    return InstalledRow(graph=graph, candidate=candidate, **figures, note=note)
