"""Opens and runs a stranger's graph in a limited child (`app.install.sandbox_worker`), and checks the child's results.

The graph may have led the child astray, so its word and its files count as a stranger's.
"""

from __future__ import annotations

import logging
import stat
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.files.atomic_write import remove_path
from app.common.files.untrusted_json import require_int, require_number, sanitise_long_text, sanitise_short_text
from app.common.progress import Report, ignore_report
from app.install.preparation_results import BertPreparationResult, PreparationResult
from app.install.sandbox_limits import SandboxSubject, UnsafeFileError, compute_limits
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME, BertModel, BertPrecision
from app.voices.containers.onnx_metadata import list_external_files, read_onnx_info
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.pending_refinement import ORIGINAL_BERT_FILES, PENDING_FILES, find_original_bert
from app.voices.prepare.bert.deberta_weights import DebertaSizes
from app.voices.prepared_voice import Voice, read_prepared_voice
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.voice_manifest import MANIFEST_NAME, VoiceManifest, map_int8_files, read_manifest

ALLOWED_VOICE_GRAPHS = ("prosody", "flow", "decoder", "prosody_int8", "flow_int8", "decoder_int8", "whole")
ALLOWED_VOICE_FILES = frozenset(
    {MANIFEST_NAME, STYLE_VECTORS_NAME, *(f"{name}.{kind}" for name in ALLOWED_VOICE_GRAPHS for kind in ("onnx", "bin"))} | PENDING_FILES
)
ALLOWED_INT8_FILES = frozenset(item for item in ALLOWED_VOICE_FILES if item.partition(".")[0].endswith("_int8"))
ALLOWED_BERT_GRAPHS: dict[BertPrecision, tuple[str, ...]] = {"float32": (BERT_GRAPH_NAME, "source.onnx"), "int8": ("bert_int8.onnx",)}
MAX_STATED_SIZE = 1 << 31

ParsedValue = TypeVar("ParsedValue")


def check_voice_files(folder: Path) -> None:
    """Raise VoiceError unless a folder is a prepared voice and nothing else."""
    _require_plain_files(folder, ALLOWED_VOICE_FILES, "voice")
    faster = map_int8_files(read_voice_source(folder).manifest)
    if faster:
        _require_local_weights(folder, ALLOWED_VOICE_FILES & {*faster.values()}, "voice")


def check_refinement_files(results: Path) -> VoiceManifest:
    """Return the manifest among the results of refining a voice; raise VoiceError unless there are int8 graphs beside it, and nothing else."""
    _require_plain_files(results, ALLOWED_INT8_FILES | {MANIFEST_NAME}, "voice")
    manifest = read_manifest(results)
    if faster := map_int8_files(manifest):
        _require_local_weights(results, ALLOWED_INT8_FILES & {*faster.values()}, "voice")
    return manifest


def parse_difference(row: Mapping[str, Any]) -> float | None:
    """Return the largest difference of a sample from the source; None where nothing could be compared."""
    with _refuse_malformed_rows("voice"):
        return _parse_optional(require_number, row["max_abs_diff"])


def parse_voice(row: Mapping[str, Any], folder: Path) -> PreparationResult:
    """Parse the result of a voice; only the description in its file counts."""
    manifest = read_prepared_voice(folder).manifest
    with _refuse_malformed_rows("voice"):
        return PreparationResult(
            manifest, _parse_optional(require_number, row["max_abs_diff"]), _parse_optional(sanitise_long_text, row["reason"])
        )


def check_bert_files(folder: Path, prepared: BertPreparationResult) -> None:
    """Raise VoiceError unless a folder holds the graphs of a BERT with its vocabulary, and nothing else."""
    kept = {VOCABULARY_NAME, *_list_graph_files(prepared)}
    original = find_original_bert(folder)
    _require_plain_files(folder, kept if original is None else kept | ORIGINAL_BERT_FILES, "bert")
    graphs = [*prepared.files.values(), *([original.name] if original is not None and original.suffix == ".onnx" else [])]
    _require_local_weights(folder, graphs, "bert")


def check_bert_refinement_files(results: Path, refined: BertPreparationResult) -> None:
    """Raise VoiceError unless the results of refining a BERT are the graphs that it did not have before, and nothing else."""
    made = [name for name in refined.files.values() if name != BERT_GRAPH_NAME]
    _require_plain_files(results, {item for item in _list_graph_files(refined) if Path(item).stem != Path(BERT_GRAPH_NAME).stem}, "bert")
    if made:
        _require_local_weights(results, made, "bert")


def _list_graph_files(prepared: BertPreparationResult) -> set[str]:
    return {item for name in prepared.files.values() for item in (name, str(Path(name).with_suffix(".data")))}


def parse_bert(row: Mapping[str, Any]) -> BertPreparationResult:
    """Parse the result of a BERT."""
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
        if "skipped" in row:
            return SkippedCase(require_int(row["case"], 0, MAX_STATED_SIZE), sanitise_short_text(row["skipped"]))
        difference = _parse_optional(require_number, row["max_abs_diff"])
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


__all__ = [
    "UnsafeFileError",
    "check_voice",
    "measure_agreements",
    "prepare_bert_in_sandbox",
    "prepare_voice_in_sandbox",
    "refine_bert_in_sandbox",
    "refine_voice_in_sandbox",
    "verify_source",
]

_log = logging.getLogger("koebako")


