"""A bar for the candidate of the selected row: compare it in a blind test, or install it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.common.language import localize
from app.lab.optimise.candidate_slot import AS_IT_CAME, PREPARED, find_slot
from app.lab.report_rows import Row
from app.lab.row_labels import format_candidate
from app.ui.widgets.elided_text import ElidedLabel


class CandidateBar(QWidget):
    """A bar that is shown with the table of candidates.

    Signals:
        hear_requested(Row), install_requested(Row): The candidate of this row is to be compared or installed.
    """

    hear_requested = Signal(object)
    install_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row: Row = {}
        self.name = ElidedLabel("")
        self.hear = _create_button(
            localize("ブラインドテスト…", "Blind test…"),
            localize(
                "この候補と元のグラフを、名前を隠して聞き比べます。", "Compares this candidate and the exact graph by ear, names hidden."
            ),
        )
        self.install = _create_button(localize("組み込む", "Install"), "")
        self.hear.clicked.connect(lambda: self.hear_requested.emit(self._row))
        self.install.clicked.connect(lambda: self.install_requested.emit(self._row))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self.hear)
        row.addWidget(self.install)
        self.show_row({})

    def show_row(self, row: Row, problem: str = "") -> None:
        """Show another row ({} hides the bar), and the problem why nothing can be installed into this source."""
        self._row = row
        graph, candidate = str(row.get("graph", "")), str(row.get("candidate", ""))
        # The graph as it came has nothing to be compared with, and a candidate without a speedup was not measured.
        is_measured = candidate not in ("", AS_IT_CAME) and row.get("speedup") is not None
        self.setVisible(bool(row))
        self.name.setText(f"{graph}: {format_candidate(candidate)}" if candidate else "")
        self.hear.setEnabled(is_measured and candidate != PREPARED)
        slot = find_slot(graph, candidate) if is_measured else None
        why = problem or (
            "" if slot is not None else localize("この種類の候補は組み込めません。", "This kind of candidate cannot be installed.")
        )
        self.install.setEnabled(not why)
        what = {"int8": localize("int8 の BERT", "int8 BERT"), "fast": localize("高速な音声", "Fast sound")}.get(slot or "", "")
        passes = localize(
            f"検査に合格すれば、{what}として使えるようにします。", f"Installs it as the {what} if it passes the usual checks."
        )
        again = localize(f"{what}の代わりに、元のグラフに戻します。", f"Goes back to the exact graph, without an {what}.")
        self.install.setToolTip(why or (again if candidate == PREPARED else passes))


def _create_button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    return button
