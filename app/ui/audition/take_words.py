"""What can be said of a take beside others of its line, part by part; see `app.audition.short_names`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.audition.short_names import Part
from app.core.limits import BOUNDS
from app.core.script import LineSettings
from app.core.takes import Take
from app.core.types import Overrides
from app.language import localized
from app.ui.labels import style_name
from app.voices.voice_words import voice_name

LONGEST = 20  # letters of a text that is quoted
USUAL = LineSettings()
NameOf = Callable[[str], str | None]


def take_parts(takes: Sequence[Take], name_of: NameOf) -> list[tuple[Part, ...]]:
    """For each take the same parts in the same places. The seed is none of them: nobody hears it in a number.

    A speaker is said only where a voice has several of them among these takes; else the voice says it already.
    """
    voices = [voice_name(name_of(take.settings.voice) or take.settings.voice) for take in takes]
    heard = {(voice, take.settings.speaker) for voice, take in zip(voices, takes, strict=True)}
    several = len(heard) > len(set(voices))
    return [(Part(voice), _speaker(take, several=several), *_manner(take)) for voice, take in zip(voices, takes, strict=True)]


def number_words(name: str, value: float) -> str:
    """A number of a line's settings, as short as it is understood."""
    shown = f"{value:g}"
    if name == "speed":
        return localized(f"話速 {shown}", f"{shown}×")
    if name == "style_weight":
        return localized(f"強さ {shown}", f"weight {shown}")
    return f"{BOUNDS[name].label} {shown}"


def _speaker(take: Take, *, several: bool) -> Part:
    return Part((take.settings.speaker or localized("既定の話者", "default speaker")) if several else "")


def _manner(take: Take) -> tuple[Part, ...]:
    """How it is spoken, whoever speaks."""
    settings = take.settings
    style = style_name(settings.style) if settings.style else localized("既定のスタイル", "default style")
    numbers = [Part(number_words(name, getattr(settings, name)), getattr(settings, name) == getattr(USUAL, name)) for name in BOUNDS]
    pauses = ", ".join(f"{mark} {length_s:g}" for mark, length_s in settings.pauses)
    edited = take.overrides != Overrides()
    return (
        Part(style),
        *numbers,
        _quoted(localized("アシスト", "assist"), settings.assist_text),
        Part(localized(f"間 {pauses}", f"pauses {pauses}") if pauses else localized("間は既定", "usual pauses"), not pauses),
        Part(localized("読みを編集", "edited reading") if edited else localized("読みはそのまま", "usual reading"), not edited),
        Part(localized(f"「{_cut(take.text)}」", f"“{_cut(take.text)}”")),
    )


def _quoted(name: str, text: str) -> Part:
    if not text:
        return Part(localized(f"{name}なし", f"no {name}"), usual=True)
    return Part(localized(f"{name}「{_cut(text)}」", f"{name} “{_cut(text)}”"))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
