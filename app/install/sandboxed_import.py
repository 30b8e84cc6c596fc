"""Opens and runs a stranger's graph in a child held to limits (`app.install.sandbox_worker`), and checks the child's results.

The graph may have led the child astray, so its word and its files count as a stranger's.
"""

import stat
import tempfile
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from app.adapters.files.free_space import format_bytes
from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.errors import VoiceError
from app.common.files.untrusted_json import require_int, require_number, sanitise_long_text, sanitise_short_text
from app.common.files.whole_files import remove_path
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME, BertPrecision, BertPreparationResult
from app.voices.containers.onnx_metadata import list_external_files, read_onnx_info
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.pending_refinement import ORIGINAL_BERT_FILES, PENDING_FILES, find_original_bert
from app.voices.prepare.bert.deberta_weights import DebertaSizes
from app.voices.prepared_voice import MANIFEST_NAME, PreparationResult, VoiceManifest, map_int8_files, read_manifest, read_prepared_voice
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME

SandboxSubject = Literal["voice", "bert", "graph"]
SandboxStopReason = Literal["memory", "time", "crash"]

LIMITS_BY_SUBJECT: dict[SandboxSubject, tuple[int, int]] = {"voice": (4 << 30, 160), "bert": (8 << 30, 320), "graph": (4 << 30, 160)}
"""Bytes, and seconds of a processor as fast as that one; any other graph, which only the lab looks into, may take what a voice may."""
REFERENCE_MATMUL_S = 0.0015  # of that processor, for the piece of arithmetic below
MAX_CORE_SLOWDOWN = 16.0


class UnsafeFileError(VoiceError):
    """A file that was stopped while it was proved, as it asked for too much or crashed: nothing of it may run here."""

    def __init__(self, reason: SandboxStopReason, subject: SandboxSubject, limits: ProcessLimits | None = None) -> None:
        self.reason = reason
        super().__init__(*_describe_stop(reason, subject, limits))


def _describe_stop(reason: SandboxStopReason, subject: SandboxSubject, limits: ProcessLimits | None) -> tuple[str, str]:
    """Return message and hint; of a graph of another kind than those of voices and BERTs, the needs are unknown."""
    memory, processor_s = (format_bytes(limits.memory_bytes), limits.processor_s) if limits else ("", 0)
    if subject == "graph":
        messages = {
            "memory": localize(
                f"このグラフは、確認に使用できる量（{memory}）を超えるメモリーを使用します。",
                f"This graph needs more memory than the check allows ({memory}).",
            ),
            "time": localize(
                f"このグラフの確認が時間内に終わりませんでした（計算時間 {processor_s} 秒）。",
                f"This graph takes longer than the check allows ({processor_s} s of processor time).",
            ),
            "crash": localize("このグラフの確認中に異常終了しました。", "Checking this graph crashed the checker."),
        }
        hint = localize(
            "声には大きすぎるモデルか、壊れているか悪意を持って作られたファイルの可能性があります。",
            "It may be larger than any model of a voice, damaged or malicious.",
        )
    else:
        this, ja, en = ("この声", "声", "voice") if subject == "voice" else ("この BERT", "BERT", "BERT")
        messages = {
            "memory": localize(
                f"{this}は、{ja}に必要な量を大きく超えるメモリーを使用します（{memory} 以上）。",
                f"This {en} uses more memory than any {en} should need ({memory}).",
            ),
            "time": localize(
                f"{this}の確認が時間内に終わりませんでした（{ja}に必要な時間を超えています。計算時間 {processor_s} 秒）。",
                f"This {en} takes longer to check than any {en} should ({processor_s} s of processor time).",
            ),
            "crash": localize(f"{this}の確認中に異常終了しました。", f"Checking this {en} crashed the checker."),
        }
        hint = localize(
            "ファイルが壊れているか、悪意を持って作られた可能性があります。信頼できる配布元のものであれば、ほかのアプリを閉じてもう一度お試しください。",
            "The file may be damaged or malicious. If you trust its source, close other applications and try again.",
        )
    return messages[reason if limits else "crash"], hint


def compute_limits(subject: SandboxSubject) -> ProcessLimits:
    """Return the limits on this machine."""
    memory_bytes, seconds = LIMITS_BY_SUBJECT[subject]
    return ProcessLimits(memory_bytes, round(seconds * measure_core_slowdown()))


@cache
def measure_core_slowdown() -> float:
    """Measure how many times slower a core of this machine is than the measured ones; at least 1."""
    return min(max(min(_measure_matmul_s() for _ in range(5)) / REFERENCE_MATMUL_S, 1.0), MAX_CORE_SLOWDOWN)


