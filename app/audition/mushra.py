"""A MUSHRA test after ITU-R BS.1534-3, by one listener: the sounds of a line are rated side by side against a reference that the user brings.

Among them, unnamed, stand the reference itself and two anchors, which are the reference without its high frequencies: what they are
given says whether the ratings can be relied on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.audition.blind_test import MOST_LINES
from app.audition.sealed_order import compute_seal, shuffle_numbers
from app.common.errors import InputError
from app.common.language import localize
from app.core.script import create_line_id

HIGHEST_MUSHRA_RATING = 100
ANCHORS_HZ = (3_500, 7_000)
# With reference and anchors twelve, which is what the recommendation advises at most.
MAX_RATED_SOUNDS = 9


@dataclass(frozen=True, slots=True)
class MushraPlan:
    """The plan of a MUSHRA test; fixed before the first trial. Columns are the sounds, then the hidden reference, then the anchors.

    Attributes:
        sounds: a row for each line, a column for each of what is compared; `app.core.takes.LineTake.sound` of each.
        names: of the columns; hidden until the test has ended.
        references: of each line, kept like the sounds.
    """

    sounds: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def reference_column(self) -> int:
        """Return the column of the hidden reference."""
        return len(self.names)

    @property
    def column_count(self) -> int:
        """Return the number of sounds in a trial."""
        return len(self.names) + 1 + len(ANCHORS_HZ)

    def list_column_names(self) -> tuple[str, ...]:
        """Return the names of the columns for people, after the reveal."""
        anchors = (localize(f"アンカー {hertz / 1000:g} kHz", f"Anchor {hertz / 1000:g} kHz") for hertz in ANCHORS_HZ)
        return (*self.names, localize("参照", "Reference"), *anchors)


@dataclass(frozen=True, slots=True)
class MushraTrial:
    """A trial of a MUSHRA test: the sounds to be rated next.

    Attributes:
        line: row of the plan.
        order: columns of the plan as they stand beside each other.
    """

    number: int
    line: int
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MushraRating:
    """The ratings of a trial, and the time in ms that they took: 0 to 100 for each column of the plan."""

    trial: MushraTrial
    values: tuple[int, ...]
    ms: int = 0


@dataclass(frozen=True, slots=True)
class MushraTest:
    """A test that has begun; `seed` decides every order, and is shown when the test has ended."""

    plan: MushraPlan
    seed: str
    ratings: tuple[MushraRating, ...] = ()
    id: str = ""

    @property
    def commitment(self) -> str:
        """Return the commitment shown before the first trial."""
        return compute_seal(self.seed)


def begin_mushra_test(plan: MushraPlan, seed: str) -> MushraTest:
    """Return a test without ratings; raise InputError for a plan that is not valid."""
    check_mushra_plan(plan)
    return MushraTest(plan, seed, id=create_line_id())


def check_mushra_plan(plan: MushraPlan) -> None:
    """Raise InputError for a plan that cannot be rated."""
    whole = all(len(row) == len(plan.names) for row in plan.sounds)
    if not (whole and 1 <= len(plan.names) <= MAX_RATED_SOUNDS and 1 <= len(plan.sounds) <= MOST_LINES):
        raise InputError(
            localize("比べる音声の数が合いません。", "This test needs another number of sounds."),
            localize(f"1〜{MAX_RATED_SOUNDS} 個選んでください。", f"Choose 1 to {MAX_RATED_SOUNDS}."),
        )
    if len(plan.references) != len(plan.sounds):
        count = len(plan.sounds)
        raise InputError(
            localize("参照音声の数が合いません。", "The number of references does not match."),
            localize(f"行ごとに 1 つ、合わせて {count} 個選んでください。", f"Choose one for each line, {count} in all."),
        )


def find_mushra_trial(test: MushraTest) -> MushraTrial | None:
    """Return the next trial to be rated; None where the test has ended: every line is rated once."""
    number, lines = len(test.ratings), len(test.plan.sounds)
    if number >= lines:
        return None
    line = shuffle_numbers(test.seed, "lines 0", lines)[number]
    return MushraTrial(number, line, shuffle_numbers(test.seed, f"order {number}", test.plan.column_count))


def add_ratings(test: MushraTest, shown: Sequence[int], ms: int = 0) -> MushraTest:
    """Return the test with the ratings of its current trial, in the order of the sounds; raise ValueError for impossible ratings."""
    trial = find_mushra_trial(test)
    if trial is None or len(shown) != len(trial.order) or not all(0 <= value <= HIGHEST_MUSHRA_RATING for value in shown):
        raise ValueError("ratings")
    values = tuple(value for _, value in sorted(zip(trial.order, shown, strict=True)))
    return replace(test, ratings=(*test.ratings, MushraRating(trial, values, ms)))


def take_back_ratings(test: MushraTest) -> MushraTest:
    """Return the test without its last ratings; raise ValueError if it has none, or has ended."""
    if not test.ratings or find_mushra_trial(test) is None:
        raise ValueError("nothing to take back")
    return replace(test, ratings=test.ratings[:-1])
