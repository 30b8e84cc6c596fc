"""Chooses, keeps and removes presets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QLabel, QToolButton, QWidget

from app.core.script import LineSettings
from app.language import localized
from app.notices import notify
from app.ui.kept_file import KeptFile
from app.ui.parameters.presets import PARTS, STANDARD, Presets, load_presets, preset_of, save_presets, standard_name
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.widgets.choice_box import ChoiceBox


class PresetBar(QWidget):
    """A list of names, and two buttons; what they do is shown at once and written in the background.

    Attributes:
        file: where they are kept.

    Signals:
        chosen(dict): values of a preset by the name of the setting.
        changed(str, dict, dict): what the user did to the presets, all of them before, and after.
    """

    chosen = Signal(object)
    changed = Signal(str, object, object)

    def __init__(self) -> None:
        super().__init__()
        self._presets: Presets = {}
        self.file = KeptFile(self, "presets", lambda: partial(save_presets, self._presets), after_ms=0)
        self._settings = STANDARD
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
        self.keep.clicked.connect(self._on_keep)
        self.drop.clicked.connect(self._on_drop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.names, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        buttons.addWidget(self.keep)
        buttons.addWidget(self.drop)
        row.addLayout(buttons)
        self._fill()
        self._draw()

    def load(self) -> None:
        """Reads the presets from the disk; the user sees where that fails."""
        self._presets, error = load_presets()
        self._fill()
        notify(error)

    def show_settings(self, settings: LineSettings) -> None:
        """Shows the preset that a line's settings are, if they are one."""
        self._settings = preset_of(settings)
        names = [standard_name(), *self._presets]
        values = [STANDARD, *self._presets.values()]
        self.names.setCurrentIndex(values.index(self._settings) if self._settings in values else -1)
        self.drop.setEnabled(self.names.currentIndex() > 0)
        self.names.setItemText(0, names[0])

    def keep_as(self, name: str) -> None:
        """Keeps the settings that are shown under a name; one of the same name is replaced."""
        self._change(localized("プリセットを保存", "Save preset"), self._presets | {name: self._settings})

    def put(self, presets: Presets) -> None:
        """Has these presets in place of all there were, without a signal: for undo and redo."""
        self._presets = dict(presets)
        self._fill()
        self.file.changed()

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

    def _fill(self) -> None:
        self.names.clear()
        self.names.addItems([standard_name(), *self._presets])
        self.show_settings(self._settings)

    def _change(self, label: str, presets: Presets) -> None:
        before = self._presets
        self.put(presets)
        self.changed.emit(label, before, presets)

    @Slot(int)
    def _on_selected(self, row: int) -> None:
        preset = [STANDARD, *self._presets.values()][row]
        self.chosen.emit({name: getattr(preset, name) for name in PARTS})

    @Slot()
    def _on_keep(self) -> None:
        asked = localized("プリセット名", "Preset name")
        name, agreed = QInputDialog.getText(self, self.keep.accessibleName(), asked)
        if agreed and name.strip() and name.strip() != standard_name():
            self.keep_as(name.strip())

    @Slot()
    def _on_drop(self) -> None:
        gone = self.names.currentText()
        self._change(localized("プリセットを削除", "Delete preset"), {name: item for name, item in self._presets.items() if name != gone})

    def _draw(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        for button in (self.keep, self.drop):
            button.setIcon(icon(button.objectName(), color))
