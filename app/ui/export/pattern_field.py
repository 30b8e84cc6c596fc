"""A field for the pattern of file names, typed or inserted from a menu."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.export.export_plan import choose_default_pattern
from app.export.name_pattern import describe_pattern_problem, list_tokens
from app.ui.plain_text import PlainLabel


class PatternField(QWidget):
    """A line edit with a menu of placeholders; below it an error or an example name.

    Signals:
        changed(): The pattern was edited.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setAccessibleName(localize("ファイル名", "File name"))
        self.edit.setToolTip(
            localize("「$」で囲んだ項目は、行ごとの値に置き換わります。", "Items between “$” are replaced with values of each line.")
        )
        self.edit.textChanged.connect(self._check_pattern)
        self.insert = QToolButton()
        self.insert.setObjectName("framed")
        self.insert.setText(localize("項目", "Insert"))
        self.insert.setAccessibleName(localize("ファイル名に項目を挿入", "Insert an item into the file name"))
        self.insert.setToolTip(localize("行の番号や話者の名前などを挿入します。", "Inserts the line number, speaker and so on."))
        self.insert.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.insert.setMenu(self._create_menu())
        self.note = PlainLabel()
        self.note.setWordWrap(True)
        self.setFocusProxy(self.edit)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.edit, 1)
        row.addWidget(self.insert)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.note)
        self._show_note("")

    @property
    def pattern(self) -> str:
        """Return the pattern as typed; empty for the default pattern, which follows the language of the window."""
        text = self.edit.text().strip()
        return "" if text == choose_default_pattern() else text

    @property
    def problem(self) -> str:
        """Return what is wrong with the pattern; empty where it is valid."""
        return describe_pattern_problem(self.edit.text())

    def show_pattern(self, pattern: str) -> None:
        """Show a pattern; empty shows the default."""
        self.edit.setText(pattern or choose_default_pattern())
        # Without this a long pattern would show its end.
        self.edit.setCursorPosition(0)

    def show_example(self, name: str) -> None:
        """Show an example name, where the pattern is valid."""
        if not self.problem:
            self._show_note(localize(f"例: {name}", f"Example: {name}") if name else "")

    def _create_menu(self) -> QMenu:
        menu = QMenu(self)
        for token in list_tokens():
            action = menu.addAction(f"{token.label}\t{token.meaning}")
            action.triggered.connect(lambda _checked=False, written=token.label: self._insert_placeholder(written))
        return menu

    def _insert_placeholder(self, placeholder: str) -> None:
        self.edit.insert(placeholder)
        self.edit.setFocus()

    @Slot()
    def _check_pattern(self) -> None:
        self._show_note(self.problem, is_error=bool(self.problem))
        self.changed.emit()

    def _show_note(self, text: str, *, is_error: bool = False) -> None:
        # A blank keeps the row's height, so that the form does not jump when an error appears.
        self.note.setText(text or " ")
        self.note.setObjectName("error" if is_error else "muted")
        self.note.style().polish(self.note)
