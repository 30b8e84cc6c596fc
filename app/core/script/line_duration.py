"""The duration of a line, estimated from its text until it is heard."""

from __future__ import annotations

from app.core.script.script import Line

ESTIMATED_SECONDS_PER_CHAR = 0.15
"""Of Japanese text as most voices speak it."""


def estimate_line_duration(line: Line) -> float:
    """Return the seconds that a line takes with the silence before and after it; 0 for one without text."""
    settings = line.settings
    if not line.text.strip():
        return 0.0
    return settings.pre_silence_s + settings.post_silence_s + ESTIMATED_SECONDS_PER_CHAR * len(line.text) / settings.speed
