"""The Lab window: what is looked into above, a tab for each question below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QPushButton, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from app.language import localized
from app.ui.lab.part_page import PartPage
from app.ui.lab.part_words import TAB_OF, TABS, words_of
from app.ui.lab.parts import Part
from app.ui.lab.source_box import SourceBox
from app.ui.plain_text import PlainLabel
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

SIZE, SMALLEST = (1120, 680), (760, 480)
BESIDES = (40, 80)  # pixels of the screen that are left free
BUTTON_MARGINS = 28  # pixels beside the name of a part


class LabWindow(QDialog):
    """Shows; what is run is decided elsewhere.

    Attributes:
        pages: by part; none until all are there.
        is_working: something runs, so that Esc does not close the window.

    Signals:
        dropped(str): a file or folder was dropped.
        parts_shown(): all pages are there.
    """

    dropped = Signal(str)
    parts_shown = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("ラボ", "Lab"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.is_working = False
        self.pages: dict[str, PartPage] = {}
        self._steps: Iterator[None] = iter(())
        self.source, self.banner, self.tabs = SourceBox(), Banner(), QTabWidget()
        self.banner.action.setText(localized("再試行", "Retry"))
        self.banner.action.setToolTip(localized("もう一度読み込みます。", "Loads the parts of the lab again."))
        self.tabs.tabBar().setAccessibleName(localized("調べる内容", "What to look into"))
        self.loading = PlainLabel(localized("読み込み中…", "Loading…"))
        self.loading.setObjectName("muted")
        self.loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tabs.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        column.addWidget(self.source)
        column.addWidget(self.banner)
        column.addWidget(self.loading, 1)
        column.addWidget(self.tabs, 1)
        self.setMinimumSize(*SMALLEST)
        room = self.screen().availableSize()
        self.resize(min(SIZE[0], room.width() - BESIDES[0]), min(SIZE[1], room.height() - BESIDES[1]))

    def show_parts(self, parts: Sequence[Part], places: Sequence[str]) -> None:
        """Makes a page for each part, one at a time: together they would hold up the program for a fifth of a second."""
        self._steps = self._make_pages(parts, places)
        self._step()

    def _make_pages(self, parts: Sequence[Part], places: Sequence[str]) -> Iterator[None]:
        pages = {}
        for part in parts:
            pages[part.name] = PartPage(part, places)
            yield
        for tab, name in TABS.items():
            inside = [page for page in pages.values() if TAB_OF.get(page.part.name, "others") == tab]
            if inside:
                self.tabs.addTab(inside[0] if len(inside) == 1 else _PartChoice(inside), localized(*name))
                yield
        self.pages = pages
        self.loading.hide()
        self.tabs.show()
        self.parts_shown.emit()

    @Slot()
    def _step(self) -> None:
        for _ in self._steps:
            QTimer.singleShot(0, self, self._step)
            return

    def show_part(self, name: str) -> None:
        """Brings a part to the front."""
        for place in range(self.tabs.count()):
            widget = self.tabs.widget(place)
            if widget is self.pages[name] or (isinstance(widget, _PartChoice) and widget.show_page(self.pages[name])):
                self.tabs.setCurrentIndex(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc would throw away work of minutes; Enter starts nothing by mistake."""
        keeps = event.key() == Qt.Key.Key_Escape and self.is_working
        if not keeps and event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file or folder is welcome."""
        if list(_local(event)):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Hands the first one on."""
        for file in _local(event):
            self.dropped.emit(file)
            event.acceptProposedAction()
            return


class _PartChoice(QWidget):
    """Several parts in one tab, with a button for each."""

    def __init__(self, pages: Sequence[PartPage]) -> None:
        super().__init__()
        self._stack, self._group = QStackedWidget(), QButtonGroup(self)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(14, 10, 14, 0)
        buttons.setSpacing(6)
        for place, page in enumerate(pages):
            words = words_of(page.part)
            button = QPushButton(words.name)
            button.setObjectName("small")
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setToolTip(words.about)
            button.ensurePolished()
            bold = QFont(button.font())
            bold.setBold(True)  # as it is while it is chosen
            button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(words.name) + BUTTON_MARGINS)
            self._group.addButton(button, place)
            buttons.addWidget(button)
            self._stack.addWidget(page)
        buttons.addStretch(1)
        self._group.idClicked.connect(self._stack.setCurrentIndex)
        self._group.button(0).setChecked(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(buttons)
        column.addWidget(self._stack, 1)

    def show_page(self, page: PartPage) -> bool:
        """Brings it to the front, if it is among them."""
        place = self._stack.indexOf(page)
        if place >= 0:
            self._stack.setCurrentIndex(place)
            self._group.button(place).setChecked(True)
        return place >= 0


def _local(event: QDropEvent) -> Iterator[str]:
    return (url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
