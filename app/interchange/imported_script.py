"""A script from another program's file, before it is compared with the voices and the readings of this machine.

Its size is counted before it is built, as a small file can repeat its contents. Real scripts: a game's 30,000 lines of 40 characters; a line has some
5 phrases and 30 morae, a page of a book in one line 1,000 characters.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from app.common.errors import InputError
from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.files.whole_files import FileTooLargeError, read_with_retry
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.script.characters import MOST_CHARACTERS, CastBuilder
from app.core.script.project import MAX_SCRIPT_LINES, Project, VoiceAssignment, VoiceReference
from app.core.script.script import Line, LineSettings, Script, create_line_id, cut_long_line
from app.core.text.text_lines import MAX_LINE_CHARACTERS

MAX_IMPORTED_LINE_CHARS = 1_400_000  # characters of a line, before it is split into lines that the window can show
MAX_IMPORTED_CHARS = 20_000_000  # of all lines: 100 novels
MAX_IMPORTED_PHRASES = 500_000  # of all lines
MAX_IMPORTED_MORAS = 2_000_000
MAX_PHRASE_MORAS = 1_000  # morae
MAX_MORA_CHARS = 8  # characters
MAX_PHRASES_PER_LINE = MAX_LINE_CHARACTERS  # each phrase has at least one character
MAX_MORAS_PER_LINE = 8 * MAX_LINE_CHARACTERS  # as many as the characters that are read longest have

LARGEST_PROJECT_BYTES, LARGEST_TEXT_BYTES = 64 << 20, 20 << 20

ItemKind = Literal["letters", "names", "characters", "phrases", "moras"]


def check_line_count(name: str, lines: int) -> None:
    """Raise InputError for a file of more lines than a script may have."""
    if lines > MAX_SCRIPT_LINES:
        raise InputError(
            localize(f"「{name}」は行数が多すぎます（{lines:,} 行）。", f"“{name}” has too many lines ({lines:,})."),
            localize(
                f"{MAX_SCRIPT_LINES:,} 行まで読み込めます。ファイルを分けてください。",
                f"The limit is {MAX_SCRIPT_LINES:,}. Split the file.",
            ),
        )


class ImportAllowance:
    """The remaining allowance of a file; raises InputError where a file exceeds it."""

    def __init__(self, name: str) -> None:
        self._name, self._lines = name, 0
        self._counts: Counter[ItemKind] = Counter()

    def take_text(self, characters: int) -> None:
        """Count a line of so many characters; raise InputError if it is too many."""
        if characters > MAX_IMPORTED_LINE_CHARS:
            raise InputError(
                localize(
                    f"「{self._name}」には長すぎる行があります（{characters:,} 文字）。",
                    f"“{self._name}” has a line that is too long ({characters:,} characters).",
                ),
                localize(
                    f"1 行は {MAX_IMPORTED_LINE_CHARS:,} 文字までです。改行で分けてください。",
                    f"The limit is {MAX_IMPORTED_LINE_CHARS:,}. Break the line.",
                ),
            )
        self.take_items("letters", characters)

    def take_lines(self, lines: int) -> None:
        """Count lines of the script; raise InputError if they are too many."""
        self._lines += lines
        check_line_count(self._name, self._lines)

    def take_items(self, kind: ItemKind, count: int = 1) -> None:
        """Count more items of a kind; raise InputError if they are too many."""
        self._counts[kind] += count
        match kind:
            case "letters":
                maximum, ja, en = MAX_IMPORTED_CHARS, "文字", "characters"
            case "names":
                maximum, ja, en = MOST_CHARACTERS, "話者・登場人物の名前", "names of speakers"
            case "characters":
                maximum, ja, en = MOST_CHARACTERS, "登場人物", "speaking characters"
            case "phrases":
                maximum, ja, en = MAX_IMPORTED_PHRASES, "アクセント句", "accent phrases"
            case "moras":
                maximum, ja, en = MAX_IMPORTED_MORAS, "モーラ", "morae"
        if self._counts[kind] > maximum:
            raise InputError(
                localize(f"「{self._name}」は{ja}が多すぎます。", f"“{self._name}” has too many {en}."),
                localize(f"{maximum:,} まで読み込めます。ファイルを分けてください。", f"The limit is {maximum:,}. Split the file."),
            )


def read_file_bytes(path: Path, max_bytes: int = LARGEST_TEXT_BYTES) -> bytes:
    """Return all bytes of a file of any content; raise InputError if it cannot be read."""
    try:
        return read_with_retry(path, max_bytes)
    except FileTooLargeError as exc:
        raise build_too_large_error(path, max_bytes) from exc
    except OSError as exc:
        raise InputError(
            localize(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."),
            localize(f"ファイルの場所を確認してください。（{describe_reason(exc)}）", f"Check the path. ({describe_reason(exc)})"),
        ) from exc


def build_too_large_error(path: Path, max_bytes: int) -> InputError:
    """Return the error for a file of more bytes than are read."""
    return InputError(
        localize(f"「{path.name}」は大きすぎます。", f"“{path.name}” is too large."),
        localize(f"{max_bytes >> 20} MB まで読み込めます。", f"The limit is {max_bytes >> 20} MB."),
    )


MAX_LISTED_LINES = 5  # of those that have lost the same
MAX_LOSS_HINTS = 2
NOT_IMPORTED = ("読み込みませんでした", "Not imported")
NOT_SAVED = ("この形式には保存されません", "Not saved in this format")
NOT_OPENED = ("読み込めませんでした", "Could not be read")

_MADE_ID = re.compile("[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class ImportedPhrase:
    """An accent phrase as another program says it."""

    moras: tuple[str, ...]  # in katakana; a long vowel may be ー or its vowel
    accent: int  # mora after which the pitch falls, from 1; 0 or the last one is never
    pause_s: float | None = None  # seconds of silence behind it in the result; 0 is a pause of a length that nobody has set, None no pause
    pitches: tuple[float | None, ...] = ()  # semitones that each mora was moved by hand, None for one that was not; empty where none was
    lengths_s: tuple[float | None, ...] = ()  # seconds in the result that each mora was given by hand, None and empty as in `pitches`


@dataclass(frozen=True, slots=True)
class ImportedScript:
    """A script from elsewhere.

    Lines whose voice is a name of the source carry that name as their voice, and the project has a `VoiceAssignment` and a `VoiceReference` of it, and the script a `Character`;
    `app.interchange.character_assignment` finds out who that is here.
    """

    project: Project
    losses: tuple[str, ...] = ()  # what was not taken over, a sentence each, in the language of the user
    # Accents and readings by id of the line; `app.interchange.reading_diff` turns them into edits.
    phrases_by_line: Mapping[str, tuple[ImportedPhrase, ...]] = field(default_factory=dict)


class LossReport:
    """Counts what is not taken over, so that it is said once; `outcome` says what that means, in both languages."""

    def __init__(self, outcome: tuple[str, str] = NOT_IMPORTED) -> None:
        self._outcome = outcome
        self._counts: Counter[tuple[str, str]] = Counter()
        self._places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._notes: list[str] = []

    def add_lines(self, ja: str, en: str, count: int = 1) -> None:
        """Count a loss, as a noun, of `count` more lines."""
        if count > 0:
            self._counts[ja, en] += count

    def add_line(self, line: int, ja: str, en: str) -> None:
        """Count a loss, as a noun, of the line of this number in the file."""
        if line not in self._places[ja, en][-1:]:
            self._counts[ja, en] += 1
            self._places[ja, en].append(line)

    def add_sentence(self, sentence: str) -> None:
        """Add a sentence about a loss that does not belong to lines."""
        self._notes.append(sentence)

    def build_sentences(self) -> tuple[str, ...]:
        """Return a sentence for each loss, in the order of their first line."""
        ja_end, en_start = self._outcome
        counted = []
        for (ja, en), count in self._counts.items():
            lines = _format_lines(count, self._places.get((ja, en), ()))
            counted.append(localize(f"{ja}は{ja_end}（{lines}）。", f"{en_start}: {en} ({lines})."))
        return (*counted, *self._notes)


def _format_lines(count: int, numbers: Sequence[int]) -> str:
    if not numbers:
        return localize(f"{count:,} 行", f"{count:,} {'line' if count == 1 else 'lines'}")
    if count == 1:
        return localize(f"{numbers[0]} 行目", f"line {numbers[0]}")
    listed = [*map(str, numbers[:MAX_LISTED_LINES]), *(["…"] if len(numbers) > MAX_LISTED_LINES else [])]
    return localize(f"{count:,} 行: {'、'.join(listed)} 行目", f"{count:,} lines: {', '.join(listed)}")


def build_no_text_error(name: str, losses: Sequence[str] = ()) -> InputError:
    """Return the error for a file without anything to speak; `losses` name what it held instead."""
    hint = localize(
        "読み上げるテキストを入力して保存してから、もう一度お試しください。", "Add the text to read aloud, save the file and try again."
    )
    return InputError(
        localize(f"「{name}」にはテキストがありません。", f"“{name}” contains no text."), " ".join((*losses[:MAX_LOSS_HINTS], hint))
    )


class NamedLine(NamedTuple):
    """A line as a script of other programs has it: `name` is who speaks, empty for narration, and `text` has no line breaks."""

    name: str
    text: str
    id: str = ""


def is_made_id(line_id: str) -> bool:
    """Return whether an id was made here: it names nothing in other programs."""
    return _MADE_ID.fullmatch(line_id) is not None


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
        self,
        text: str,
        settings: LineSettings,
        line_id: str = "",
        spoken: tuple[ImportedPhrase, ...] = (),
        character: str = "",
        pause_after_s: float | None = None,
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
        line_character = character or self._characters_by_voice.get(settings.voice, "")
        line = Line(text, settings, id=free_id, character=line_character, pause_after_s=pause_after_s)
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
