"""The spoken text and its times, and the sidecars that hold them. Seconds from the beginning of the file, silences included."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from app.export.export_settings import SidecarKind, TimingUnit

PAUSE_PHONE = "pau"


@dataclass(frozen=True, slots=True)
class TimedText:
    """A stretch of text and when it sounds."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class TimedMora(TimedText):
    """A mora in katakana; tone 0 or 1."""

    tone: int = 0


AnyTimedText = TypeVar("AnyTimedText", bound=TimedText)


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line as it sounds."""

    id: str
    text: str  # as readers see it: without ruby and notes
    reading: str
    seed: int
    voice: str  # its id; `speaker` and `style` are names
    speaker: str
    style: str
    settings: Mapping[str, Any]  # that shaped the sound, by the names of `LineSettings`
    credit: str  # what a publication of the sound must name
    start_s: float  # start_s, end_s: silences included
    end_s: float
    sentences: tuple[TimedText, ...] = ()  # sentences, phrases, moras: empty where the voice reports no times, but for the sentences
    phrases: tuple[TimedText, ...] = ()
    moras: tuple[TimedMora, ...] = ()
    phones: tuple[TimedText, ...] = ()  # tile the line, silences as `PAUSE_PHONE`
    is_silent: bool = False  # nothing in the text can be read, so that nobody is heard: one pause, and no credit
    character: str = ""  # name of who speaks it in the script; empty where nobody is named

    @property
    def speech_span(self) -> TimedText:
        """Return the line without the silences around it."""
        if not self.sentences:
            return TimedText(self.text, self.start_s, self.end_s)
        return TimedText(self.text, self.sentences[0].start_s, self.sentences[-1].end_s)

    def shift_times(self, offset_s: float) -> SpokenLine:
        """Return the same line later in a file."""
        return replace(
            self,
            start_s=self.start_s + offset_s,
            end_s=self.end_s + offset_s,
            sentences=_shift_items(self.sentences, offset_s),
            phrases=_shift_items(self.phrases, offset_s),
            moras=_shift_items(self.moras, offset_s),
            phones=_shift_items(self.phones, offset_s),
        )


@dataclass(frozen=True, slots=True)
class SpokenFile:
    """The contents of one sound file."""

    lines: tuple[SpokenLine, ...]
    rate: int  # rate, samples: of the file, a channel
    samples: int
    phones: tuple[TimedText, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "phones", fill_gaps_with_pauses([phone for line in self.lines for phone in line.phones], self.length_s))

    @property
    def length_s(self) -> float:
        return self.samples / self.rate

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @property
    def is_silent(self) -> bool:
        return all(line.is_silent for line in self.lines)

    @property
    def has_phone_times(self) -> bool:
        return all(line.phones for line in self.lines)


def join_lines(lines: Sequence[SpokenLine]) -> tuple[SpokenLine, ...]:
    placed: list[SpokenLine] = []
    for line in lines:
        placed.append(line.shift_times(placed[-1].end_s if placed else 0.0))
    return tuple(placed)


def fill_gaps_with_pauses(phones: Sequence[TimedText], length_s: float) -> tuple[TimedText, ...]:
    """Return the phones from 0 to the end of the sound without a gap, with a pause at both ends and never two in a row."""
    tiles: list[TimedText] = []
    for phone in phones:
        if tiles and phone.text == PAUSE_PHONE and tiles[-1].text == PAUSE_PHONE:
            tiles[-1] = replace(tiles[-1], end_s=phone.end_s)
        else:
            tiles.append(phone)
    if not tiles:
        return ()
    if tiles[0].text != PAUSE_PHONE:
        tiles.insert(0, TimedText(PAUSE_PHONE, 0.0, tiles[0].start_s))
    if tiles[-1].text != PAUSE_PHONE:
        tiles.append(TimedText(PAUSE_PHONE, tiles[-1].end_s, length_s))
    tiles = [replace(tile, start_s=min(tile.start_s, length_s), end_s=min(tile.end_s, length_s)) for tile in tiles]
    tiles[-1] = replace(tiles[-1], end_s=length_s)
    return tuple(tiles)


def _shift_items(items: tuple[AnyTimedText, ...], offset_s: float) -> tuple[AnyTimedText, ...]:
    return tuple(replace(item, start_s=item.start_s + offset_s, end_s=item.end_s + offset_s) for item in items)


def find_timed_units(line: SpokenLine, unit: TimingUnit) -> Sequence[TimedText]:
    """Return the units of one line, or sentences if a voice reports no times of phrases and morae; a silent line has none."""
    if line.is_silent:
        return ()
    if unit == "line":
        return [line.speech_span]
    finer = line.phrases if unit == "phrase" else line.moras if unit == "mora" else ()
    return finer or line.sentences or [line.speech_span]


def join_text_lines(text: str) -> str:
    """Join the lines of a text: an empty line would end a cue, and so would the marks of other formats."""
    return " ".join(text.split())


# Lengths of `\k` are differences of rounded times, so that no error adds up.

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
_ASS_ESCAPES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})  # which would begin a command


def format_ass(spoken: SpokenFile, unit: TimingUnit) -> str:
    """Return an event for each line or sentence; it holds the reading, phrase by phrase or mora by mora."""
    return _ASS_HEADER + "".join(
        _format_event(event, line.phrases if unit == "phrase" else line.moras, line)
        for line in spoken.lines
        for event in find_timed_units(line, "line" if unit == "line" else "sentence")
        if _convert_to_centiseconds(event.start_s) < _convert_to_centiseconds(event.end_s)
    )


def _format_event(event: TimedText, syllables: Sequence[TimedText], line: SpokenLine) -> str:
    start, end = _convert_to_centiseconds(event.start_s), _convert_to_centiseconds(event.end_s)
    sung = [item for item in syllables if event.start_s <= (item.start_s + item.end_s) / 2 <= event.end_s]
    text = _format_karaoke(sung, start, end) if sung else join_text_lines(event.text).translate(_ASS_ESCAPES)
    name = (line.character or line.speaker).replace(",", " ").replace("\n", " ")
    return f"Dialogue: 0,{_format_ass_time(start)},{_format_ass_time(end)},Default,{name},0,0,0,,{text}\n"


def _format_karaoke(syllables: Sequence[TimedText], start: int, end: int) -> str:
    """Return a karaoke line in which silence before and between is a syllable without letters."""
    text, position = "", start
    for item in syllables:
        begins = min(max(_convert_to_centiseconds(item.start_s), position), end)
        ends = min(max(_convert_to_centiseconds(item.end_s), begins), end)
        if begins > position:
            text += f"{{\\k{begins - position}}}"
        text += f"{{\\k{ends - begins}}}{item.text.translate(_ASS_ESCAPES)}"
        position = ends
    return text


def _convert_to_centiseconds(seconds: float) -> int:
    return round(seconds * 100)


def _format_ass_time(centiseconds: int) -> str:
    return f"{centiseconds // 360_000}:{centiseconds // 6_000 % 60:02d}:{centiseconds // 100 % 60:02d}.{centiseconds % 100:02d}"


_JSON_SECONDS_DIGITS = 7  # of a second: a hundredth of a sample


def format_json(spoken: SpokenFile) -> str:
    """Return one object; for a file of several lines it has `lines` as well, each with its speaker and style; `silent` appears only if true. The phones tile the sound."""
    first = spoken.lines[0]
    data: dict[str, Any] = {"text": spoken.text, "reading": "\n".join(line.reading for line in spoken.lines)}
    data |= _describe_speaker(first) | {"sampling_rate": spoken.rate, "samples": spoken.samples}
    data["sentences"] = [_build_timed_record(sentence, "text") for line in spoken.lines for sentence in line.sentences]
    data["phrases"] = [_build_timed_record(phrase, "text") for line in spoken.lines for phrase in line.phrases]
    data["moras"] = [_build_timed_record(mora, "kana") | {"tone": mora.tone} for line in spoken.lines for mora in line.moras]
    data["phones"] = [_build_timed_record(phone, "phone") for phone in spoken.phones]
    data["credit"] = "\n".join(dict.fromkeys(format_line_credit(line) for line in spoken.lines if not line.is_silent))
    data |= _build_silence_mark(spoken)
    if len(spoken.lines) > 1:
        data["lines"] = [
            {"id": line.id}
            | _build_timed_record(TimedText(line.text, line.start_s, line.end_s), "text")
            | {"reading": line.reading}
            | _describe_speaker(line)
            | _build_silence_mark(line)
            for line in spoken.lines
        ]
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _describe_speaker(line: SpokenLine) -> dict[str, Any]:
    character = {"character": line.character} if line.character else {}
    names = {"voice": line.voice, "speaker": line.speaker, "style": line.style}
    return {"seed": line.seed} | character | names | {"settings": dict(line.settings)}


def format_line_credit(line: SpokenLine) -> str:
    """Return the credit of a line, after the character whom the voice speaks."""
    return f"{line.character}: {line.credit}" if line.character and line.credit else line.credit


def _build_silence_mark(spoken: SpokenFile | SpokenLine) -> dict[str, bool]:
    return {"silent": True} if spoken.is_silent else {}


def _build_timed_record(item: TimedText | TimedMora, key: str) -> dict[str, Any]:
    return {key: item.text, "start_s": round(item.start_s, _JSON_SECONDS_DIGITS), "end_s": round(item.end_s, _JSON_SECONDS_DIGITS)}


_TEXTGRID_DIGITS = 9  # of a second; below a sample


def format_textgrid(spoken: SpokenFile) -> str | None:
    """Return a TextGrid; None for a voice that reports no times."""
    if not spoken.has_phone_times:
        return None
    tiers: dict[str, Sequence[TimedText]] = {"phones": spoken.phones}
    tiers |= {name: [item for line in spoken.lines for item in getattr(line, name)] for name in ("moras", "phrases", "sentences")}
    head = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {_format_number(spoken.length_s)}\n'
    head += f"tiers? <exists>\nsize = {len(tiers)}\nitem []:\n"
    tier_texts = [_format_tier(number, name, items, spoken.length_s) for number, (name, items) in enumerate(tiers.items(), 1)]
    return head + "".join(tier_texts)


def _format_tier(tier_number: int, name: str, items: Sequence[TimedText], length_s: float) -> str:
    tiles = _fill_gaps(items, length_s)
    lines = [f"    item [{tier_number}]:", '        class = "IntervalTier"', f'        name = "{name}"', "        xmin = 0"]
    lines += [f"        xmax = {_format_number(length_s)}", f"        intervals: size = {len(tiles)}"]
    for number, tile in enumerate(tiles, 1):
        text = tile.text.replace('"', '""').replace("\n", " ")
        lines += [f"        intervals [{number}]:", f"            xmin = {_format_number(tile.start_s)}"]
        lines += [f"            xmax = {_format_number(tile.end_s)}", f'            text = "{text}"']
    return "\n".join(lines) + "\n"


def _fill_gaps(items: Sequence[TimedText], length_s: float) -> list[TimedText]:
    """Return the items without those of no length, and with empty intervals between the others."""
    tiles: list[TimedText] = []
    end = 0.0
    for item in items:
        start, item_end = round(max(item.start_s, end), _TEXTGRID_DIGITS), round(min(item.end_s, length_s), _TEXTGRID_DIGITS)
        if item_end <= start:
            continue
        if start > end:
            tiles.append(TimedText("", end, start))
        tiles.append(TimedText(item.text, start, item_end))
        end = item_end
    total_s = round(length_s, _TEXTGRID_DIGITS)
    if end < total_s:
        tiles.append(TimedText("", end, total_s))
    return tiles


def _format_number(value: float) -> str:
    return f"{round(value, _TEXTGRID_DIGITS):.{_TEXTGRID_DIGITS}f}".rstrip("0").rstrip(".") or "0"


HTS_UNITS_PER_S = 10_000_000
_HTS_PHONE_NAMES = {"q": "cl"}  # as Open JTalk names it


def format_hts_labels(spoken: SpokenFile) -> str | None:
    """From 0 to the end of the sound without a gap, `pau` at both ends; None for a voice that reports no times."""
    if not spoken.has_phone_times:
        return None
    last = len(spoken.phones) - 1
    edges = [round(phone.start_s * HTS_UNITS_PER_S) for phone in spoken.phones] + [round(spoken.samples * HTS_UNITS_PER_S / spoken.rate)]
    return "".join(
        f"{start} {end} {_HTS_PHONE_NAMES.get(phone.text, phone.text)}\n"
        for index, (phone, start, end) in enumerate(zip(spoken.phones, edges, edges[1:], strict=False))
        # A phone that the voice gave no time has no place in the labels.
        if start < end or index in (0, last)
    )


def format_srt(spoken: SpokenFile, unit: TimingUnit) -> str:
    """Return numbered cues, to the millisecond."""
    cues = enumerate(_iterate_millisecond_cues(spoken, unit), 1)
    return "\n".join(
        f"{number}\n{_format_cue_time(start, ',')} --> {_format_cue_time(end, ',')}\n{text}\n" for number, (start, end, text) in cues
    )


def format_vtt(spoken: SpokenFile, unit: TimingUnit) -> str:
    """Return cues to the millisecond, with markup characters escaped."""
    cues = (
        f"{_format_cue_time(start, '.')} --> {_format_cue_time(end, '.')}\n{html.escape(text, quote=False)}\n"
        for start, end, text in _iterate_millisecond_cues(spoken, unit)
    )
    return "\n".join(("WEBVTT\n", *cues))


def _iterate_millisecond_cues(spoken: SpokenFile, unit: TimingUnit) -> Iterator[tuple[int, int, str]]:
    """Yield milliseconds and text; a unit that ends where it begins is left out, for players refuse it."""
    for cue in (cue for line in spoken.lines for cue in find_timed_units(line, unit)):
        start, end = round(cue.start_s * 1000), round(cue.end_s * 1000)
        if start < end and cue.text.strip():
            yield start, end, join_text_lines(cue.text)


def _format_cue_time(ms: int, decimal_mark: str) -> str:
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{decimal_mark}{ms % 1000:03d}"


@dataclass(frozen=True, slots=True)
class SidecarFormat:
    """A kind of file."""

    suffix: str
    name: str  # for people; a proper name in every language
    format_text: Callable[[SpokenFile, TimingUnit], str | None]  # its text, or None where the voice reports no times that it could hold


SIDECAR_FORMATS: Mapping[SidecarKind, SidecarFormat] = {
    "txt": SidecarFormat(".txt", "TXT", lambda spoken, _unit: spoken.text + "\n"),
    "lab": SidecarFormat(".lab", "LAB", lambda spoken, _unit: format_hts_labels(spoken)),
    "textgrid": SidecarFormat(".TextGrid", "TextGrid", lambda spoken, _unit: format_textgrid(spoken)),
    "srt": SidecarFormat(".srt", "SRT", format_srt),
    "vtt": SidecarFormat(".vtt", "WebVTT", format_vtt),
    "ass": SidecarFormat(".ass", "ASS", format_ass),
    "json": SidecarFormat(".json", "JSON", lambda spoken, _unit: format_json(spoken)),
}


def list_sidecar_suffixes(kinds: Iterable[SidecarKind]) -> tuple[str, ...]:
    """Return the suffixes of these files, with the dot."""
    return tuple(SIDECAR_FORMATS[kind].suffix for kind in kinds)


TIMELESS_SIDECARS: frozenset[SidecarKind] = frozenset({"txt"})  # files that hold no times
