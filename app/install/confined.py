"""What opens or runs a stranger's graph, done in a child that keeps to limits (`app.install.prove`); what it brings back is checked here."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.adapters.confined.child import ConfinedChild, StoppedError
from app.data_file import drop
from app.install.confined_results import bert_of, case_of, check_bert_files, check_voice_files, share_of, voice_of
from app.install.prepared import Prepared, PreparedBert
from app.install.proof_limits import Subject, UnsafeError, limits_for
from app.json_text import long_text
from app.progress import Report, unreported
from app.voices.bert import Bert
from app.voices.check import CaseResult, SkippedCase
from app.voices.voice import Voice

__all__ = ["UnsafeError", "check_voice", "measured_shares", "prepare_bert_confined", "prepare_voice_confined", "prove_source"]

_log = logging.getLogger("koebako")


def prepare_voice_confined(source: Path, folder: Path, report: Report = unreported, *, int8: bool = True) -> Prepared:
    """As `app.install.prepare.prepare_voice`; raises UnsafeError too."""
    with _emptied(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            found = _single("voice", "voice", [str(source.absolute()), str(folder.absolute()), int8], Path(scratch), report)
        check_voice_files(folder)
        return voice_of(found, folder)


def prepare_bert_confined(model: Path, folder: Path, report: Report = unreported) -> PreparedBert:
    """As `app.install.bert_prepare.prepare_bert`; raises UnsafeError too."""
    with _emptied(folder):
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
            found = _single("bert", "bert", [str(model.absolute()), str(folder.absolute())], Path(scratch), report)
        prepared = bert_of(found)
        check_bert_files(folder, prepared)
        return prepared


def prove_source(source: Path, report: Report = unreported) -> None:
    """Lets a voice speak that is used as it is; raises VoiceError, UnsafeError among them, where it must not be."""
    with _scratch() as scratch:
        list(_found("voice", "source", [str(source.absolute())], scratch, report))


def check_voice(source: Path, expected: Path) -> Generator[tuple[CaseResult | SkippedCase, bool], None, None]:
    """Each case of a file of expected outputs, and whether the voice is opaque. Raises VoiceError, InputError."""
    with _scratch() as scratch:
        for found in _found("voice", "check", [str(source.absolute()), str(expected.absolute())], scratch):
            yield case_of(found), found.get("opaque") is True


def measured_shares(bert: Bert, voices: Sequence[Voice]) -> Generator[float | None, None, None]:
    """For each voice the share of symbols that keep their length in int8; None where it cannot be measured now.

    A voice that takes more than any voice needs has 0: it gets the exact features, and is not tried again. A BERT that does ends it all.
    """
    left = list(voices)
    with _scratch() as scratch:
        while left:
            read = False
            try:
                for found in _found("bert", "shares", [str(bert.folder.absolute()), [str(item.path.absolute()) for item in left]], scratch):
                    if read and left:
                        yield _share(found, left.pop(0))
                    read = True
                return
            except UnsafeError as exc:
                if left:
                    _log.info("no precision measured for %s with %s: %s", left.pop(0).manifest.id, bert.id, exc)
                    yield 0.0 if read else None
                if not read:
                    return


def _share(found: Mapping[str, Any], voice: Voice) -> float | None:
    share = share_of(found)
    if share is None:
        _log.info("no precision measured for %s: %.500s", voice.manifest.id, long_text(str(found.get("why"))))
    return share


def _single(subject: Subject, task: str, arguments: Sequence[Any], scratch: Path, report: Report) -> dict[str, Any]:
    found = list(_found(subject, task, arguments, scratch, report))
    if len(found) != 1:
        raise UnsafeError("crash", subject)
    return found[0]


def _found(subject: Subject, task: str, arguments: Sequence[Any], scratch: Path, report: Report = unreported) -> Iterator[dict[str, Any]]:
    limits = limits_for(subject)
    with ConfinedChild("--prove", task, arguments, limits, scratch) as child:
        try:
            yield from child.found(report)
        except StoppedError as exc:
            raise UnsafeError(exc.reason, subject, limits) from exc


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _emptied(folder: Path) -> Iterator[None]:
    """The folder is empty when the block fails."""
    try:
        yield
    except BaseException:
        for item in folder.iterdir():
            drop(item)
        raise
