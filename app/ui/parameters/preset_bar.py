"""Chooses, keeps, removes and passes on presets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.core.presets import Preset, Presets
from app.core.script import LineSettings
from app.language import localized
from app.notices import notify
from app.ui.kept_file import KeptFile
from app.ui.parameters.preset_files import PresetFiles
from app.ui.parameters.preset_name import PresetName
from app.ui.parameters.preset_shelf import Entry, PresetShelf
from app.ui.parameters.presets import load_presets, save_presets, standard_name
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.widgets.choice_box import ChoiceBox


class PresetBar(QWidget):
    """A list of names, and what can be done with them; it is shown at once and written in the background, and is no step of the script's history.

    Attributes:
        file: where they are kept.
        more: reads and writes those that are passed on.

    Signals:
        chosen(dict): values of a preset by the name of the setting.
        removed(Entry): the user removed it; `restore` puts it back.
        project_changed(Presets): those of the project are others, by the user's doing.
        taken_in(int): so many came from a file.
        failed(AppError): a file could not be read or written.
    """

    chosen = Signal(object)
    removed = Signal(object)
    project_changed = Signal(object)
    taken_in = Signal(int)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shelf = PresetShelf()
        self.file = KeptFile(self, "presets", lambda: partial(save_presets, self._shelf.own), after_ms=0)
        self._settings = LineSettings()
        self.label = QLabel(localized("プリセット", "Preset"))
        self.names = ChoiceBox()
        self.names.setPlaceholderText(localized("（変更あり）", "(changed)"))
        self.names.setAccessibleName(self.label.text())
        self.names.setToolTip(localized("選んだ行にプリセットの設定を適用します。", "Applies a preset to the selected lines."))
        self.names.setMinimumContentsLength(6)
        self.names.activated.connect(self._on_selected)
        self.label.setBuddy(self.names)
        self.keep = self._button(
            "add",
            localized("プリセットとして保存", "Save as a preset"),
            localized("今の設定に名前を付けて保存します。", "Saves the current settings under a name."),
        )
        self.drop = self._button(
            "delete",
            localized("プリセットを削除", "Delete preset"),
            localized("選択中のプリセットを削除します。", "Deletes the selected preset."),
        )
        self.more = PresetFiles(lambda: self.presets)
        self.more.failed.connect(self.failed)
        self.more.found.connect(self._on_found)
        self.keep.clicked.connect(self._on_keep)
        self.drop.clicked.connect(self._on_drop)
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
        self._fill()
        self._draw()

    @property
    def presets(self) -> Presets:
        """All of them, by the name that is shown."""
        return {item.name: item.preset for item in self._shelf.entries}

    def load(self) -> None:
        """Reads the presets from the disk; the user sees where that fails."""
        presets, error = load_presets()
        self._shelf.show(own=presets)
        self._fill()
        notify(error)

    def show_project(self, presets: Presets) -> None:
        """Another project, or others in it."""
        if presets != self._shelf.project:
            self._shelf.show(project=presets)
            self._fill()

    def show_settings(self, settings: LineSettings) -> None:
        """Shows the preset that a line's settings are, if they are one; rather one that names who speaks."""
        self._settings = settings
        known = [Preset(), *self.presets.values()]
        same = [row for row, preset in enumerate(known) if Preset.of(settings, character=preset.character) == preset]
        self.names.setCurrentIndex(max(same, key=lambda row: (known[row].character, -row), default=-1))
        self.drop.setEnabled(self.names.currentIndex() > 0)

    def keep_as(self, name: str, character: bool = False, in_project: bool = False) -> None:
        """Keeps the settings that are shown under a name, for all projects or for the open one; one of the same name is replaced."""
        self._shelf.put(name, Preset.of(self._settings, character=character), in_project=in_project)
        self._changed(in_project=in_project)

    def restore(self, gone: Entry) -> None:
        """Puts back one that was removed; what has come since stays."""
        self._shelf.add({gone.kept_as: gone.preset}, in_project=gone.in_project)
        self._changed(in_project=gone.in_project)

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _button(self, drawing: str, name: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(drawing)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        return button

    def _changed(self, *, in_project: bool) -> None:
        self._fill()
        if in_project:
            self.project_changed.emit(self._shelf.project)
        else:
            self.file.changed()

    def _fill(self) -> None:
        self.names.clear()
        of_project = localized("（プロジェクト）", " (project)")
        self.names.addItems([standard_name(), *(item.name + of_project * item.in_project for item in self._shelf.entries)])
        self.more.export.setEnabled(bool(self._shelf.entries))
        self.show_settings(self._settings)

    @Slot(int)
    def _on_selected(self, row: int) -> None:
        self.chosen.emit([Preset(), *self.presets.values()][row].values)

    @Slot()
    def _on_keep(self) -> None:
        taken = self._shelf.names(in_project=False), self._shelf.names(in_project=True)
        dialog = PresetName(self, *taken, self._shelf.entries[self.names.currentIndex() - 1] if self.drop.isEnabled() else None)
        dialog.given.connect(self.keep_as)
        dialog.open()

    @Slot()
    def _on_drop(self) -> None:
        gone = self._shelf.entries[self.names.currentIndex() - 1]
        self._shelf.remove(gone)
        self._changed(in_project=gone.in_project)
        self.removed.emit(gone)

    @Slot(object)
    def _on_found(self, found: Presets) -> None:
        self._shelf.add(found, in_project=False)
        self._changed(in_project=False)
        self.taken_in.emit(len(found))

    def _draw(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        for button in (self.keep, self.drop, self.more):
            button.setIcon(icon(button.objectName(), color))
