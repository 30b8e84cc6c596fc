"""Files that were given together: their lines are added together, and what none of them could give is said once."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.project import Character, VoiceReference
from app.core.script import Line, LineSettings
from app.errors import AppError
from app.language import localized
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.interchange.imported import Imported

SHORT = 2  # sentences that the banner shows by themselves


@dataclass(slots=True)
class ImportJob:
    """What is still to be read, and what has come of the rest.

    Attributes:
        row: the lines go before it; None: below the selected ones.
        names: of the files that were read.
        dropped: what was not taken over, in sentences.
        error: the first one.
    """

    files: deque[Path]
    row: int | None
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    voices: list[VoiceReference] = field(default_factory=list)
    characters: list[Character] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    error: AppError | None = None

    def add(self, name: str, imported: Imported, taken: Collection[str], usual: LineSettings) -> None:
        """Takes in a file: its lines get other ids than those `taken`, and without any setting of their own the `usual` ones."""
        from app.interchange.gathered import with_new_ids

        imported, plain = with_new_ids(imported, frozenset((*taken, *(line.id for line in self.lines)))), LineSettings()
        self.lines += [replace(line, settings=usual) if line.settings == plain else line for line in imported.project.script.lines]
        self.voices += imported.project.voices
        self.characters += imported.project.characters
        self.dropped += imported.dropped
        self.names.append(name)

    def report(self, banner: Banner) -> None:
        """Says what was not taken over, each once."""
        sentences, count, names = list(dict.fromkeys(self.dropped)), len(self.lines), ", ".join(self.names)
        is_short = len(sentences) <= SHORT
        banner.show_message(
            "notice",
            localized(f"「{names}」から {count:,} 行を読み込みました。", f"Lines imported from “{names}”: {count:,}."),
            " ".join(sentences) if is_short else localized("読み込まなかったものがあります。", "Some content was not imported."),
            details="" if is_short else "\n".join(sentences),
            page="import",
        )
