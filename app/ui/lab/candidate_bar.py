"""What can be done with the candidate of the selected row: hear it in a blind test, install it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.lab.candidate_words import candidate_name
from app.lab.optimise.candidate import AS_IT_CAME, PREPARED
from app.lab.optimise.slot import slot_of
from app.lab.rows import Row
from app.language import localized
from app.ui.widgets.elided_label import ElidedLabel


class CandidateBar(QWidget):
    """Shown with the table of candidates.

    Signals:
        hear_requested(Row), install_requested(Row): the candidate of this row.
    """

    hear_requested = Signal(object)
    install_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row: Row = {}
        self.name = ElidedLabel("")
        self.hear = _button(
            localized("ブラインドテスト…", "Blind test…"),
            localized(
                "この候補と元のグラフを、名前を隠して聞き比べます。", "Compares this candidate and the exact graph by ear, names hidden."
            ),
        )
        self.install = _button(localized("組み込む", "Install"), "")
        self.hear.clicked.connect(lambda: self.hear_requested.emit(self._row))
        self.install.clicked.connect(lambda: self.install_requested.emit(self._row))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self.hear)
        row.addWidget(self.install)
        self.show_row({})

    def show_row(self, row: Row, why_not: str = "") -> None:
        """Another row, {} for none.

        Args:
            why_not: nothing of this source can be changed; empty where it can.
        """
        self._row = row
        graph, candidate = str(row.get("graph", "")), str(row.get("candidate", ""))
        is_measured = candidate not in ("", AS_IT_CAME) and row.get("speedup") is not None
        self.setVisible(bool(row))
        self.name.setText(f"{graph}: {candidate_name(candidate)}" if candidate else "")
        self.hear.setEnabled(is_measured and candidate != PREPARED)
        slot = slot_of(graph, candidate) if is_measured else None
        why = why_not or (
            "" if slot is not None else localized("この種類の候補は組み込めません。", "This kind of candidate cannot be installed.")
        )
        self.install.setEnabled(not why)
        what = {"int8": localized("int8 の BERT", "int8 BERT"), "fast": localized("高速な音声", "Fast sound")}.get(slot or "", "")
        passes = localized(
            f"検査に合格すれば、{what}として使えるようにします。", f"Installs it as the {what} if it passes the usual checks."
        )
        again = localized(f"{what}の代わりに、元のグラフに戻します。", f"Goes back to the exact graph, without an {what}.")
        self.install.setToolTip(why or (again if candidate == PREPARED else passes))


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    return button
