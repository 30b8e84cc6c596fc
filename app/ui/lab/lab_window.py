"""The Lab window: the source at the top, below it a tab for each topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QPushButton, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.lab.lab_command_page import LabCommandPage
from app.ui.lab.lab_commands import LabCommand
from app.ui.lab.lab_labels import LAB_TABS, TAB_BY_COMMAND, find_command_labels
from app.ui.lab.source_box import SourceBox
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

SIZE, SMALLEST = (1120, 680), (760, 480)
# These pixels of the screen stay free, for the title bar and the desktop's panels.
SCREEN_MARGINS_PX = (40, 80)
TAB_BUTTON_MARGINS_PX = 28


class LabWindow(QDialog):
    """Shows the lab and emits requests; the controller decides what runs.

    Attributes:
        pages: The pages by command; empty until all are made.
        is_working: Whether a command runs, so that Esc does not close the window.

    Signals:
        file_dropped(str): A file or folder was dropped.
        commands_shown(): All pages are made.
    """

    file_dropped = Signal(str)
    commands_shown = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ラボ", "Lab"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.is_working = False
        self.pages: dict[str, LabCommandPage] = {}
        self._steps: Iterator[None] = iter(())
        self.source, self.banner, self.tabs = SourceBox(), Banner(), QTabWidget()
        self.banner.action.setText(localize("再試行", "Retry"))
        self.banner.action.setToolTip(localize("もう一度読み込みます。", "Loads the parts of the lab again."))
        self.tabs.tabBar().setAccessibleName(localize("調べる内容", "What to look into"))
        self.loading = PlainLabel(localize("読み込み中…", "Loading…"))
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
        self.resize(min(SIZE[0], room.width() - SCREEN_MARGINS_PX[0]), min(SIZE[1], room.height() - SCREEN_MARGINS_PX[1]))

    def show_commands(self, commands: Sequence[LabCommand], devices: Sequence[str]) -> None:
        """Make a page for each command, one at a time."""
        # Together they would block the window for 0.2 s.
        self._steps = self._make_pages(commands, devices)
        self._make_next_page()

    def _make_pages(self, commands: Sequence[LabCommand], devices: Sequence[str]) -> Iterator[None]:
        pages = {}
        for tab, name in LAB_TABS.items():
            inside = [command for command in commands if TAB_BY_COMMAND.get(command.name, "others") == tab]
            switcher = _CommandSwitcher() if len(inside) > 1 else None
            if switcher is not None:
                self.tabs.addTab(switcher, localize(*name))
            for command in inside:
                page = pages[command.name] = LabCommandPage(command, devices)
                # Each where it stays: a move of several pages at once would apply the style sheet to all of their widgets again.
                if switcher is not None:
                    switcher.add_page(page)
                else:
                    self.tabs.addTab(page, localize(*name))
                yield
        pages = {command.name: pages[command.name] for command in commands}
        self.pages = pages
        self.loading.hide()
        self.tabs.show()
        self.commands_shown.emit()

    @Slot()
    def _make_next_page(self) -> None:
        for _ in self._steps:
            QTimer.singleShot(0, self, self._make_next_page)
            return

    def show_command(self, name: str) -> None:
        """Bring a command's page to the front."""
        for place in range(self.tabs.count()):
            widget = self.tabs.widget(place)
            if widget is self.pages[name] or (isinstance(widget, _CommandSwitcher) and widget.show_page(self.pages[name])):
                self.tabs.setCurrentIndex(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore Esc while a command runs, and Enter always."""
        # Esc would discard work of minutes, and Enter would start a run by mistake.
        keeps = event.key() == Qt.Key.Key_Escape and self.is_working
        if not keeps and event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders."""
        if list(_iterate_local_files(event)):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the first dropped file or folder."""
        for file in _iterate_local_files(event):
            self.file_dropped.emit(file)
            event.acceptProposedAction()
            return


class _CommandSwitcher(QWidget):
    """A page of several commands in one tab, with a button for each."""

    def __init__(self) -> None:
        super().__init__()
        self._stack, self._group, self._buttons = QStackedWidget(), QButtonGroup(self), QHBoxLayout()
        self._buttons.setContentsMargins(14, 10, 14, 0)
        self._buttons.setSpacing(6)
        self._buttons.addStretch(1)
        self._group.idClicked.connect(self._stack.setCurrentIndex)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._buttons)
        column.addWidget(self._stack, 1)

    def add_page(self, page: LabCommandPage) -> None:
        """Add a page and its button behind those that are here; the first one is shown."""
        words = find_command_labels(page.command)
        button = QPushButton(words.name)
        button.setObjectName("small")
        button.setCheckable(True)
        button.setAutoDefault(False)
        button.setToolTip(words.about)
        place = self._stack.addWidget(page)
        self._group.addButton(button, place)
        self._buttons.insertWidget(place, button)
        button.setChecked(place == 0)
        button.ensurePolished()
        bold = QFont(button.font())
        # The chosen button is bold: measured so, no button changes its width when it is chosen.
        bold.setBold(True)
        button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(words.name) + TAB_BUTTON_MARGINS_PX)

    def show_page(self, page: LabCommandPage) -> bool:
        """Bring a page to the front and return True, if it is one of these."""
        place = self._stack.indexOf(page)
        if place >= 0:
            self._stack.setCurrentIndex(place)
            self._group.button(place).setChecked(True)
        return place >= 0


def _iterate_local_files(event: QDropEvent) -> Iterator[str]:
    return (url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
