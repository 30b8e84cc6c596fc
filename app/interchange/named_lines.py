"""A line as scripts hold it that name who speaks."""

from __future__ import annotations

import re
from typing import NamedTuple

_MADE_ID = re.compile("[0-9a-f]{12}")


class NamedLine(NamedTuple):
    """A line as a script of other programs has it: `name` is who speaks, empty for narration, and `text` has no line breaks."""

    name: str
    text: str
    id: str = ""


def is_made_id(line_id: str) -> bool:
    """Return whether an id was made here: it names nothing in other programs."""
    return _MADE_ID.fullmatch(line_id) is not None
