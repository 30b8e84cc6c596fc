"""The fold of what few people ask about a blind test: its method, the figures of its statistics, and the seal of its order."""

from collections.abc import Sequence

from app.common.language import localize
from app.ui.widgets.banner import DetailsView
from app.ui.widgets.containers import FoldingSection
from app.ui.widgets.controls import fill_box


class DetailsFold(FoldingSection):
    """A section with lines to read and copy, closed at first."""

    def __init__(self) -> None:
        tip = localize(
            "方法、数値、並び順を確かめるための値を表示します。", "Shows the method, figures, and what the order can be checked with."
        )
        super().__init__(localize("詳細", "Details"), tip)
        self.view = DetailsView()
        fill_box(self.content, self.view)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show these lines where the section is open."""
        self.view.show_text("\n".join(lines))
        self.view.show()
