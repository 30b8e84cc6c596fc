r"""Advanced SubStation Alpha with karaoke: each mora or phrase is sung when it sounds.

Lengths of `\k` are differences of rounded times, so that no error adds up.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.export.export_settings import TimingUnit
from app.export.sidecars.subtitle_cues import find_timed_units, join_text_lines
from app.export.timeline import SpokenFile, SpokenLine, TimedText

_ASS_HEADER = """[Script Info]
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
# Which would begin a command.
_ASS_ESCAPES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})


def format_ass(spoken: SpokenFile, unit: TimingUnit) -> str:
    """An event a line, or else a sentence; in it the reading, phrase by phrase or mora by mora."""
    return _ASS_HEADER + "".join(
        _format_event(event, _choose_syllables(line, event, unit), line)
        for line in spoken.lines
        for event in find_timed_units(line, "line" if unit == "line" else "sentence")
        if _convert_to_centiseconds(event.start_s) < _convert_to_centiseconds(event.end_s)
    )


def _choose_syllables(line: SpokenLine, event: TimedText, unit: TimingUnit) -> Sequence[TimedText]:
    """Choose the syllables that are sung within an event."""
    found: Sequence[TimedText] = line.phrases if unit == "phrase" else line.moras
    return [item for item in found if event.start_s <= (item.start_s + item.end_s) / 2 <= event.end_s]


def _format_event(event: TimedText, syllables: Sequence[TimedText], line: SpokenLine) -> str:
    start, end = _convert_to_centiseconds(event.start_s), _convert_to_centiseconds(event.end_s)
    words = _format_karaoke(syllables, start, end) if syllables else join_text_lines(event.text).translate(_ASS_ESCAPES)
    name = line.speaker.replace(",", " ").replace("\n", " ")
    return f"Dialogue: 0,{_format_ass_time(start)},{_format_ass_time(end)},Default,{name},0,0,0,,{words}\n"


def _format_karaoke(syllables: Sequence[TimedText], start: int, end: int) -> str:
    """Silence before and between is a syllable without letters."""
    words, now = "", start
    for item in syllables:
        begins = min(max(_convert_to_centiseconds(item.start_s), now), end)
        ends = min(max(_convert_to_centiseconds(item.end_s), begins), end)
        if begins > now:
            words += f"{{\\k{begins - now}}}"
        words += f"{{\\k{ends - begins}}}{item.text.translate(_ASS_ESCAPES)}"
        now = ends
    return words


def _convert_to_centiseconds(seconds: float) -> int:
    return round(seconds * 100)


def _format_ass_time(centiseconds: int) -> str:
    return f"{centiseconds // 360_000}:{centiseconds // 6_000 % 60:02d}:{centiseconds // 100 % 60:02d}.{centiseconds % 100:02d}"
