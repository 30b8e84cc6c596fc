"""Rules for clipboards: which are never read, and which texts are read by themselves while the clipboard is watched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Parts of the names of formats by which password managers mark what they copy, in lower case.
# Qt wraps Windows' names: application/x-qt-windows-mime;value="Clipboard Viewer Ignore".
SECRET_FORMATS = (
    "excludeclipboardcontentfrommonitorprocessing",
    "clipboard viewer ignore",
    "x-kde-passwordmanagerhint",
    "org.nspasteboard.concealedtype",
)
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S+", re.IGNORECASE)
MAX_PROGRAM_NAMES = 100


def is_marked_secret(formats: Iterable[str]) -> bool:
    """Return whether a clipboard with these formats is marked as a password or as not to be monitored."""
    names = [name.lower() for name in formats]
    return any(mark in name for mark in SECRET_FORMATS for name in names)


def is_link(text: str) -> bool:
    """Return whether a text is nothing but addresses."""
    words = text.split()
    return bool(words) and all(_LINK.fullmatch(word) for word in words)


def parse_program_names(text: str) -> frozenset[str]:
    """Return the names of programs that a user listed, with commas or spaces between them, in lower case and without `.exe`."""
    names = [name.strip().lower().removesuffix(".exe") for name in re.split(r"[,;、\s]+", text)]
    return frozenset([name for name in names if name][:MAX_PROGRAM_NAMES])


@dataclass(frozen=True, slots=True)
class ClipboardRules:
    """The rules of the watched clipboard.

    Attributes:
        shortest, longest: characters of a text that is read.
        skip_links: texts that are nothing but addresses are not read.
        skipped_programs: names in lower case of programs whose texts are not read.
    """

    shortest: int = 1
    longest: int = 1000
    skip_links: bool = True
    skipped_programs: frozenset[str] = frozenset()

    def should_read_text(self, text: str, program: str, last_text: str) -> bool:
        """Return whether a text that was copied is read; `program` copied it, and `last_text` was read last."""
        stripped = text.strip()
        if not self.shortest <= len(stripped) <= self.longest or stripped == last_text.strip():
            return False
        if program.lower().removesuffix(".exe") in self.skipped_programs:
            return False
        return not (self.skip_links and is_link(stripped))
