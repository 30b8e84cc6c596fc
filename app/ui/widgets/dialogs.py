"""Asks for files, at first in the folder of the last one of its kind, and questions, and holds dialogs while they are open."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QSize, QStandardPaths, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMessageBox, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.widgets.containers import wrap_in_scroll_area
from app.ui.widgets.controls import fill_box

CLOSE_KEY = "Ctrl+W"
USUAL_LINE_PX = 20  # height of a line of the usual text, for which the sizes of dialogs are made
SCREEN_MARGINS = QSize(40, 80)  # these pixels of the screen stay free, for the title bar and the desktop's panels

_last_folders: dict[str, str] = {}

ButtonRole = QMessageBox.ButtonRole

HeldDialog = TypeVar("HeldDialog", bound=QDialog)


def ask_for_files(parent: QWidget | None, title: str, name_filter: str) -> list[Path]:
    """Return the files that the user chooses, filtered by `name_filter` in Qt's syntax; none if the user cancels."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, _find_start_folder(name_filter), name_filter)
    files = [Path(name) for name in names]
    if files:
        _last_folders[name_filter] = str(files[0].parent)
    return files


def ask_for_file(parent: QWidget | None, title: str, name_filter: str) -> Path | None:
    """Return the file that the user chooses, or None if the user cancels."""
    name, _ = QFileDialog.getOpenFileName(parent, title, _find_start_folder(name_filter), name_filter)
    if not name:
        return None
    _last_folders[name_filter] = str(Path(name).parent)
    return Path(name)


def ask_for_folder(parent: QWidget | None, title: str, start: str = "") -> str:
    """Return the folder that the user chooses, or an empty text if the user cancels."""
    return QFileDialog.getExistingDirectory(parent, title, start)


def ask_for_new_file(parent: QWidget, title: str, name: str) -> Path | None:
    """Return the file to write that the user chooses, or None if the user cancels.

    Args:
        name: the offered name; its suffix is appended where the user types none.
    """
    suffix = Path(name).suffix
    chosen, _ = QFileDialog.getSaveFileName(parent, title, str(Path.home() / name), f"{suffix[1:].upper()} (*{suffix})")
    if not chosen:
        return None
    return Path(chosen) if Path(chosen).suffix else append_suffix(Path(chosen), suffix)


def _find_start_folder(name_filter: str) -> str:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return _last_folders.get(name_filter) or (documents if Path(documents).is_dir() else str(Path.home()))


def append_suffix(file: Path, suffix: str) -> Path:
    """Return the file with a suffix behind its name, and with a number before it if that name is taken, also by a link to nowhere.

    A file dialog has asked about the name as it was typed, and about no other.
    """
    appended, number = file.with_name(file.name + suffix), 1
    while os.path.lexists(appended):
        number += 1
        appended = file.with_name(f"{file.name} {number}{suffix}")
    return appended


def add_close_key(window: QWidget, close_window: Callable[[], object]) -> None:
    """Let CLOSE_KEY close a window."""
    QShortcut(QKeySequence(CLOSE_KEY), window).activated.connect(lambda: close_window())


def compute_text_scale(widget: QWidget) -> float:
    """Return how much higher the lines of a widget are than those of the usual text, at least 1."""
    return max(1.0, widget.fontMetrics().lineSpacing() / USUAL_LINE_PX)


