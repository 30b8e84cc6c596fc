"""Opens the dialogs that belong to the program as a whole, and looks after the list of audio outputs.

Dialogs are imported when they are first wanted: the window is there sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog

from app.ui.behind import Behind
from app.ui.devices import DeviceWatch
from app.ui.dialogs import MARGINS
from app.ui.jobs import Surroundings
from app.ui.shortcuts import Bindings, load_shortcuts, save_shortcuts
from app.version import VERSION

if TYPE_CHECKING:
    from app.ui.dialogs.settings_dialog import SettingsDialog
    from app.ui.window import MainWindow


class Dialogs(QObject):
    """Settings, command search, diagnostics, log and About of a window.

    Attributes:
        devices: watches the audio outputs.
        shown: the dialog opened last; it is gone once it is closed.
    """

    _parts_found = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.devices = DeviceWatch(self)
        self._behind = Behind(self, "dialogs")
        self._behind.failed.connect(window.notice.tell_error)
        self.shown: QDialog | None = None
        for name, called in {
            "settings": self.open_settings,
            "find_command": self.open_search,
            "diagnose": self.open_diagnostics,
            "show_log": self.open_log,
            "open_data": _open_data,
            "about": self.open_about,
        }.items():
            window.deeds[name].triggered.connect(called)
        window.controller.surroundings_found.connect(self._on_surroundings)
        window.menus.devices_wanted.connect(self.devices.look)
        self.devices.changed.connect(lambda labels: window.menus.offer_devices(labels, window.device))
        window.latency.failed.connect(window.notice.tell_error)
        bindings, unread = load_shortcuts()
        window.deeds.bind(bindings)
        if unread is not None:
            window.notice.tell("notice", unread.message, unread.hint)

    @Slot()
    def open_settings(self) -> None:
        """Shows the settings; what was changed takes effect when the user agrees."""
        from app.ui.dialogs.settings_dialog import SettingsDialog

        self.devices.look()
        window = self._window
        dialog = SettingsDialog(window.current_settings(), self.devices.labels, window.deeds.bindings, window)
        self.devices.changed.connect(dialog.offer_devices)
        dialog.accepted.connect(lambda: self._use(dialog))
        self._show(dialog)

    @Slot()
    def open_search(self) -> None:
        """Shows what can be done, to be found by typing."""
        from app.ui.commands import commands_in
        from app.ui.widgets.command_search import CommandSearch

        search = CommandSearch(commands_in(self._window.menus), self._window)
        search.accepted.connect(lambda: search.chosen.trigger() if search.chosen is not None else None)
        self._show(search)

    @Slot()
    def open_diagnostics(self) -> None:
        """Checks what the program needs."""
        from app.ui.dialogs.diagnostics_dialog import DiagnosticsDialog

        self._show(DiagnosticsDialog(self._window))

    @Slot()
    def open_log(self) -> None:
        """Shows the log."""
        from app.ui.dialogs.log_dialog import LogDialog

        self._show(LogDialog(self._window))

    @Slot()
    def open_about(self) -> None:
        """Shows version and licences."""
        from app.ui.dialogs.about_dialog import AboutDialog, third_parties

        dialog = AboutDialog(VERSION, self._window)
        dialog.parts_wanted.connect(lambda: self._behind.do(third_parties, self._parts_found.emit))
        self._parts_found.connect(dialog.show_parts)
        self._show(dialog)

    def close(self) -> None:
        """Ends what still looks for something, and waits until changed keys are written."""
        if self.shown is not None:
            self.shown.reject()
        self.devices.close()
        self._behind.close(finish=True)

    def _show(self, dialog: QDialog) -> None:
        if self.shown is not None:
            self.shown.reject()
        self.shown = dialog
        if dialog.objectName() != "search" and (column := dialog.layout()) is not None:
            column.setContentsMargins(*MARGINS)
        dialog.finished.connect(lambda: self._forget(dialog))
        dialog.show()

    def _forget(self, dialog: QDialog) -> None:
        if self.shown is dialog:
            self.shown = None
        dialog.deleteLater()

    def _use(self, dialog: SettingsDialog) -> None:
        self._use_keys(dialog.bindings)
        self._window.preferences.change(**dialog.changes)
        self._window.menus.offer_devices(self.devices.labels, self._window.device)

    def _use_keys(self, bindings: Bindings) -> None:
        if bindings == self._window.deeds.bindings:
            return
        self._window.deeds.bind(bindings)
        self._behind.do(lambda: save_shortcuts(bindings))

    @Slot(object)
    def _on_surroundings(self, found: Surroundings) -> None:
        self.devices.know(found.devices)


def _open_data() -> None:
    from app.ui.dialogs.settings_dialog import open_data_folder

    open_data_folder()
