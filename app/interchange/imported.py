"""What a file of another program brings, before it is compared with the voices and the readings of this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.project import Project
from app.errors import InputError
from app.language import localized

MOST_LINES = 100_000


@dataclass(frozen=True, slots=True)
class SpokenPhrase:
    """An accent phrase as another program says it.

    Attributes:
        moras: in katakana; a long vowel may be ー or its vowel.
        accent: mora after which the pitch falls, from 1; 0 or the last one is never.
        pause_s: seconds of silence behind it in the result; 0 is a pause of a length that nobody has set, None no pause.
    """

    moras: tuple[str, ...]
    accent: int
    pause_s: float | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """A script from elsewhere.

    Lines whose voice is a name of the source carry that name as their voice, and the project has a `Character` and a `VoiceReference` of it;
    `app.interchange.assign` finds out who that is here.

    Attributes:
        dropped: what was not taken over, a sentence each, in the language of the user.
        spoken: accents and readings by id of the line; `app.interchange.spoken` turns them into edits.
    """

    project: Project
    dropped: tuple[str, ...] = ()
    spoken: Mapping[str, tuple[SpokenPhrase, ...]] = field(default_factory=dict)


class Losses:
    """Counts what is not taken over, so that it is said once.

    Args:
        saved: it is a file that is written and cannot hold it.
    """

    def __init__(self, *, saved: bool = False) -> None:
        self._saved = saved
        self._counts: Counter[tuple[str, str]] = Counter()
        self._notes: list[str] = []

    def add(self, ja: str, en: str, count: int = 1) -> None:
        """Something that `count` more lines have, as a noun."""
        if count > 0:
            self._counts[ja, en] += count

    def note(self, sentence: str) -> None:
        """Something that does not belong to lines."""
        self._notes.append(sentence)

    def sentences(self) -> tuple[str, ...]:
        """One for each, in the order of their first line."""
        ja_end, en_start = (
            ("この形式には保存されません", "Not saved in this format") if self._saved else ("読み込みませんでした", "Not imported")
        )
        counted = (
            localized(f"{ja}は{ja_end}（{count:,} 行）。", f"{en_start}: {en} ({count:,} {'line' if count == 1 else 'lines'}).")
            for (ja, en), count in self._counts.items()
        )
        return (*counted, *self._notes)


def check_count(name: str, lines: int) -> None:
    """Raises InputError for a file of more lines than a script may have."""
    if lines > MOST_LINES:
        raise InputError(
            localized(f"「{name}」は行数が多すぎます（{lines:,} 行）。", f"“{name}” has too many lines ({lines:,})."),
            localized(f"{MOST_LINES:,} 行まで読み込めます。ファイルを分けてください。", f"The limit is {MOST_LINES:,}. Split the file."),
        )


def no_text(name: str) -> InputError:
    """There is nothing to speak in a file."""
    return InputError(
        localized(f"「{name}」にはテキストがありません。", f"“{name}” contains no text."),
        localized(
            "読み上げるテキストを入力して保存してから、もう一度お試しください。", "Add the text to read aloud, save the file and try again."
        ),
    )
