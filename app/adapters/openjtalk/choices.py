"""Settings that decide how texts are read: asked for once, until they are said to have changed."""

from __future__ import annotations

from collections.abc import Callable

from app.settings import Settings, known_settings


class Choice:
    """Whether the user wants something: as the settings say, unless somebody asks otherwise.

    Args:
        as_set: what the settings say.

    Attributes:
        wanted: None is what the settings say.
    """

    def __init__(self, as_set: Callable[[Settings], bool]) -> None:
        self.wanted: bool | None = None
        self._as_set = as_set
        self._known: bool | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether it is wanted."""
        if self.wanted is not None:
            return self.wanted
        if self._known is None:
            self._known = self._as_set(known_settings())
        return self._known

    def forget(self) -> None:
        """The settings have changed: they are asked again."""
        self._known = None


MEMOS = Choice(lambda settings: settings.memos_everywhere)
"""What stands in square brackets is a memo in every text."""
