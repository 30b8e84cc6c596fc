"""A voice as the voice card, the chooser and the library show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES, VoiceArchitecture
from app.voices.voice_card_data import VoiceCardData, VoiceSample
from app.voices.voice_labels import explain_missing_int8, format_licence_terms, format_voice_name
from app.voices.voice_manifest import VoiceManifest

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
        """Return the kind of the voice."""
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

    def list_samples(self) -> list[tuple[str, Path, VoiceSample]]:
        """Return the recordings as (style, file, sample)."""
        names = {item.id: item.name for item in self.manifest.styles}
        cards = [style for speaker in self.model_card.speakers for style in speaker.styles]
        return [(names.get(style.id, ""), self.path / sample.file, sample) for style in cards for sample in style.samples]
