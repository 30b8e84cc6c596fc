"""What subtitles show, and when."""

from __future__ import annotations

from collections.abc import Sequence

from app.export.settings import Unit
from app.export.spoken import SpokenFile, SpokenLine, Timed


def cues_of(spoken: SpokenFile, unit: Unit) -> list[Timed]:
    """A cue a unit; where a voice reports no times of phrases and morae, a sentence."""
    return [cue for line in spoken.lines for cue in units_of(line, unit)]


def units_of(line: SpokenLine, unit: Unit) -> Sequence[Timed]:
    """The units of one line; a silent one shows nothing."""
    if line.silent:
        return ()
    if unit == "line":
        return [line.spoken]
    finer: dict[Unit, Sequence[Timed]] = {"phrase": line.phrases, "mora": line.moras}
    return finer.get(unit) or line.sentences or [line.spoken]


def one_line(text: str) -> str:
    """An empty line would end a cue, and so would others' marks."""
    return " ".join(text.split())
