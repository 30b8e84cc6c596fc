"""Words the window shows for things the program knows by short names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.backends import name_of
from app.language import localized

if TYPE_CHECKING:
    from app.core.dictionary import Kind


STYLES = {
    "Neutral": "ノーマル",
    "Happy": "喜び",
    "Bashful": "照れ",
    "Angry": "怒り",
    "Sad": "悲しみ",
    "Whisper": "ささやき",
    "Surprise": "驚き",
    "Fear": "恐れ",
    "Disgust": "嫌悪",
}
"""Names that most voices share, in Japanese."""


@dataclass(frozen=True, slots=True)
class VoiceLabel:
    """How a line shows its voice.

    Attributes:
        id: what lines call the voice.
        styles, speakers: by name; a line that names none gets the first.
        icon: its picture, if it has one.
    """

    id: str
    name: str
    styles: tuple[str, ...]
    speakers: tuple[str, ...]
    icon: Path | None


def kind_name(kind: Kind) -> str:
    """What a word of the user's dictionary is."""
    return {
        "proper_noun": localized("固有名詞", "Proper noun"),
        "noun": localized("名詞", "Noun"),
        "suffix": localized("接尾語", "Suffix"),
        "verb": localized("動詞", "Verb"),
        "adjective": localized("形容詞", "Adjective"),
    }[kind]


def style_name(style: str) -> str:
    """A style; the names that most voices share are translated."""
    return localized(STYLES.get(style, style), "Neutral" if style == "ノーマル" else style)


def backends_shown(backends: Iterable[str]) -> str:
    """`("directml", "cpu")` → `DirectML + CPU`."""
    return " + ".join(map(name_of, backends))


def milliseconds(ms: float | None) -> str:
    """Short enough for a table: 0.05, 3.1, 82."""
    if ms is None:
        return "–"
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"
