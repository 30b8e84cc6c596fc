"""Names that every file system takes, and that nothing else has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from itertools import count

from app.export.pattern import FORBIDDEN, TAKE
from app.json_text import DISTURBING

LONGEST_BYTES = 255
_ROOM_BYTES = 24  # of a name, for the longest suffix and a number
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
_TAKE = f"${TAKE}$"


def safe_stem(stem: str, instead: str = "koebako") -> str:
    """A name without its suffix: composed letters, no longer than file systems take, no device of Windows, not hidden.

    Args:
        instead: where nothing is left of it.
    """
    clean = FORBIDDEN.sub("", DISTURBING.sub("", unicodedata.normalize("NFC", stem)))
    cut = clean.encode()[: LONGEST_BYTES - _ROOM_BYTES].decode(errors="ignore")
    cut = cut.strip().lstrip(".").rstrip(". ").lstrip()
    first, dot, rest = cut.partition(".")
    if _DEVICES.fullmatch(first.strip()):
        cut = f"{first.strip()}_{dot}{rest}"
    return cut or instead


def folded(name: str) -> str:
    """Equal for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def free_stem(stem: str, instead: str, taken: Collection[str], exists: Callable[[str], bool]) -> str:
    """A safe name that is not among those taken and not there; `$take$` in it is counted up, or else a number put behind it.

    Args:
        taken: names of this batch, folded.
        exists: whether a file of that name is there.
    """
    return next(name for name in _names(stem, instead) if folded(name) not in taken and not exists(name))


def _names(stem: str, instead: str) -> Iterator[str]:
    first = safe_stem(stem.replace(_TAKE, "1"), instead)
    yield first
    for number in count(2):
        name = safe_stem(stem.replace(_TAKE, str(number)), instead)
        yield name if name != first else f"{first} {number}"
