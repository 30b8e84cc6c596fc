"""Patterns that few texts have anything for: compiled when a text holds one of the signs they need, for that takes a millisecond each."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class LazyPattern:
    """A regular expression; `signs`: whatever it matches, one of these characters is in the text: in the match, or in what is looked for around it."""

    def __init__(self, signs: str, pattern: str, flags: int = 0) -> None:
        self._signs, self._source, self._flags = frozenset(signs), pattern, flags

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Return the compiled expression."""
        return re.compile(self._source, self._flags)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with every match replaced."""
        return text if self._signs.isdisjoint(text) else self.regex.sub(replacement, text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every match, in order."""
        return iter(()) if self._signs.isdisjoint(text) else self.regex.finditer(text)
