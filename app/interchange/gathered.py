"""Lines gathered from a file: ids that fit, lines that are not too long, and the names of those who speak."""

from __future__ import annotations

from dataclasses import replace

from app.core.project import Character, Project, VoiceReference
from app.core.script import Line, LineSettings, Script, cut, new_id
from app.core.text_lines import LONGEST_LINE
from app.interchange.imported import Imported, Losses, SpokenPhrase, no_text
from app.interchange.limits import Allowance
from app.json_text import short_text
from app.language import localized


class Gathered:
    """Takes one line after the other.

    Attributes:
        losses: what is not taken over.
        allowance: what the file may still become.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines: list[Line] = []
        self._ids: set[str] = set()
        self._characters: dict[str, Character] = {}
        self._names: dict[str, str] = {}
        self._spoken: dict[str, tuple[SpokenPhrase, ...]] = {}
        self._cut = False
        self.losses = Losses()
        self.allowance = Allowance(name)

    def add(self, text: str, settings: LineSettings, line_id: str = "", spoken: tuple[SpokenPhrase, ...] = ()) -> None:
        """A line; without a text it is none. Its id is kept where it is fit to be shown and no other line has it. Raises InputError."""
        if not text:
            return
        self.allowance.take_text(len(text))
        wanted = short_text(line_id)
        line = Line(text, settings, id=wanted if wanted and wanted == line_id and wanted not in self._ids else new_id())
        pieces = cut(line)
        self.allowance.take_lines(len(pieces))
        self._cut |= len(pieces) > 1
        self._lines += pieces
        self._ids.update(piece.id for piece in pieces)
        if spoken and len(pieces) == 1:
            self._spoken[line.id] = spoken

    def name_voice(self, key: str, shown: str = "", *, speaker: bool = False) -> str:
        """The voice of a line that is known by a name of the file.

        Args:
            shown: to people, where the key is none for them.
            speaker: it names somebody inside a voice rather than a voice.
        """
        key = short_text(key)
        if key and key not in self._characters:
            self.allowance.take_name()
            self._characters[key] = Character(key, speaker=key if speaker else "")
            self._names[key] = shown or key
        return key

    def imported(self, title: str = "") -> Imported:
        """All of it; InputError where there is no line."""
        if not self._lines:
            raise no_text(self._name, self.losses.sentences())
        if self._cut:
            self.losses.note(
                localized(f"{LONGEST_LINE:,} 文字より長い行を分割しました。", f"Lines longer than {LONGEST_LINE:,} characters were split.")
            )
        voices = tuple(VoiceReference(key, name) for key, name in self._names.items())
        script = Script(tuple(self._lines), title)
        return Imported(
            Project(script, voices=voices, characters=tuple(self._characters.values())), self.losses.sentences(), dict(self._spoken)
        )


def with_new_ids(imported: Imported, taken: frozenset[str]) -> Imported:
    """The same with other ids where a script has them already."""
    ids = {line.id: new_id() for line in imported.project.script.lines if line.id in taken}
    if not ids:
        return imported
    lines = tuple(replace(line, id=ids.get(line.id, line.id)) for line in imported.project.script.lines)
    project = replace(imported.project, script=replace(imported.project.script, lines=lines))
    return replace(imported, project=project, spoken={ids.get(line, line): phrases for line, phrases in imported.spoken.items()})
