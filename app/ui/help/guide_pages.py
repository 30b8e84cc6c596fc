"""The pages of the user guide, Markdown files in `resources/help/LANGUAGE`, and the search in them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from app.common.files.paths import find_resources_dir
from app.common.language import Language, get_language

GUIDE_PAGES = (
    *("window", "reading", "takes", "cast", "dictionary", "projects", "import", "saving", "export"),
    *("voices", "natural_voice", "audition", "blind_tests", "downloads", "backends", "latency", "lab"),
    *("lab-reference", "service", "chat_reader", "agents", "programs", "read_aloud", "settings", "faq"),
    *("keys", "command_line", "project-file", "limits"),
)
"""The names of the pages, in the order of the list."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GuidePage:
    """One page of the guide."""

    name: str
    title: str
    markdown: str


def locate_page(name: str, page_language: Language) -> Path:
    """Return the path of a page."""
    return find_resources_dir() / "help" / page_language / f"{name}.md"


def load_pages() -> tuple[GuidePage, ...]:
    """Return all pages in the current language."""
    texts = {name: locate_page(name, get_language()).read_text(encoding="utf-8") for name in GUIDE_PAGES}
    return tuple(GuidePage(name, text.partition("\n")[0].removeprefix("# "), text) for name, text in texts.items())


def find_spans(text: str, query: str) -> list[Span]:
    """Return the spans of a query's words in a text, ignoring case and width; none unless every word is found."""
    folded, starts = _fold_text(text)
    words = {_fold_text(word)[0] for word in query.split()} - {""}
    spans_by_word = [[match.span() for match in re.finditer(re.escape(word), folded)] for word in words]
    if not all(spans_by_word):
        return []
    return sorted({(starts[start], starts[end - 1] + 1) for spans in spans_by_word for start, end in spans})


def _fold_text(text: str) -> tuple[str, list[int]]:
    """Return the text folded in case and width, and for each folded character the index of its source character."""
    # Characters are folded one by one, because NFKC changes their number and the spans must point into the original.
    folded_chars = [unicodedata.normalize("NFKC", char).casefold() for char in text]
    return "".join(folded_chars), [index for index, folded in enumerate(folded_chars) for _ in folded]
