"""The voices there are, as the window shows them: installed ones, ours, and those of AivisSpeech."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError
from app.ui.behind import Behind
from app.voices.card import Card, Sample
from app.voices.manifest import VoiceManifest

Place = Literal["own", "shipped", "aivisspeech"]


@dataclass(frozen=True, slots=True)
class ShelfVoice:
    """A voice that is installed, or can be prepared.

    Attributes:
        id: what lines call it; empty is the voice we ship.
        size_bytes: of its files; of one that is not prepared, about what preparing will take.
        int8_share: share of symbols that keep their length with the BERT in int8; None where that was not measured.
        has_bert: the BERT it needs is here.
    """

    id: str
    manifest: VoiceManifest
    path: Path
    place: Place
    card: Card = field(default_factory=Card)
    size_bytes: int = 0
    int8_share: float | None = None
    has_bert: bool = True

    @property
    def name(self) -> str:
        """For people."""
        return self.manifest.name

    @property
    def description(self) -> str:
        """What it says of itself."""
        return self.manifest.description

    @property
    def licence(self) -> str:
        """Terms of use, empty without any."""
        return self.manifest.licence

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

    def samples(self) -> list[tuple[str, Path, Sample]]:
        """Recordings as (style, file, sample)."""
        names = {item.id: item.name for item in self.manifest.styles}
        cards = [style for speaker in self.card.speakers for style in speaker.styles]
        return [(names.get(style.id, ""), self.path / sample.file, sample) for style in cards for sample in style.samples]


Found = tuple[tuple[ShelfVoice, ...], tuple[str, ...]]
"""All voices, and the ids of all BERTs."""


class Shelf(QObject):
    """Looks at the disk in a thread of its own.

    Attributes:
        voices: the user's own first, then ours, then AivisSpeech's; empty before the first look.
        berts: ids of the BERTs there are.
        is_read: the first look is over.

    Signals:
        changed(): another look has found something.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.voices: tuple[ShelfVoice, ...] = ()
        self.berts: tuple[str, ...] = ()
        self.is_read = False
        self._behind = Behind(self, "shelf")
        self._behind.failed.connect(self._on_failed)

    @Slot()
    def look(self) -> None:
        """Looks again; `changed` follows."""
        self._behind.do(_read, self._take)

    def find(self, voice: str) -> ShelfVoice | None:
        """The voice that lines call so."""
        return next((item for item in self.voices if voice in (item.id, item.manifest.id)), None)

    def close(self) -> None:
        """Waits for the look that goes on."""
        self._behind.close()

    def _take(self, found: Found) -> None:
        (self.voices, self.berts), self.is_read = found, True
        self.changed.emit()

    @Slot(object)
    def _on_failed(self, error: AppError) -> None:
        logging.getLogger("koebako").warning("%s %s", error.message, error.hint)


def _read() -> Found:
    from app.ui.shelf_reader import read_shelf  # what reads files is imported here, behind the window

    return read_shelf()
