"""A view of a report: the machine, a table for each kind of rows, the details of the selected row, and the picture."""

import math
from collections.abc import Iterable

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QImageWriter,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QHeaderView,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.bench.svg_picture import DARK_COLORS, PAPER, convert_to_dark
from app.common.errors import InternalError
from app.common.language import localize
from app.lab.report_rows import EMPTY_VALUES, Row
from app.lab.row_labels import TABLE_SPLIT_COLUMNS, format_column, format_identifier, format_kind, name_table
from app.ui.lab.lab_commands import LabReport, localize_device
from app.ui.lab.row_table import LabRowTable, format_column_value, is_number, use_even_digits
from app.ui.theme.theme import ThemedWidget
from app.ui.widgets.controls import ElidedLabel, fill_box, wrap_tip

MACHINE_KIND = "machine"
TABLE_AND_DETAILS_WIDTHS_PX = (640, 300)
NAME, VALUE = range(2)
VALUE_MARGINS, MOST_HEIGHT = 12, 400  # pixels: the margins of a value, and its greatest height
MAX_DETAIL_ITEMS = 2000  # longer lists and mappings are cut here; the exported files have all of their items

DARK_THEME_LIGHTNESS = 128  # on Qt's lightness scale of 0 to 255, a base colour below this means a dark theme
MARGIN, RADIUS = 12, 8  # pixels
MAX_PICTURE_SCALE = 1.5  # beyond this scale lines only become thicker
PNG_SCALE = 2  # exported pixels for each pixel of the drawing, so that text stays sharp
MAX_PNG_SIDE_PX = 16_000


