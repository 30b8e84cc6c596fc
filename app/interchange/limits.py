"""How much a script from elsewhere may become, counted before it is made: a small file can repeat what is in it.

Real scripts: a game's 30,000 lines of 40 characters; a line has some 5 phrases and 30 morae, a page of a book in one line 1,000 characters.
"""

from __future__ import annotations

from app.core.project_data import MOST_CHARACTERS as MOST_NAMES
from app.core.text_lines import LONGEST_LINE
from app.core.tidy_project import MOST_LINES
from app.errors import InputError
from app.language import localized

LONGEST_TEXT = 1_400_000  # characters of a line, before it is split into lines that the window can show
MOST_CHARACTERS = 20_000_000  # of all lines: 100 novels
MOST_PHRASES = 500_000  # of all lines
MOST_MORAS = 2_000_000
LONGEST_PHRASE = 1_000  # morae
LONGEST_MORA = 8  # characters
MOST_PHRASES_OF_LINE = LONGEST_LINE  # each has a character at least
MOST_MORAS_OF_LINE = 8 * LONGEST_LINE  # as many as the characters that are read longest have


def check_count(name: str, lines: int) -> None:
    """Raises InputError for a file of more lines than a script may have."""
    if lines > MOST_LINES:
        raise InputError(
            localized(f"「{name}」は行数が多すぎます（{lines:,} 行）。", f"“{name}” has too many lines ({lines:,})."),
            localized(f"{MOST_LINES:,} 行まで読み込めます。ファイルを分けてください。", f"The limit is {MOST_LINES:,}. Split the file."),
        )


class Allowance:
    """What a file may still become; InputError where that is too much."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = self._characters = self._phrases = self._moras = self._names = 0

    def take_text(self, characters: int) -> None:
        """A line of so many characters."""
        self._characters += characters
        if characters > LONGEST_TEXT:
            raise InputError(
                localized(
                    f"「{self._name}」には長すぎる行があります（{characters:,} 文字）。",
                    f"“{self._name}” has a line that is too long ({characters:,} characters).",
                ),
                localized(
                    f"1 行は {LONGEST_TEXT:,} 文字までです。改行で分けてください。", f"The limit is {LONGEST_TEXT:,}. Break the line."
                ),
            )
        if self._characters > MOST_CHARACTERS:
            raise self._too_much(localized("文字", "characters"), MOST_CHARACTERS)

    def take_lines(self, lines: int) -> None:
        """Lines of the script."""
        self._lines += lines
        check_count(self._name, self._lines)

    def take_name(self) -> None:
        """A name of who speaks; a project can hold so many."""
        self._names += 1
        if self._names > MOST_NAMES:
            raise self._too_much(localized("話者・キャラの名前", "names of speakers"), MOST_NAMES)

    def take_phrases(self, phrases: int, moras: int) -> None:
        """Accent phrases with so many morae in all."""
        self._phrases += phrases
        self._moras += moras
        if self._phrases > MOST_PHRASES:
            raise self._too_much(localized("アクセント句", "accent phrases"), MOST_PHRASES)
        if self._moras > MOST_MORAS:
            raise self._too_much(localized("モーラ", "morae"), MOST_MORAS)

    def _too_much(self, what: str, most: int) -> InputError:
        return InputError(
            localized(f"「{self._name}」は{what}が多すぎます。", f"“{self._name}” has too many {what}."),
            localized(f"{most:,} まで読み込めます。ファイルを分けてください。", f"The limit is {most:,}. Split the file."),
        )
