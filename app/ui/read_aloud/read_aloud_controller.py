"""Puts together what reads aloud: the player with its mini player, the tray icon, the key and the watched clipboard.

The clipboard is watched while the user wants it, and texts that the rules let through are read. Windows shows no program what is selected in
another one, so there Ctrl+C is pressed for the user.
"""

import ctypes
import sys
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QClipboard, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from app.adapters.window_requests import ReadRequest
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.core.script.script import LineSettings
from app.settings.user_settings import Settings
from app.ui.read_aloud.clipboard_reader import ClipboardRules, find_active_program, parse_program_names, read_clipboard
from app.ui.read_aloud.hotkeys.hotkey_holder import HotkeyHolder
from app.ui.read_aloud.mini_player import MiniPlayer
from app.ui.read_aloud.read_aloud_player import ReadAloudPlayer
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import draw_icon
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import escape_mnemonic
from app.voices.voice_labels import describe_speaker

KEY_UP = 2
CONTROL_KEY, C_KEY = 0x11, 0x43
HELD_KEYS = (0x10, 0x12, 0x5B, 0x5C)  # Shift, Alt and both Windows keys: held for the hotkey, they would make another key of Ctrl+C
COPY_DELAY_MS = 200  # until the other program has copied; slow ones are given several turns
COPY_TURNS = 4

MAX_SHOWN_TEXT_CHARS = 24


def count_clipboard_changes() -> int:
    """Return Windows' number of the clipboard's content, which grows with every copy, also of the same text; 0 if it is unknown."""
    if sys.platform == "win32":
        return int(ctypes.windll.user32.GetClipboardSequenceNumber())
    return 0


def press_copy_keys() -> None:
    """Press and release Ctrl+C; do nothing on other systems."""
    if sys.platform == "win32":
        press = ctypes.windll.user32.keybd_event
        for key in HELD_KEYS:
            press(key, 0, KEY_UP, 0)
        for key, flags in ((CONTROL_KEY, 0), (C_KEY, 0), (C_KEY, KEY_UP), (CONTROL_KEY, KEY_UP)):
            press(key, 0, flags, 0)


def build_rules(settings: Settings) -> ClipboardRules:
    return ClipboardRules(
        settings.read_shortest, settings.read_longest, settings.read_skip_links, parse_program_names(settings.read_skipped_programs)
    )


