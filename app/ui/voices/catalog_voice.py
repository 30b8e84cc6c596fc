"""A voice as the voice card, the chooser and the library show it, with the texts about its makers and its BERT."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtGui import QFontMetrics

from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES, KOKORO_ARCHITECTURE, VoiceArchitecture
from app.engine.open_voices import OpenedVoice
from app.voices.prepared_voice import VoiceManifest
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB
from app.voices.voice_card_data import VoiceCardData, VoiceSample
from app.voices.voice_labels import (
    describe_natural_voice,
    describe_starter_voice,
    explain_missing_int8,
    format_licence_terms,
    format_voice_name,
)

if TYPE_CHECKING:
    from app.voices.bert_models import BertModel

VoiceOrigin = Literal["own", "shipped", "aivisspeech"]


@dataclass(frozen=True, slots=True)
class CatalogScan:
    """The voices and BERTs that a scan of the disk found."""

    voices: tuple[CatalogVoice, ...]
    berts: tuple[str, ...]
    pending_berts: tuple[BertModel, ...]
    default_id: str  # the id, as lines store it, of the voice of a new project


@dataclass(frozen=True, slots=True)
class CatalogVoice:
    """A voice that is installed, or can be prepared."""

    id: str  # the id that lines store; empty for the voice we ship
    manifest: VoiceManifest
    path: Path
    origin: VoiceOrigin
    model_card: VoiceCardData = field(default_factory=VoiceCardData)
    size_bytes: int = 0  # size of its files; for a voice that is not prepared, the approximate size after preparing
    int8_share: float | None = None  # share of symbols that keep their length with the BERT in int8; None if it was not measured
    has_bert: bool = True
    has_int8_bert: bool = False
    is_pending: bool = False  # is_pending, is_bert_pending: it speaks, and it or its BERT is still to be refined
    is_bert_pending: bool = False
    is_renewal_due: bool = False  # it speaks, and is to be prepared again because its recipe is older than this version's
    is_default: bool = False

    @property
    def name(self) -> str:
        """Return the name that people read."""
        return format_voice_name(self.manifest)

    @property
    def description(self) -> str:
        """Return the description that the voice's maker wrote."""
        return self.manifest.description

    @property
    def licence(self) -> str:
        """Return the terms of use as they are shown, empty if there are none."""
        return format_licence_terms(self.path, self.manifest.licence)

    @property
    def is_starter(self) -> bool:
        """Return True for the starter voice that we ship."""
        return self.manifest.format == "starter"

    @property
    def is_single_graph(self) -> bool:
        """Return True for a prepared voice that runs as one graph; a voice that is not prepared may still be split."""
        return self.manifest.is_single_graph and self.origin != "aivisspeech"

    @property
    def architecture(self) -> VoiceArchitecture:
        return ARCHITECTURES[self.manifest.architecture]

    @property
    def speakers(self) -> tuple[tuple[int, str], ...]:
        """Return the speakers as (id, name)."""
        return tuple((item.id, item.name) for item in self.manifest.speakers)

    @property
    def styles(self) -> tuple[tuple[int, str], ...]:
        """Return the styles as (id, name)."""
        return tuple((item.id, item.name) for item in self.manifest.styles)

    @property
    def can_introduce_itself(self) -> bool:
        """Return whether there is anything to hear of it: it speaks, or brings recordings."""
        return (self.origin != "aivisspeech" and self.has_bert) or bool(self.list_samples())

    @property
    def can_blend(self) -> bool:
        """Return whether styles can be made between its speakers."""
        return self.origin != "aivisspeech" and self.architecture.styles_by_speaker and len(self.speakers) > 1

    @property
    def icon(self) -> Path | None:
        """Return the path of the first icon on the card, or None if there is none."""
        icons = [name for speaker in self.model_card.speakers for name in (speaker.icon, *(style.icon for style in speaker.styles)) if name]
        return self.path / icons[0] if icons else None

    def explain_missing_int8(self, part: Literal["sound", "bert"]) -> str:
        """Say in a few words why the voice or its BERT cannot compute in int8; empty if it can."""
        if part == "sound":
            if self.origin == "aivisspeech":
                return localize("先に声を準備してください", "prepare the voice first")
            return localize("準備中です", "still being prepared") if self.is_pending else explain_missing_int8(self.manifest)
        if not self.has_bert:
            return localize("BERT がありません", "BERT is missing")
        if self.is_bert_pending:
            return localize("準備中です", "still being prepared")
        return "" if self.has_int8_bert else localize("BERT は float32 のみ", "this BERT has float32 only")

    def explain_missing_fast(self, part: Literal["sound", "bert"]) -> str:
        """Say in plain words why "Fast" cannot be compared with "Exact"; empty if it can."""
        reason = self.explain_missing_int8(part)
        if not reason or (part == "sound" and not self.manifest.refused and not self.manifest.is_single_graph):
            return reason
        if part == "sound":
            return reason if self.is_pending else localize("この声は「高精度」だけです", "this voice is exact only")
        return (
            reason if self.is_bert_pending or not self.has_bert else localize("この BERT は「高精度」だけです", "this BERT is exact only")
        )

    def list_samples(self) -> list[tuple[str, Path, VoiceSample]]:
        """Return the recordings as (style, file, sample)."""
        names = {item.id: item.name for item in self.manifest.styles}
        cards = [style for speaker in self.model_card.speakers for style in speaker.styles]
        return [(names.get(style.id, ""), self.path / sample.file, sample) for style in cards for sample in style.samples]


