"""A bar that chooses, saves, removes, imports and exports presets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.common.language import localize
from app.common.user_notices import show_notice
from app.core.presets import LinePreset, Presets
from app.core.script import LineSettings
from app.ui.autosaved_file import AutosavedFile
from app.ui.parameters.preset_collection import PresetCollection, PresetEntry
from app.ui.parameters.preset_files import PresetFilesButton
from app.ui.parameters.preset_name_dialog import PresetNameDialog
from app.ui.parameters.preset_storage import describe_default_preset, load_presets, save_presets
from app.ui.theme.theme import is_theme_change_event
from app.ui.theme.themed_icons import draw_icon
from app.ui.widgets.choice_box import ChoiceBox


class PresetBar(QWidget):
    """A list of presets with its buttons; changes are shown at once, written in the background, and are no steps of the script's history.

    Attributes:
        file: The background writer of the user's presets.
        more: The button that imports and exports presets.

    Signals:
        chosen(dict): A preset was chosen; its values by the name of the setting.
        preset_removed(PresetEntry): The user removed the preset; `restore_preset` puts it back.
        project_changed(Presets): The user changed the presets of the project.
        presets_imported(int): This number of presets was imported.
        failed(AppError): A file could not be read or written.
    """

    chosen = Signal(object)
    preset_removed = Signal(object)
    project_changed = Signal(object)
    presets_imported = Signal(int)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shelf = PresetCollection()
        self.file = AutosavedFile(self, "presets", lambda: partial(save_presets, self._shelf.own), delay_ms=0)
        self._settings = LineSettings()
        self.label = QLabel(localize("プリセット", "Preset"))
        self.names = ChoiceBox()
        self.names.setPlaceholderText(localize("（変更あり）", "(changed)"))
        self.names.setAccessibleName(self.label.text())
        self.names.setToolTip(localize("選んだ行にプリセットの設定を適用します。", "Applies a preset to the selected lines."))
        self.names.setMinimumContentsLength(6)
        self.names.activated.connect(self._apply_selected)
        self.label.setBuddy(self.names)
        self.keep = self._create_button(
            "add",
            localize("プリセットとして保存", "Save as a preset"),
            localize("今の設定に名前を付けて保存します。", "Saves the current settings under a name."),
        )
        self.drop = self._create_button(
            "delete",
            localize("プリセットを削除", "Delete preset"),
            localize("選択中のプリセットを削除します。", "Deletes the selected preset."),
        )
        self.more = PresetFilesButton(lambda: self.presets)
        self.more.failed.connect(self.failed)
        self.more.presets_read.connect(self._import_presets)
        self.keep.clicked.connect(self._ask_for_name)
        self.drop.clicked.connect(self._remove_selected)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.names, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (self.keep, self.drop, self.more):
            buttons.addWidget(button)
        row.addLayout(buttons)
        self._fill_choices()
        self._draw_icons()

    @property
    def presets(self) -> Presets:
        """Return all presets by their displayed name."""
        return {item.name: item.preset for item in self._shelf.entries}

    def load_presets(self) -> None:
        """Read the user's presets from the disk, and show a notice where that fails."""
        presets, error = load_presets()
        self._shelf.set_presets(own=presets)
        self._fill_choices()
        show_notice(error)

    def show_project(self, presets: Presets) -> None:
        """Show the presets of another project, or changed ones of the same."""
        if presets != self._shelf.project:
            self._shelf.set_presets(project=presets)
            self._fill_choices()

    def show_settings(self, settings: LineSettings) -> None:
        """Show the preset that equals a line's settings, preferring one with voice, speaker and style."""
        self._settings = settings
        known = [LinePreset(), *self.presets.values()]
        same = [row for row, preset in enumerate(known) if LinePreset.from_settings(settings, character=preset.character) == preset]
        self.names.setCurrentIndex(max(same, key=lambda row: (known[row].character, -row), default=-1))
        self.drop.setEnabled(self.names.currentIndex() > 0)

    def keep_settings_as(self, name: str, with_speaker: bool = False, in_project: bool = False) -> None:
        """Save the shown settings under a name, for all projects or for the open one, replacing a preset of that name."""
        self._shelf.put_preset(name, LinePreset.from_settings(self._settings, character=with_speaker), in_project=in_project)
        self._save_presets(in_project=in_project)

    def restore_preset(self, entry: PresetEntry) -> None:
        """Put back a removed preset; presets added since are kept."""
        self._shelf.add_presets({entry.stored_name: entry.preset}, in_project=entry.in_project)
        self._save_presets(in_project=entry.in_project)

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icons in the colours of another theme."""
        if is_theme_change_event(self, event):
            self._draw_icons()
        super().changeEvent(event)

    def _create_button(self, drawing: str, name: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(drawing)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    def _save_presets(self, *, in_project: bool) -> None:
        self._fill_choices()
        if in_project:
            self.project_changed.emit(self._shelf.project)
        else:
            self.file.schedule_save()

    def _fill_choices(self) -> None:
        self.names.clear()
        of_project = localize("（プロジェクト）", " (project)")
        self.names.addItems([describe_default_preset(), *(item.name + of_project * item.in_project for item in self._shelf.entries)])
        self.more.export.setEnabled(bool(self._shelf.entries))
        self.show_settings(self._settings)

    @Slot(int)
    def _apply_selected(self, row: int) -> None:
        self.chosen.emit([LinePreset(), *self.presets.values()][row].values)

    @Slot()
    def _ask_for_name(self) -> None:
        taken = self._shelf.list_names(in_project=False), self._shelf.list_names(in_project=True)
        dialog = PresetNameDialog(self, *taken, self._shelf.entries[self.names.currentIndex() - 1] if self.drop.isEnabled() else None)
        dialog.name_accepted.connect(self.keep_settings_as)
        dialog.open()

    @Slot()
    def _remove_selected(self) -> None:
        gone = self._shelf.entries[self.names.currentIndex() - 1]
        self._shelf.remove_preset(gone)
        self._save_presets(in_project=gone.in_project)
        self.preset_removed.emit(gone)

    @Slot(object)
    def _import_presets(self, presets: Presets) -> None:
        self._shelf.add_presets(presets, in_project=False)
        self._save_presets(in_project=False)
        self.presets_imported.emit(len(presets))

    def _draw_icons(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        for button in (self.keep, self.drop, self.more):
            button.setIcon(draw_icon(button.objectName(), color))
