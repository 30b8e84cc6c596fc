"""The pages of the user guide: Markdown files in `resources/help`, one folder a language, and the search over them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from app.language import Language, language
from app.paths import resources_dir

PAGES = (
    "window",
    "reading",
    "takes",
    "dictionary",
    "projects",
    "import",
    "saving",
    "export",
    "voices",
    "audition",
    "blind_tests",
    "downloads",
    "backends",
    "latency",
    "lab",
    "lab-reference",
    "service",
    "settings",
    "faq",
    "keys",
    "command_line",
    "project-file",
    "limits",
)
"""In the order of the list."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the guide.

    Attributes:
        name: of its file, without the suffix.
        title: its first heading.
    """

    name: str
    title: str
    markdown: str


def page_file(name: str, of: Language) -> Path:
    """Where a page lies."""
    return resources_dir() / "help" / of / f"{name}.md"


def load_pages() -> tuple[Page, ...]:
    """All pages in the language in use."""
    texts = {name: page_file(name, language()).read_text(encoding="utf-8") for name in PAGES}
    return tuple(Page(name, text.partition("\n")[0].removeprefix("# "), text) for name, text in texts.items())


def find_spans(text: str, query: str) -> list[Span]:
    """Where the words of a query stand in a text, regardless of case and width; none unless every word is there."""
    folded, starts = _folded(text)
    words = {_folded(word)[0] for word in query.split()} - {""}
    found = [[match.span() for match in re.finditer(re.escape(word), folded)] for word in words]
    if not all(found):
        return []
    return sorted({(starts[start], starts[end - 1] + 1) for spans in found for start, end in spans})


def _folded(text: str) -> tuple[str, list[int]]:
    """The text in one case and width, and for each of its characters the index of the one it came from."""
    pieces = [unicodedata.normalize("NFKC", char).casefold() for char in text]
    return "".join(pieces), [index for index, piece in enumerate(pieces) for _ in piece]
