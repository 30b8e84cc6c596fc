"""The projects that were open last, as a menu."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.settings.user_settings import MOST_RECENT, Settings
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.controls import escape_tip

MAX_RECENT_NAME_WIDTH_PX = 360  # pixels of a folder's name


class RecentProjectsMenu(QObject):
    """Keeps the list in the settings.

    Signals:
        chosen(Path): the user wants to open this one again.
    """

    chosen = Signal(object)

    def __init__(self, menu: QMenu, settings: SettingsStore) -> None:
        super().__init__(menu)
        self._menu, self._settings = menu, settings
        menu.setToolTipsVisible(True)
        settings.changed.connect(self._follow_settings)
        self._fill_menu()

    def add_project(self, path: Path) -> None:
        """Put a project that was opened or saved first in the list."""
        name = str(path)
        names = dict.fromkeys((name, *self._settings.value.recent_projects))
        self._settings.change_settings(recent_projects=tuple(names)[:MOST_RECENT])

    def remove_project(self, path: Path) -> bool:
        """Remove a project that is gone; return False if it was not in the list."""
        names = self._settings.value.recent_projects
        self._settings.change_settings(recent_projects=tuple(name for name in names if name != str(path)))
        return str(path) in names

    def _follow_settings(self, former: Settings, settings: Settings) -> None:
        if former.recent_projects != settings.recent_projects:
            self._fill_menu()

    def _fill_menu(self) -> None:
        self._menu.clear()
        names = self._settings.value.recent_projects
        for name in names:
            path = Path(name)
            folder = self._menu.fontMetrics().elidedText(
                sanitise_short_text(str(path.parent)), Qt.TextElideMode.ElideMiddle, MAX_RECENT_NAME_WIDTH_PX
            )
            action = self._add_action(f"{sanitise_short_text(path.stem)} — {folder}", f"recent project 最近 {sanitise_long_text(name)}")
            action.setToolTip(escape_tip(sanitise_long_text(name)))
            action.triggered.connect(lambda _checked=False, path=path: self.chosen.emit(path))
        self._menu.menuAction().setEnabled(bool(names))
        if names:
            self._menu.addSeparator()
            clear = self._add_action(localize("一覧を消去", "Clear list"), "clear recent projects 最近 消去")
            clear.setToolTip(localize("ファイルは削除されません。", "The files are not deleted."))
            clear.triggered.connect(lambda: self._settings.change_settings(recent_projects=()))

    def _add_action(self, text: str, tip: str) -> QAction:
        action = self._menu.addAction(text.replace("&", "&&"))
        action.setWhatsThis(tip)
        return action