def _measure_matmul_s() -> float:
    """Measure products of matrices so small that no library shares them among cores."""
    matrix = np.full((48, 48), 0.5, np.float32)
    start_time = time.perf_counter()
    for _ in range(200):
        matrix @ matrix
    return time.perf_counter() - start_time


ALLOWED_VOICE_GRAPHS = ("prosody", "flow", "decoder", "prosody_int8", "flow_int8", "decoder_int8", "whole")
ALLOWED_VOICE_FILES = frozenset(
    {MANIFEST_NAME, STYLE_VECTORS_NAME, *(f"{name}.{kind}" for name in ALLOWED_VOICE_GRAPHS for kind in ("onnx", "bin"))} | PENDING_FILES
)
ALLOWED_INT8_FILES = frozenset(item for item in ALLOWED_VOICE_FILES if item.partition(".")[0].endswith("_int8"))
ALLOWED_BERT_GRAPHS: dict[BertPrecision, tuple[str, ...]] = {"float32": (BERT_GRAPH_NAME, "source.onnx"), "int8": ("bert_int8.onnx",)}
MAX_STATED_SIZE = 1 << 31

ParsedValue = TypeVar("ParsedValue")


def prepare_voice_in_sandbox(source: Path, folder: Path, report: Report = ignore_report) -> PreparationResult:
    """Prepare a voice as `prepare_voice` of `app.install.voice_preparation` does with `is_quick`; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        row = _read_single_row("voice", "voice", [source, folder], folder, report)
        _require_plain_files(folder, ALLOWED_VOICE_FILES, "voice")
        _require_int8_graphs(folder, read_voice_source(folder).manifest)
        manifest = read_prepared_voice(folder).manifest
        with _refuse_malformed_rows("voice"):
            reason = _parse_optional(sanitise_long_text, row["reason"])
            return PreparationResult(manifest, _parse_optional(require_number, row["max_abs_diff"]), reason)


def refine_voice_in_sandbox(
    folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> tuple[VoiceManifest, float | None]:
    """Do what `compute_refinement` of `app.install.voice_preparation` does with the voice in a folder; raise UnsafeFileError too.

    Returns:
        The manifest that names the int8 graphs in `results`, and the largest difference of a sample from the source.
    """
    row = _read_single_row("voice", "refine", [folder, results], results, report, is_paused)
    manifest = check_refinement_files(results)
    with _refuse_malformed_rows("voice"):
        return manifest, _parse_optional(require_number, row["max_abs_diff"])


def check_refinement_files(results: Path) -> VoiceManifest:
    """Return the manifest among the results of refining a voice; raise VoiceError unless int8 graphs are with it, and nothing else."""
    _require_plain_files(results, ALLOWED_INT8_FILES | {MANIFEST_NAME}, "voice")
    manifest = read_manifest(results)
    _require_int8_graphs(results, manifest)
    return manifest


def prepare_bert_in_sandbox(model: Path, folder: Path, report: Report = ignore_report, *, is_quick: bool = False) -> BertPreparationResult:
    """Prepare a BERT as `app.install.bert_preparation.prepare_bert` does; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        prepared = parse_bert(_read_single_row("bert", "bert", [model, folder, is_quick], folder, report))
        original = find_original_bert(folder)
        original_files = frozenset() if original is None else ORIGINAL_BERT_FILES
        _require_plain_files(folder, {VOCABULARY_NAME, *_list_graph_files(prepared)} | original_files, "bert")
        original_graphs = [original.name] if original is not None and original.suffix == ".onnx" else []
        _require_local_weights(folder, [*prepared.files.values(), *original_graphs], "bert")
        return prepared


