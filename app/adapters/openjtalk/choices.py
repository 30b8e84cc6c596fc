"""What the user chose of how text is read. Kept apart from what uses it: choosing loads no dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from app.link_reading import LinkReading
from app.settings import Settings, known_settings


@dataclass
class ReadingChoices:
    """Choices that count instead of the remembered settings; None is what these say. After a change, call `forget_choices`."""

    built_in_words: bool | None = None
    links: LinkReading | None = None
    memos_everywhere: bool | None = None


CHOICES = ReadingChoices()


def has_built_in_words() -> bool:
    """Whether the dictionary that ships with the program is used."""
    return _remembered().built_in_words if CHOICES.built_in_words is None else CHOICES.built_in_words


def chosen_links() -> LinkReading:
    """What is read of the address of a page."""
    return CHOICES.links or _remembered().links


def has_memos_everywhere() -> bool:
    """Whether what stands in square brackets is a memo in every text."""
    return _remembered().memos_everywhere if CHOICES.memos_everywhere is None else CHOICES.memos_everywhere


def forget_choices() -> None:
    """The settings have changed: they are asked again."""
    _remembered.cache_clear()


@cache
def _remembered() -> Settings:
    return known_settings()
