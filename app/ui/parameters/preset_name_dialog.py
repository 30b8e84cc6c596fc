"""A dialog for the name of a preset, with its character or not, for one project or all."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.common.files.untrusted_json import MAX_SHORT_TEXT_CHARS
from app.common.language import localize
from app.ui.parameters.preset_collection import PresetEntry
from app.ui.parameters.preset_storage import describe_default_preset
from app.ui.theme.dialog_margins import DIALOG_MARGINS


class PresetNameDialog(QDialog):
    """A dialog with a field and two check boxes.

    Args:
        own, project: The names of the user's presets and of the project's; the dialog warns where one will be replaced.
        entry: The displayed preset, whose name and checks are filled in.

    Signals:
        name_accepted(str, bool, bool): The name, whether the preset includes voice, speaker and style, and whether it is the project's.
    """

    name_accepted = Signal(str, bool, bool)

    def __init__(self, parent: QWidget, own: Collection[str], project: Collection[str], entry: PresetEntry | None = None) -> None:
        super().__init__(parent)
        self._own, self._project = frozenset(own), frozenset(project)
        self.setWindowTitle(localize("プリセットとして保存", "Save as a preset"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(400)
        label = QLabel(localize("プリセット名", "Preset name"))
        self.field = QLineEdit(entry.name if entry is not None else "")
        self.field.setMaxLength(MAX_SHORT_TEXT_CHARS)
        self.field.setAccessibleName(label.text())
        self.field.setToolTip(localize("一覧に表示する名前です。", "The name in the list."))
        self.field.selectAll()
        label.setBuddy(self.field)
        self._create_choices(entry)
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self._create_buttons()
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        for widget in (label, self.field, self.character, self.in_project, self.note):
            column.addWidget(widget)
        column.addWidget(self.buttons, 0, Qt.AlignmentFlag.AlignRight)
        self.field.textChanged.connect(self._update_buttons)
        self.in_project.toggled.connect(self._update_buttons)
        self._update_buttons()

    def _create_choices(self, entry: PresetEntry | None) -> None:
        self.character = QCheckBox(
            localize("キャラクター（声・話者・スタイル）も含める", "Include the character (voice, speaker and style)")
        )
        self.character.setToolTip(
            localize(
                "プリセットを選んだときに、声・話者・スタイルも変えます。", "Choosing the preset also changes voice, speaker and style."
            )
        )
        self.character.setChecked(entry is not None and entry.preset.character)
        self.in_project = QCheckBox(localize("このプロジェクトだけで使う", "Only in this project"))
        self.in_project.setToolTip(
            localize(
                "プロジェクトのファイルに保存し、ほかのプロジェクトでは表示しません。",
                "Saves it in the project file; other projects do not show it.",
            )
        )
        self.in_project.setChecked(entry is not None and entry.in_project)

    def _create_buttons(self) -> None:
        self.buttons = QDialogButtonBox()
        self.save = self.buttons.addButton(localize("保存", "Save"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setObjectName("primary")
        self.save.setToolTip(localize("今の設定を保存します。（Enter）", "Saves the current settings. (Enter)"))
        cancel = self.buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("保存せずに閉じます。", "Closes without saving."))
        self.buttons.accepted.connect(self._accept_name)
        self.buttons.rejected.connect(self.reject)

    @property
    def name(self) -> str:
        """Return the typed name without surrounding blanks."""
        return self.field.text().strip()

    @Slot()
    def _update_buttons(self) -> None:
        # The name of the built-in preset is reserved: the list would show two entries that look the same.
        standard = self.name == describe_default_preset()
        self.save.setEnabled(bool(self.name) and not standard)
        replaces = localize("同じ名前のプリセットを置き換えます。", "Replaces the preset of this name.")
        reserved = localize("この名前は使えません。", "This name is reserved.")
        taken = self._project if self.in_project.isChecked() else self._own
        self.note.setText(reserved if standard else replaces if self.name in taken else "")

    @Slot()
    def _accept_name(self) -> None:
        self.name_accepted.emit(self.name, self.character.isChecked(), self.in_project.isChecked())
        self.accept()
