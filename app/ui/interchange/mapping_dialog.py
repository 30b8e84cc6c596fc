"""Asks what the columns of a table are, and who speaks the names of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.core.project import Character
from app.errors import AppError
from app.language import localized
from app.ui.interchange.column_table import ColumnTable
from app.ui.interchange.name_rows import NameRows
from app.ui.plain_text import PlainLabel
from app.ui.theme.measures import DIALOG_MARGINS

if TYPE_CHECKING:
    from app.ui.interchange.opened import Opened

WIDTH, NARROWEST, HEIGHT, LOWEST_TABLE, LOWEST_NAMES, OF_NAME = 820, 560, 560, 480, 230, 40  # pixels; the last one of a row


class MappingDialog(QDialog):
    """Only what is to be asked is there: columns of a table, names without a voice, or both.

    Signals:
        columns_changed(Table, dict): columns by field; `show_opened` answers.
        agreed(dict): whom the user chose, by name.
    """

    columns_changed = Signal(object, object)
    agreed = Signal(object)

    def __init__(self, parent: QWidget, opened: Opened) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("台本を読み込む", "Import"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._table = opened.table
        self.file = PlainLabel()
        self.file.setObjectName("muted")
        self.file.setText(opened.file.name)
        self.header = QCheckBox(localized("1 行目は列の名前", "First row has column names"))
        self.header.setToolTip(
            localized("1 行目を台本の行にせず、列の名前として扱います。", "The first row names the columns; it is not imported as a line.")
        )
        self.columns = ColumnTable()
        self.names = NameRows(opened.voices.known)
        self.error = PlainLabel()
        self.error.setObjectName("error")
        self.error.setWordWrap(True)
        self._build()
        self.show_opened(opened)
        if opened.table is not None:
            self.header.setChecked(bool(opened.table.header))
            self.columns.show_table(opened.table, opened.columns)
        lowest = LOWEST_TABLE if opened.table is not None else LOWEST_NAMES
        self.setMinimumSize(NARROWEST, lowest)
        self.resize(WIDTH, HEIGHT if opened.table is not None else min(HEIGHT, lowest + OF_NAME * len(opened.missing)))
        self.header.toggled.connect(self._on_header)
        self.columns.changed.connect(self._on_columns)

    def show_opened(self, opened: Opened) -> None:
        """Shows what is still missing with the columns as they are."""
        shown = {voice.id: voice.name for voice in opened.imported.project.voices} if opened.imported is not None else {}
        self.names.show_names(opened.missing, shown)
        for widget in (self.names_title, self.names_words, self.names):
            widget.setVisible(bool(opened.missing))
        self._space.setVisible(not opened.missing)
        self.take.setEnabled(opened.imported is not None)
        lines = len(opened.imported.project.script.lines) if opened.imported is not None else 0
        self.take.setText(
            localized(f"{lines:,} 行を読み込む", f"Import {lines:,} {'line' if lines == 1 else 'lines'}") if lines else _take()
        )
        self.show_error(None)

    def show_error(self, error: AppError | None) -> None:
        """Says why these columns cannot be used; None takes it back."""
        self.error.setText(f"{error.message} {error.hint}" if error else "")
        self.error.setVisible(error is not None)
        if error is not None:
            self.take.setEnabled(False)

    def _build(self) -> None:
        self.columns_title = _heading(localized("列の内容", "Columns"))
        columns_words = _words(
            localized(
                "テキストの列を選んでください。ほかの列は必要なものだけ選びます。",
                "Choose the column with the text, and any others you need.",
            )
        )
        self.names_title = _heading(localized("話す声", "Voices"))
        self.names_words = _words(
            localized(
                "対応する声が見つからない名前です。話す声を選んでください。",
                "No installed voice has these names. Choose who speaks their lines.",
            )
        )
        self._space = QWidget()
        buttons = QDialogButtonBox()
        self.take = buttons.addButton(_take(), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setObjectName("primary")
        self.take.setToolTip(
            localized("選んだ行の下に追加します。元に戻せます。", "Adds the lines below the selected one; you can undo this.")
        )
        cancel = buttons.addButton(localized("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localized("何も読み込まずに閉じます。", "Closes without importing anything."))
        buttons.accepted.connect(self._on_agreed)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(8)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)  # what is shown changes, how small it gets does not
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
    def _on_header(self, has_header: bool) -> None:
        table = self._table
        assert table is not None
        self._table = table.with_header() if has_header else table.without_header()
        self.columns.show_table(self._table, self.columns.columns)
        self._on_columns()

    @Slot()
    def _on_columns(self) -> None:
        columns: Mapping[str, int] = self.columns.columns
        if "text" in columns:
            self.columns_changed.emit(self._table, columns)
        else:
            self.take.setEnabled(False)

    @Slot()
    def _on_agreed(self) -> None:
        choices: dict[str, Character] = self.names.choices
        self.accept()
        self.agreed.emit(choices)


def _take() -> str:
    return localized("読み込む", "Import")


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    return label


def _words(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    return label
