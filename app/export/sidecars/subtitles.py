"""SubRip and WebVTT."""

from __future__ import annotations

from collections.abc import Iterator

from app.export.settings import Unit
from app.export.sidecars.cues import cues_of, one_line
from app.export.spoken import SpokenFile


def srt_text(spoken: SpokenFile, unit: Unit) -> str:
    """Numbered cues, to the millisecond."""
    cues = enumerate(_cues(spoken, unit), 1)
    return "\n".join(f"{number}\n{_time(start, ',')} --> {_time(end, ',')}\n{text}\n" for number, (start, end, text) in cues)


def vtt_text(spoken: SpokenFile, unit: Unit) -> str:
    """Cues to the millisecond; what would be markup is escaped."""
    cues = (f"{_time(start, '.')} --> {_time(end, '.')}\n{_escaped(text)}\n" for start, end, text in _cues(spoken, unit))
    return "\n".join(("WEBVTT\n", *cues))


def _cues(spoken: SpokenFile, unit: Unit) -> Iterator[tuple[int, int, str]]:
    """Milliseconds and text; a unit that ends where it begins is left out, for players refuse it."""
    for cue in cues_of(spoken, unit):
        start, end = round(cue.start_s * 1000), round(cue.end_s * 1000)
        if start < end and cue.text.strip():
            yield start, end, one_line(cue.text)


def _time(ms: int, point: str) -> str:
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{point}{ms % 1000:03d}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
