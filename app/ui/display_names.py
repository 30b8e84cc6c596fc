"""Displayed names of things that the program knows by short names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.backends import find_backend_name
from app.common.language import localize

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import EntryKind


STYLE_NAMES_JA = {
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
"""Japanese names of styles that most voices have."""

SPEAKER_NAMES_JA = {**{f"Female {number}": f"女声{number}" for number in range(1, 5)}, "Male 1": "男声1"}
"""Japanese names of the speakers of the natural voice."""


@dataclass(frozen=True, slots=True)
class VoiceLabel:
    """The names by which a line shows its voice.

    Attributes:
        id: the id that lines store.
        styles, speakers: names; a line that names none gets the first.
        icon: path of the voice's picture, or None.
    """

    id: str
    name: str
    styles: tuple[str, ...]
    speakers: tuple[str, ...]
    icon: Path | None


def format_word_kind(kind: EntryKind) -> str:
    """Return the name of a kind of dictionary word."""
    return {
        "proper_noun": localize("固有名詞", "Proper noun"),
        "noun": localize("名詞", "Noun"),
        "suffix": localize("接尾語", "Suffix"),
        "verb": localize("動詞", "Verb"),
        "adjective": localize("形容詞", "Adjective"),
    }[kind]


def format_style(style: str) -> str:
    """Return the displayed name of a style; names that most voices have are translated."""
    return localize(STYLE_NAMES_JA.get(style, style), "Neutral" if style == "ノーマル" else style)


def format_speaker(speaker: str) -> str:
    """Return the displayed name of a speaker; the natural voice's speakers are translated."""
    return localize(SPEAKER_NAMES_JA.get(speaker, speaker), speaker)


def format_backends(backends: Iterable[str]) -> str:
    """Join backends by name: `("directml", "cpu")` → `DirectML + CPU`."""
    return " + ".join(map(find_backend_name, backends))


def format_ms(ms: float | None) -> str:
    """Format milliseconds for a table: 0.05, 3.1, 82; a dash for None."""
    if ms is None:
        return "–"
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"
