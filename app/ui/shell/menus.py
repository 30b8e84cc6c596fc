"""The menu bar: everything the window can do, with its keys."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QMenuBar

from app.language import localized
from app.settings import THEMES, Settings, ThemeChoice
from app.ui.actions.actions import Actions
from app.ui.settings.store import SettingsStore

FILE = (
    "new_project",
    "open_project",
    "",
    "save_project",
    "save_project_as",
    "embed_sounds",
    "",
    "import",
    "export_script",
    "",
    "natural_voice",
    "add_voice",
    "add_voice_address",
    "add_bert",
    "voice_library",
    "",
    "export",
    "save_line",
    "save_all",
    "save_joined",
    "",
    "dictionary",
    "settings",
    "",
    "quit",
)
EDIT = ("undo", "redo", "", "cut", "copy", "paste", "select_all", "", "find", "replace")
LINE = (
    "add_line",
    "edit_line",
    "duplicate",
    "delete",
    "",
    "split_here",
    "split_sentences",
    "join_lines",
    "",
    "move_up",
    "move_down",
    "",
    "keep_take",
    "more_takes",
    "delete_takes",
)
HELP = ("user_guide", "find_command", "", "lab", "diagnose", "show_log", "open_data", "", "about")
COMPARE = ("audition", "blind_test", "fast_test", "bert_test")
PLAY = ("play", "play_through", "stop", "", "loop", "live", "follow", "", *COMPARE, "", "measure", "")


class Menus(QMenuBar):
    """File, Edit, Line, Play and View. Output device and theme are settings, changed here and shown as they are.

    Attributes:
        recent: to be filled with projects.

    Signals:
        devices_requested(): the list of outputs is about to be seen.
    """

    devices_requested = Signal()

    def __init__(self, actions: Actions, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._outputs: tuple[str, ...] = ()
        file = self._fill(localized("ファイル(&F)", "&File"), actions, FILE)
        self.recent = QMenu(localized("最近使ったプロジェクト", "Recent projects"), file)
        file.insertMenu(file.actions()[FILE.index("")], self.recent)
        self._fill(localized("編集(&E)", "&Edit"), actions, EDIT)
        self._fill(localized("行(&L)", "&Line"), actions, LINE)
        play = self._fill(localized("再生(&P)", "&Play"), actions, PLAY)
        self._devices = play.addMenu(localized("再生デバイス", "Output device"))
        self._devices.aboutToShow.connect(self.devices_requested)
        self._device_group = QActionGroup(self)
        self.view = self._fill(localized("表示(&V)", "&View"), actions, ("show_strip", "show_takes", "", "full_screen"))
        self._add_themes(self.view.addMenu(localized("配色", "Theme")), settings.value.theme)
        self.view.addSeparator()
        self._fill(localized("ヘルプ(&H)", "&Help"), actions, HELP)
        self.offer_devices(())
        settings.changed.connect(self._on_settings)

    @Slot(object)
    def offer_devices(self, devices: tuple[str, ...]) -> None:
        """Lists the audio outputs; the chosen one stays in the list even while it is away."""
        self._outputs, chosen = devices, self._settings.value.device
        self._devices.clear()
        self._device_group.deleteLater()
        self._device_group = QActionGroup(self)
        labels = {"": localized("システムの設定に合わせる", "Use system setting")} | {label: label for label in (*devices, chosen) if label}
        for device, label in labels.items():
            action = self._device_group.addAction(label.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(device == chosen)
            action.setData(device)
            self._devices.addAction(action)
        self._device_group.triggered.connect(self._on_device)

    def _fill(self, title: str, actions: Actions, names: tuple[str, ...]) -> QMenu:
        """A menu of actions; an empty name is a line between them."""
        menu = self.addMenu(title)
        for name in names:
            if name:
                menu.addAction(actions[name])
            else:
                menu.addSeparator()
        return menu

    def _add_themes(self, menu: QMenu, chosen: ThemeChoice) -> None:
        names = {
            "system": localized("システムの設定に合わせる", "Use system setting"),
            "light": localized("ライト", "Light"),
            "dark": localized("ダーク", "Dark"),
        }
        group = QActionGroup(self)
        for theme in THEMES:
            action = group.addAction(names[theme])
            action.setCheckable(True)
            action.setChecked(theme == chosen)
            action.setData(theme)
            action.setWhatsThis(f"{theme} theme 配色 {names[theme]}")
            menu.addAction(action)
        group.triggered.connect(self._on_theme)
        self._theme_group = group

    @Slot(object, object)
    def _on_settings(self, before: Settings, after: Settings) -> None:
        if before.theme != after.theme:
            for action in self._theme_group.actions():
                action.setChecked(action.data() == after.theme)
        if before.device != after.device:
            self.offer_devices(self._outputs)

    @Slot(QAction)
    def _on_device(self, action: QAction) -> None:
        self._settings.change(device=action.data())

    @Slot(QAction)
    def _on_theme(self, action: QAction) -> None:
        self._settings.change(theme=action.data())
