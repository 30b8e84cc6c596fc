"""Opens the dialogs that belong to the program as a whole, and looks after the list of audio outputs.

Dialogs are imported when they are first wanted: the window is there sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from app.notices import notify
from app.ui.actions.actions import Actions
from app.ui.actions.key_bindings import Bindings, load_shortcuts, save_shortcuts
from app.ui.background import BackgroundThread
from app.ui.kept_file import KeptFile
from app.ui.playback.output_devices import DeviceWatch
from app.ui.settings.store import SettingsStore
from app.ui.shell.menus import Menus
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.results import MachineInfo
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.widgets.banner import Banner
from app.version import VERSION

if TYPE_CHECKING:
    from app.ui.actions.commands import Command
    from app.ui.help.user_guide import UserGuide
    from app.ui.settings.dialog import SettingsDialog


class Dialogs(QObject):
    """Settings, command search, user guide, diagnostics, log and About of a window.

    Attributes:
        devices: watches the audio outputs.
        keys: where keys are kept that the user changed.
        shown: the dialog opened last; it is gone once it is closed.
        guide: the user guide while it is open; it stays beside other dialogs.

    Args:
        choices: more commands for the search, asked for when it opens.

    Signals:
        restart_needed(): the settings were changed in a way that takes effect at the next start only.
    """

    restart_needed = Signal()
    _parts_found = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        actions: Actions,
        menus: Menus,
        settings: SettingsStore,
        speech: SpeechController,
        notice: Banner,
        choices: Callable[[], list[Command]],
    ) -> None:
        super().__init__(parent)
        self._parent, self._actions, self._menus, self._settings = parent, actions, menus, settings
        self._choices = choices
        self.devices = DeviceWatch(self)
        self._background = BackgroundThread(self, "dialogs")
        self._background.failed.connect(notice.show_error)
        self.keys = KeptFile(self, "keys", lambda: partial(save_shortcuts, actions.bindings), after_ms=0)
        self.shown: QDialog | None = None
        self.guide: UserGuide | None = None
        for name, called in {
            "settings": self.open_settings,
            "find_command": self.open_search,
            "user_guide": self.open_guide,
            "diagnose": self.open_diagnostics,
            "show_log": self.open_log,
            "open_data": _open_data,
            "about": self.open_about,
        }.items():
            actions[name].triggered.connect(called)
        speech.machine_info_found.connect(self._on_machine_info)
        menus.devices_requested.connect(self.devices.refresh)
        self.devices.changed.connect(menus.offer_devices)
        bindings, unread = load_shortcuts()
        actions.bind(bindings)
        notify(unread)

    @Slot()
    def open_settings(self) -> None:
        """Shows the settings; what was changed takes effect when the user agrees."""
        from app.ui.settings.dialog import SettingsDialog

        self.devices.refresh()
        dialog = SettingsDialog(self._settings.value, self.devices.labels, self._actions.bindings, self._parent)
        self.devices.changed.connect(dialog.offer_devices)
        dialog.accepted.connect(lambda: self._use(dialog))
        self._show(dialog)

    @Slot()
    def open_search(self) -> None:
        """Shows what can be done, to be found by typing."""
        from app.ui.actions.commands import commands_in
        from app.ui.actions.palette import CommandSearch

        search = CommandSearch([*commands_in(self._menus), *self._choices()], self._parent)
        search.accepted.connect(lambda: search.chosen.trigger() if search.chosen is not None else None)
        self._show(search)

    @Slot()
    def open_guide(self) -> None:
        """Shows how the program is used."""
        self.open_page("")

    @Slot(str)
    def open_page(self, page: str) -> None:
        """Shows a page of the user guide; empty for the one that is open, or the first."""
        from app.ui.help.user_guide import UserGuide

        if self.guide is None:
            self.guide = UserGuide(self._parent)
            self.guide.finished.connect(self._forget_guide)
        if page:
            self.guide.index.select(page)
        self.guide.show()
        self.guide.raise_()
        self.guide.activateWindow()

    @Slot()
    def open_diagnostics(self) -> None:
        """Checks what the program needs."""
        from app.ui.help.diagnostics import DiagnosticsDialog

        dialog = DiagnosticsDialog(self._parent)
        dialog.help_requested.connect(self.open_page)
        self._show(dialog)

    @Slot()
    def open_log(self) -> None:
        """Shows the log."""
        from app.ui.help.log import LogDialog

        self._show(LogDialog(self._parent))

    @Slot()
    def open_about(self) -> None:
        """Shows version and licences."""
        from app.ui.help.about import AboutDialog, third_parties

        dialog = AboutDialog(VERSION, self._parent)
        dialog.parts_requested.connect(lambda: self._background.run(third_parties, self._parts_found.emit))
        self._parts_found.connect(dialog.show_parts)
        self._show(dialog)

    def close(self) -> None:
        """Ends what still looks for something."""
        if self.shown is not None:
            self.shown.reject()
        if self.guide is not None:
            self.guide.reject()
        self.devices.close()
        self._background.close()

    def _show(self, dialog: QDialog) -> None:
        if self.shown is not None:
            self.shown.reject()
        self.shown = dialog
        if dialog.objectName() != "search" and (column := dialog.layout()) is not None:
            column.setContentsMargins(*DIALOG_MARGINS)
        dialog.finished.connect(lambda: self._forget(dialog))
        dialog.show()

    def _forget(self, dialog: QDialog) -> None:
        if self.shown is dialog:
            self.shown = None
        dialog.deleteLater()

    @Slot()
    def _forget_guide(self) -> None:
        guide, self.guide = self.guide, None
        if guide is not None:
            guide.deleteLater()

    def _use(self, dialog: SettingsDialog) -> None:
        self._use_keys(dialog.bindings)
        needs_restart = dialog.needs_restart
        self._settings.change(**dialog.changes)
        self._settings.file.save_now()  # children that start now read them
        if needs_restart:
            self.restart_needed.emit()
        self._menus.offer_devices(self.devices.labels)

    def _use_keys(self, bindings: Bindings) -> None:
        if bindings == self._actions.bindings:
            return
        self._actions.bind(bindings)
        self.keys.changed()

    @Slot(object)
    def _on_machine_info(self, found: MachineInfo) -> None:
        self.devices.know(found.devices)


def _open_data() -> None:
    from app.ui.settings.dialog import open_data_folder

    open_data_folder()
