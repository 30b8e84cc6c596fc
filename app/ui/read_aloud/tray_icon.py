"""The icon in the system's tray, with the menu that reads aloud while the window is out of sight."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.common.language import localize
from app.ui.read_aloud.read_aloud_player import ReadAloudPlayer
from app.ui.theme.theme import draw_icon

MAX_SHOWN_TEXT_CHARS = 24


class TrayIcon(QObject):
    """Shows the icon from its creation until it is closed.

    Signals:
        read_requested(): the clipboard is to be read.
        text_requested(str): this earlier text is to be read again.
        window_requested(), quit_requested(): the window is to be shown; the program is to end.
    """

    read_requested = Signal()
    text_requested = Signal(str)
    window_requested = Signal()
    quit_requested = Signal()

    def __init__(self, parent: QObject, player: ReadAloudPlayer) -> None:
        super().__init__(parent)
        self._player = player
        # Without a parent: a menu of the window would be drawn inside it on some desktops.
        self.menu = QMenu()
        self.read = self._add_command(localize("クリップボードを読み上げる", "Read clipboard"), self.read_requested)
        self.pause = self._add_command("", player.pause_or_resume)
        self.stop = self._add_command(localize("停止", "Stop"), player.stop_reading)
        self.last = self.menu.addMenu(localize("最近読み上げたテキスト", "Last texts"))
        self.last.aboutToShow.connect(self._list_last_texts)
        self.menu.addSeparator()
        self._add_command(localize("ウィンドウを開く", "Open window"), self.window_requested)
        self._add_command(localize("終了", "Quit"), self.quit_requested)
        self.icon = QSystemTrayIcon(draw_icon("koebako"), self)
        self.icon.setToolTip("Koebako")
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._open_window)
        player.changed.connect(self._update_menu)
        self._update_menu()
        self.icon.show()

    def close(self) -> None:
        """Remove the icon."""
        self.icon.hide()
        self.menu.deleteLater()
        self.deleteLater()

    def show_message(self, message: str) -> None:
        """Show a message at the icon."""
        self.icon.showMessage("Koebako", message)

    def _add_command(self, text: str, called: object) -> QAction:
        action = self.menu.addAction(text)
        action.triggered.connect(called)
        return action

    @Slot()
    def _update_menu(self) -> None:
        is_paused = self._player.is_paused
        self.pause.setText(localize("再開", "Resume") if is_paused else localize("一時停止", "Pause"))
        self.pause.setEnabled(self._player.is_on)
        self.stop.setEnabled(self._player.is_on)
        self.last.setEnabled(bool(self._player.last_texts))

    @Slot()
    def _list_last_texts(self) -> None:
        self.last.clear()
        for text in self._player.last_texts:
            action = self.last.addAction(shorten_text(text).replace("&", "&&"))
            action.triggered.connect(lambda _checked=False, text=text: self.text_requested.emit(text))

    @Slot(QSystemTrayIcon.ActivationReason)
    def _open_window(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.window_requested.emit()


def shorten_text(text: str) -> str:
    """Return the beginning of a text in one line, for a menu."""
    line = " ".join(text[: 4 * MAX_SHOWN_TEXT_CHARS].split())
    return line if len(line) <= MAX_SHOWN_TEXT_CHARS else f"{line[:MAX_SHOWN_TEXT_CHARS]}…"
