"""Checks the results of a confined child: a stranger's graph may have taken it over, so its messages and files are not trusted either."""

from __future__ import annotations

import math
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from app.common.files.untrusted_json import require_int, sanitise_long_text, sanitise_short_text
from app.install.preparation_results import BertPreparationResult, PreparationResult
from app.install.sandbox_limits import SandboxSubject, UnsafeFileError
from app.voices.bert_models import BERT_GRAPH_NAME, BertPrecision
from app.voices.bert_vocabulary import VOCABULARY_NAME
from app.voices.containers.external_data import list_external_files
from app.voices.containers.onnx_metadata import read_onnx_info
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.prepare.bert.deberta_sizes import DebertaSizes
from app.voices.prepared_voice import read_prepared_voice
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.voice_manifest import MANIFEST_NAME, map_int8_files

ALLOWED_VOICE_GRAPHS = ("prosody", "flow", "decoder", "prosody_int8", "flow_int8", "decoder_int8", "whole")
ALLOWED_VOICE_FILES = frozenset(
    {MANIFEST_NAME, STYLE_VECTORS_NAME, *(f"{name}.{kind}" for name in ALLOWED_VOICE_GRAPHS for kind in ("onnx", "bin"))}
)
ALLOWED_BERT_GRAPHS: dict[BertPrecision, tuple[str, ...]] = {"float32": (BERT_GRAPH_NAME, "source.onnx"), "int8": ("bert_int8.onnx",)}
MAX_STATED_SIZE = 1 << 31

ParsedValue = TypeVar("ParsedValue")


def check_voice_files(folder: Path) -> None:
    """Raise VoiceError unless a folder is a prepared voice and nothing else."""
    _require_plain_files(folder, ALLOWED_VOICE_FILES, "voice")
    faster = map_int8_files(read_voice_source(folder).manifest)
    if faster:
        _require_local_weights(folder, ALLOWED_VOICE_FILES & {*faster.values()}, "voice")


def parse_voice(row: Mapping[str, Any], folder: Path) -> PreparationResult:
    """Parse the result of a voice; only the description in its file counts."""
    manifest = read_prepared_voice(folder).manifest
    with _refuse_malformed_rows("voice"):
        return PreparationResult(
            manifest, _parse_optional(_parse_number, row["max_abs_diff"]), _parse_optional(sanitise_long_text, row["reason"])
        )


def check_bert_files(folder: Path, prepared: BertPreparationResult) -> None:
    """Raise VoiceError unless a folder holds the graphs of a BERT with its vocabulary, and nothing else."""
    kept = {VOCABULARY_NAME, *(item for name in prepared.files.values() for item in (name, str(Path(name).with_suffix(".data"))))}
    _require_plain_files(folder, kept, "bert")
    _require_local_weights(folder, [*prepared.files.values()], "bert")


def parse_bert(row: Mapping[str, Any]) -> BertPreparationResult:
    """Parse the result of a BERT."""
    with _refuse_malformed_rows("bert"):
        *sizes, epsilon = row["architecture"]
        layers, heads, hidden, inner, vocabulary = (require_int(item, 1, MAX_STATED_SIZE) for item in sizes)
        files = {precision: row["files"][precision] for precision in ALLOWED_BERT_GRAPHS if precision in row["files"]}
        if "float32" not in files or any(name not in ALLOWED_BERT_GRAPHS[precision] for precision, name in files.items()):
            raise ValueError("no graph of a BERT")
        return BertPreparationResult(
            DebertaSizes(layers, heads, hidden, inner, vocabulary, _parse_number(epsilon)),
            files,
            _parse_number(row["max_rel_diff"]),
            _parse_optional(_parse_number, row["int8_cosine"]),
            None if row["int8_block"] is None else require_int(row["int8_block"], 1, MAX_STATED_SIZE),
            _parse_optional(sanitise_long_text, row["kept_whole"]),
        )


def parse_case(row: Mapping[str, Any]) -> CaseResult | SkippedCase:
    """Return one case that was compared, or could not be."""
    with _refuse_malformed_rows("voice"):
        if "skipped" in row:
            return SkippedCase(require_int(row["case"], 0, MAX_STATED_SIZE), sanitise_short_text(row["skipped"]))
        difference = _parse_optional(_parse_number, row["max_abs_diff"])
        return CaseResult(
            require_int(row["case"], 0, MAX_STATED_SIZE),
            difference,
            row["durations_equal"] is True,
            require_int(row["frames"], 0, MAX_STATED_SIZE),
        )


def parse_agreement(row: Mapping[str, Any]) -> float | None:
    """Return a measured share, 0..1, or None if there is none."""
    share = row.get("share")
    return share if isinstance(share, float) and 0 <= share <= 1 else None


@contextmanager
def _refuse_malformed_rows(subject: SandboxSubject) -> Iterator[None]:
    """Raise UnsafeFileError if the block meets values of another form than ours."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as exc:
        raise UnsafeFileError("crash", subject) from exc


def _parse_number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _parse_optional(parse: Callable[[Any], ParsedValue], value: Any) -> ParsedValue | None:
    return None if value is None else parse(value)


def _require_plain_files(folder: Path, names: Collection[str], subject: SandboxSubject) -> None:
    for item in folder.iterdir():
        if item.name not in names or not stat.S_ISREG(item.lstat().st_mode):
            raise UnsafeFileError("crash", subject)


def _require_local_weights(folder: Path, graphs: Collection[str], subject: SandboxSubject) -> None:
    if not graphs or not all((folder / name).is_file() for name in graphs):
        raise UnsafeFileError("crash", subject)
    for name in graphs:
        list_external_files(folder / name, read_onnx_info(folder / name).outline)
