"""Finds out which voices keep their durations with their BERT in int8; `app.install.equal_share` measures, in a child with limits."""

from __future__ import annotations

from contextlib import closing

from app import paths
from app.install.confined import measured_shares
from app.progress import Report, unreported
from app.voices.bert import installed_berts
from app.voices.library import installed_voices
from app.voices.precision import known_share, remember_share


def check_precisions(report: Report = unreported) -> int:
    """Measures every installed voice with its BERT where that was not done yet; returns how many were measured.

    A voice that cannot be measured keeps the exact features, and is tried again the next time.
    """
    berts = {bert.id: bert for bert in reversed(installed_berts(paths.bert_dirs())) if "int8" in bert.graphs}
    pairs = [(voice, berts[voice.manifest.bert]) for voice in installed_voices(paths.voice_dirs()) if voice.manifest.bert in berts]
    waiting = [(voice, bert) for voice, bert in pairs if not voice.manifest.opaque and known_share(voice, bert) is None]
    measured = 0
    for bert in {bert.id: bert for _, bert in waiting}.values():
        voices = [voice for voice, own in waiting if own is bert]
        with closing(measured_shares(bert, voices)) as shares:
            for voice, share in zip(voices, shares, strict=False):
                report("checking", measured / len(waiting))
                if share is not None:
                    remember_share(voice, bert, share)
                    measured += 1
    return measured
