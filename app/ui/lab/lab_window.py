"""The Lab window: the source at the top, below it a tab for each topic."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.lab.lab_command_page import LabCommandPage
from app.ui.lab.lab_commands import LAB_TABS, TAB_BY_COMMAND, LabCommand, find_command_labels
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, create_button, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog, ask_for_file
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES

SIZE, SMALLEST = (1120, 680), (760, 480)
TAB_BUTTON_MARGINS_PX = 28

WIDTH, WIDEST = 340, 680  # the list grows with long file names, up to the second width


class SourceBox(QWidget):
    """A list of installed voices and BERTs, and of files that were chosen.

    Signals:
        changed(): Another source is chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, str] = {}
        self._installed_names: dict[str, str] = {}
        tip = localize("調べる声または BERT を選びます。", "Choose the voice or BERT to look into.")
        self.box = describe_control(ChoiceBox(), localize("声または BERT", "Voice or BERT"), tip)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.setMinimumWidth(WIDTH)
        self.box.setMaximumWidth(WIDEST)
        self.box.setPlaceholderText(localize("読み込み中…", "Loading…"))
        self.box.currentIndexChanged.connect(self.changed)
        tip = localize(
            "追加していない声や BERT のファイルも調べられます。ウィンドウにドラッグ＆ドロップもできます。",
            "A voice or BERT file that is not installed works too; you can also drop it on the window.",
        )
        self.choose_file = create_button(localize("ファイルを選択…", "Choose file…"), tip, self._ask_for_file)
        label = PlainLabel(localize("声または BERT", "Voice or BERT"))
        label.setBuddy(self.box)
        fill_box(QHBoxLayout(self), label, self.box, self.choose_file, None, spacing=8)

    @property
    def source(self) -> str:
        """Return the source as `koebako lab` takes it; empty while there is none."""
        return str(self.box.currentData() or "")

    @property
    def name(self) -> str:
        return self.box.currentText()

    def offer_sources(self, voices: Iterable[CatalogVoice], berts: Iterable[str]) -> None:
        """Offer the installed voices and BERTs; the chosen source is kept."""
        self._installed_names = {find_source(voice): voice.name for voice in voices} | {bert: f"BERT: {bert}" for bert in berts}
        self._fill_list(self.source)

    def choose_source(self, source: str) -> None:
        """Choose an installed voice or BERT, or a file or folder."""
        if source not in self._installed_names:
            self._files[source] = Path(source).name
        self._fill_list(source)

    def _fill_list(self, chosen_source: str) -> None:
        before = self.source
        self.box.blockSignals(True)
        self.box.clear()
        for source, name in self._installed_names.items():
            self.box.addItem(name, source)
        if self._files and self._installed_names:
            self.box.insertSeparator(self.box.count())
        for file, name in self._files.items():
            # Trainers write most models under the same few names, which only the folder distinguishes.
            folder = Path(file).parent.name
            self.box.addItem(f"{name} ({folder})" if folder and [*self._files.values()].count(name) > 1 else name, file)
            self.box.setItemData(self.box.count() - 1, file, Qt.ItemDataRole.ToolTipRole)
        self.box.setCurrentIndex(max(self.box.findData(chosen_source) if chosen_source else 0, 0 if self.box.count() else -1))
        self.box.blockSignals(False)
        # The signals were blocked while the list was filled, so one change is reported for all of it.
        if self.source != before:
            self.changed.emit()

    @Slot()
    def _ask_for_file(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in VOICE_SUFFIXES)
        kinds = localize("声または BERT", "Voices and BERT models") + f" ({endings})"
        file = ask_for_file(self.window(), localize("声または BERT のファイルを選択", "Choose a voice or BERT file"), kinds)
        if file is not None:
            self.choose_source(str(file))


def find_source(voice: CatalogVoice) -> str:
    """Return a voice as `koebako lab` takes it."""
    return str(voice.path) if voice.origin == "aivisspeech" else voice.manifest.id


class LabWindow(ClosableDialog):
    """Shows the lab and emits requests; the controller decides what runs.

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
        self.is_working = False  # Whether a command runs, so that Esc does not close the window
        self.pages: dict[str, LabCommandPage] = {}  # The pages by command; empty until all are made
        self._steps: Iterator[None] = iter(())
        self.source, self.banner, self.tabs = SourceBox(), Banner(), QTabWidget()
        self.banner.action.setText(localize("再試行", "Retry"))
        self.banner.action.setToolTip(localize("もう一度読み込みます。", "Loads the parts of the lab again."))
        self.tabs.tabBar().setAccessibleName(localize("調べる内容", "What to look into"))
        self.loading = PlainLabel(localize("読み込み中…", "Loading…"), "muted")
        self.loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tabs.hide()
        parts = (self.source, self.banner, (self.loading, 1), (self.tabs, 1))
        fill_box(QVBoxLayout(self), *parts, spacing=10, margins=DIALOG_MARGINS)
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)

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
        self.pages = {command.name: pages[command.name] for command in commands}
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
        for index in range(self.tabs.count()):
            widget = self.tabs.widget(index)
            if widget is self.pages[name] or (isinstance(widget, _CommandSwitcher) and widget.show_page(self.pages[name])):
                self.tabs.setCurrentIndex(index)

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
        fill_box(QVBoxLayout(self), self._buttons, (self._stack, 1), spacing=0)

    def add_page(self, page: LabCommandPage) -> None:
        """Add a page and its button behind those that are here; the first one is shown."""
        words = find_command_labels(page.command)
        button = create_button(words.name, words.about, style="small", is_checkable=True)
        index = self._stack.addWidget(page)
        self._group.addButton(button, index)
        self._buttons.insertWidget(index, button)
        button.setChecked(index == 0)
        button.ensurePolished()
        bold = QFont(button.font())
        # The chosen button is bold: measured so, no button changes its width when it is chosen.
        bold.setBold(True)
        button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(words.name) + TAB_BUTTON_MARGINS_PX)

    def show_page(self, page: LabCommandPage) -> bool:
        """Bring a page to the front and return True, if it is one of these."""
        index = self._stack.indexOf(page)
        if index >= 0:
            self._stack.setCurrentIndex(index)
            self._group.button(index).setChecked(True)
        return index >= 0


def _iterate_local_files(event: QDropEvent) -> Iterator[str]:
    return (url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
