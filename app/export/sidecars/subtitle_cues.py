"""Builds the texts and times of subtitles."""

from __future__ import annotations

from collections.abc import Sequence

from app.export.export_settings import TimingUnit
from app.export.timeline import SpokenFile, SpokenLine, TimedText


def build_cues(spoken: SpokenFile, unit: TimingUnit) -> list[TimedText]:
    """A cue a unit; where a voice reports no times of phrases and morae, a sentence."""
    return [cue for line in spoken.lines for cue in find_timed_units(line, unit)]


def find_timed_units(line: SpokenLine, unit: TimingUnit) -> Sequence[TimedText]:
    """The units of one line; a silent one shows nothing."""
    if line.is_silent:
        return ()
    if unit == "line":
        return [line.speech_span]
    finer: dict[TimingUnit, Sequence[TimedText]] = {"phrase": line.phrases, "mora": line.moras}
    return finer.get(unit) or line.sentences or [line.speech_span]


def join_text_lines(text: str) -> str:
    """An empty line would end a cue, and so would others' marks."""
    return " ".join(text.split())
