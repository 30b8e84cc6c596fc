"""What a file of another program brings, before it is compared with the voices and the readings of this machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.project import Project
from app.errors import InputError
from app.language import localized

NAMED_LINES = 5  # of those that have lost the same
MOST_HINTS = 2
IMPORTED = ("読み込みませんでした", "Not imported")
SAVED = ("この形式には保存されません", "Not saved in this format")
OPENED = ("読み込めませんでした", "Could not be read")


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
    """Counts what is not taken over, so that it is said once; `outcome` says what that means, in both languages."""

    def __init__(self, outcome: tuple[str, str] = IMPORTED) -> None:
        self._outcome = outcome
        self._counts: Counter[tuple[str, str]] = Counter()
        self._places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._notes: list[str] = []

    def add(self, ja: str, en: str, count: int = 1) -> None:
        """Something that `count` more lines have, as a noun."""
        if count > 0:
            self._counts[ja, en] += count

    def add_at(self, line: int, ja: str, en: str) -> None:
        """Something that the line of this number in the file has, as a noun."""
        if line not in self._places[ja, en][-1:]:
            self._counts[ja, en] += 1
            self._places[ja, en].append(line)

    def note(self, sentence: str) -> None:
        """Something that does not belong to lines."""
        self._notes.append(sentence)

    def sentences(self) -> tuple[str, ...]:
        """One for each, in the order of their first line."""
        ja_end, en_start = self._outcome
        counted = (
            localized(f"{ja}は{ja_end}（{_lines_ja(count, places)}）。", f"{en_start}: {en} ({_lines_en(count, places)}).")
            for (ja, en), count in self._counts.items()
            for places in (self._places.get((ja, en), ()),)
        )
        return (*counted, *self._notes)


def _lines_ja(count: int, places: Sequence[int]) -> str:
    if not places:
        return f"{count:,} 行"
    return f"{_listed(places, '、')} 行目" if count == 1 else f"{count:,} 行: {_listed(places, '、')} 行目"


def _lines_en(count: int, places: Sequence[int]) -> str:
    if not places:
        return f"{count:,} {'line' if count == 1 else 'lines'}"
    return f"line {places[0]}" if count == 1 else f"{count:,} lines: {_listed(places, ', ')}"


def _listed(places: Sequence[int], separator: str) -> str:
    return separator.join(map(str, places[:NAMED_LINES])) + (f"{separator}…" if len(places) > NAMED_LINES else "")


def no_text(name: str, losses: Sequence[str] = ()) -> InputError:
    """There is nothing to speak in a file; `losses` say what there was."""
    hint = localized(
        "読み上げるテキストを入力して保存してから、もう一度お試しください。", "Add the text to read aloud, save the file and try again."
    )
    return InputError(
        localized(f"「{name}」にはテキストがありません。", f"“{name}” contains no text."), " ".join((*losses[:MOST_HINTS], hint))
    )
