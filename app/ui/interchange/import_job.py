"""A job of files imported together: their lines are inserted in one step, and losses are reported once."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.common.errors import AppError
from app.common.language import localize
from app.core.project import Character, VoiceReference
from app.core.script import Line, LineSettings
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.interchange.imported_script import ImportedScript

# More sentences than the banner can show go into its details.
MAX_REPORTED_SENTENCES = 2


@dataclass(slots=True)
class ImportJob:
    """The files still to read, and the contents of those already read.

    Attributes:
        row: The row that the lines are inserted before; None inserts them below the selected ones.
        names: The names of the files read so far.
        dropped: What was not imported, in sentences.
        error: The first error.
    """

    files: deque[Path]
    row: int | None
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    voices: list[VoiceReference] = field(default_factory=list)
    characters: list[Character] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    error: AppError | None = None

    def add_file(self, name: str, imported: ImportedScript, taken_ids: Collection[str], default_settings: LineSettings) -> None:
        """Add a file's lines.

        Their ids are replaced where they are in `taken_ids` or in use here; lines without any setting of their own get
        `default_settings`.
        """
        from app.interchange.script_builder import replace_taken_ids

        imported, plain = replace_taken_ids(imported, frozenset((*taken_ids, *(line.id for line in self.lines)))), LineSettings()
        self.lines += [
            replace(line, settings=default_settings) if line.settings == plain else line for line in imported.project.script.lines
        ]
        self.voices += imported.project.voices
        self.characters += imported.project.characters
        self.dropped += imported.losses
        self.names.append(name)

    def report_problems(self, banner: Banner) -> None:
        """Report what was not imported, each kind once."""
        sentences, count, names = list(dict.fromkeys(self.dropped)), len(self.lines), ", ".join(self.names)
        is_short = len(sentences) <= MAX_REPORTED_SENTENCES
        banner.show_message(
            "notice",
            localize(f"「{names}」から {count:,} 行を読み込みました。", f"Lines imported from “{names}”: {count:,}."),
            " ".join(sentences) if is_short else localize("読み込まなかったものがあります。", "Some content was not imported."),
            details="" if is_short else "\n".join(sentences),
            help_page="import",
        )
