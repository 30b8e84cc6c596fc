"""Rows of names and values about a voice."""

from __future__ import annotations

from collections.abc import Iterator

from app.common.language import localize
from app.core.sound.voice_architecture import KOKORO_ARCHITECTURE
from app.ui.display_names import format_speaker, format_style
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.int8_labels import describe_int8_graphs, describe_int8_quality

MAX_LISTED_NAMES = 12
# The smallest difference of samples (full scale 1) that the rows write.
MIN_SHOWN_DIFFERENCE = 1e-7


def list_voice_facts(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for everything that the library shows about a voice."""
    card, manifest = voice.model_card, voice.manifest
    if card.creators:
        yield localize("作者", "Author"), localize("、", ", ").join(card.creators)
    if card.version:
        yield localize("バージョン", "Version"), card.version
    if card.architecture:
        yield localize("アーキテクチャー", "Architecture"), card.architecture
    yield localize("形式", "Format"), f"{_format_origin(voice)}  {manifest.sampling_rate / 1000:g} kHz"
    yield localize("サイズ", "Size"), _format_voice_size(voice)
    if len(manifest.speakers) > 1:
        yield localize("話者", "Speakers"), _join_names([format_speaker(item.name) for item in manifest.speakers])
    yield localize("スタイル", "Styles"), _join_names([format_style(item.name) for item in manifest.styles])
    if voice.list_samples():
        yield localize("ボイスサンプル", "Samples"), localize(f"{len(voice.list_samples())} 個", f"{len(voice.list_samples())}")
    yield from _list_processing_facts(voice)
    if manifest.bert:
        yield "BERT", manifest.bert + ("" if voice.has_bert else localize("（見つかりません）", " (missing)"))
    if card.source_name:
        yield localize("追加元", "Source"), card.source_name
    for note in card.notes:
        yield localize("備考", "Note"), note


def _list_processing_facts(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Yield how the voice is computed, and the measured effect of int8."""
    if voice.origin != "aivisspeech":
        yield localize("計算方法", "Processing"), describe_processing(voice)
    if voice.int8_share is not None:
        yield (
            localize("int8 の BERT", "BERT in int8"),
            localize(f"音の長さの一致率 {voice.int8_share:.1%}", f"{voice.int8_share:.1%} of durations unchanged"),
        )
    if voice.origin != "own" or voice.is_single_graph:
        return
    fast = voice.manifest.fast
    if voice.is_pending:
        yield localize("「高速」の精度", "Fast synthesis"), localize("準備中です", "still being prepared")
        return
    words = describe_int8_quality(fast) if fast is not None else localize("この声では使えません。", "not available for this voice")
    yield localize("「高速」の精度", "Fast synthesis"), words
    yield localize("「高速」の内訳", "Fast, by part"), "\n".join(f"{name}: {what}" for name, what in describe_int8_graphs(voice.manifest))


def describe_processing(voice: CatalogVoice) -> str:
    """Say whether the voice is split, and how much it differs from the original."""
    if voice.is_single_graph:
        whole = localize("一体型（文ごとに再生を始めます）。", "Single graph (playback starts sentence by sentence).")
        return localize("", " ").join(part for part in (whole, voice.model_card.opaque_reason) if part)
    split = localize("分割済み（すぐに再生を始めます）。", "Split into three graphs (playback starts at once).")
    if voice.model_card.max_abs_diff is None:
        return split
    most = _format_decimal(voice.model_card.max_abs_diff)
    return split + localize(f"元の声との差は最大 {most}。", f" Differs from the original by at most {most}.")


def format_bytes(byte_count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{byte_count / 1e9:.1f} GB" if byte_count >= 1e9 else f"{max(1, round(byte_count / 1e6))} MB"


def _format_voice_size(voice: CatalogVoice) -> str:
    """Return the size on disk, or the approximate size after preparing."""
    known = format_bytes(voice.size_bytes)
    return known if voice.origin != "aivisspeech" else localize(f"準備後 約 {known}", f"About {known} once prepared")


def _format_origin(voice: CatalogVoice) -> str:
    if voice.is_starter:
        return localize("Koebako 付属", "Built in")
    return "Kokoro" if voice.architecture is KOKORO_ARCHITECTURE else voice.manifest.format


def _format_decimal(difference: float) -> str:
    """Write a difference as a decimal number."""
    # Few people can read an exponent; a difference too small for seven digits counts as the smallest that has them.
    return f"{max(difference, MIN_SHOWN_DIFFERENCE if difference > 0 else 0):.7f}".rstrip("0").rstrip(".")


def _join_names(names: list[str]) -> str:
    more = "…" if len(names) > MAX_LISTED_NAMES else ""
    return localize("、", ", ").join(names[:MAX_LISTED_NAMES]) + more
