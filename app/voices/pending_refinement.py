"""The mark of a voice or BERT that works already, but is still to be refined: compared with its source in full, and given faster graphs.

The mark is `pending.json` in its folder, which is removed last when it is refined; next to it is what it was made of.
No reader of voices or BERTs needs either: the folder is whole without them.
"""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.common.files.untrusted_json import parse_object, require_number, sanitise_short_text
from app.common.files.whole_files import read_bounded, write_json

PENDING_NAME = "pending.json"
SOURCE_GRAPH_STEM = "source"
SOURCE_GRAPH_NAME = f"{SOURCE_GRAPH_STEM}.onnx"
PENDING_FILES = frozenset({PENDING_NAME, SOURCE_GRAPH_NAME, f"{SOURCE_GRAPH_STEM}.bin"})
ORIGINAL_BERT_STEM = "original"
ORIGINAL_BERT_NAMES = (f"{ORIGINAL_BERT_STEM}.onnx", f"{ORIGINAL_BERT_STEM}.safetensors")
# The sizes for a safetensors file are in the config.
ORIGINAL_BERT_FILES = frozenset({*ORIGINAL_BERT_NAMES, f"{ORIGINAL_BERT_STEM}.data", "config.json"})
BERT_PENDING_FILES = ORIGINAL_BERT_FILES | {PENDING_NAME}
MAX_PENDING_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class PendingRefinement:
    """The facts that refining a voice or BERT needs."""

    token: str  # another one for each time the voice is prepared
    baked_scales: Mapping[str, float]  # noise scales that the source does not take as inputs
    source: Path | None  # the graph that the voice was cut from, with its noise made inputs; None for a voice made of weights


def mark_refinement_pending(folder: Path, baked_scales: Mapping[str, float] | None = None) -> None:
    """Mark the voice or BERT in a folder; raise OSError if the disk refuses it."""
    write_json(folder / PENDING_NAME, {"token": secrets.token_hex(8), "baked_scales": dict(baked_scales or {})})


def is_refinement_pending(folder: Path) -> bool:
    """Return whether the voice or BERT in a folder is still to be refined."""
    return (folder / PENDING_NAME).is_file()


def read_pending_refinement(folder: Path) -> PendingRefinement | None:
    """Return what the mark of a folder says; None without one, and for one that cannot be read."""
    try:
        data = parse_object(read_bounded(folder / PENDING_NAME, MAX_PENDING_BYTES))
        scales = {sanitise_short_text(name): require_number(value) for name, value in data["baked_scales"].items()}
        source = folder / SOURCE_GRAPH_NAME
        return PendingRefinement(sanitise_short_text(data["token"]), scales, source if source.is_file() else None)
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError):
        return None


def is_still_pending(folder: Path, token: str) -> bool:
    """Return whether what is in a folder is still what it was when its mark had this token."""
    pending = read_pending_refinement(folder)
    return pending is not None and pending.token == token


def find_original_bert(folder: Path) -> Path | None:
    """Return the file that the BERT in a folder was made of; None once that is gone."""
    return next((folder / name for name in ORIGINAL_BERT_NAMES if (folder / name).is_file()), None)


def clear_pending_refinement(folder: Path, names: Collection[str] = PENDING_FILES) -> None:
    """Remove the mark and what only refining needs, of a BERT with BERT_PENDING_FILES; raise OSError if the disk refuses it."""
    for name in sorted(names, key=lambda item: item == PENDING_NAME):
        (folder / name).unlink(missing_ok=True)
