"""Where Koebako itself could use a candidate, and putting it there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.errors import InputError
from app.lab.optimise.candidate import INSTALLED, PREPARED
from app.lab.rows import Row
from app.language import localized

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which the window does not need

Slot = Literal["int8", "fast"]
MADE = "int8-"  # begins the names of those that are made with other settings


def slot_of(graph: str, candidate: str) -> Slot | None:
    """The slot that a candidate fits; None where Koebako has none, as for half precision, fewer layers and other formats.

    The exact graph fits, too: with it the slot is empty.
    """
    if candidate not in (INSTALLED, PREPARED) and not candidate.startswith((MADE, f"{INSTALLED}:")):
        return None
    return "int8" if graph == "bert" else "fast"


def install(subject: Subject, graph: str, candidate: str, file: Path) -> Row:
    """Puts a candidate into its slot, where it passes what the importer asks for.

    Raises:
        InputError: there is no slot for it, or the voice or BERT is not installed.
        VoiceError, OutputFileError: see `app.install.fast_slot`, `app.install.bert_slot`.
    """
    from app.install.bert_slot import take_int8  # with what prepares voices
    from app.install.fast_slot import take_fast

    _require_installed(subject)
    slot = slot_of(graph, candidate)
    if slot is None:
        raise InputError(
            localized(f"候補「{candidate}」は組み込めません。", f"The candidate “{candidate}” cannot be installed."),
            localized("組み込めるのは int8 の候補だけです。-o で保存できます。", "Only int8 candidates can be installed. Save it with -o."),
        )
    if candidate == INSTALLED and f"{graph}_int8" in subject.prepared:
        raise InputError(
            localized("この候補はすでに組み込まれています。", "This candidate is already installed."),
            localized("ほかの候補を選んでください。", "Choose another candidate."),
        )
    if slot == "int8" and subject.bert is not None:
        bert = take_int8(subject.bert, file)
        return _row(subject, graph, candidate, cosine=bert.int8_cosine)
    assert subject.voice is not None
    manifest = take_fast(subject.voice.manifest.id, graph, file)
    assert manifest.fast is not None
    found = manifest.fast.graphs[graph]
    return _row(subject, graph, candidate, snr_db=found.snr_db, lsd_db=found.lsd_db, frames_equal=found.frames_equal)


def install_exact(subject: Subject, graph: str | None) -> Iterator[Row]:
    """Empties the slot of a graph, or all that are not: it is computed with its exact graph again. Errors as `install`."""
    from app.install.bert_slot import drop_int8
    from app.install.fast_slot import drop_fast
    from app.install.slot_files import exact_already
    from app.lab.rows import INT8

    _require_installed(subject)
    filled = [name.removesuffix(INT8) for name in subject.prepared if name.endswith(INT8)]
    if graph is None and not filled:
        raise exact_already(subject.name)
    for name in filled if graph is None else [graph]:
        if subject.bert is not None:
            drop_int8(subject.bert)
        else:
            assert subject.voice is not None
            drop_fast(subject.voice.manifest.id, name)
        note = localized(
            f"「{subject.name}」の {name} を元のグラフに戻しました。", f"“{subject.name}” uses the exact graph of {name} again."
        )
        yield {"type": "installed", "graph": name, "candidate": PREPARED, "note": note}


def _require_installed(subject: Subject) -> None:
    """A folder from anywhere may say that it is a voice which is installed, too."""
    if not subject.installed:
        raise InputError(
            localized(f"「{subject.name}」はまだ追加されていません。", f"“{subject.name}” has not been added."),
            localized("追加してから、ID か名前で指定してください。", "Add it first, and specify it by its ID or name."),
        )


def _row(subject: Subject, graph: str, candidate: str, **figures: float | None) -> Row:
    slot = localized("int8 の BERT", "int8 BERT") if graph == "bert" else localized("高速な音声", "Fast sound")
    note = localized(f"「{subject.name}」の{slot}として組み込みました。", f"Installed as the {slot} of “{subject.name}”.")
    return {"type": "installed", "graph": graph, "candidate": candidate, **figures, "note": note}
