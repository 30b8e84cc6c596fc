"""A voice as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.language import localized
from app.voices.card import Card, Sample
from app.voices.fast_words import why_exact
from app.voices.manifest import VoiceManifest
from app.voices.terms import shown_terms
from app.voices.voice_words import shown_name

Place = Literal["own", "shipped", "aivisspeech"]


@dataclass(frozen=True, slots=True)
class CatalogVoice:
    """A voice that is installed, or can be prepared.

    Attributes:
        id: what lines call it; empty is the voice we ship.
        size_bytes: of its files; of one that is not prepared, about what preparing will take.
        int8_share: share of symbols that keep their length with the BERT in int8; None where that was not measured.
        has_bert: the BERT it needs is here.
        has_int8_bert: and in int8 as well.
    """

    id: str
    manifest: VoiceManifest
    path: Path
    place: Place
    card: Card = field(default_factory=Card)
    size_bytes: int = 0
    int8_share: float | None = None
    has_bert: bool = True
    has_int8_bert: bool = False

    @property
    def name(self) -> str:
        """For people."""
        return shown_name(self.manifest)

    @property
    def description(self) -> str:
        """What it says of itself."""
        return self.manifest.description

    @property
    def licence(self) -> str:
        """Terms of use as they are shown, empty without any."""
        return shown_terms(self.path, self.manifest.licence)

    @property
    def starter(self) -> bool:
        """It is ours."""
        return self.manifest.format == "starter"

    @property
    def opaque(self) -> bool:
        """It is one graph; what is not prepared may become better."""
        return self.manifest.opaque and self.place != "aivisspeech"

    @property
    def speakers(self) -> tuple[tuple[int, str], ...]:
        """As (id, name)."""
        return tuple((item.id, item.name) for item in self.manifest.speakers)

    @property
    def styles(self) -> tuple[tuple[int, str], ...]:
        """As (id, name)."""
        return tuple((item.id, item.name) for item in self.manifest.styles)

    @property
    def icon(self) -> Path | None:
        """The picture of its first speaker."""
        icons = [name for speaker in self.card.speakers for name in (speaker.icon, *(style.icon for style in speaker.styles)) if name]
        return self.path / icons[0] if icons else None

    def why_no_int8(self, part: Literal["sound", "bert"]) -> str:
        """Why a part of it cannot compute in int8, in a few words; empty where it can."""
        if part == "sound":
            return (
                localized("先に声を準備してください", "prepare the voice first")
                if self.place == "aivisspeech"
                else why_exact(self.manifest)
            )
        if not self.has_bert:
            return localized("BERT がありません", "BERT is missing")
        return "" if self.has_int8_bert else localized("BERT は float32 のみ", "this BERT has float32 only")

    def samples(self) -> list[tuple[str, Path, Sample]]:
        """Recordings as (style, file, sample)."""
        names = {item.id: item.name for item in self.manifest.styles}
        cards = [style for speaker in self.card.speakers for style in speaker.styles]
        return [(names.get(style.id, ""), self.path / sample.file, sample) for style in cards for sample in style.samples]
