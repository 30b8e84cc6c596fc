"""Finds out which voices keep their durations with their BERT in int8; `app.install.duration_agreement` measures, in a child with limits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from app.common.files import paths
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import measure_agreements
from app.voices.bert_models import list_installed_berts
from app.voices.installed_voices import list_installed_voices
from app.voices.voice_precision import find_equal_duration_share, remember_equal_duration_share


def measure_missing_agreements(report: Report = ignore_report, *, is_paused: Callable[[], bool] | None = None) -> int:
    """Measure every installed voice with its BERT unless that was done before; return how many were measured.

    A voice that cannot be measured keeps the exact features, and is tried again the next time.

    Args:
        is_paused: asked all the time whether the work has to stand still; with it, it runs with the lowest priority.
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
