"""What can be done with the focused cell by mouse, and the filter above the table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.core.takes import HIGHEST_RATING, LONGEST_NOTE, Take
from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.widgets.choice_box import ChoiceBox

RATING_WIDTH = 134  # pixels


class NoteField(QLineEdit):
    """A note to the focused cell.

    Signals:
        left(): Enter or Esc; the keys go back to the table.
    """

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(LONGEST_NOTE)
        self.setPlaceholderText(localized("メモ", "Note"))
        self.setAccessibleName(self.placeholderText())
        self.setToolTip(localized("選んでいる音声のメモ。（N）", "Note on the selected sound. (N)"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Esc are not the dialog's."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            event.accept()
            self.left.emit()
        else:
            super().keyPressEvent(event)


class BoardBar(QWidget):
    """Buttons below the table; each has its key in its tip.

    Signals:
        wanted(str): a wish of `board_keys`.
        noted(str): the note of the focused cell.
    """

    wanted = Signal(str)
    noted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.play = self._push(
            localized("再生／停止", "Play / stop"),
            localized("選んでいる音声を再生します。（Space）", "Plays the selected sound. (Space)"),
            "play",
        )
        self.through = self._push(
            localized("連続再生", "Play from here"), localized("順番に続けて再生します。（P）", "Plays one after the other. (P)"), "through"
        )
        self.shuffled = self._push(
            localized("シャッフル", "Shuffle"),
            localized("順番を変えて続けて再生します。（Shift+P）", "Plays all in random order. (Shift+P)"),
            "shuffled",
        )
        self.apply = self._push(
            localized("行に適用", "Apply to line"),
            localized("この声と設定を行に適用します。（Enter）", "The line gets this voice and these settings. (Enter)"),
            "apply",
        )
        self.apply.setObjectName("primary")
        self.star = self._tool(
            "★", localized("スター", "Star"), localized("スターを付けて残します。（S）", "Stars the sound and keeps it. (S)"), "star"
        )
        self.ratings = [
            self._tool(
                str(number),
                localized(f"評価 {number}", f"Rating {number}"),
                localized(f"{number} と評価します。（{number}、0 で消去）", f"Rates it {number}. ({number}; 0 clears)"),
                f"rate {number}",
            )
            for number in range(1, HIGHEST_RATING + 1)
        ]
        self.note = NoteField()
        self.note.editingFinished.connect(lambda: self.noted.emit(self.note.text()))
        self._lay_out()

    def _lay_out(self) -> None:
        marks = QHBoxLayout()
        marks.setSpacing(3)
        for button in (self.star, *self.ratings):
            marks.addWidget(button)
        marks.addSpacing(8)
        marks.addWidget(self.note, 1)
        deeds = QHBoxLayout()
        deeds.setSpacing(6)
        for widget in (self.play, self.through, self.shuffled):
            deeds.addWidget(widget)
        deeds.addStretch(1)
        deeds.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(marks)
        column.addLayout(deeds)

    def show_take(self, take: Take | None, *, there_is_a_cell: bool) -> None:
        """What was said of the focused cell."""
        self.star.setChecked(take is not None and take.starred)
        rating = take.rating if take is not None else 0
        for number, button in enumerate(self.ratings, 1):
            button.setChecked(number <= rating)
        if not self.note.hasFocus():
            self.note.setText(take.note if take is not None else "")
        for widget in (self.play, self.through, self.shuffled, self.apply, self.star, *self.ratings, self.note):
            widget.setEnabled(there_is_a_cell)

    def _push(self, text: str, tip: str, wish: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the table
        button.clicked.connect(self._emitter(wish))
        return button

    def _tool(self, text: str, name: str, tip: str, wish: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setObjectName("framed")
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.clicked.connect(self._emitter(wish))
        return button

    def _emitter(self, wish: str) -> Callable[[], None]:
        return lambda: self.wanted.emit(wish)


class BoardFilter(QWidget):
    """Which cells are shown, and how many there are.

    Signals:
        changed(): others are wanted.
        compare_requested(): a blind test of the starred cells.
    """

    changed = Signal()
    compare_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.starred = QToolButton()
        self.starred.setText(localized("★ スター付き", "★ Starred"))
        self.starred.setCheckable(True)
        self.starred.setObjectName("framed")
        self.starred.setToolTip(localized("スターを付けた音声だけを表示します。", "Shows starred sounds only."))
        self.starred.toggled.connect(self.changed)
        self.rating = ChoiceBox()
        self.rating.setAccessibleName(localized("評価", "Rating"))
        self.rating.setToolTip(localized("評価で絞り込みます。", "Filters the sounds by rating."))
        self.rating.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.rating.setMinimumWidth(RATING_WIDTH)
        self.rating.addItem(localized("すべての評価", "Any rating"), 0)
        for number in range(1, HIGHEST_RATING):
            self.rating.addItem(localized(f"評価 {number} 以上", f"{number} or more"), number)
        self.rating.addItem(localized(f"評価 {HIGHEST_RATING}", f"{HIGHEST_RATING} only"), HIGHEST_RATING)
        self.rating.currentIndexChanged.connect(self.changed)
        self.count = PlainLabel()
        self.count.setObjectName("muted")
        self.compare = QPushButton(localized("ブラインドテスト…", "Blind test…"))
        self.compare.setToolTip(
            localized("スターを付けた音声を、名前を伏せて聞き比べます。", "Compares the starred sounds with their names hidden.")
        )
        self.compare.setAutoDefault(False)
        self.compare.clicked.connect(self.compare_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.starred, self.rating, self.count):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.compare)

    @Slot(int, int, int)
    def show_counts(self, cells: int, made: int, starred: int) -> None:
        """How far the board is."""
        self.count.setText(localized(f"{cells:,} 個中 {made:,} 個を合成済み", f"{made:,} of {cells:,} synthesised") if cells else "")
        self.compare.setEnabled(starred > 1)
