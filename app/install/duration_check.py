"""Finds out which voices keep their durations with their BERT in int8; `app.install.calibration_runs` measures, in a child with limits."""

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from app.common.files import paths
from app.common.files.untrusted_json import sanitise_long_text
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import UnsafeFileError, run_in_sandbox
from app.voices.bert_models import BertModel, find_equal_duration_share, list_installed_berts, remember_equal_duration_share
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice

_log = logging.getLogger("koebako")


def measure_missing_agreements(report: Report = ignore_report, *, is_paused: Callable[[], bool] | None = None) -> int:
    """Measure every installed voice with its BERT unless that was done before; return how many were measured.

    One that cannot be measured keeps the exact features, and is tried again the next time. With `is_paused`, it runs with the lowest priority.
    """
    berts = {bert.id: bert for bert in reversed(list_installed_berts(paths.list_bert_dirs())) if "int8" in bert.graphs}
    pairs = [
        (voice, berts[voice.manifest.bert]) for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert in berts
    ]
    waiting = [
        (voice, bert) for voice, bert in pairs if not voice.manifest.is_single_graph and find_equal_duration_share(voice, bert) is None
    ]
    measured = 0
    for bert in {bert.id: bert for _, bert in waiting}.values():
        voices = [voice for voice, own in waiting if own is bert]
        with closing(measure_agreements(bert, voices, is_paused)) as shares:
            for voice, share in zip(voices, shares, strict=False):
                report("checking", measured / len(waiting))
                if share is not None:
                    remember_equal_duration_share(voice, bert, share)
                    measured += 1
    return measured


def measure_agreements(
    bert: BertModel, voices: Sequence[Voice], is_paused: Callable[[], bool] | None = None
) -> Generator[float | None, None, None]:
    """Yield for each voice the share of symbols that keep their length in int8; None if it cannot be measured now.

    A voice that takes more than any voice needs has 0: it gets the exact features, and is not tried again. A BERT that does ends it all.
    """
    waiting = list(voices)
    while waiting:
        is_bert_read = False
        try:
            for row in run_in_sandbox(
                "bert", "shares", [bert.folder, [str(item.path.absolute()) for item in waiting]], is_paused=is_paused
            ):
                if is_bert_read and waiting:
                    voice = waiting.pop(0)
                    share = parse_agreement(row)
                    if share is None:
                        _log.info("no precision measured for %s: %.500s", voice.manifest.id, sanitise_long_text(str(row.get("why"))))
                    yield share
                is_bert_read = True
            return
        except UnsafeFileError as exc:
            if waiting:
                _log.info("no precision measured for %s with %s: %s", waiting.pop(0).manifest.id, bert.id, exc)
                yield 0.0 if is_bert_read else None
            if not is_bert_read:
                return


def parse_agreement(row: Mapping[str, Any]) -> float | None:
    """Return a measured share, 0..1, or None if there is none."""
    share = row.get("share")
    return share if isinstance(share, float) and 0 <= share <= 1 else None
