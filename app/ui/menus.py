"""The menu bar: everything the window can do, with its keys."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.language import say
from app.settings import THEMES, ThemeChoice

SPEAK_KEYS = ("Ctrl+Return", "Ctrl+Enter")  # the second is on the number pad


class Menus(QMenuBar):
    """File, Play and View.

    Signals:
        save_wanted(), quit_wanted(), play_wanted(), stop_wanted(): chosen or typed.
        device_chosen(str): an output's label, empty for the system's choice.
        theme_chosen(str): one of `app.settings.THEMES`.
    """

    save_wanted = Signal()
    quit_wanted = Signal()
    play_wanted = Signal()
    stop_wanted = Signal()
    device_chosen = Signal(str)
    theme_chosen = Signal(str)

    def __init__(self, device: str, theme: ThemeChoice) -> None:
        super().__init__()
        file = self.addMenu(say("ファイル(&F)", "&File"))
        self._add(file, say("音声を保存…", "Save sound…"), self.save_wanted, "Ctrl+E")
        file.addSeparator()
        self._add(file, say("終了", "Quit"), self.quit_wanted, "Ctrl+Q")
        play = self.addMenu(say("再生(&P)", "&Play"))
        self._add(play, say("再生／停止", "Speak / stop"), self.play_wanted, *SPEAK_KEYS)
        self._add(play, say("停止", "Stop"), self.stop_wanted, "Esc")
        play.addSeparator()
        self._devices = play.addMenu(say("音声の出力先", "Output device"))
        self._device_group = QActionGroup(self)
        self.view = self.addMenu(say("表示(&V)", "&View"))
        self._add_themes(self.view.addMenu(say("配色", "Theme")), theme)
        self.view.addSeparator()
        self.offer_devices((), device)

    def offer_devices(self, devices: tuple[str, ...], chosen: str) -> None:
        """Lists the audio outputs; the chosen one stays in the list even while it is away."""
        self._devices.clear()
        self._device_group.deleteLater()
        self._device_group = QActionGroup(self)
        labels = {"": say("システムの設定に従う", "Follow the system")} | {label: label for label in (*devices, chosen) if label}
        for device, label in labels.items():
            action = self._device_group.addAction(label.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(device == chosen)
            action.setData(device)
            self._devices.addAction(action)
        self._device_group.triggered.connect(self._on_device)

    def _add(self, menu: QMenu, text: str, signal: object, *keys: str) -> None:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(signal)
        menu.addAction(action)

    def _add_themes(self, menu: QMenu, chosen: ThemeChoice) -> None:
        names = {"system": say("システムに合わせる", "Follow the system"), "light": say("ライト", "Light"), "dark": say("ダーク", "Dark")}
        group = QActionGroup(self)
        for theme in THEMES:
            action = group.addAction(names[theme])
            action.setCheckable(True)
            action.setChecked(theme == chosen)
            action.setData(theme)
            menu.addAction(action)
        group.triggered.connect(self._on_theme)

    @Slot(QAction)
    def _on_device(self, action: QAction) -> None:
        self.device_chosen.emit(action.data())

    @Slot(QAction)
    def _on_theme(self, action: QAction) -> None:
        self.theme_chosen.emit(action.data())
