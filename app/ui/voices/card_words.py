"""What the card says of a voice: who made it, and an honest line about it."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtGui import QFontMetrics

from app.language import localized
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.voice_words import about_starter

MOST_LETTERS, MOST_MAKERS = 100, 3  # the rest is in the library


class KnownVoice(Protocol):
    """What the card and the choices beside it show of a voice."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def licence(self) -> str: ...
    @property
    def starter(self) -> bool: ...
    @property
    def opaque(self) -> bool: ...
    @property
    def speakers(self) -> tuple[tuple[int, str], ...]: ...
    @property
    def styles(self) -> tuple[tuple[int, str], ...]: ...


def makers(voice: CatalogVoice) -> list[str]:
    """Who made it, and which version it is; Nanairo is named, as its voices can do more."""
    parts = [
        "Nanairo" in voice.card.architecture and "Nanairo",
        localized("、", ", ").join(voice.card.creators[:MOST_MAKERS]) + "…" * (len(voice.card.creators) > MOST_MAKERS),
        voice.card.version and f"v{voice.card.version}",
        voice.place == "aivisspeech" and "AivisSpeech",
    ]
    return [part for part in parts if part]


def folded(parts: list[str], metrics: QFontMetrics, room: int) -> str:
    """As many parts in a line as fit: Qt would leave the dot between two of them at the end of a line."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else ""
        if longer and metrics.horizontalAdvance(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return "\n".join(lines)


def needs_preparing() -> str:
    """What a voice of AivisSpeech lacks."""
    return localized("使う前に、一度だけ準備が必要です。", "This voice must be prepared once before use.")


def about(voice: KnownVoice) -> str:
    """An honest line about a voice."""
    lines = []
    if voice.starter:
        lines.append(about_starter())
    elif voice.description:
        lines.append(voice.description if len(voice.description) <= MOST_LETTERS else voice.description[:MOST_LETTERS] + "…")
    if voice.opaque:
        lines.append(localized("一体型の声です（文ごとに再生を始めます）。", "Single graph: playback starts sentence by sentence."))
    return "\n".join(lines)
