"""Takes: renderings of lines that are kept, each with all that it was made of. Frozen values and pure edits, as the script is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.core.limits import SEED_BOUNDS
from app.core.script import Line, LineSettings, new_id
from app.core.types import Overrides

HIGHEST_RATING = 5
LONGEST_NOTE = 2_000
MOST_TAKES = 10_000
_SOUND_NAME = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Take:
    """One rendering of a line.

    Attributes:
        line: id of the line; it may be gone.
        text, settings, overrides: of the line as it was rendered; the seed is the one that was heard, locked or not.
        sound: SHA-256 of the kept file in 64 hex digits, which is also its name; empty where the sound was not kept.
        length_s: of the sound.
        size: bytes of the kept file.
        starred: is kept whatever happens.
        rating: 1 to 5; 0 is none.
    """

    line: str
    text: str = ""
    settings: LineSettings = field(default_factory=LineSettings)
    overrides: Overrides = field(default_factory=Overrides)
    sound: str = ""
    length_s: float = 0.0
    size: int = 0
    starred: bool = False
    rating: int = 0
    note: str = ""
    id: str = field(default_factory=new_id)


def is_sound_name(value: object) -> bool:
    """Whether it can be the name of a kept sound: nothing else is ever joined to a path."""
    return isinstance(value, str) and _SOUND_NAME.fullmatch(value) is not None


def take_of(line: Line, sound: str = "", length_s: float = 0.0, size: int = 0) -> Take:
    """The take of a line as it was rendered."""
    return Take(line.id, line.text, line.settings, line.overrides, sound, length_s, size)


def line_of(take: Take) -> Line:
    """What was rendered."""
    return Line(take.text, take.settings, take.overrides, take.line)


def restored(line: Line, take: Take) -> Line:
    """The line as it was when the take was made; its seed stays locked, or it would sound otherwise."""
    return replace(line, text=take.text, settings=replace(take.settings, seed_locked=True), overrides=take.overrides)


def of_line(takes: Iterable[Take], line_id: str) -> tuple[Take, ...]:
    """The takes of a line, oldest first."""
    return tuple(take for take in takes if take.line == line_id)


def change(takes: tuple[Take, ...], take_id: str, **values: object) -> tuple[Take, ...]:
    """The takes with other values of one of them: a star, a rating, a note. Raises ValueError for a rating that there is not."""
    rating = values.get("rating", 0)
    if not isinstance(rating, int) or not 0 <= rating <= HIGHEST_RATING:
        raise ValueError("rating")
    if isinstance(note := values.get("note"), str):
        values["note"] = note[:LONGEST_NOTE]
    return tuple(replace(take, **values) if take.id == take_id else take for take in takes)  # type: ignore[arg-type]


def without(takes: tuple[Take, ...], ids: Collection[str]) -> tuple[Take, ...]:
    """The takes without these; the sounds stay until the store is swept, so that going back brings them back."""
    return tuple(take for take in takes if take.id not in ids)


def pruned(takes: tuple[Take, ...], most: int, most_bytes: int, used: Collection[str] = ()) -> tuple[Take, ...]:
    """The takes that fit, the oldest going first.

    Starred ones stay, and so do those whose sound is in `used`, as one of a blind test is: they count, but never go. A sound
    that several takes share counts once.
    """
    count, size = 0, 0
    counted: set[str] = set()
    kept: list[Take] = []
    must = [take for take in takes if _stays(take, used)]
    for number, take in enumerate((*must, *(take for take in reversed(takes) if not _stays(take, used)))):
        more = 0 if take.sound in counted else take.size
        if number < len(must) or (count < most and size + more <= most_bytes):
            kept.append(take)
            counted.add(take.sound)
            count, size = count + 1, size + more
    ids = {take.id for take in kept}
    return takes if len(ids) == len(takes) else tuple(take for take in takes if take.id in ids)


def sounds_of(takes: Iterable[Take]) -> frozenset[str]:
    """The names of the sounds that takes need."""
    return frozenset(take.sound for take in takes if take.sound)


def sounds_in(data: object) -> frozenset[str]:
    """The names of sounds anywhere in plain data, as blind tests hold them."""
    if isinstance(data, Mapping):
        return frozenset[str]().union(*map(sounds_in, data.values()))
    if isinstance(data, list | tuple):
        return frozenset[str]().union(*map(sounds_in, data))
    return frozenset((str(data),)) if is_sound_name(data) else frozenset()


def new_seeds(count: int, taken: Iterable[int], draw: Callable[[int, int], int]) -> tuple[int, ...]:
    """Seeds for so many takes more, none of which is taken or occurs twice; `draw` is `random.randint` or its like."""
    known, seeds = set(taken), list[int]()
    while len(seeds) < count:
        seed = draw(int(SEED_BOUNDS.low), int(SEED_BOUNDS.high))
        if seed not in known:
            known.add(seed)
            seeds.append(seed)
    return tuple(seeds)


def _stays(take: Take, used: Collection[str]) -> bool:
    return take.starred or (take.sound != "" and take.sound in used)
