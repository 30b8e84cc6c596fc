"""Opens and runs a stranger's graph in a limited child (`app.install.sandbox_worker`), and checks the child's results."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.files.atomic_write import remove_path
from app.common.files.untrusted_json import sanitise_long_text
from app.common.progress import Report, ignore_report
from app.install.preparation_results import BertPreparationResult, PreparationResult
from app.install.sandbox_limits import SandboxSubject, UnsafeFileError, compute_limits
from app.install.sandbox_output import check_bert_files, check_voice_files, parse_agreement, parse_bert, parse_case, parse_voice
from app.voices.bert_models import BertModel
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.prepared_voice import Voice

__all__ = ["UnsafeFileError", "check_voice", "measure_agreements", "prepare_bert_in_sandbox", "prepare_voice_in_sandbox", "verify_source"]

_log = logging.getLogger("koebako")


def prepare_voice_in_sandbox(source: Path, folder: Path, report: Report = ignore_report, *, int8: bool = True) -> PreparationResult:
    """Prepare a voice as `app.install.voice_preparation.prepare_voice` does; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            found = _read_single_row("voice", "voice", [str(source.absolute()), str(folder.absolute()), int8], Path(scratch), report)
        check_voice_files(folder)
        return parse_voice(found, folder)


def prepare_bert_in_sandbox(model: Path, folder: Path, report: Report = ignore_report) -> BertPreparationResult:
    """Prepare a BERT as `app.install.bert_preparation.prepare_bert` does; raise UnsafeFileError too."""
    with _clear_on_failure(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            found = _read_single_row("bert", "bert", [str(model.absolute()), str(folder.absolute())], Path(scratch), report)
        prepared = parse_bert(found)
        check_bert_files(folder, prepared)
        return prepared


def verify_source(source: Path, report: Report = ignore_report) -> None:
    """Let a voice speak that is used as it is; raise VoiceError, such as UnsafeFileError, if it must not be used."""
    with _create_scratch_folder() as scratch:
        list(_run_in_sandbox("voice", "source", [str(source.absolute())], scratch, report))


def check_voice(source: Path, expected: Path) -> Generator[tuple[CaseResult | SkippedCase, bool], None, None]:
    """Yield each case of a file of expected outputs, and whether the voice is a single graph; raise VoiceError or InputError."""
    with _create_scratch_folder() as scratch:
        for found in _run_in_sandbox("voice", "check", [str(source.absolute()), str(expected.absolute())], scratch):
            yield parse_case(found), found.get("opaque") is True


def measure_agreements(bert: BertModel, voices: Sequence[Voice]) -> Generator[float | None, None, None]:
    """Yield for each voice the share of symbols that keep their length in int8; None if it cannot be measured now.

    A voice that takes more than any voice needs has 0: it gets the exact features, and is not tried again. A BERT that does ends it all.
    """
    left = list(voices)
    with _create_scratch_folder() as scratch:
        while left:
            read = False
            try:
                for found in _run_in_sandbox(
                    "bert", "shares", [str(bert.folder.absolute()), [str(item.path.absolute()) for item in left]], scratch
                ):
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


def _read_single_row(subject: SandboxSubject, task: str, arguments: Sequence[Any], scratch: Path, report: Report) -> dict[str, Any]:
    found = list(_run_in_sandbox(subject, task, arguments, scratch, report))
    if len(found) != 1:
        raise UnsafeFileError("crash", subject)
    return found[0]


def _run_in_sandbox(
    subject: SandboxSubject, task: str, arguments: Sequence[Any], scratch: Path, report: Report = ignore_report
) -> Iterator[dict[str, Any]]:
    limits = compute_limits(subject)
    with SandboxProcess("--prove", task, arguments, limits, scratch) as child:
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
