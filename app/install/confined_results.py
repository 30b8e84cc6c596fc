"""Checks what a confined child brought back: a stranger's graph may have led it astray, so its word and its files count as a stranger's."""

from __future__ import annotations

import math
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from app.install.prepared import Prepared, PreparedBert
from app.install.proof_limits import Subject, UnsafeError
from app.json_text import long_text, short_text, whole
from app.voices.bert import GRAPH_NAME, Precision
from app.voices.check import CaseResult, SkippedCase
from app.voices.containers.external_data import external_files
from app.voices.containers.onnx_metadata import read_onnx
from app.voices.containers.sources import read_source
from app.voices.manifest import MANIFEST_NAME, fast_files
from app.voices.prepare.bert.architecture import Architecture
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.vocabulary import VOCABULARY_NAME
from app.voices.voice import read_prepared

VOICE_GRAPHS = ("prosody", "flow", "decoder", "prosody_int8", "flow_int8", "decoder_int8", "whole")
VOICE_FILES = frozenset({MANIFEST_NAME, STYLE_VECTORS_NAME, *(f"{name}.{kind}" for name in VOICE_GRAPHS for kind in ("onnx", "bin"))})
BERT_GRAPHS: dict[Precision, tuple[str, ...]] = {"float32": (GRAPH_NAME, "source.onnx"), "int8": ("bert_int8.onnx",)}
LARGEST_SIZE = 1 << 31

Value = TypeVar("Value")


def check_voice_files(folder: Path) -> None:
    """A VoiceError unless a folder is a prepared voice and nothing else."""
    _require_plain(folder, VOICE_FILES, "voice")
    faster = fast_files(read_source(folder).manifest)
    if faster:
        _require_own_weights(folder, VOICE_FILES & {*faster.values()}, "voice")


def voice_of(found: Mapping[str, Any], folder: Path) -> Prepared:
    """What came of a voice; of its description only the file counts."""
    manifest = read_prepared(folder).manifest
    with _shape("voice"):
        return Prepared(manifest, _optional(_number, found["max_abs_diff"]), _optional(long_text, found["reason"]))


def check_bert_files(folder: Path, prepared: PreparedBert) -> None:
    """A VoiceError unless a folder holds the graphs of a BERT with its vocabulary, and nothing else."""
    kept = {VOCABULARY_NAME, *(item for name in prepared.files.values() for item in (name, str(Path(name).with_suffix(".data"))))}
    _require_plain(folder, kept, "bert")
    _require_own_weights(folder, [*prepared.files.values()], "bert")


def bert_of(found: Mapping[str, Any]) -> PreparedBert:
    """What came of a BERT."""
    with _shape("bert"):
        *sizes, epsilon = found["architecture"]
        layers, heads, hidden, inner, vocabulary = (whole(item, 1, LARGEST_SIZE) for item in sizes)
        files = {precision: found["files"][precision] for precision in BERT_GRAPHS if precision in found["files"]}
        if "float32" not in files or any(name not in BERT_GRAPHS[precision] for precision, name in files.items()):
            raise ValueError("no graph of a BERT")
        return PreparedBert(
            Architecture(layers, heads, hidden, inner, vocabulary, _number(epsilon)),
            files,
            _number(found["max_rel_diff"]),
            _optional(_number, found["int8_cosine"]),
            None if found["int8_block"] is None else whole(found["int8_block"], 1, LARGEST_SIZE),
            _optional(long_text, found["kept_whole"]),
        )


def case_of(found: Mapping[str, Any]) -> CaseResult | SkippedCase:
    """One case that was compared, or could not be."""
    with _shape("voice"):
        if "skipped" in found:
            return SkippedCase(whole(found["case"], 0, LARGEST_SIZE), short_text(found["skipped"]))
        difference = _optional(_number, found["max_abs_diff"])
        return CaseResult(
            whole(found["case"], 0, LARGEST_SIZE), difference, found["durations_equal"] is True, whole(found["frames"], 0, LARGEST_SIZE)
        )


def share_of(found: Mapping[str, Any]) -> float | None:
    """A measured share, 0..1; None where there is none."""
    share = found.get("share")
    return share if isinstance(share, float) and 0 <= share <= 1 else None


@contextmanager
def _shape(subject: Subject) -> Iterator[None]:
    """Values of another shape than ours end the block with an UnsafeError."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as exc:
        raise UnsafeError("crash", subject) from exc


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _optional(kind: Callable[[Any], Value], value: Any) -> Value | None:
    return None if value is None else kind(value)


def _require_plain(folder: Path, names: Collection[str], subject: Subject) -> None:
    for item in folder.iterdir():
        if item.name not in names or not stat.S_ISREG(item.lstat().st_mode):
            raise UnsafeError("crash", subject)


def _require_own_weights(folder: Path, graphs: Collection[str], subject: Subject) -> None:
    if not graphs or not all((folder / name).is_file() for name in graphs):
        raise UnsafeError("crash", subject)
    for name in graphs:
        external_files(folder / name, read_onnx(folder / name).outline)
