"""The contents of another program's file, before they are compared with the voices and the readings of this machine; lines as scripts of other programs have them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.project import Project

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
