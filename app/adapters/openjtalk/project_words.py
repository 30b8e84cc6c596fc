"""Words of the open project, which count before the user's own. Kept apart from what uses them: setting them loads no dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryEntry


class ProjectWords:
    """Set when a project opens. After a change, call `forget_user_lexicon`. Where they are alone, the text is read for somebody else, without this user's dictionary."""

    entries: tuple[DictionaryEntry, ...] = ()
    are_alone: bool = False


PROJECT_WORDS = ProjectWords()