class RowDetails(QTreeWidget):
    """A tree of the names and values of one row."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("choices")
        self.setAccessibleName(localize("選んだ行の詳細", "Details of the selected row"))
        self.setToolTip(localize("選んだ行の内容です。Ctrl+C でコピーします。", "What the selected row holds; Ctrl+C copies it."))
        self.setHeaderLabels([localize("項目", "Name"), localize("値", "Value")])
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.setIndentation(14)
        self.setWordWrap(True)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        # Wrapped values change their height with the column's width, which Qt does not notice by itself.
        header.sectionResized.connect(lambda *_sizes: self.scheduleDelayedItemsLayout())
        self.setItemDelegateForColumn(VALUE, _WrappingDelegate(self))

    def show_row(self, row: Row) -> None:
        """Show another row, with its lists expanded and without empty values."""
        self.clear()
        for name, value in row.items():
            if name != "type" and value not in EMPTY_VALUES:
                self._add_item(self.invisibleRootItem(), format_column(name), value, name)
        self.expandAll()
        self._fit_name_column()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width, names first."""
        super().resizeEvent(event)
        self._fit_name_column()

    def _fit_name_column(self) -> None:
        self.resizeColumnToContents(NAME)
        self.setColumnWidth(NAME, min(self.columnWidth(NAME), self.width() * 3 // 5))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected items on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(f"{item.text(NAME)}\t{item.text(VALUE)}" for item in self.selectedItems()))
        else:
            super().keyPressEvent(event)

    def _add_item(self, parent: QTreeWidgetItem, name: str, value: object, column: str = "", *, is_right_aligned: bool = False) -> None:
        item = QTreeWidgetItem(parent, [name])
        inside = list(_list_items(value))
        if inside:
            item.setText(VALUE, localize(f"{len(inside):,} 件", f"{len(inside):,}"))
            figures = all(is_number(part) for _, part in inside)
            for key, part in inside[:MAX_DETAIL_ITEMS]:
                self._add_item(
                    item, str(format_identifier("backend", key)) if column == "assigned" else key, part, is_right_aligned=figures
                )
            return
        text = format_column_value(column, value)
        item.setText(VALUE, text)
        item.setToolTip(VALUE, wrap_tip(text))
        if is_right_aligned:
            item.setTextAlignment(VALUE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setFont(VALUE, use_even_digits(self.font()))


class _WrappingDelegate(QStyledItemDelegate):
    """A delegate that wraps text at the width of its column."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        view = self.parent()
        assert isinstance(view, RowDetails)
        # Qt's own size hint has room for one line only.
        size = super().sizeHint(option, index)
        room = view.columnWidth(VALUE) - VALUE_MARGINS
        text = str(index.data() or "")
        if view.fontMetrics().horizontalAdvance(text) <= room:
            return size
        needed = view.fontMetrics().boundingRect(QRect(0, 0, max(1, room), MOST_HEIGHT), Qt.TextFlag.TextWordWrap, text)
        return QSize(room, needed.height() + size.height() - view.fontMetrics().height())


class ReportPicture(QScrollArea):
    """A scroll area that shows an SVG as wide as the view; a higher picture scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(localize("結果の図", "Picture of the results"))
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.drawing = _PictureWidget()
        self.setWidget(self.drawing)

    def show_svg(self, svg: str) -> None:
        self.drawing.show_svg(svg)


class _PictureWidget(ThemedWidget, QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self._renderer = QSvgRenderer()
        self._svg = ""
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_svg(self, svg: str) -> None:
        self._svg = svg
        self._renderer.load(QByteArray(apply_theme(svg).encode("utf-8")))
        self.updateGeometry()
        self.update()

    def draw_in_theme(self) -> None:
        if self._svg:
            self.show_svg(self._svg)

    def heightForWidth(self, width: int) -> int:
        return math.ceil(self._compute_size(width).height()) + 2 * MARGIN

    def paintEvent(self, _event: QPaintEvent) -> None:
        size = self._compute_size(self.width())
        if size.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(DARK_COLORS[PAPER] if is_dark_theme() else PAPER))
        target = QRectF(QPointF((self.width() - size.width()) / 2, MARGIN), size)
        painter.drawRoundedRect(target.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN), RADIUS, RADIUS)
        self._renderer.render(painter, target)
        painter.end()

    def _compute_size(self, width: int) -> QSizeF:
        """Return the size (pixels) of the picture in a view of this width."""
        size = QSizeF(self._renderer.defaultSize())
        return size * min(MAX_PICTURE_SCALE, max(0, width - 2 * MARGIN) / max(1.0, size.width()))


def is_dark_theme() -> bool:
    return QGuiApplication.palette().color(QPalette.ColorRole.Base).lightness() < DARK_THEME_LIGHTNESS


def apply_theme(svg: str) -> str:
    """Return a picture, drawn for paper, in the colours of the current theme."""
    return convert_to_dark(svg) if is_dark_theme() else svg


def render_png(svg: str) -> bytes:
    """Render a picture as PNG in its own colours. Raise InternalError where that fails."""
    renderer = QSvgRenderer(QByteArray(svg.encode("utf-8")))
    size = renderer.defaultSize()
    # A very long picture is scaled down: Qt makes a null image where the size is too large.
    scale = min(PNG_SCALE, MAX_PNG_SIDE_PX / max(1, size.width(), size.height()))
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if renderer.isValid() and not image.isNull():
        image.fill(QColor(PAPER))
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        if QImageWriter(buffer, QByteArray(b"PNG")).write(image):
            return bytes(buffer.data().data())
    raise InternalError(localize("図を描けません。", "The picture cannot be drawn."))


class ReportView(QWidget):
    """Shows one report; rows that arrive later are added to their tables.

    Signals:
        row_chosen(Row): Another row is current; {} for none.
    """

    row_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, LabRowTable] = {}  # The tables by kind of rows
        self.report: LabReport | None = None  # What is shown; None before the first report
        self._shown_count = 0
        self.machine = ElidedLabel("")
        self.machine.setObjectName("muted")
        self.kinds = QTabBar()  # The tabs that choose a table or the picture
        self.kinds.setDrawBase(False)
        self.kinds.setExpanding(False)
        self.kinds.setAccessibleName(localize("結果の種類", "Kinds of results"))
        self.kinds.currentChanged.connect(self._show_kind)
        self._stack = QStackedWidget()
        self.details, self.picture = RowDetails(), ReportPicture()
        self._splitter = QSplitter(Qt.Orientation.Horizontal, handleWidth=12, childrenCollapsible=False)
        self._splitter.addWidget(self._stack)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes(list(TABLE_AND_DETAILS_WIDTHS_PX))
        fill_box(QVBoxLayout(self), self.machine, self.kinds, (self._splitter, 1), (self.picture, 1), spacing=6)
        self._show_kind()

    @property
    def current_kind(self) -> str:
        """Return the kind whose table is shown; empty for the picture."""
        return str(self.kinds.tabData(self.kinds.currentIndex()) or "")

    def show_report(self, report: LabReport) -> None:
        """Show a report in its current state."""
        if report is not self.report:
            self._clear_report()
            self.report = report
        # Only the new rows are added: rebuilding the tables would lose the user's selection and sorting.
        fresh, self._shown_count = report.rows[self._shown_count :], len(report.rows)
        tables: dict[str, list[Row]] = {}
        for row in fresh:
            tables.setdefault(name_table(row), []).append(row)
        for kind, rows in tables.items():
            if kind == MACHINE_KIND:
                self._show_machine(rows[-1])
            else:
                self._ensure_table(kind).add_rows(rows)
        if report.picture and self._find_tab("") < 0:
            self.picture.show_svg(report.picture)
            self._add_kind("", localize("図", "Picture"))
        for index in range(self.kinds.count()):
            table = self.tables.get(self.kinds.tabData(index))
            if table is not None:
                self.kinds.setTabText(index, f"{format_kind(self.kinds.tabData(index))} ({table.rows.rowCount():,})")

    def _clear_report(self) -> None:
        for table in self.tables.values():
            self._stack.removeWidget(table)
            table.deleteLater()
        self.tables.clear()
        self._shown_count = 0
        self.details.clear()
        self.row_chosen.emit({})
        self._show_machine({})
        while self.kinds.count():
            self.kinds.removeTab(0)

    def _ensure_table(self, kind: str) -> LabRowTable:
        if kind not in self.tables:
            other_kinds = list(self.tables)
            table = self.tables[kind] = LabRowTable(format_kind(kind), TABLE_SPLIT_COLUMNS.get(kind.partition(":")[0], ""))
            table.chosen.connect(self._show_row)
            self._stack.addWidget(table)
            self._add_kind(kind, format_kind(kind))
            # The first table of the command's own kind comes to the front; later ones must not take the user away.
            if (
                self.report is not None
                and is_main_kind(kind, self.report.command_name)
                and not any(is_main_kind(item, self.report.command_name) for item in other_kinds)
            ):
                self.kinds.setCurrentIndex(self._find_tab(kind))
        return self.tables[kind]

    def _add_kind(self, kind: str, name: str) -> None:
        index = self._find_tab("")
        index = self.kinds.insertTab(index if index >= 0 else self.kinds.count(), name)
        self.kinds.setTabData(index, kind)
        self._show_kind()

    def _find_tab(self, kind: str) -> int:
        return next((index for index in range(self.kinds.count()) if self.kinds.tabData(index) == kind), -1)

    @Slot()
    def _show_kind(self, *_args: object) -> None:
        table = self.tables.get(self.current_kind)
        self._splitter.setVisible(table is not None)
        self.picture.setVisible(table is None and bool(self.kinds.count()))
        if table is not None:
            self._stack.setCurrentWidget(table)
            self._show_row(table.current_row or {})

    @Slot(object)
    def _show_row(self, row: Row) -> None:
        if self.current_kind in self.tables and self.tables[self.current_kind].current_row in (row, None):
            self.details.show_row(row)
            self.row_chosen.emit(row)

    def _show_machine(self, row: Row) -> None:
        self.machine.setText(describe_machine(row))
        self.machine.setToolTip(self.machine.text())
        self.machine.setVisible(bool(row))


def is_main_kind(kind: str, command_name: str) -> bool:
    """Return whether rows of a kind are the main result of a command."""
    return kind.partition(":")[0] == command_name


def describe_machine(row: Row) -> str:
    """Describe the machine of a report in one line."""
    if not row:
        return ""
    threads, backend = row.get("threads"), str(row.get("backend", ""))
    parts = [
        f"ONNX Runtime {row.get('ort', '')}",
        str(row.get("cpu", "")),
        localize(f"{threads} スレッド", f"{threads} threads"),
        # With "all" and the like no single backend is named here: the rows say where each of them ran.
        localize_device(backend) if parse_backend(backend) in BACKENDS else "",
    ]
    busy = localize("。ほかの処理が動作中のため、時間は目安です。", "; the machine was busy, so times are rough") if row.get("busy") else ""
    return localize("、", ", ").join(part for part in parts if part) + busy


def _list_items(value: object) -> Iterable[tuple[str, object]]:
    """Return the items of a list or mapping as (name, value) pairs; empty for other values."""
    if isinstance(value, dict):
        return ((str(name), part) for name, part in value.items())
    if isinstance(value, list):
        return ((_find_title(part) or str(number), part) for number, part in enumerate(value, 1))
    return ()


def _find_title(item: object) -> str:
    """Return the name that an item of a list gives itself, or an empty string."""
    return (
        next((str(item[name]) for name in ("name", "op", "node") if isinstance(item.get(name), str)), "") if isinstance(item, dict) else ""
    )
