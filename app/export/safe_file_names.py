"""Names that every file system takes, and that nothing else has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from itertools import count

from app.common.files.untrusted_json import DISTURBING_CHARS
from app.export.name_pattern import COUNTER_TOKEN, FORBIDDEN_FILE_NAME_CHARS

MAX_FS_NAME_BYTES = 255
# These bytes of a name are reserved for the longest suffix and a number.
_RESERVED_SUFFIX_BYTES = 24
_WINDOWS_DEVICE_NAME = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
# Of names that other programs act on by themselves where they find them; with one of our suffixes each would be such a file.
_STEMS_OF_OTHER_PROGRAMS = frozenset(
    [
        "package",
        "package-lock",
        "composer",
        "bower",
        "deno",
        "tsconfig",
        "jsconfig",
        "requirements",
        "constraints",
        "cmakelists",
        "robots",
        "desktop",
        "autorun",
    ]
)
_TAKE_TOKEN = f"${COUNTER_TOKEN}$"


def sanitise_stem(stem: str, default: str = "koebako") -> str:
    """Return a name without its suffix: composed letters, no longer than file systems allow, no device of Windows, not hidden,
    and none that another program would take for a file of its own, such as `package.json`.

    Args:
        default: where nothing is left of it.
    """
    clean = FORBIDDEN_FILE_NAME_CHARS.sub("", DISTURBING_CHARS.sub("", unicodedata.normalize("NFC", stem)))
    cut = clean.encode()[: MAX_FS_NAME_BYTES - _RESERVED_SUFFIX_BYTES].decode(errors="ignore")
    cut = cut.strip().lstrip(".").rstrip(". ").lstrip()
    first, dot, rest = cut.partition(".")
    if _WINDOWS_DEVICE_NAME.fullmatch(first.strip()):
        cut = f"{first.strip()}_{dot}{rest}"
    if fold_file_name(cut) in _STEMS_OF_OTHER_PROGRAMS:
        cut += "_"
    return cut or default


def fold_file_name(name: str) -> str:
    """Return a key that is equal for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def find_free_stem(stem: str, default: str, taken: Collection[str], is_existing: Callable[[str], bool]) -> str:
    """Return a safe name that is neither taken nor existing; `$take$` in it is counted up, or else a number is appended.

    Args:
        taken: names of this batch, folded.
        is_existing: whether a file of that name is there.
    """
    return next(name for name in _iterate_names(stem, default) if fold_file_name(name) not in taken and not is_existing(name))


def _iterate_names(stem: str, default: str) -> Iterator[str]:
    first = sanitise_stem(stem.replace(_TAKE_TOKEN, "1"), default)
    yield first
    for number in count(2):
        name = sanitise_stem(stem.replace(_TAKE_TOKEN, str(number)), default)
        yield name if name != first else f"{first} {number}"
