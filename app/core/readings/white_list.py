"""Words, as written or in their base form, that the second analyser knows better than the first."""

from __future__ import annotations

WHITE_LIST = frozenset(["互に", "起き上る"])
