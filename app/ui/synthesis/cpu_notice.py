"""The notice about a voice that runs on the CPU, all of it or a part, although nothing has failed."""

from __future__ import annotations

from app.common.language import localize
from app.engine.open_voices import OpenedVoice


def describe_cpu_use(voice: OpenedVoice, device: str) -> tuple[str, str]:
    """Return one sentence about the use of the CPU, and the reasons.

    Args:
        device: what it was asked to run on, for people.
    """
    if any(backend != "cpu" for _, backend in voice.backends):
        message = localize(f"一部の計算は {device} ではなく CPU で行います。", f"Some of the work is done on the CPU, not on {device}.")
    else:
        message = localize(f"{device} ではなく CPU で合成しています。", f"The CPU is used, not {device}.")
    return message, voice.fallback or ""
