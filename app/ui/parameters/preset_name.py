"""Asks under which name settings are to be kept as a preset, whether with who speaks, and whether for one project."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.json_text import LARGEST_TEXT_CHARACTERS
from app.language import localized
from app.ui.parameters.preset_shelf import Entry
from app.ui.parameters.presets import standard_name
from app.ui.theme.measures import DIALOG_MARGINS


class PresetName(QDialog):
    """A field and two checks.

    Args:
        own, project: names that the user's presets and those of the project have; one of them is replaced, which is said.
        entry: the preset that is shown, whose name and checks are there already.

    Signals:
        given(str, bool, bool): the name, whether voice, speaker and style are part of the preset, and whether it belongs to the project.
    """

    given = Signal(str, bool, bool)

    def __init__(self, parent: QWidget, own: Collection[str], project: Collection[str], entry: Entry | None = None) -> None:
        super().__init__(parent)
        self._own, self._project = frozenset(own), frozenset(project)
        self.setWindowTitle(localized("プリセットとして保存", "Save as a preset"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(400)
        label = QLabel(localized("プリセット名", "Preset name"))
        self.field = QLineEdit(entry.name if entry is not None else "")
        self.field.setMaxLength(LARGEST_TEXT_CHARACTERS)
        self.field.setAccessibleName(label.text())
        self.field.setToolTip(localized("一覧に表示する名前です。", "The name in the list."))
        self.field.selectAll()
        label.setBuddy(self.field)
        self._make_choices(entry)
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self._make_buttons()
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        for widget in (label, self.field, self.character, self.in_project, self.note):
            column.addWidget(widget)
        column.addWidget(self.buttons, 0, Qt.AlignmentFlag.AlignRight)
        self.field.textChanged.connect(self._on_typed)
        self.in_project.toggled.connect(self._on_typed)
        self._on_typed()

    def _make_choices(self, entry: Entry | None) -> None:
        self.character = QCheckBox(
            localized("キャラクター（声・話者・スタイル）も含める", "Include the character (voice, speaker and style)")
        )
        self.character.setToolTip(
            localized(
                "プリセットを選んだときに、声・話者・スタイルも変えます。", "Choosing the preset also changes voice, speaker and style."
            )
        )
        self.character.setChecked(entry is not None and entry.preset.character)
        self.in_project = QCheckBox(localized("このプロジェクトだけで使う", "Only in this project"))
        self.in_project.setToolTip(
            localized(
                "プロジェクトのファイルに保存し、ほかのプロジェクトでは表示しません。",
                "Saves it in the project file; other projects do not show it.",
            )
        )
        self.in_project.setChecked(entry is not None and entry.in_project)

    def _make_buttons(self) -> None:
        self.buttons = QDialogButtonBox()
        self.save = self.buttons.addButton(localized("保存", "Save"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setObjectName("primary")
        self.save.setToolTip(localized("今の設定を保存します。（Enter）", "Saves the current settings. (Enter)"))
        cancel = self.buttons.addButton(localized("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localized("保存せずに閉じます。", "Closes without saving."))
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)

    @property
    def name(self) -> str:
        """What was typed, without blanks around it."""
        return self.field.text().strip()

    @Slot()
    def _on_typed(self) -> None:
        standard = self.name == standard_name()
        self.save.setEnabled(bool(self.name) and not standard)
        replaces = localized("同じ名前のプリセットを置き換えます。", "Replaces the preset of this name.")
        reserved = localized("この名前は使えません。", "This name is reserved.")
        taken = self._project if self.in_project.isChecked() else self._own
        self.note.setText(reserved if standard else replaces if self.name in taken else "")

    @Slot()
    def _on_accepted(self) -> None:
        self.given.emit(self.name, self.character.isChecked(), self.in_project.isChecked())
        self.accept()
