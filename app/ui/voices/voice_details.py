"""What is known of a voice, as names and values."""

from __future__ import annotations

from collections.abc import Iterator

from app.language import localized
from app.ui.labels import style_name
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.fast_words import fast_parts, likeness

MOST_NAMES = 12
SMALLEST = 1e-7  # difference of samples that is written


def facts(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Name and value of everything worth knowing."""
    card, manifest = voice.card, voice.manifest
    if card.creators:
        yield localized("作者", "Author"), localized("、", ", ").join(card.creators)
    if card.version:
        yield localized("バージョン", "Version"), card.version
    if card.architecture:
        yield localized("アーキテクチャー", "Architecture"), card.architecture
    yield localized("形式", "Format"), f"{_format(voice)}  {manifest.sampling_rate / 1000:g} kHz"
    yield localized("サイズ", "Size"), _size(voice)
    if len(manifest.speakers) > 1:
        yield localized("話者", "Speakers"), _names([item.name for item in manifest.speakers])
    yield localized("スタイル", "Styles"), _names([style_name(item.name) for item in manifest.styles])
    if voice.samples():
        yield localized("ボイスサンプル", "Samples"), localized(f"{len(voice.samples())} 個", f"{len(voice.samples())}")
    yield from _computing(voice)
    yield "BERT", manifest.bert + ("" if voice.has_bert else localized("（見つかりません）", " (missing)"))
    if card.source_name:
        yield localized("追加元", "Source"), card.source_name
    for note in card.notes:
        yield localized("備考", "Note"), note


def _computing(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """How it is computed, and what less exact ways change."""
    if voice.place != "aivisspeech":
        yield localized("計算方法", "Processing"), computed(voice)
    if voice.int8_share is not None:
        yield (
            localized("int8 の BERT", "BERT in int8"),
            localized(f"音の長さの一致率 {voice.int8_share:.1%}", f"{voice.int8_share:.1%} of durations unchanged"),
        )
    if voice.place != "own" or voice.opaque:
        return
    fast = voice.manifest.fast
    words = likeness(fast) if fast is not None else localized("この声では使えません。", "not available for this voice")
    yield localized("「高速」の精度", "Fast synthesis"), words
    yield localized("「高速」の内訳", "Fast, by part"), "\n".join(f"{name}: {what}" for name, what in fast_parts(voice.manifest))


def computed(voice: CatalogVoice) -> str:
    """How it runs, and how exactly."""
    if voice.opaque:
        whole = localized("一体型（文ごとに再生を始めます）。", "Single graph (playback starts sentence by sentence).")
        return localized("", " ").join(part for part in (whole, voice.card.opaque_reason) if part)
    split = localized("分割済み（すぐに再生を始めます）。", "Split into three graphs (playback starts at once).")
    if voice.card.max_abs_diff is None:
        return split
    most = _decimal(voice.card.max_abs_diff)
    return split + localized(f"元の声との差は最大 {most}。", f" Differs from the original by at most {most}.")


def size(count: int) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def _size(voice: CatalogVoice) -> str:
    """What it takes, or will take."""
    known = size(voice.size_bytes)
    return known if voice.place != "aivisspeech" else localized(f"準備後 約 {known}", f"About {known} once prepared")


def _format(voice: CatalogVoice) -> str:
    return localized("Koebako 付属", "Built in") if voice.starter else voice.manifest.format


def _decimal(difference: float) -> str:
    """Without an exponent, which few can read; what is too small to be written counts as the smallest that can."""
    return f"{max(difference, SMALLEST if difference > 0 else 0):.7f}".rstrip("0").rstrip(".")


def _names(names: list[str]) -> str:
    more = "…" if len(names) > MOST_NAMES else ""
    return localized("、", ", ").join(names[:MOST_NAMES]) + more