class ClosableDialog(QDialog):
    """A window of its own, which closes by Esc, as all dialogs of Qt do, and by Ctrl+W, as by its title bar."""

    def __init__(self, parent: QWidget | None = None, flags: Qt.WindowType = Qt.WindowType.Dialog) -> None:
        super().__init__(parent, flags)
        add_close_key(self, self.close)
        self._was_shown = self._is_scrolled = False

    def showEvent(self, event: QShowEvent) -> None:
        """Widen the window for large text at first, and keep its title bar and its buttons on the screen."""
        room = self.screen().availableSize() - SCREEN_MARGINS
        scale = 1.0 if self._was_shown else compute_text_scale(self)
        self._was_shown = True
        self._scroll_if_needed()
        layout, smallest = self.layout(), (self.minimumSize() * scale).boundedTo(room)
        needed = QSize() if layout is None else layout.totalMinimumSize()
        # Only what was set by hand: the layout sets the rest, and raises it when a part of the dialog opens.
        if self.minimumWidth() > needed.width():
            self.setMinimumWidth(smallest.width())
        if self.minimumHeight() > needed.height():
            self.setMinimumHeight(smallest.height())
        if not self.isMaximized():
            self.resize((self.size() * scale).boundedTo(room))
        super().showEvent(event)

    def event(self, event: QEvent) -> bool:
        """Follow the size that the content needs."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._was_shown:
            self._scroll_if_needed()
        return handled

    def _scroll_if_needed(self) -> None:
        """Put everything into a scroll area where the screen is too small for it, as one of 1280×720 at a scale of 200 %."""
        layout, room = self.layout(), self.screen().availableSize() - SCREEN_MARGINS
        if self._is_scrolled or layout is None or layout.totalMinimumSize().boundedTo(room) == layout.totalMinimumSize():
            return
        self._is_scrolled = True
        focused, content = self.focusWidget(), QWidget()
        content.setLayout(layout)
        area = wrap_in_scroll_area(content)
        fill_box(QVBoxLayout(self), area)
        area.show()  # a layout shows what is added to a visible window in the next turn only
        self.setMinimumSize(self.minimumSize().boundedTo(room))
        self.resize(self.size().boundedTo(room))
        if focused is not None:
            focused.setFocus()


@dataclass(frozen=True, slots=True)
class DialogButton:
    """A button of a question."""

    label: str
    role: ButtonRole
    on_click: Callable[[], object]
    tooltip: str = ""  # the tool tip; empty for the label
    is_default: bool = False


def show_question(
    parent: QWidget, title: str, texts: tuple[str, str], buttons: Sequence[DialogButton], cancel_tooltip: str = ""
) -> QMessageBox:
    """Show the question and return at once; the chosen button's `on_click` is called, "Cancel" calls nothing.

    Args:
        texts: the question and the effects of the answers, as plain text.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(texts[0])
    box.setInformativeText(texts[1])
    for answer in buttons:
        button = box.addButton(answer.label, answer.role)
        button.setToolTip(answer.tooltip or answer.label)
        button.clicked.connect(lambda _checked=False, call=answer.on_click: call())
        if answer.is_default:
            box.setDefaultButton(button)
    cancel = box.addButton(localize("キャンセル", "Cancel"), ButtonRole.RejectRole)
    cancel.setToolTip(cancel_tooltip or cancel.text())
    box.setEscapeButton(cancel)
    if all(answer.role is ButtonRole.DestructiveRole for answer in buttons):
        # With Cancel as default button, Enter alone deletes nothing.
        box.setDefaultButton(cancel)
    box.open()
    return box


def ask_for_number(
    parent: QWidget, texts: tuple[str, str, str], bounds: tuple[int, int], value: int, on_chosen: Callable[[int], object]
) -> None:
    """Ask for a whole number within bounds, and pass it to `on_chosen`.

    Args:
        texts: the title, what the number is, and the word on the button.
        value: the number that is offered.
    """
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setWindowTitle(texts[0])
    dialog.setLabelText(texts[1])
    dialog.setOkButtonText(texts[2])
    dialog.setCancelButtonText(localize("キャンセル", "Cancel"))
    dialog.setIntRange(*bounds)
    dialog.setIntValue(value)
    dialog.intValueSelected.connect(on_chosen)
    add_close_key(dialog, dialog.close)
    dialog.open()


class OpenDialog(Generic[HeldDialog]):
    """An attribute of a class that is a dialog while it is open, and None otherwise; a finished dialog is deleted."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._key = f"_open_{name}"

    def __get__(self, holder: object, _owner: type) -> HeldDialog | None:
        return vars(holder).get(self._key)

    def __set__(self, holder: object, dialog: HeldDialog | None) -> None:
        vars(holder)[self._key] = dialog
        if dialog is not None:
            dialog.finished.connect(lambda: self._forget_dialog(holder, dialog))

    def _forget_dialog(self, holder: object, dialog: HeldDialog) -> None:
        # Another one may have been opened in its place.
        if vars(holder).get(self._key) is dialog:
            del vars(holder)[self._key]
        dialog.deleteLater()


def show_in_front(window: QWidget) -> None:
    """Show a window before all others, and give it the keyboard."""
    window.show()
    window.raise_()
    window.activateWindow()
