r"""Advanced SubStation Alpha with karaoke: each mora or phrase is sung when it sounds.

Lengths of `\k` are differences of rounded times, so that no error adds up.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.export.settings import Unit
from app.export.sidecars.cues import one_line, units_of
from app.export.spoken import SpokenFile, SpokenLine, Timed

_HEAD = """[Script Info]
ScriptType: v4.00+
PlayResX: 1920
PlayResY: 1080
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, \
ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,sans-serif,64,&H0000D7FF,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,60,60,60,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""
_ESCAPES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})  # which would begin a command


def ass_text(spoken: SpokenFile, unit: Unit) -> str:
    """An event a line, or else a sentence; in it the reading, phrase by phrase or mora by mora."""
    return _HEAD + "".join(
        _event(event, _syllables(line, event, unit), line)
        for line in spoken.lines
        for event in units_of(line, "line" if unit == "line" else "sentence")
        if _hundredths(event.start_s) < _hundredths(event.end_s)
    )


def _syllables(line: SpokenLine, event: Timed, unit: Unit) -> Sequence[Timed]:
    """What is sung within an event."""
    found: Sequence[Timed] = line.phrases if unit == "phrase" else line.moras
    return [item for item in found if event.start_s <= (item.start_s + item.end_s) / 2 <= event.end_s]


def _event(event: Timed, syllables: Sequence[Timed], line: SpokenLine) -> str:
    start, end = _hundredths(event.start_s), _hundredths(event.end_s)
    words = _karaoke(syllables, start, end) if syllables else one_line(event.text).translate(_ESCAPES)
    name = line.speaker.replace(",", " ").replace("\n", " ")
    return f"Dialogue: 0,{_time(start)},{_time(end)},Default,{name},0,0,0,,{words}\n"


def _karaoke(syllables: Sequence[Timed], start: int, end: int) -> str:
    """Silence before and between is a syllable without letters."""
    words, now = "", start
    for item in syllables:
        begins = min(max(_hundredths(item.start_s), now), end)
        ends = min(max(_hundredths(item.end_s), begins), end)
        if begins > now:
            words += f"{{\\k{begins - now}}}"
        words += f"{{\\k{ends - begins}}}{item.text.translate(_ESCAPES)}"
        now = ends
    return words


def _hundredths(seconds: float) -> int:
    return round(seconds * 100)


def _time(hundredths: int) -> str:
    return f"{hundredths // 360_000}:{hundredths // 6_000 % 60:02d}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"
