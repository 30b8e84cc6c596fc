"""Settings in groups, made from the typed settings; nothing takes effect before OK."""

from collections.abc import Callable, Sequence
from dataclasses import Field, fields, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialogButtonBox, QGridLayout, QLabel, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.settings.settings_labels import LABEL_BY_SETTING, SETTING_LABELS
from app.settings.user_settings import Settings
from app.ui.actions.shortcut_page import ShortcutPage
from app.ui.actions.window_actions import KeyBindings
from app.ui.settings.setting_fields import ChoiceField, create_setting_field
from app.ui.widgets.containers import wrap_in_scroll_area
from app.ui.widgets.controls import PlainLabel, escape_tip, fill_box, set_up_button
from app.ui.widgets.dialogs import ClosableDialog

LISTENER_SETTINGS = ("service", "chat_reader")
SHOWN_SETTINGS = tuple(item for item in fields(Settings) if item.name in LABEL_BY_SETTING)


class SettingsDialog(ClosableDialog):
    """Shows settings and keys; each page is made when it is shown for the first time.

    Args:
        devices: labels of the audio outputs.
        bindings: keys that differ from the usual ones.
    """

    def __init__(self, settings: Settings, devices: Sequence[str], bindings: KeyBindings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("設定", "Settings"))
        self._initial_settings = settings
        offered = [item for item in SHOWN_SETTINGS if "is_offered" not in item.metadata or item.metadata["is_offered"]()]
        self.controls = {item.name: create_setting_field(item, devices) for item in offered}  # by name of the setting
        # What listens for other programs, by the name of its switch.
        self.statuses = {name: PlainLabel("", "muted", wraps=True) for name in LISTENER_SETTINGS}
        self._bindings = bindings
        self._keys: ShortcutPage | None = None
        self._pages: dict[str, int] = {}  # numbers of the pages by the names of their settings
        self._unmade: dict[int, tuple[QVBoxLayout, Callable[[], QWidget]]] = {}
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.windowTitle())
        titles = {
            "general": localize("全般", "General"),
            "voice": localize("声", "Voice"),
            "service": localize("ほかのアプリ", "Other programs"),
            "read_aloud": localize("読み上げ", "Read aloud"),
        }
        for page, labels in SETTING_LABELS.items():
            items = [item for item in offered if item.name in labels]
            self._pages |= {item.name: self.tabs.count() for item in items}
            self._add_page(titles[page], partial(self._build_settings_page, items))
        self._add_page(localize("ショートカットキー", "Shortcuts"), lambda: self.shortcut_page)
        self.tabs.currentChanged.connect(self._create_page)
        self._create_page(0)
        # Shown where a change waits for the next start.
        self.restart_hint = PlainLabel(localize("次回起動時に反映されます。", "Takes effect after a restart."), "error")
        self.mistake = PlainLabel("", "error", wraps=True)  # what is wrong with what was typed; hidden where nothing is
        fill_box(QVBoxLayout(self), self.tabs, self.restart_hint, self.mistake, self._create_buttons(), margins=None)
        self.show_settings(settings)
        for control in self.controls.values():
            control.changed.connect(self._update_buttons)
        self._update_buttons()
        self.setMinimumSize(640, 420)  # the keys need this width
        self.resize(676, 660)

    @property
    def shortcut_page(self) -> ShortcutPage:
        if self._keys is None:
            self._keys = ShortcutPage(self._bindings)
            self._keys.changed.connect(self._update_buttons)
        return self._keys

    @property
    def bindings(self) -> KeyBindings:
        """Return the keys that differ from the usual ones."""
        return self._bindings if self._keys is None else self._keys.bindings

    def show_settings(self, settings: Settings) -> None:
        """Show these values in all controls."""
        for name, control in self.controls.items():
            control.show_value(getattr(settings, name))

    def show_setting(self, name: str) -> None:
        """Show the page with this setting, and give the setting the keyboard."""
        self.tabs.setCurrentIndex(self._pages[name])
        control = self.controls[name]
        control.setFocus()
        # Once the new page has its places.
        QTimer.singleShot(0, control, partial(self._scroll_to_control, control))

    @Slot(object)
    def offer_devices(self, devices: Sequence[str]) -> None:
        """Add audio outputs that were connected since."""
        outputs = self.controls["device"]
        assert isinstance(outputs, ChoiceField)
        for label in devices:
            if outputs.findData(label) < 0:
                outputs.addItem(label, label)

    @Slot(str, str)
    def show_status(self, name: str, status: str) -> None:
        """Show what listens now, and where, under its switch."""
        self.statuses[name].setText(status)

    def refresh_agent_voices(self, voices: tuple[str, ...]) -> None:
        """Show the voices that agents have chosen since."""
        self._initial_settings = replace(self._initial_settings, agent_voices=voices)
        self.controls["agent_voices"].show_value(voices)  # type: ignore[arg-type]

    @property
    def changes(self) -> dict[str, Any]:
        """Return what the user has changed, by name."""
        return {
            name: control.current for name, control in self.controls.items() if control.current != getattr(self._initial_settings, name)
        }

    @property
    def needs_restart(self) -> bool:
        """Return whether some of the changes take effect at the next start only."""
        return any(LABEL_BY_SETTING[name].restart for name in self.changes)

    def _add_page(self, title: str, create_page: Callable[[], QWidget]) -> None:
        tab = QWidget()
        column = QVBoxLayout(tab)
        column.setContentsMargins(0, 0, 0, 0)
        self._unmade[self.tabs.addTab(tab, title)] = column, create_page

    @Slot(int)
    def _create_page(self, number: int) -> None:
        if number in self._unmade:
            column, make = self._unmade.pop(number)
            column.addWidget(make())

    def _scroll_to_control(self, control: QWidget) -> None:
        page = self.tabs.currentWidget().findChild(QScrollArea)
        if page is not None:
            page.ensureWidgetVisible(control, 0, page.viewport().height() // 2)

    def _build_settings_page(self, items: Sequence[Field[Any]]) -> QScrollArea:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(18, 18, 18, 18)
        grid.setHorizontalSpacing(18)
        grid.setColumnStretch(1, 1)
        for row, item in enumerate(items):
            words = LABEL_BY_SETTING[item.name]
            label = QLabel(localize(*words.title))
            label.setBuddy(self.controls[item.name])
            tip = PlainLabel(localize(*words.tip), "muted", wraps=True)
            tip.setContentsMargins(0, 0, 0, 12)
            grid.addWidget(label, 3 * row, 0)
            grid.addWidget(self.controls[item.name], 3 * row, 1)
            if item.name in self.statuses:
                grid.addWidget(self.statuses[item.name], 3 * row + 1, 1)
            grid.addWidget(tip, 3 * row + 2, 1)
        grid.setRowStretch(3 * len(items), 1)
        return wrap_in_scroll_area(page)

    def _create_buttons(self) -> QDialogButtonBox:
        kind = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(kind.Ok | kind.Cancel | kind.RestoreDefaults)
        self.ok = set_up_button(box.button(kind.Ok), localize("変更を適用します。", "Applies the changes."), style="primary")
        set_up_button(box.button(kind.Cancel), localize("変更を破棄します。", "Discards the changes."))
        tip = localize("すべての設定を初期値に戻します。", "Restores all defaults.")
        self.restore = set_up_button(box.button(kind.RestoreDefaults), tip, self._restore_defaults)
        self.restore.setText(localize("初期設定に戻す", "Restore defaults"))
        self.folder = box.addButton(localize("データフォルダーを開く", "Open data folder"), QDialogButtonBox.ButtonRole.ResetRole)
        set_up_button(self.folder, escape_tip(str(find_data_dir())), open_data_folder)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        return box

    def _restore_defaults(self) -> None:
        self.show_settings(Settings())
        self.shortcut_page.show_bindings({})

    @Slot()
    def _update_buttons(self) -> None:
        self.restart_hint.setVisible(self.needs_restart)
        for item in SHOWN_SETTINGS:
            # What would do nothing without another switch waits for that.
            if item.name in self.controls and (switch := self.controls.get(item.metadata.get("requires", ""))) is not None:
                self.controls[item.name].setEnabled(bool(switch.current))
        checked = (item for item in SHOWN_SETTINGS if "find_mistake" in item.metadata and item.name in self.controls)
        mistake = next((text for item in checked if (text := item.metadata["find_mistake"](self.controls[item.name].current))), "")
        self.mistake.setText(mistake)
        self.mistake.setVisible(bool(mistake))
        self.ok.setEnabled(not mistake and (self._keys is None or not self._keys.conflicts))


def open_data_folder() -> None:
    """Show the folder of settings, voices and logs in the system's file manager."""
    make_private_folder(find_data_dir())
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(find_data_dir())))
