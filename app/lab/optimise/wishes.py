"""What is asked of `optimise`: which candidates, how long they are measured, and which one is kept."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import InputError
from app.lab.repeats import Repeats
from app.language import localized


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked for.

    Attributes:
        only: names of candidates; empty: all.
        graph: the only one that candidates stand for; None: all.
        keep: the one that is written to `folder`; None: none is.
        repeats: of each comparison of time.
        by_group: see `general_candidates`.
        base, texts: see `bert_candidates`.
    """

    only: Sequence[str] = ()
    graph: str | None = None
    keep: str | None = None
    folder: Path | None = None
    repeats: Repeats = field(default_factory=Repeats)
    by_group: bool = False
    base: Path | None = None
    texts: Sequence[str] = ()

    def want(self, candidate: str) -> bool:
        """Whether a candidate of this name is measured."""
        return not self.only or candidate in (*self.only, self.keep)

    def check_names(self, known: Set[str]) -> None:
        """Raises InputError where a candidate that was named does not exist."""
        named = [*self.only, *([self.keep] if self.keep else [])]
        unknown = next((name for name in named if name not in known), None)
        if unknown is None:
            return
        available = localized("使用できるもの: ", "Available: ") + ", ".join(sorted(known))
        raise InputError(
            localized(f"候補「{unknown}」はありません。", f"There is no candidate “{unknown}”."),
            available if known else localized("候補はありません。", "There are none."),
        )
