"""Labels that distinguish a take from others of its line, part by part; see `app.audition.short_names`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.audition.short_names import NamePart
from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script import LineSettings
from app.core.synthesis_types import Overrides
from app.core.takes import LineTake
from app.ui.display_names import format_style
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
    return NamePart((take.settings.speaker or localize("既定の話者", "default speaker")) if has_several_speakers else "")


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
