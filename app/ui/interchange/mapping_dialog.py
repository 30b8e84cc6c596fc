"""A dialog that asks what the columns of a table are, and which voices speak the names of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.project import Character
from app.ui.interchange.character_rows import CharacterTable
from app.ui.interchange.column_table import ColumnTable
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS

if TYPE_CHECKING:
    from app.ui.interchange.opened_import import OpenedImport

WIDTH, NARROWEST, HEIGHT, LOWEST_TABLE, LOWEST_NAMES, OF_NAME = 820, 560, 560, 480, 230, 40  # pixels; the last one of a row


class MappingDialog(QDialog):
    """A dialog with only what must be asked: columns of a table, names without a voice, or both.

    Signals:
        columns_changed(ScriptTable, dict): Columns by field; `show_opened` is called with the result.
        choices_accepted(dict): The chosen characters by name.
    """

    columns_changed = Signal(object, object)
    choices_accepted = Signal(object)

    def __init__(self, parent: QWidget, opened: OpenedImport) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("台本を読み込む", "Import"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._table = opened.table
        self.file = PlainLabel()
        self.file.setObjectName("muted")
        self.file.setText(opened.file.name)
        self.header = QCheckBox(localize("1 行目は列の名前", "First row has column names"))
        self.header.setToolTip(
            localize("1 行目を台本の行にせず、列の名前として扱います。", "The first row names the columns; it is not imported as a line.")
        )
        self.columns = ColumnTable()
        self.names = CharacterTable(opened.voices.known_voices)
        self.error = PlainLabel()
        self.error.setObjectName("error")
        self.error.setWordWrap(True)
        self._build_widgets()
        self.show_opened(opened)
        if opened.table is not None:
            self.header.setChecked(bool(opened.table.header))
            self.columns.show_table(opened.table, opened.columns)
        lowest = LOWEST_TABLE if opened.table is not None else LOWEST_NAMES
        self.setMinimumSize(NARROWEST, lowest)
        self.resize(WIDTH, HEIGHT if opened.table is not None else min(HEIGHT, lowest + OF_NAME * len(opened.missing)))
        self.header.toggled.connect(self._update_header)
        self.columns.changed.connect(self._emit_columns)

    def show_opened(self, opened: OpenedImport) -> None:
        """Show the names that have no voice with the current columns."""
        shown = {voice.id: voice.name for voice in opened.imported.project.voices} if opened.imported is not None else {}
        self.names.show_names(opened.missing, shown)
        for widget in (self.names_title, self.names_words, self.names):
            widget.setVisible(bool(opened.missing))
        self._space.setVisible(not opened.missing)
        self.import_button.setEnabled(opened.imported is not None)
        lines = len(opened.imported.project.script.lines) if opened.imported is not None else 0
        self.import_button.setText(
            localize(f"{lines:,} 行を読み込む", f"Import {lines:,} {'line' if lines == 1 else 'lines'}")
            if lines
            else _label_import_button()
        )
        self.show_error(None)

    def show_error(self, error: AppError | None) -> None:
        """Show why these columns cannot be used; None hides the error."""
        self.error.setText(f"{error.message} {error.hint}" if error else "")
        self.error.setVisible(error is not None)
        if error is not None:
            self.import_button.setEnabled(False)

    def _build_widgets(self) -> None:
        self.columns_title = _create_heading(localize("列の内容", "Columns"))
        columns_words = _create_label(
            localize(
                "テキストの列を選んでください。ほかの列は必要なものだけ選びます。",
                "Choose the column with the text, and any others you need.",
            )
        )
        self.names_title = _create_heading(localize("話す声", "Voices"))
        self.names_words = _create_label(
            localize(
                "対応する声が見つからない名前です。話す声を選んでください。",
                "No installed voice has these names. Choose who speaks their lines.",
            )
        )
        self._space = QWidget()
        buttons = QDialogButtonBox()
        self.import_button = buttons.addButton(_label_import_button(), QDialogButtonBox.ButtonRole.AcceptRole)
        self.import_button.setObjectName("primary")
        self.import_button.setToolTip(
            localize("選んだ行の下に追加します。元に戻せます。", "Adds the lines below the selected one; you can undo this.")
        )
        cancel = buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("何も読み込まずに閉じます。", "Closes without importing anything."))
        buttons.accepted.connect(self._emit_choices)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(8)
        # The contents change with the columns; the smallest size, set by hand, must not change with them.
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        column.addWidget(self.file)
        for widget in (self.columns_title, columns_words, self.header, self.columns):
            column.addWidget(widget)
            widget.setVisible(self._table is not None)
        column.addWidget(self.error)
        for widget in (self.names_title, self.names_words):
            column.addWidget(widget)
        column.addWidget(self.names, 1)
        column.addWidget(self._space, 1)
        column.addWidget(buttons)

    @Slot(bool)
    def _update_header(self, has_header: bool) -> None:
        table = self._table
        assert table is not None
        self._table = table.use_header() if has_header else table.drop_header()
        self.columns.show_table(self._table, self.columns.columns)
        self._emit_columns()

    @Slot()
    def _emit_columns(self) -> None:
        columns: Mapping[str, int] = self.columns.columns
        if "text" in columns:
            self.columns_changed.emit(self._table, columns)
        else:
            self.import_button.setEnabled(False)

    @Slot()
    def _emit_choices(self) -> None:
        choices: dict[str, Character] = self.names.choices
        self.accept()
        self.choices_accepted.emit(choices)


def _label_import_button() -> str:
    return localize("読み込む", "Import")


def _create_heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    return label


def _create_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    return label
