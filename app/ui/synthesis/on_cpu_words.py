"""What is said of a voice that runs on the CPU, all of it or a part, although nothing has failed."""

from __future__ import annotations

from app.language import localized
from app.ui.synthesis.results import OpenedVoice


def on_cpu_words(voice: OpenedVoice, device: str) -> tuple[str, str]:
    """One sentence, and the reasons.

    Args:
        device: what it was asked to run on, for people.
    """
    if any(backend != "cpu" for _, backend in voice.backends):
        message = localized(f"一部の計算は {device} ではなく CPU で行います。", f"Some of the work is done on the CPU, not on {device}.")
    else:
        message = localized(f"{device} ではなく CPU で合成しています。", f"The CPU is used, not {device}.")
    return message, voice.fallback or ""
