"""Displayed names of things that the program knows by short names, and displayed figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.ort.backends import find_backend_name
from app.common.language import localize

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import EntryKind

_EMOJI_LABELS = {
    "⏩": ("早口で", "fast, hurried"),
    "⏸": ("間を置く", "pause"),
    "🌬": ("息づかい、荒い息", "breathing, out of breath"),
    "🎵": ("鼻歌", "humming"),
    "🐢": ("ゆっくりと", "slowly"),
    "👂": ("耳元でささやく", "whispering"),
    "👅": ("舌や口の中の音", "tongue and mouth sounds"),
    "👌": ("相づち", "agreement"),
    "💋": ("リップ音", "lip smack"),
    "💨": ("ため息、吐息", "sigh"),
    "📞": ("電話越しの声", "as if on the phone"),
    "📢": ("響く声、エコー", "with an echo"),
    "😆": ("うれしそうに", "overjoyed"),
    "😊": ("楽しそうに", "cheerful"),
    "😌": ("ほっとして", "relieved"),
    "😏": ("からかうように", "teasing"),
    "😒": ("舌打ち", "tongue click"),
    "😖": ("苦しそうに", "in pain"),
    "😟": ("心配そうに", "worried"),
    "😠": ("怒って", "angry"),
    "😪": ("眠そうに", "sleepy"),
    "😭": ("泣きながら", "crying"),
    "😮": ("息をのむ", "gasp"),
    "😰": ("慌てて、緊張して", "flustered"),
    "😱": ("悲鳴", "scream"),
    "😲": ("驚いて", "surprised"),
    "🙄": ("あきれて", "exasperated"),
    "🙏": ("懇願するように", "pleading"),
    "🤐": ("口をふさがれた声", "muffled, as if gagged"),
    "🤔": ("考えるように", "thinking"),
    "🤧": ("せき、鼻をすする", "cough, sniff"),
    "🤭": ("くすくす笑い", "giggle"),
    "🥤": ("飲み込む音", "gulp"),
    "🥱": ("あくび", "yawn"),
    "🥴": ("酔って", "drunk"),
    "🥵": ("うめき声、あえぎ", "groaning, panting"),
    "🥺": ("自信なさげに、震える声で", "timid, trembling"),
    "🫣": ("恥ずかしそうに", "shy"),
    "🫶": ("優しく", "tenderly"),
}


@dataclass(frozen=True, slots=True)
class VoiceLabel:
    """The names by which a line shows its voice."""

    id: str
    name: str
    styles: tuple[str, ...]  # styles, speakers: names; a line that names none gets the first
    speakers: tuple[str, ...]
    icon: Path | None  # path of the voice's picture, or None
    blends: tuple[str, ...] = ()  # those of the styles that belong to no speaker


def format_word_kind(kind: EntryKind) -> str:
    """Return the name of a kind of dictionary word."""
    return {
        "proper_noun": localize("固有名詞", "Proper noun"),
        "noun": localize("名詞", "Noun"),
        "suffix": localize("接尾語", "Suffix"),
        "verb": localize("動詞", "Verb"),
        "adjective": localize("形容詞", "Adjective"),
    }[kind]


def format_backends(backends: Iterable[str]) -> str:
    """Join backends by name: `("directml", "cpu")` → `DirectML + CPU`."""
    return " + ".join(map(find_backend_name, backends))


def format_ms(ms: float | None) -> str:
    """Format milliseconds for a table: 0.05, 3.1, 82; a dash for None."""
    if ms is None:
        return "–"
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"


def describe_emoji(symbol: str) -> str:
    """Return the effect of one of the 39 emoji; empty for any other character."""
    return localize(*_EMOJI_LABELS.get(symbol, ("", "")))


def describe_probe_result(item: Mapping[str, Any]) -> str:
    """Describe one candidate, a line of `koebako backends --json`."""
    name = f"{item.get('backend', '')} {item.get('adapter') or ''}".strip()
    if item.get("ok") is None:
        return localize(f"{name}: 未測定", f"{name}: not measured")
    if not item.get("ok"):
        return localize(f"{name}: 使用できません。", f"{name}: not available. ") + str(item.get("reason") or "")
    first, total = item.get("first_audio_ms"), item.get("total_ms")
    figures = ""
    if isinstance(first, int | float) and isinstance(total, int | float):
        figures = localize(
            f"最初の音声まで {first:.0f} ms、合計 {total:.0f} ms", f"time to first audio {first:.0f} ms, total {total:.0f} ms"
        )
    return f"{name}: {figures}" + (localize("（Auto で使用）", " (used by Auto)") if item.get("chosen") else "")


def summarise_probe(results: Iterable[Mapping[str, Any]]) -> str:
    """Describe the chosen candidate for the banner; empty if there is none."""
    chosen = next((item for item in results if item.get("chosen")), None)
    return describe_probe_result(chosen) if chosen is not None else ""
