"""Lines gathered from a file: ids that fit, lines that are not too long, and the names of those who speak."""

from dataclasses import replace

from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.core.script.characters import CastBuilder
from app.core.script.project import Project, VoiceAssignment, VoiceReference
from app.core.script.script import Line, LineSettings, Script, create_line_id, cut_long_line
from app.core.text.text_lines import MAX_LINE_CHARACTERS
from app.interchange.import_limits import ImportAllowance
from app.interchange.imported_script import ImportedPhrase, ImportedScript, LossReport, NamedLine, build_no_text_error


class ImportedScriptBuilder:
    """Takes one line after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines: list[Line] = []
        self._ids: set[str] = set()
        self._assignments: dict[str, VoiceAssignment] = {}
        self._names: dict[str, str] = {}
        self._cast = CastBuilder()
        self._characters_by_voice: dict[str, str] = {}
        self._phrases: dict[str, tuple[ImportedPhrase, ...]] = {}
        self._cut = False
        self.losses = LossReport()
        self.allowance = ImportAllowance(name)

    def add_line(
        self, text: str, settings: LineSettings, line_id: str = "", spoken: tuple[ImportedPhrase, ...] = (), character: str = ""
    ) -> None:
        """Add a line, unless it has no text. Its id is kept if it is fit to be shown and no other line has it.

        Raise InputError if there are too many.

        Args:
            character: id of the character; empty is the one whose name stands for the voice, if there is one.
        """
        if not text:
            return
        self.allowance.take_text(len(text))
        shown_id = sanitise_short_text(line_id)
        free_id = shown_id if shown_id and shown_id == line_id and shown_id not in self._ids else create_line_id()
        line = Line(text, settings, id=free_id, character=character or self._characters_by_voice.get(settings.voice, ""))
        pieces = cut_long_line(line)
        self.allowance.take_lines(len(pieces))
        self._cut |= len(pieces) > 1
        self._lines += pieces
        self._ids.update(piece.id for piece in pieces)
        if spoken and len(pieces) == 1:
            self._phrases[line.id] = spoken

    def add_named_line(self, line: NamedLine) -> bool:
        """Add a line that says who speaks it, as a character; return whether it had a text."""
        text = sanitise_long_text(line.text)
        if text:
            self.add_line(text, LineSettings(voice=self.name_voice(line.name, is_speaker=True) if line.name else ""), line.id)
        return bool(text)

    def name_voice(self, key: str, display_name: str = "", *, is_speaker: bool = False, is_character: bool = True) -> str:
        """Return the voice of a line by a name in the file.

        Args:
            display_name: to people, where the key is none for them.
            is_speaker: it names somebody inside a voice rather than a voice; they become a character, but not without `is_character`.
        """
        key = sanitise_short_text(key)
        if key and key not in self._assignments:
            self.allowance.take_items("names")
            self._assignments[key] = VoiceAssignment(key, speaker=key if is_speaker else "")
            self._names[key] = display_name or key
            if is_character and (is_speaker or display_name):
                self._characters_by_voice[key] = self.add_character(display_name or key, LineSettings(voice=key))
        return key

    def add_character(self, name: str, settings: LineSettings) -> str:
        """Return the id of the character of this name, who is new where the file has not named them before; raise InputError for too many."""
        if self._cast.find_character(name) is None:
            self.allowance.take_items("characters")
        return self._cast.add_character(name, settings).id

    @property
    def assignments(self) -> tuple[VoiceAssignment, ...]:
        """Return the names so far that take the place of voices."""
        return tuple(self._assignments.values())

    def build_script(self, title: str = "") -> ImportedScript:
        """Return the whole script; raise InputError if it has no line."""
        if not self._lines:
            raise build_no_text_error(self._name, self.losses.build_sentences())
        if self._cut:
            self.losses.add_sentence(
                localize(
                    f"{MAX_LINE_CHARACTERS:,} 文字より長い行を分割しました。",
                    f"Lines longer than {MAX_LINE_CHARACTERS:,} characters were split.",
                )
            )
        voices = tuple(VoiceReference(key, name) for key, name in self._names.items())
        script = Script(tuple(self._lines), title, self._cast.cast)
        return ImportedScript(
            Project(script, voices=voices, assignments=self.assignments), self.losses.build_sentences(), dict(self._phrases)
        )


def replace_taken_ids(imported: ImportedScript, used_ids: frozenset[str]) -> ImportedScript:
    """Return the imported script, with other ids for those that a script uses already."""
    ids = {line.id: create_line_id() for line in imported.project.script.lines if line.id in used_ids}
    if not ids:
        return imported
    lines = tuple(replace(line, id=ids.get(line.id, line.id)) for line in imported.project.script.lines)
    project = replace(imported.project, script=replace(imported.project.script, lines=lines))
    return replace(
        imported, project=project, phrases_by_line={ids.get(line, line): phrases for line, phrases in imported.phrases_by_line.items()}
    )
