"""Takes: kept renderings of lines, each with everything it was made from. Values are frozen and edits pure, as in the script."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.core.request_limits import SEED_BOUNDS
from app.core.script.script import Line, LineSettings, create_line_id
from app.core.synthesis_types import Overrides

HIGHEST_RATING = 5
LONGEST_NOTE = 2_000
MOST_TAKES = 10_000
_SOUND_NAME = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LineTake:
    """One rendering of a line."""

    line: str  # id of the line; it may be gone
    text: str = ""  # text, settings, overrides: values of the line as it was rendered; the seed is the one that was heard, locked or not
    settings: LineSettings = field(default_factory=LineSettings)
    overrides: Overrides = field(default_factory=Overrides)
    sound: str = ""  # SHA-256 of the kept file in 64 hex digits, which is also its name; empty where the sound was not kept
    length_s: float = 0.0
    size: int = 0
    starred: bool = False  # the take is always kept
    rating: int = 0  # 1 to 5; 0 is none
    note: str = ""
    id: str = field(default_factory=create_line_id)
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none


def is_sound_name(value: object) -> bool:
    """Return True if the value can be the name of a kept sound."""
    # Nothing but such names is ever joined to a path, as takes may come from a stranger's project.
    return isinstance(value, str) and _SOUND_NAME.fullmatch(value) is not None


def create_take(line: Line, sound: str = "", length_s: float = 0.0, size: int = 0) -> LineTake:
    """Return the take of a line as it was rendered."""
    return LineTake(line.id, line.text, line.settings, line.overrides, sound, length_s, size)


def create_line(take: LineTake) -> Line:
    """Return the line that was rendered."""
    return Line(take.text, take.settings, take.overrides, take.line)


def restore_line(line: Line, take: LineTake) -> Line:
    """Return the line as it was when the take was made; its seed stays locked, or it would sound different."""
    return replace(line, text=take.text, settings=replace(take.settings, seed_locked=True), overrides=take.overrides)


def select_line_takes(takes: Iterable[LineTake], line_id: str) -> tuple[LineTake, ...]:
    """Return the takes of a line, oldest first."""
    return tuple(take for take in takes if take.line == line_id)


def change_take(takes: tuple[LineTake, ...], take_id: str, **values: object) -> tuple[LineTake, ...]:
    """Return the takes with other values for one of them: a star, a rating, a note. Raises ValueError for an invalid rating."""
    rating = values.get("rating", 0)
    if not isinstance(rating, int) or not 0 <= rating <= HIGHEST_RATING:
        raise ValueError("rating")
    if isinstance(note := values.get("note"), str):
        values["note"] = note[:LONGEST_NOTE]
    return tuple(replace(take, **values) if take.id == take_id else take for take in takes)  # type: ignore[arg-type]


def remove_takes(takes: tuple[LineTake, ...], ids: Collection[str]) -> tuple[LineTake, ...]:
    """Return the takes without these; their sounds stay until the store is swept, so that undoing brings them back."""
    return tuple(take for take in takes if take.id not in ids)


def prune_takes(takes: tuple[LineTake, ...], most: int, most_bytes: int, used: Collection[str] = ()) -> tuple[LineTake, ...]:
    """Return the takes that fit; the oldest go first.

    Starred takes stay, and so do those whose sound is in `used`, such as those of a blind test: they count, but never go. A sound
    that several takes share counts once.
    """
    count, size = 0, 0
    counted: set[str] = set()
    ids: set[str] = set()
    protected = [take for take in takes if take.starred or (take.sound != "" and take.sound in used)]
    protected_ids = {take.id for take in protected}
    for number, take in enumerate((*protected, *(take for take in reversed(takes) if take.id not in protected_ids))):
        more = 0 if take.sound in counted else take.size
        if number < len(protected) or (count < most and size + more <= most_bytes):
            ids.add(take.id)
            counted.add(take.sound)
            count, size = count + 1, size + more
    return takes if len(ids) == len(takes) else tuple(take for take in takes if take.id in ids)


def list_sounds(takes: Iterable[LineTake]) -> frozenset[str]:
    """Return the names of the sounds that takes need."""
    return frozenset(take.sound for take in takes if take.sound)


def find_sounds(data: object) -> frozenset[str]:
    """Return the names of sounds anywhere in plain data, as blind tests hold them."""
    if isinstance(data, Mapping):
        return frozenset[str]().union(*map(find_sounds, data.values()))
    if isinstance(data, list | tuple):
        return frozenset[str]().union(*map(find_sounds, data))
    return frozenset((str(data),)) if is_sound_name(data) else frozenset()


def draw_seeds(count: int, present_seeds: Iterable[int], draw: Callable[[int, int], int]) -> tuple[int, ...]:
    """Return seeds for `count` more takes, none of which is taken or occurs twice; `draw` is `random.randint` or its like."""
    used_seeds, seeds = set(present_seeds), list[int]()
    while len(seeds) < count:
        seed = draw(int(SEED_BOUNDS.low), int(SEED_BOUNDS.high))
        if seed not in used_seeds:
            used_seeds.add(seed)
            seeds.append(seed)
    return tuple(seeds)
