"""The user's choices about reading text, and the words of the open project. They are apart from the code that uses them: setting them loads no dictionary."""

from dataclasses import dataclass
from functools import cache

from app.core.text.dictionary_entries import DictionaryEntry
from app.core.text.link_reading import LinkReading
from app.settings.user_settings import Settings, load_usable_settings


@dataclass
class ReadingChoices:
    """Choices that count instead of the remembered settings; None is what these say. After a change, call `clear_reading_choices`."""

    built_in_words: bool | None = None
    links: LinkReading | None = None
    memos_everywhere: bool | None = None


READING_CHOICES = ReadingChoices()


def should_use_built_in_words() -> bool:
    """Return whether the dictionary that ships with the program is used."""
    return _load_settings_once().built_in_words if READING_CHOICES.built_in_words is None else READING_CHOICES.built_in_words


def find_link_reading() -> LinkReading:
    """Return what is read of the address of a page."""
    return READING_CHOICES.links or _load_settings_once().links


def should_find_memos_everywhere() -> bool:
    """Return whether square brackets mark a memo in every text."""
    return _load_settings_once().memos_everywhere if READING_CHOICES.memos_everywhere is None else READING_CHOICES.memos_everywhere


def clear_reading_choices() -> None:
    """Clear the cached choices after the settings have changed."""
    _load_settings_once.cache_clear()


@cache
def _load_settings_once() -> Settings:
    return load_usable_settings()


class ProjectWords:
    """Set when a project opens. After a change, call `forget_user_lexicon`. Where they are alone, the text is read for somebody else, without this user's dictionary."""

    entries: tuple[DictionaryEntry, ...] = ()
    are_alone: bool = False


PROJECT_WORDS = ProjectWords()