class ClipboardWatcher(QObject):
    """Reads the clipboard after each change while it is on.

    Signals:
        copied(str): a text was copied that is to be read.
    """

    copied = Signal(str)

    def __init__(self, parent: QObject, find_program: Callable[[], str]) -> None:
        super().__init__(parent)
        self.find_program = find_program
        self._rules = ClipboardRules()
        self._is_on = False
        self._last_text = ""

    def set_watching(self, is_on: bool, rules: ClipboardRules) -> None:
        """Watch by these rules, or stop; what is on the clipboard already is not read."""
        self._rules = rules
        if is_on == self._is_on:
            return
        self._is_on = is_on
        clipboard = QGuiApplication.clipboard()
        if is_on:
            clipboard.dataChanged.connect(self._check_clipboard)
        else:
            clipboard.dataChanged.disconnect(self._check_clipboard)

    @Slot()
    def _check_clipboard(self) -> None:
        # What our own window copies, such as a line, is not read aloud.
        if QGuiApplication.clipboard().ownsClipboard():
            return
        try:
            text = read_clipboard()
        except InputError:
            return
        if self._rules.should_read_text(text, self.find_program(), self._last_text):
            self._last_text = text
            self.copied.emit(text)


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
        self.icon = QSystemTrayIcon(draw_icon("koebako"), self, toolTip="Koebako")
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._open_window)
        player.changed.connect(self._update_menu)
        self._update_menu()
        self.icon.show()

    def close(self) -> None:
        self.icon.hide()
        self.menu.deleteLater()
        self.deleteLater()

    def show_message(self, message: str) -> None:
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
            action = self.last.addAction(escape_mnemonic(shorten_text(text)))
            action.triggered.connect(lambda _checked=False, text=text: self.text_requested.emit(text))

    @Slot(QSystemTrayIcon.ActivationReason)
    def _open_window(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.window_requested.emit()


def shorten_text(text: str) -> str:
    """Return the beginning of a text in one line, for a menu."""
    line = " ".join(text[: 4 * MAX_SHOWN_TEXT_CHARS].split())
    return line if len(line) <= MAX_SHOWN_TEXT_CHARS else f"{line[:MAX_SHOWN_TEXT_CHARS]}…"


class ReadAloudController(QObject):
    """Follows the settings, and reads what it is asked for.

    Signals:
        window_requested(), quit_requested(): from the menu of the tray icon.
    """

    window_requested = Signal()
    quit_requested = Signal()

    def __init__(
        self,
        window: QWidget,
        *,
        speech: SpeechController,
        settings: SettingsStore,
        catalog: VoiceCatalog,
        banner: Banner,
        find_settings: Callable[[], LineSettings],
    ) -> None:
        super().__init__(window)
        self._settings, self._catalog, self._banner = settings, catalog, banner
        self.player = ReadAloudPlayer(self, speech=speech, settings=settings, find_settings=find_settings)
        self.mini_player = self._create_mini_player()
        self.tray: TrayIcon | None = None
        self.hotkey = HotkeyHolder(self)
        self.watcher = ClipboardWatcher(self, find_active_program)
        self.player.changed.connect(self._show_player)
        for source in (self.player.failed, self.hotkey.failed):
            source.connect(self._show_error)
        self.hotkey.pressed.connect(self.read_by_hotkey)
        self.watcher.copied.connect(self.player.queue_text)
        settings.changed.connect(lambda _before, after: self._apply_settings(after))
        self._apply_settings(settings.value)

    @property
    def has_visible_tray(self) -> bool:
        """Return whether the icon can be seen, so that the window may be closed."""
        return self.tray is not None and QSystemTrayIcon.isSystemTrayAvailable()

    @Slot()
    def read_clipboard(self) -> None:
        """Read the clipboard; show why if that is impossible."""
        self._try_reading(lambda: self.player.speak_text(read_clipboard()))

    @Slot()
    def read_by_hotkey(self) -> None:
        """Read the clipboard or the selection, as the settings say."""
        if self._settings.value.read_source == "clipboard":
            self.read_clipboard()
        elif sys.platform == "win32" and self._settings.value.read_copy:
            change_count = count_clipboard_changes()
            press_copy_keys()
            self._read_copied_later(change_count, COPY_TURNS)
        else:
            self._try_reading(lambda: self.player.speak_text(read_clipboard(QClipboard.Mode.Selection)))

    def handle_request(self, request: ReadRequest) -> None:
        """Read or do what another process asks for; raise InputError if that is impossible."""
        match request.source:
            case "text":
                self.player.speak_text(request.text)
            case "clipboard":
                self.player.speak_text(read_clipboard())
            case "selection":
                self.player.speak_text(read_clipboard(QClipboard.Mode.Selection))
            case "stop":
                self.player.stop_reading()
            case "pause":
                self._require_reading()
                self.player.pause_or_resume()
            case "skip":
                self._require_reading()
                self.player.skip_passage()

    def close(self) -> None:
        """Give back the key, the icon and the thread, and stop."""
        self.hotkey.close()
        self.watcher.set_watching(False, build_rules(self._settings.value))
        self.player.close()
        self.mini_player.hide()
        if self.tray is not None:
            self.tray.close()
            self.tray = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the icons again when the theme has changed."""
        if watched is self.mini_player and event.type() == QEvent.Type.StyleChange:
            self.mini_player.draw_icons()
        return super().eventFilter(watched, event)

    def _create_mini_player(self) -> MiniPlayer:
        # Without a parent: it stays when the window is minimised or hidden.
        mini = MiniPlayer(self.player)
        mini.voice_chosen.connect(lambda voice, speaker: self._settings.change_settings(read_voice=voice, read_speaker=speaker))
        mini.speed_chosen.connect(lambda speed: self._settings.change_settings(read_speed=speed))
        mini.moved.connect(lambda: self._settings.change_settings(read_player_place=mini.save_place()))
        mini.restore_place(self._settings.value.read_player_place)
        mini.installEventFilter(self)
        self._catalog.changed.connect(self._list_voices)
        self.destroyed.connect(mini.deleteLater)
        return mini

    def _read_copied_later(self, change_count: int, turns: int) -> None:
        """Read the clipboard once another program has copied; after so many turns, say that it has not."""

        def look_again() -> None:
            if not change_count or count_clipboard_changes() != change_count:
                self.read_clipboard()
            elif turns > 1:
                self._read_copied_later(change_count, turns - 1)
            else:
                self._show_error(
                    InputError(
                        localize("選択中のテキストがありません。", "No text is selected."),
                        localize("テキストを選択してから、もう一度押してください。", "Select some text, then press the hotkey again."),
                    )
                )

        QTimer.singleShot(COPY_DELAY_MS, self, look_again)

    @Slot()
    def _list_voices(self) -> None:
        speaking_voices = [voice for voice in self._catalog.voices if voice.origin != "aivisspeech"]
        listed = [item for voice in speaking_voices for item in list_speakers(voice)]
        self.mini_player.list_voices(listed, (self._settings.value.read_voice, self._settings.value.read_speaker))

    def _apply_settings(self, settings: Settings) -> None:
        if settings.read_tray and self.tray is None:
            self.tray = self._create_tray()
        elif not settings.read_tray and self.tray is not None:
            self.tray.close()
            self.tray = None
        self.hotkey.choose_key(settings.read_hotkey)
        self.watcher.set_watching(settings.read_watch, build_rules(settings))
        self._list_voices()
        self.mini_player.show_speed(settings.read_speed)

    def _create_tray(self) -> TrayIcon:
        tray = TrayIcon(self, self.player)
        tray.read_requested.connect(self.read_clipboard)
        tray.text_requested.connect(lambda text: self._try_reading(lambda: self.player.speak_text(text)))
        tray.window_requested.connect(self.window_requested)
        tray.quit_requested.connect(self.quit_requested)
        return tray

    def _require_reading(self) -> None:
        if not self.player.is_on:
            message = localize("読み上げ中のテキストがありません。", "Nothing is being read.")
            raise InputError(message, localize("例: koebako read --clipboard", "For example: koebako read --clipboard"))

    def _try_reading(self, read: Callable[[], object]) -> None:
        try:
            read()
        except AppError as error:
            self._show_error(error)

    @Slot()
    def _show_player(self) -> None:
        if self._settings.value.read_player and self.player.is_on and not self.mini_player.isVisible():
            self.mini_player.show()

    @Slot(object)
    def _show_error(self, error: AppError) -> None:
        self._banner.show_message("error", error.message, error.hint, help_page="read_aloud")
        # The window may be out of sight, or behind the program that is used.
        if self.tray is not None and QApplication.activeWindow() is None and QGuiApplication.platformName() != "offscreen":
            self.tray.show_message(error.message)


def list_speakers(voice: CatalogVoice) -> list[tuple[str, str, str]]:
    """Return (id, speaker, name for people) for each speaker of a voice; a voice with one speaker needs no other name."""
    if len(voice.speakers) < 2:
        return [(voice.id, "", voice.name)]
    names = ((speaker, describe_speaker(speaker)) for _id, speaker in voice.speakers)
    return [(voice.id, speaker, localize(f"{voice.name}（{name}）", f"{voice.name} ({name})")) for speaker, name in names]
