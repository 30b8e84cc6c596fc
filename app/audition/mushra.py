"""A MUSHRA test after ITU-R BS.1534-3, by one listener: the sounds of a line are rated side by side against a reference that the user brings.

Among them, unnamed, stand the reference itself and two anchors, which are the reference without its high frequencies: what they are
given says whether the ratings can be relied on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.audition.blind_test import MOST_LINES
from app.audition.positions import seal, shuffled
from app.core.script import new_id
from app.errors import InputError
from app.language import localized

HIGHEST = 100
ANCHORS_HZ = (3_500, 7_000)
MOST_SOUNDS = 9  # with reference and anchors twelve, which is what the recommendation advises at most


@dataclass(frozen=True, slots=True)
class MushraPlan:
    """What is rated; fixed before the first trial. Columns are the sounds, then the hidden reference, then the anchors.

    Attributes:
        sounds: a row for each line, a column for each of what is compared; `app.core.takes.Take.sound` of each.
        names: of the columns; hidden until the test has ended.
        references: of each line, kept like the sounds.
    """

    sounds: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def reference(self) -> int:
        """The column of the hidden reference."""
        return len(self.names)

    @property
    def columns(self) -> int:
        """How many sounds a trial has."""
        return len(self.names) + 1 + len(ANCHORS_HZ)

    def column_names(self) -> tuple[str, ...]:
        """For people, after the reveal."""
        anchors = (localized(f"アンカー {hertz / 1000:g} kHz", f"Anchor {hertz / 1000:g} kHz") for hertz in ANCHORS_HZ)
        return (*self.names, localized("参照", "Reference"), *anchors)


@dataclass(frozen=True, slots=True)
class MushraTrial:
    """What is rated next.

    Attributes:
        line: row of the plan.
        order: columns of the plan as they stand beside each other.
    """

    number: int
    line: int
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    """What was said of a trial, after how many milliseconds: 0 to 100 for each column of the plan."""

    trial: MushraTrial
    values: tuple[int, ...]
    ms: int = 0


@dataclass(frozen=True, slots=True)
class MushraTest:
    """A test that has begun; `seed` decides every order, and is shown when the test has ended."""

    plan: MushraPlan
    seed: str
    ratings: tuple[Rating, ...] = ()
    id: str = ""

    @property
    def commitment(self) -> str:
        """Shown before the first trial."""
        return seal(self.seed)


def begin(plan: MushraPlan, seed: str) -> MushraTest:
    """A test without ratings. Raises InputError for a plan that is none."""
    check_plan(plan)
    return MushraTest(plan, seed, id=new_id())


def check_plan(plan: MushraPlan) -> None:
    """Raises InputError for what cannot be rated."""
    whole = all(len(row) == len(plan.names) for row in plan.sounds)
    if not (whole and 1 <= len(plan.names) <= MOST_SOUNDS and 1 <= len(plan.sounds) <= MOST_LINES):
        raise InputError(
            localized("比べる音声の数が合いません。", "This test needs another number of sounds."),
            localized(f"1〜{MOST_SOUNDS} 個選んでください。", f"Choose 1 to {MOST_SOUNDS}."),
        )
    if len(plan.references) != len(plan.sounds):
        count = len(plan.sounds)
        raise InputError(
            localized("参照音声の数が合いません。", "The number of references does not match."),
            localized(f"行ごとに 1 つ、合わせて {count} 個選んでください。", f"Choose one for each line, {count} in all."),
        )


def trial_of(test: MushraTest) -> MushraTrial | None:
    """What is to be rated next; None where the test has ended: every line is rated once."""
    number, lines = len(test.ratings), len(test.plan.sounds)
    if number >= lines:
        return None
    line = shuffled(test.seed, "lines 0", lines)[number]
    return MushraTrial(number, line, shuffled(test.seed, f"order {number}", test.plan.columns))


def rated(test: MushraTest, shown: Sequence[int], ms: int = 0) -> MushraTest:
    """The test with the ratings of its current trial, in the order in which the sounds stand. Raises ValueError for what cannot be."""
    trial = trial_of(test)
    if trial is None or len(shown) != len(trial.order) or not all(0 <= value <= HIGHEST for value in shown):
        raise ValueError("ratings")
    values = tuple(value for _, value in sorted(zip(trial.order, shown, strict=True)))
    return replace(test, ratings=(*test.ratings, Rating(trial, values, ms)))


def taken_back(test: MushraTest) -> MushraTest:
    """The test without its last ratings. Raises ValueError where it has none, or has ended."""
    if not test.ratings or trial_of(test) is None:
        raise ValueError("nothing to take back")
    return replace(test, ratings=test.ratings[:-1])
