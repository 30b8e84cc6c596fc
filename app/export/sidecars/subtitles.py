"""SubRip and WebVTT."""

from __future__ import annotations

from collections.abc import Iterator

from app.export.export_settings import TimingUnit
from app.export.sidecars.subtitle_cues import build_cues, join_text_lines
from app.export.timeline import SpokenFile


def format_srt(spoken: SpokenFile, unit: TimingUnit) -> str:
    """Numbered cues, to the millisecond."""
    cues = enumerate(_iterate_millisecond_cues(spoken, unit), 1)
    return "\n".join(
        f"{number}\n{_format_cue_time(start, ',')} --> {_format_cue_time(end, ',')}\n{text}\n" for number, (start, end, text) in cues
    )


def format_vtt(spoken: SpokenFile, unit: TimingUnit) -> str:
    """Cues to the millisecond; what would be markup is escaped."""
    cues = (
        f"{_format_cue_time(start, '.')} --> {_format_cue_time(end, '.')}\n{_escape_markup(text)}\n"
        for start, end, text in _iterate_millisecond_cues(spoken, unit)
    )
    return "\n".join(("WEBVTT\n", *cues))


def _iterate_millisecond_cues(spoken: SpokenFile, unit: TimingUnit) -> Iterator[tuple[int, int, str]]:
    """Milliseconds and text; a unit that ends where it begins is left out, for players refuse it."""
    for cue in build_cues(spoken, unit):
        start, end = round(cue.start_s * 1000), round(cue.end_s * 1000)
        if start < end and cue.text.strip():
            yield start, end, join_text_lines(cue.text)


def _format_cue_time(ms: int, decimal_mark: str) -> str:
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{decimal_mark}{ms % 1000:03d}"


def _escape_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
