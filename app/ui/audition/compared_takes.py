"""The columns of a blind test of takes: one for each way to speak, named only where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from app.audition.short_names import NamePart, NameParts, build_short_names, find_differing_parts
from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script.script import LineSettings
from app.core.script.takes import LineTake
from app.core.synthesis_types import Overrides
from app.ui.display_names import format_speaker, format_style
from app.voices.voice_labels import localize_voice_name

MAX_QUOTED_LENGTH = 20
DEFAULT_LINE_SETTINGS = LineSettings()
FindVoiceName = Callable[[str], str | None]


def build_take_parts(takes: Sequence[LineTake], find_voice_name: FindVoiceName) -> list[tuple[NamePart, ...]]:
    """Return for each take the same parts in the same order; the seed is left out, as its number means nothing to a listener.

    A speaker is named only where a voice has several of them among these takes; else the voice names it already.
    """
    voices = [localize_voice_name(find_voice_name(take.settings.voice) or take.settings.voice) for take in takes]
    heard = {(voice, take.settings.speaker) for voice, take in zip(voices, takes, strict=True)}
    # With one speaker for each voice, the voice's name says it already.
    several = len(heard) > len(set(voices))
    return [
        (NamePart(voice), _build_speaker_part(take, has_several_speakers=several), *_build_manner_parts(take))
        for voice, take in zip(voices, takes, strict=True)
    ]


def format_setting(name: str, value: float) -> str:
    """Return a number of a line's settings, as short as it can be understood."""
    shown = f"{value:g}"
    if name == "speed":
        return localize(f"話速 {shown}", f"{shown}×")
    if name == "style_weight":
        return localize(f"強さ {shown}", f"weight {shown}")
    return f"{BOUNDS[name].label} {shown}"


def _build_speaker_part(take: LineTake, *, has_several_speakers: bool) -> NamePart:
    return NamePart((format_speaker(take.settings.speaker) or localize("既定の話者", "default speaker")) if has_several_speakers else "")


def _build_manner_parts(take: LineTake) -> tuple[NamePart, ...]:
    """Return the labels of a take's style and settings, without its voice and speaker."""
    settings = take.settings
    style = format_style(settings.style) if settings.style else localize("既定のスタイル", "default style")
    numbers = [
        NamePart(format_setting(name, getattr(settings, name)), getattr(settings, name) == getattr(DEFAULT_LINE_SETTINGS, name))
        for name in BOUNDS
    ]
    pauses = ", ".join(f"{mark} {length_s:g}" for mark, length_s in settings.pauses)
    edited = take.overrides != Overrides()
    return (
        NamePart(style),
        *numbers,
        _build_quoted_part(localize("アシスト", "assist"), settings.assist_text),
        NamePart(localize(f"間 {pauses}", f"pauses {pauses}") if pauses else localize("間は既定", "usual pauses"), not pauses),
        NamePart(localize("読みを編集", "edited reading") if edited else localize("読みはそのまま", "usual reading"), not edited),
        NamePart(localize(f"「{_truncate_text(take.text)}」", f"“{_truncate_text(take.text)}”")),
    )


def _build_quoted_part(name: str, text: str) -> NamePart:
    if not text:
        return NamePart(localize(f"{name}なし", f"no {name}"), is_usual=True)
    return NamePart(localize(f"{name}「{_truncate_text(text)}」", f"{name} “{_truncate_text(text)}”"))


def _truncate_text(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_LENGTH else text[: MAX_QUOTED_LENGTH - 1] + "…"


SoundRows = list[list[str]]
DistinctLabels = tuple[str, ...]
"""The labels in which a take differs from the others of its line, then its number among those that do not differ."""


def build_sound_rows(takes: Sequence[LineTake], find_voice_name: FindVoiceName) -> tuple[list[str], SoundRows]:
    """Return the names of the columns, and for each line the sound names of its columns.

    Lines that lack one of the columns are left out; the first line with the most takes decides the columns.
    """
    lines: dict[str, list[tuple[LineTake, NameParts]]] = {}
    for take, way in zip(takes, build_take_parts(takes, find_voice_name), strict=True):
        lines.setdefault(take.line, []).append((take, way))
    if not lines:
        return [], []
    first = max(lines.values(), key=len)
    places = find_differing_parts([way for _, way in first])
    columns = _map_takes_by_labels(first, places)
    rows = [_map_takes_by_labels(group, places) for group in lines.values()]
    names = _build_column_names(list(columns), [way for _, way in first])
    return names, [[row[told].sound for told in columns] for row in rows if columns.keys() <= row.keys()]


def _map_takes_by_labels(group: Sequence[tuple[LineTake, NameParts]], part_indices: Sequence[int]) -> dict[DistinctLabels, LineTake]:
    seen = Counter[DistinctLabels]()
    found: dict[DistinctLabels, LineTake] = {}
    for take, way in group:
        words = tuple(way[place].label for place in part_indices)
        seen[words] += 1
        found[*words, str(seen[words])] = take
    return found


def _build_column_names(columns: Sequence[DistinctLabels], name_parts: Sequence[NameParts]) -> list[str]:
    # Takes with equal labels are numbered, or two columns would have the same name.
    counts = Counter(told[:-1] for told in columns)
    numbers = [localize(f"テイク {told[-1]}", f"take {told[-1]}") if counts[told[:-1]] > 1 else "" for told in columns]
    return build_short_names([(*way, NamePart(number)) for way, number in zip(name_parts, numbers, strict=True)])