MOST_LETTERS, MOST_MAKERS = 100, 3  # the voice library shows the rest of the description and of the makers
VoiceSummary = CatalogVoice | OpenedVoice  # a voice as card and choosers show it


def list_makers(voice: CatalogVoice) -> list[str]:
    """Return the makers and version of a voice, and whether it is still being prepared.

    "Nanairo" comes first if the architecture is one, as such voices can do more.
    """
    parts = [
        "Nanairo" in voice.model_card.architecture and "Nanairo",
        localize("、", ", ").join(voice.model_card.creators[:MOST_MAKERS]) + "…" * (len(voice.model_card.creators) > MOST_MAKERS),
        voice.model_card.version and f"v{voice.model_card.version}",
        voice.origin == "aivisspeech" and "AivisSpeech",
        voice.is_pending and localize("残りの準備中", "being finished"),
    ]
    return [part for part in parts if part]


def wrap_parts(parts: list[str], metrics: QFontMetrics, max_width: int) -> str:
    """Join parts with dots, as many to a line as fit in `max_width` pixels."""
    # Qt's own word wrap would leave the dot between two parts at the end of a line.
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else ""
        if longer and metrics.horizontalAdvance(longer) <= max_width:
            lines[-1] = longer
        else:
            lines.append(part)
    return "\n".join(lines)


def describe_unprepared_voice() -> str:
    """Return the sentence about a voice of AivisSpeech that is not prepared."""
    return localize("使う前に、一度だけ準備が必要です。", "This voice must be prepared once before use.")


def describe_voice(voice: VoiceSummary) -> str:
    """Return an honest description of a voice in one or two lines."""
    lines = []
    if voice.is_starter:
        lines.append(describe_starter_voice())
    elif voice.architecture is KOKORO_ARCHITECTURE:
        lines.append(describe_natural_voice())
    elif voice.description:
        lines.append(voice.description if len(voice.description) <= MOST_LETTERS else voice.description[:MOST_LETTERS] + "…")
    if voice.is_single_graph:
        lines.append(localize("一体型の声です（文ごとに再生を始めます）。", "Single graph: playback starts sentence by sentence."))
    return "\n".join(lines)


def format_bert_action(bert: str, *, with_size: bool = False) -> str:
    """Return the text of a button that adds this BERT."""
    if bert == SBV2_BERT_ID and with_size:
        return localize(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）…", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)…")
    if bert == SBV2_BERT_ID:
        return localize("BERT をダウンロード…", "Download BERT…")
    return localize("BERT を追加…", "Add BERT…")


def describe_bert_need(bert: str) -> str:
    """Explain why the BERT is needed and where to get it."""
    if bert == SBV2_BERT_ID:
        return localize(
            "BERT は文の意味を抑揚に反映するモデルです。多くの声で共通なので、ダウンロードは一度で済みます。",
            "BERT conveys the meaning of the text to the voice. Most voices share the same model, so you only need to download it once.",
        )
    return localize(
        f"この声は専用の BERT モデル（{bert}）を使います。声の配布元からダウンロードしたファイルを追加してください。",
        f"This voice uses its own BERT model ({bert}). Get it from where the voice was published and add the file.",
    )


def describe_bert_source(bert: str) -> str:
    """Say in a few words where to get the BERT, for a banner."""
    if bert == SBV2_BERT_ID:
        return localize("多くの声で共通なので、ダウンロードは一度で済みます。", "You only need to download it once.")
    return localize(
        "声の配布元からダウンロードした BERT のファイルを追加してください。",
        "Get the BERT from where the voice was published and add the file.",
    )
