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


def tip(parameter: str) -> str:
    """What a parameter does to the sound."""
    return {
        "style_weight": localized(
            "スタイルの強さ。0 で標準の話し方、1 が標準の強さです。", "How strongly the style is applied: 0 is off, 1 is normal."
        ),
        "speed": localized("話す速さ。声の高さは変わりません。", "Speaking speed; the pitch stays the same."),
        "pitch": localized("声の高さ。単位は半音で、12 で 1 オクターブです。", "How high the voice is, in semitones; 12 make an octave."),
        "intonation": localized(
            "抑揚の大きさ。0 で平坦になり、1 が元のままです。", "How much the pitch rises and falls: 0 is flat, 1 leaves it unchanged."
        ),
        "sdp_ratio": localized(
            "大きいほど話し方に緩急が付き、0 で一定になります。", "Higher values vary the rhythm more; 0 keeps it even."
        ),
        "noise": localized(
            "大きいほど抑揚のばらつきが大きくなります。0 でばらつきがなくなります。",
            "Higher values vary the intonation more; 0: no variation.",
        ),
        "noise_w": localized("大きいほど音の長さのばらつきが大きくなります。", "Higher values vary the length of sounds more."),
        "bert_weight": localized(
            "文の意味を抑揚に反映する強さ。0 で反映しません。", "How much the meaning of the text shapes the intonation; 0 ignores it."
        ),
        "assist_weight": localized("アシストテキストの雰囲気を反映する強さ。", "How strongly the assist text colours the speech."),
        "pre_silence_s": localized("行の前に入れる無音の長さ。", "Silence before the line."),
        "post_silence_s": localized("行の後に入れる無音の長さ。", "Silence after the line."),
        "volume": localized("音量。1 より大きいと音割れすることがあります。", "Volume; above 1 the audio may clip."),
    }[parameter]


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
