"""Words the window shows for things the program knows by short names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.language import localized

if TYPE_CHECKING:
    from app.core.dictionary import Kind


@dataclass(frozen=True, slots=True)
class VoiceLabel:
    """How a line shows its voice.

    Attributes:
        id: what lines call the voice.
        first_style: of lines that name none; empty where the voice has no styles.
        icon: its picture, if it has one.
    """

    id: str
    name: str
    first_style: str
    icon: Path | None


def tip(parameter: str) -> str:
    """What a parameter does to the sound."""
    return {
        "style_weight": localized(
            "0 で平坦、1 で標準。大きくするほどスタイルが強く出ます。", "0 is flat, 1 is normal; more brings out the style."
        ),
        "speed": localized("話す速さ。声の高さは変わりません。", "How fast it speaks; the pitch stays the same."),
        "sdp_ratio": localized(
            "大きいほど音の長さの緩急が豊かに、0 なら均一になります。", "More makes the rhythm livelier, 0 makes it even."
        ),
        "noise": localized(
            "大きいほど抑揚が揺れ、0 なら毎回同じ落ち着いた声になります。", "More lets the intonation waver, 0 keeps it still."
        ),
        "noise_w": localized("大きいほど音の長さがばらつきます。", "More lets the length of sounds vary."),
        "bert_weight": localized(
            "文の意味をどれだけ抑揚に生かすか。0 で無視します。", "How much the meaning of the text shapes the intonation; 0 ignores it."
        ),
        "assist_weight": localized("アシストテキストの気分をどれだけ混ぜるか。", "How much of the mood of the assist text is mixed in."),
        "pre_silence_s": localized("行の前に置く無音の長さ。", "Length of the silence before the line."),
        "post_silence_s": localized("行の後に置く無音の長さ。", "Length of the silence after the line."),
        "volume": localized("音の大きさ。1 より大きいと割れることがあります。", "Loudness; above 1 it may clip."),
    }[parameter]


def stage_name(stage: str) -> str:
    """A stage of the pipeline."""
    return {
        "text": localized("文の分割", "Text"),
        "g2p": localized("読み", "G2P"),
        "tokenize": localized("トークン化", "Tokenise"),
        "bert": "BERT",
        "expand": localized("展開", "Expand"),
        "prosody": localized("韻律", "Prosody"),
        "flow": localized("フロー", "Flow"),
        "decode": localized("デコード", "Decode"),
        "synthesis": localized("合成", "Synthesis"),
        "audio": localized("音声", "Audio"),
    }[stage]


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
    known = {"Neutral": "ノーマル", "Happy": "喜び", "Bashful": "照れ", "Angry": "怒り", "Sad": "悲しみ"}
    return localized(known.get(style, style), "Neutral" if style == "ノーマル" else style)


def milliseconds(ms: float | None) -> str:
    """Short enough for a table: 0.05, 3.1, 82."""
    if ms is None:
        return "–"
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"
