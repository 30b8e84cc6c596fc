"""Opens the dialogs of the program as a whole, and keeps the list of audio outputs.

Dialogs are imported when they are first opened, so that the window appears sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog

from app.common.files.paths import find_change_log
from app.common.user_notices import show_notice
from app.common.version import VERSION
from app.settings.user_settings import Settings, find_settings_path, read_settings_file
from app.ui.actions.window_actions import load_shortcuts, save_shortcuts
from app.ui.background_thread import AutosavedFile, BackgroundThread
from app.ui.playback.speech_settings import OutputDeviceWatcher
from app.ui.shell.menu_bar import MenuBar
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS
from app.ui.widgets.dialogs import OpenDialog, show_in_front

if TYPE_CHECKING:
    from app.ui.actions.command_search import MenuCommand
    from app.ui.help.user_guide import UserGuideDialog
    from app.ui.settings.settings_dialog import SettingsDialog


class DialogController(WindowFeature):
    """Opens settings, command search, user guide, diagnostics, log, change log and About.

    Args:
        list_choices: returns more commands for the search; called when the search opens.

    Signals:
        restart_needed(): a changed setting takes effect only at the next start.
        settings_accepted(list[str]): the user pressed OK in the settings; names of the changed ones, which take effect already.
        settings_opened(SettingsDialog): the settings are about to be shown.
    """

    guide: OpenDialog[UserGuideDialog] = OpenDialog()  # the user guide while it is open; it stays open while other dialogs are shown
    shown: OpenDialog[QDialog] = OpenDialog()  # the dialog opened last, or None once it is closed
    restart_needed = Signal()
    settings_accepted = Signal(object)
    settings_opened = Signal(object)
    _parts_found = Signal(str)

    def __init__(self, context: WindowContext, menus: MenuBar, notice: Banner, list_choices: Callable[[], list[MenuCommand]]) -> None:
        super().__init__(context)
        self._window, self._menus, self._list_choices = context.window, menus, list_choices
        actions = context.actions
        self.devices = OutputDeviceWatcher(self)  # the watcher of audio outputs
        self.background = BackgroundThread(self, "dialogs")  # the thread that reads what dialogs show
        self.background.failed.connect(notice.show_error)
        # The file of shortcuts that the user changed.
        self.keys = AutosavedFile(self, "keys", lambda: partial(save_shortcuts, actions.bindings), delay_ms=0)
        actions.connect_handlers(
            {
                "settings": lambda: self.open_settings(),
                "find_command": self.open_search,
                "user_guide": lambda: self.open_page(""),
                "diagnose": self.open_diagnostics,
                "show_log": self.open_log,
                "open_data": _open_data_folder,
                "whats_new": self.open_whats_new,
                "about": self.open_about,
            }
        )
        actions["whats_new"].setVisible(find_change_log() is not None)
        context.speech.machine_info_found.connect(lambda machine: self.devices.set_devices(machine.devices))
        menus.devices_requested.connect(self.devices.refresh_devices)
        self.devices.changed.connect(menus.list_output_devices)
        bindings, unread = load_shortcuts()
        actions.apply_bindings(bindings)
        show_notice(unread)

    def open_settings(self, setting: str = "") -> None:
        """Open the settings, at the page with this one; changes take effect when the user accepts them."""
        from app.ui.settings.settings_dialog import SettingsDialog

        self.devices.refresh_devices()
        dialog = SettingsDialog(self._context.settings.value, self.devices.labels, self._context.actions.bindings, self._window)
        self.devices.changed.connect(dialog.offer_devices)
        dialog.accepted.connect(lambda: self._apply_settings(dialog))
        self.settings_opened.emit(dialog)
        self._show_dialog(dialog)
        if setting:
            dialog.show_setting(setting)
        self.background.run_work(lambda: read_settings_file(find_settings_path()), partial(self._refresh_agent_voices, dialog))

    @Slot()
    def open_search(self) -> None:
        from app.ui.actions.command_search import CommandSearchDialog, list_menu_commands

        search = CommandSearchDialog([*list_menu_commands(self._menus), *self._list_choices()], self._window)
        search.accepted.connect(lambda: search.chosen.trigger() if search.chosen is not None else None)
        self._show_dialog(search)

    @Slot(str)
    def open_page(self, page: str) -> None:
        """Open a page of the user guide; an empty page keeps the open one, or shows the first."""
        from app.ui.help.user_guide import UserGuideDialog

        if self.guide is None:
            self.guide = UserGuideDialog(self._window)
        if page:
            self.guide.index.select_page(page)
        show_in_front(self.guide)

    @Slot()
    def open_diagnostics(self) -> None:
        """Open the diagnostics, which check the requirements of the program."""
        from app.ui.help.diagnostics_dialog import DiagnosticsDialog

        dialog = DiagnosticsDialog(self._window)
        dialog.help_requested.connect(self.open_page)
        self._show_dialog(dialog)

    @Slot()
    def open_log(self) -> None:
        from app.ui.help.diagnostics_dialog import LogDialog

        self._show_dialog(LogDialog(self._window))

    @Slot()
    def open_whats_new(self) -> None:
        """Open the change log."""
        from app.ui.help.about_dialog import WhatsNewDialog, load_change_log

        self._show_dialog(WhatsNewDialog(load_change_log(), self._window))

    @Slot()
    def open_about(self) -> None:
        """Open the About dialog with version and licences."""
        from app.ui.help.about_dialog import AboutDialog, format_third_parties

        dialog = AboutDialog(VERSION, self._window)
        dialog.third_parties_requested.connect(lambda: self.background.run_work(format_third_parties, self._parts_found.emit))
        self._parts_found.connect(dialog.show_third_parties)
        self._show_dialog(dialog)

    def close(self) -> None:
        """Close the dialogs and stop the background work."""
        for dialog in filter(None, (self.shown, self.guide)):
            dialog.reject()
        self.devices.close()
        self.background.close()

    def _show_dialog(self, dialog: QDialog) -> None:
        if self.shown is not None:
            self.shown.reject()
        self.shown = dialog
        # The command search draws its own frame and margins.
        if dialog.objectName() != "search" and (column := dialog.layout()) is not None:
            column.setContentsMargins(*DIALOG_MARGINS)
        dialog.show()

    def _apply_settings(self, dialog: SettingsDialog) -> None:
        actions, settings = self._context.actions, self._context.settings
        if dialog.bindings != actions.bindings:
            actions.apply_bindings(dialog.bindings)
            self.keys.schedule_save()
        needs_restart, changes = dialog.needs_restart, dialog.changes
        settings.change_settings(**changes)
        # Child processes read the settings file, and the next one may start at once.
        settings.file.save_now()
        if needs_restart:
            self.restart_needed.emit()
        self._menus.list_output_devices(self.devices.labels)
        self.settings_accepted.emit(list(changes))

    def _refresh_agent_voices(self, dialog: SettingsDialog, on_disk: Settings | None) -> None:
        """Take over what agents have chosen: their programs write the file by themselves."""
        if on_disk is not None and self.shown is dialog:
            self._context.settings.adopt_values(agent_voices=on_disk.agent_voices)
            dialog.refresh_agent_voices(on_disk.agent_voices)


def _open_data_folder() -> None:
    from app.ui.settings.settings_dialog import open_data_folder

    open_data_folder()
