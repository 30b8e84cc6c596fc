"""Options of `optimise`: the candidates, how long they are measured, and which one is kept."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from app.common.errors import InputError
from app.common.language import localize
from app.lab.repeat_rule import Repeats


@dataclass(frozen=True, slots=True)
class OptimiseOptions:
    """Options of a run of `optimise`.

    Attributes:
        only: names of candidates; empty: all.
        graph: the only one that candidates stand for; None: all.
        keep: the one that is written to `folder`; None: none is.
        one_kept: `keep` is for something that takes one graph.
        repeats: of each comparison of time.
        by_group: see `list_general_candidates`.
        base, texts: see `list_bert_candidates`.
    """

    only: Sequence[str] = ()
    graph: str | None = None
    keep: str | None = None
    folder: Path | None = None
    one_kept: bool = False
    repeats: Repeats = field(default_factory=Repeats)
    by_group: bool = False
    base: Path | None = None
    texts: Sequence[str] = ()

    def should_measure(self, candidate: str) -> bool:
        """Return whether a candidate of this name is measured."""
        return not self.only or candidate in (*self.only, self.keep)

    def select_graphs(self, known: Sequence[str]) -> list[str]:
        """Return the requested ones of a subject's graphs; raise InputError if it has none of a name."""
        if self.graph not in (None, *known):
            raise InputError(
                localize(f"グラフ「{self.graph}」はありません。", f"There is no graph “{self.graph}”."),
                localize("使用できるもの: ", "Available: ") + ", ".join(known)
                if known
                else localize("候補はありません。", "There are none."),
            )
        return [graph for graph in known if self.graph in (None, graph)]

    def check_kept_graph(self, graphs: Sequence[str]) -> None:
        """Raise InputError if `keep` needs one graph and could mean several or none."""
        if self.one_kept and len(graphs) != 1:
            raise InputError(
                localize(f"候補「{self.keep}」は 1 つのグラフに絞れません。", f"The candidate “{self.keep}” must stand for one graph."),
                localize("例: ", "For example: ") + "--graph decoder",
            )

    def check_names(self, known: Set[str]) -> None:
        """Raise InputError if a named candidate does not exist."""
        named = [*self.only, *([self.keep] if self.keep else [])]
        unknown = next((name for name in named if name not in known), None)
        if unknown is None:
            return
        available = localize("使用できるもの: ", "Available: ") + ", ".join(sorted(known))
        raise InputError(
            localize(f"候補「{unknown}」はありません。", f"There is no candidate “{unknown}”."),
            available if known else localize("候補はありません。", "There are none."),
        )