def refine_bert_in_sandbox(
    folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> BertPreparationResult:
    """Do what `compute_bert_refinement` of `app.install.bert_preparation` does with the BERT in a folder; raise UnsafeFileError too."""
    refined = parse_bert(_read_single_row("bert", "refine-bert", [folder, results], results, report, is_paused))
    new_graphs = [name for name in refined.files.values() if name != BERT_GRAPH_NAME]
    _require_plain_files(results, {item for item in _list_graph_files(refined) if Path(item).stem != Path(BERT_GRAPH_NAME).stem}, "bert")
    if new_graphs:
        _require_local_weights(results, new_graphs, "bert")
    return refined


def verify_source(source: Path, report: Report = ignore_report) -> None:
    """Let a voice speak that is used as it is; raise VoiceError, such as UnsafeFileError, if it must not be used."""
    list(run_in_sandbox("voice", "source", [source], report))


def check_voice(source: Path, expected: Path) -> Generator[tuple[CaseResult | SkippedCase, bool], None, None]:
    """Yield each case of a file of expected outputs, and whether the voice is a single graph; raise VoiceError or InputError."""
    for row in run_in_sandbox("voice", "check", [source, expected]):
        yield parse_case(row), row.get("opaque") is True


def parse_bert(row: Mapping[str, Any]) -> BertPreparationResult:
    with _refuse_malformed_rows("bert"):
        *sizes, epsilon = row["architecture"]
        layers, heads, hidden, inner, vocabulary = (require_int(item, 1, MAX_STATED_SIZE) for item in sizes)
        files = {precision: row["files"][precision] for precision in ALLOWED_BERT_GRAPHS if precision in row["files"]}
        if "float32" not in files or any(name not in ALLOWED_BERT_GRAPHS[precision] for precision, name in files.items()):
            raise ValueError("no graph of a BERT")
        return BertPreparationResult(
            DebertaSizes(layers, heads, hidden, inner, vocabulary, require_number(epsilon)),
            files,
            require_number(row["max_rel_diff"]),
            _parse_optional(require_number, row["int8_cosine"]),
            None if row["int8_block"] is None else require_int(row["int8_block"], 1, MAX_STATED_SIZE),
            _parse_optional(sanitise_long_text, row["kept_whole"]),
        )


def parse_case(row: Mapping[str, Any]) -> CaseResult | SkippedCase:
    """Return one case that was compared, or could not be."""
    with _refuse_malformed_rows("voice"):
        number = require_int(row["case"], 0, MAX_STATED_SIZE)
        if "skipped" in row:
            return SkippedCase(number, sanitise_short_text(row["skipped"]))
        difference = _parse_optional(require_number, row["max_abs_diff"])
        return CaseResult(number, difference, row["durations_equal"] is True, require_int(row["frames"], 0, MAX_STATED_SIZE))


def _list_graph_files(prepared: BertPreparationResult) -> set[str]:
    return {item for name in prepared.files.values() for item in (name, str(Path(name).with_suffix(".data")))}


@contextmanager
def _refuse_malformed_rows(subject: SandboxSubject) -> Iterator[None]:
    """Raise UnsafeFileError if the block meets values of another form than ours."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as exc:
        raise UnsafeFileError("crash", subject) from exc


def _parse_optional(parse: Callable[[Any], ParsedValue], value: Any) -> ParsedValue | None:
    return None if value is None else parse(value)


def _require_plain_files(folder: Path, names: Collection[str], subject: SandboxSubject) -> None:
    for item in folder.iterdir():
        if item.name not in names or not stat.S_ISREG(item.lstat().st_mode):
            raise UnsafeFileError("crash", subject)


def _require_int8_graphs(folder: Path, manifest: VoiceManifest) -> None:
    if int8_files := map_int8_files(manifest):
        _require_local_weights(folder, ALLOWED_VOICE_FILES & {*int8_files.values()}, "voice")


def _require_local_weights(folder: Path, graphs: Collection[str], subject: SandboxSubject) -> None:
    if not graphs or not all((folder / name).is_file() for name in graphs):
        raise UnsafeFileError("crash", subject)
    for name in graphs:
        list_external_files(folder / name, read_onnx_info(folder / name).outline)


def _read_single_row(
    subject: SandboxSubject,
    task: str,
    arguments: Sequence[Any],
    folder: Path,
    report: Report,
    is_paused: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    """Run a task that writes into a folder, which also holds its temporary files, and return the one row that it finds."""
    rows = list(run_in_sandbox(subject, task, arguments, report, is_paused, folder=folder))
    if len(rows) != 1:
        raise UnsafeFileError("crash", subject)
    return rows[0]


def run_in_sandbox(
    subject: SandboxSubject,
    task: str,
    arguments: Sequence[Any],
    report: Report = ignore_report,
    is_paused: Callable[[], bool] | None = None,
    *,
    folder: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows that a task of `app.install.sandbox_worker` finds; raise UnsafeFileError where it asks for too much.

    Its arguments are JSON and paths; its temporary files are in `folder`, or where the system has a place for them.
    """
    limits = compute_limits(subject)
    values = [str(item.absolute()) if isinstance(item, Path) else item for item in arguments]
    with (
        tempfile.TemporaryDirectory(prefix="koebako-", dir=folder, ignore_cleanup_errors=True) as scratch,
        SandboxProcess("--prove", task, values, limits, Path(scratch), is_paused) as child,
    ):
        try:
            yield from child.iterate_results(report)
        except SandboxStoppedError as exc:
            raise UnsafeFileError(exc.reason, subject, limits) from exc


@contextmanager
def _clear_on_failure(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for item in folder.iterdir():
            remove_path(item)
        raise
