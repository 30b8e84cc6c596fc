"""The pattern of file names: typed, or put together from a menu."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from app.export.pattern import problem_of, tokens
from app.export.plan import usual_pattern
from app.language import localized
from app.ui.plain_text import PlainLabel


class PatternField(QWidget):
    """A text with a menu of what can be in it; below it what is wrong, or the first name.

    Signals:
        changed(): another pattern.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setAccessibleName(localized("ファイル名", "File name"))
        self.edit.setToolTip(
            localized("「$」で囲んだ項目は、行ごとの値に置き換わります。", "Items between “$” are replaced with values of each line.")
        )
        self.edit.textChanged.connect(self._on_typed)
        self.insert = QToolButton()
        self.insert.setObjectName("framed")
        self.insert.setText(localized("項目", "Insert"))
        self.insert.setAccessibleName(localized("ファイル名に項目を挿入", "Insert an item into the file name"))
        self.insert.setToolTip(localized("行の番号や話者の名前などを挿入します。", "Inserts the line number, speaker and so on."))
        self.insert.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.insert.setMenu(self._menu())
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
        """As typed; empty for the default pattern, which follows the language of the window."""
        text = self.edit.text().strip()
        return "" if text == usual_pattern() else text

    @property
    def problem(self) -> str:
        """What is wrong with it; empty where nothing is."""
        return problem_of(self.edit.text())

    def show_pattern(self, pattern: str) -> None:
        """Shows a pattern; empty is the usual one."""
        self.edit.setText(pattern or usual_pattern())
        self.edit.setCursorPosition(0)  # else a long one shows its end

    def show_example(self, name: str) -> None:
        """The first name, where the pattern is right."""
        if not self.problem:
            self._show_note(localized(f"例: {name}", f"Example: {name}") if name else "")

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for token in tokens():
            action = menu.addAction(f"{token.written}\t{token.meaning}")
            action.triggered.connect(lambda _checked=False, written=token.written: self._insert(written))
        return menu

    def _insert(self, written: str) -> None:
        self.edit.insert(written)
        self.edit.setFocus()

    @Slot()
    def _on_typed(self) -> None:
        self._show_note(self.problem, wrong=bool(self.problem))
        self.changed.emit()

    def _show_note(self, text: str, *, wrong: bool = False) -> None:
        self.note.setText(text or " ")  # a line stays free for it
        self.note.setObjectName("error" if wrong else "muted")
        self.note.style().polish(self.note)
