"""What a report says: the machine above, a table for each kind of rows beside what the selected row holds, and the picture."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.adapters.ort.backends import BACKENDS, backend_of
from app.lab.rows import Row
from app.lab.words import SPLIT_BY, kind_name, table_of
from app.language import localized
from app.ui.lab.part_words import place_name
from app.ui.lab.picture import Picture
from app.ui.lab.row_details import RowDetails
from app.ui.lab.row_table import RowTable
from app.ui.lab.runs import Report
from app.ui.widgets.elided_label import ElidedLabel

MACHINE = "machine"
SHARES = (640, 300)  # pixels of table and details


class Results(QWidget):
    """Shows one report; rows that come later are added where they belong.

    Attributes:
        tables: by kind of rows.
        kinds: which table, or the picture, is shown.

    Signals:
        row_chosen(Row): another row is current; {} for none.
    """

    row_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, RowTable] = {}
        self._report: Report | None = None
        self._shown = 0
        self.machine = ElidedLabel("")
        self.machine.setObjectName("muted")
        self.kinds = QTabBar()
        self.kinds.setDrawBase(False)
        self.kinds.setExpanding(False)
        self.kinds.setAccessibleName(localized("結果の種類", "Kinds of results"))
        self.kinds.currentChanged.connect(self._on_kind)
        self._stack = QStackedWidget()
        self.details, self.picture = RowDetails(), Picture()
        self._both = QSplitter(Qt.Orientation.Horizontal)
        self._both.setHandleWidth(12)
        self._both.setChildrenCollapsible(False)
        self._both.addWidget(self._stack)
        self._both.addWidget(self.details)
        self._both.setStretchFactor(0, 3)
        self._both.setStretchFactor(1, 1)
        self._both.setSizes(list(SHARES))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.machine)
        column.addWidget(self.kinds)
        column.addWidget(self._both, 1)
        column.addWidget(self.picture, 1)
        self._on_kind()

    @property
    def current(self) -> str:
        """The kind whose table is shown; empty for the picture."""
        return str(self.kinds.tabData(self.kinds.currentIndex()) or "")

    def show_report(self, report: Report) -> None:
        """A report as it is now."""
        if report is not self._report:
            self._forget()
            self._report = report
        fresh, self._shown = report.rows[self._shown :], len(report.rows)
        tables: dict[str, list[Row]] = {}
        for row in fresh:
            tables.setdefault(table_of(row), []).append(row)
        for kind, rows in tables.items():
            if kind == MACHINE:
                self._show_machine(rows[-1])
            else:
                self._table(kind).add(rows)
        if report.picture and self._place("") < 0:
            self.picture.show_svg(report.picture)
            self._add_kind("", localized("図", "Picture"))
        for place in range(self.kinds.count()):
            table = self.tables.get(self.kinds.tabData(place))
            if table is not None:
                self.kinds.setTabText(place, f"{kind_name(self.kinds.tabData(place))} ({table.rows.rowCount():,})")

    def _forget(self) -> None:
        for table in self.tables.values():
            self._stack.removeWidget(table)
            table.deleteLater()
        self.tables.clear()
        self._shown = 0
        self.details.clear()
        self.row_chosen.emit({})
        self._show_machine({})
        while self.kinds.count():
            self.kinds.removeTab(0)

    def _table(self, kind: str) -> RowTable:
        if kind not in self.tables:
            others = list(self.tables)
            table = self.tables[kind] = RowTable(kind_name(kind), SPLIT_BY.get(kind.partition(":")[0], ""))
            table.chosen.connect(self._on_chosen)
            self._stack.addWidget(table)
            self._add_kind(kind, kind_name(kind))
            if (
                self._report is not None
                and is_main(kind, self._report.part)
                and not any(is_main(item, self._report.part) for item in others)
            ):
                self.kinds.setCurrentIndex(self._place(kind))
        return self.tables[kind]

    def _add_kind(self, kind: str, name: str) -> None:
        place = self._place("")
        place = self.kinds.insertTab(place if place >= 0 else self.kinds.count(), name)
        self.kinds.setTabData(place, kind)
        self._on_kind()

    def _place(self, kind: str) -> int:
        return next((place for place in range(self.kinds.count()) if self.kinds.tabData(place) == kind), -1)

    @Slot()
    def _on_kind(self, *_place: object) -> None:
        table = self.tables.get(self.current)
        self._both.setVisible(table is not None)
        self.picture.setVisible(table is None and bool(self.kinds.count()))
        if table is not None:
            self._stack.setCurrentWidget(table)
            self._on_chosen(table.current or {})

    @Slot(object)
    def _on_chosen(self, row: Row) -> None:
        if self.current in self.tables and self.tables[self.current].current in (row, None):
            self.details.show_row(row)
            self.row_chosen.emit(row)

    def _show_machine(self, row: Row) -> None:
        self.machine.setText(machine_words(row))
        self.machine.setToolTip(self.machine.text())
        self.machine.setVisible(bool(row))


def is_main(kind: str, part: str) -> bool:
    """Whether rows of a kind are what the part is for."""
    return kind.partition(":")[0] == part


def machine_words(row: Row) -> str:
    """What a report was made on, in one line."""
    if not row:
        return ""
    threads, backend = row.get("threads"), str(row.get("backend", ""))
    parts = [
        f"ONNX Runtime {row.get('ort', '')}",
        str(row.get("cpu", "")),
        localized(f"{threads} スレッド", f"{threads} threads"),
        place_name(backend) if backend_of(backend) in BACKENDS else "",  # the rows say where each of them ran
    ]
    busy = (
        localized("。ほかの処理が動作中のため、時間は目安です。", "; the machine was busy, so times are rough") if row.get("busy") else ""
    )
    return localized("、", ", ").join(part for part in parts if part) + busy