def prepare_voice_in_sandbox(source: Path, folder: Path, report: Report = ignore_report) -> PreparationResult:
    """Prepare a voice as `prepare_voice` of `app.install.voice_preparation` does with `is_quick`; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            found = _read_single_row("voice", "voice", [str(source.absolute()), str(folder.absolute())], Path(scratch), report)
        check_voice_files(folder)
        return parse_voice(found, folder)


def refine_voice_in_sandbox(
    folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> tuple[VoiceManifest, float | None]:
    """Do what `compute_refinement` of `app.install.voice_refinement` does with the voice in a folder; raise UnsafeFileError too.

    Args:
        results: an empty folder, for the int8 graphs and the manifest that names them.
        is_paused: asked all the time whether the work has to stand still.

    Returns:
        That manifest, and the largest difference of a sample from the source.
    """
    with tempfile.TemporaryDirectory(dir=results, ignore_cleanup_errors=True) as scratch:
        arguments = [str(folder.absolute()), str(results.absolute())]
        found = _read_single_row("voice", "refine", arguments, Path(scratch), report, is_paused)
    return check_refinement_files(results), parse_difference(found)


def prepare_bert_in_sandbox(model: Path, folder: Path, report: Report = ignore_report, *, is_quick: bool = False) -> BertPreparationResult:
    """Prepare a BERT as `app.install.bert_preparation.prepare_bert` does; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            arguments = [str(model.absolute()), str(folder.absolute()), is_quick]
            found = _read_single_row("bert", "bert", arguments, Path(scratch), report)
        prepared = parse_bert(found)
        check_bert_files(folder, prepared)
        return prepared


def refine_bert_in_sandbox(
    folder: Path, results: Path, report: Report = ignore_report, *, is_paused: Callable[[], bool]
) -> BertPreparationResult:
    """Do what `compute_bert_refinement` of `app.install.bert_refinement` does with the BERT in a folder; raise UnsafeFileError too.

    Args:
        results: an empty folder on the same disk, for the graphs.
        is_paused: asked all the time whether the work has to stand still.
    """
    with tempfile.TemporaryDirectory(dir=results, ignore_cleanup_errors=True) as scratch:
        arguments = [str(folder.absolute()), str(results.absolute())]
        refined = parse_bert(_read_single_row("bert", "refine-bert", arguments, Path(scratch), report, is_paused))
    check_bert_refinement_files(results, refined)
    return refined


def verify_source(source: Path, report: Report = ignore_report) -> None:
    """Let a voice speak that is used as it is; raise VoiceError, such as UnsafeFileError, if it must not be used."""
    with _create_scratch_folder() as scratch:
        list(_run_in_sandbox("voice", "source", [str(source.absolute())], scratch, report))


def check_voice(source: Path, expected: Path) -> Generator[tuple[CaseResult | SkippedCase, bool], None, None]:
    """Yield each case of a file of expected outputs, and whether the voice is a single graph; raise VoiceError or InputError."""
    with _create_scratch_folder() as scratch:
        for found in _run_in_sandbox("voice", "check", [str(source.absolute()), str(expected.absolute())], scratch):
            yield parse_case(found), found.get("opaque") is True


def measure_agreements(
    bert: BertModel, voices: Sequence[Voice], is_paused: Callable[[], bool] | None = None
) -> Generator[float | None, None, None]:
    """Yield for each voice the share of symbols that keep their length in int8; None if it cannot be measured now.

    A voice that takes more than any voice needs has 0: it gets the exact features, and is not tried again. A BERT that does ends it all.
    """
    left = list(voices)
    with _create_scratch_folder() as scratch:
        while left:
            read = False
            try:
                arguments = [str(bert.folder.absolute()), [str(item.path.absolute()) for item in left]]
                for found in _run_in_sandbox("bert", "shares", arguments, scratch, is_paused=is_paused):
                    if read and left:
                        yield _read_agreement(found, left.pop(0))
                    read = True
                return
            except UnsafeFileError as exc:
                if left:
                    _log.info("no precision measured for %s with %s: %s", left.pop(0).manifest.id, bert.id, exc)
                    yield 0.0 if read else None
                if not read:
                    return


def _read_agreement(row: Mapping[str, Any], voice: Voice) -> float | None:
    share = parse_agreement(row)
    if share is None:
        _log.info("no precision measured for %s: %.500s", voice.manifest.id, sanitise_long_text(str(row.get("why"))))
    return share


def _read_single_row(
    subject: SandboxSubject,
    task: str,
    arguments: Sequence[Any],
    scratch: Path,
    report: Report,
    is_paused: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    found = list(_run_in_sandbox(subject, task, arguments, scratch, report, is_paused))
    if len(found) != 1:
        raise UnsafeFileError("crash", subject)
    return found[0]


def _run_in_sandbox(
    subject: SandboxSubject,
    task: str,
    arguments: Sequence[Any],
    scratch: Path,
    report: Report = ignore_report,
    is_paused: Callable[[], bool] | None = None,
) -> Iterator[dict[str, Any]]:
    limits = compute_limits(subject)
    with SandboxProcess("--prove", task, arguments, limits, scratch, is_paused) as child:
        try:
            yield from child.iterate_results(report)
        except SandboxStoppedError as exc:
            raise UnsafeFileError(exc.reason, subject, limits) from exc


@contextmanager
def _create_scratch_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _clear_on_failure(folder: Path) -> Iterator[None]:
    """Empty the folder if the block fails."""
    try:
        yield
    except BaseException:
        for item in folder.iterdir():
            remove_path(item)
        raise
