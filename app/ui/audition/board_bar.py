"""The buttons for the focused cell of a board, and the filter above the table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.script.takes import HIGHEST_RATING, LONGEST_NOTE, LineTake
from app.ui.plain_text import PlainLabel, escape_tip
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.elided_text import ElidedButton

RATING_FILTER_WIDTH_PX = 134


class CellNoteField(QLineEdit):
    """A line edit for the note on the focused cell.

    Signals:
        leave_requested(): Enter or Esc was pressed; the keys go back to the table.
    """

    leave_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(LONGEST_NOTE)
        self.setPlaceholderText(localize("メモ", "Note"))
        self.setAccessibleName(self.placeholderText())
        self.setToolTip(localize("選んでいる音声のメモ。（N）", "Note on the selected sound. (N)"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter and Esc here instead of passing them to the dialog."""
        # The window would take Esc as stop or close; here both keys lead back to the table.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            event.accept()
            self.leave_requested.emit()
        else:
            super().keyPressEvent(event)


class BoardBar(QWidget):
    """A row of buttons below the table, each with its key in its tooltip.

    Signals:
        command_requested(str): A command of `BOARD_KEYS` was clicked.
        note_changed(str): The note of the focused cell was edited.
    """

    command_requested = Signal(str)
    note_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.play_button = self._create_push_button(
            localize("再生／停止", "Play / stop"),
            localize("選んでいる音声を再生します。（Space）", "Plays the selected sound. (Space)"),
            "play",
        )
        self.play_through_button = self._create_push_button(
            localize("連続再生", "Play from here"), localize("順番に続けて再生します。（P）", "Plays one after the other. (P)"), "through"
        )
        self.shuffle_button = self._create_push_button(
            localize("シャッフル", "Shuffle"),
            localize("順番を変えて続けて再生します。（Shift+P）", "Plays all in random order. (Shift+P)"),
            "shuffled",
        )
        self.scene_button = self._create_push_button(
            localize("場面を再生", "Play scene"),
            localize(
                "選んでいる声や配役で、すべての行を順番に再生します。（C）", "Plays all lines in order with the selected voice or cast. (C)"
            ),
            "scene",
        )
        self.apply_button = self._create_push_button("", "", "apply")
        self.apply_button.setObjectName("primary")
        self.character_button = ElidedButton("", "")
        self._prepare_push_button(self.character_button, "character")
        self.show_targets(is_of_casts=False, character="")
        self.star_button = self._create_tool_button(
            "★", localize("スター", "Star"), localize("スターを付けて残します。（S）", "Stars the sound and keeps it. (S)"), "star"
        )
        self.ratings = [
            self._create_tool_button(
                str(number),
                localize(f"評価 {number}", f"Rating {number}"),
                localize(f"{number} と評価します。（{number}、0 で消去）", f"Rates it {number}. ({number}; 0 clears)"),
                f"rate {number}",
            )
            for number in range(1, HIGHEST_RATING + 1)
        ]
        self.note = CellNoteField()
        self.note.editingFinished.connect(lambda: self.note_changed.emit(self.note.text()))
        self._lay_out_widgets()

    def _lay_out_widgets(self) -> None:
        marks = QHBoxLayout()
        marks.setSpacing(3)
        for button in (self.star_button, *self.ratings):
            marks.addWidget(button)
        marks.addSpacing(8)
        marks.addWidget(self.note, 1)
        deeds = QHBoxLayout()
        deeds.setSpacing(6)
        for widget in (self.play_button, self.play_through_button, self.shuffle_button, self.scene_button):
            deeds.addWidget(widget)
        deeds.addStretch(1)
        deeds.addWidget(self.character_button)
        deeds.addWidget(self.apply_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(marks)
        column.addLayout(deeds)

    def show_take(self, take: LineTake | None, *, has_cell: bool) -> None:
        """Show star, rating and note of the focused cell's take, and enable the buttons where a cell is focused."""
        self.star_button.setChecked(take is not None and take.starred)
        rating = take.rating if take is not None else 0
        for number, button in enumerate(self.ratings, 1):
            button.setChecked(number <= rating)
        # The user may still be typing: another cell's state must not replace the note meanwhile.
        if not self.note.hasFocus():
            self.note.setText(take.note if take is not None else "")
        for widget in (
            self.play_button,
            self.play_through_button,
            self.shuffle_button,
            self.scene_button,
            self.apply_button,
            self.character_button,
            self.star_button,
            *self.ratings,
            self.note,
        ):
            widget.setEnabled(has_cell)

    def show_targets(self, *, is_of_casts: bool, character: str) -> None:
        """Show what can be applied to whom.

        Args:
            character: name of the character who speaks all lines; empty where there are several, or nothing of a character is compared.
        """
        words, tip = (
            (
                localize("配役を適用", "Apply cast"),
                localize(
                    "すべての登場人物をこの配役にします。行ごとの設定は残ります。（Enter）",
                    "All characters get the voices of this cast; lines keep what you set for them. (Enter)",
                ),
            )
            if is_of_casts
            else (
                localize("行に適用", "Apply to line"),
                localize("この声と設定を行に適用します。（Enter）", "The line gets this voice and these settings. (Enter)"),
            )
        )
        self.apply_button.setText(words)
        self.apply_button.setToolTip(tip)
        given = localize(f"「{character}」に適用", f"Apply to {character}")
        self.character_button.setText(given.replace("&", "&&"))
        self.character_button.setAccessibleName(given)
        self.character_button.setToolTip(
            escape_tip(
                localize(
                    f"比べた声と設定を「{character}」に適用します。「{character}」のほかの行にも反映されます。（Shift+Enter）",
                    f"{character} gets the compared voice and settings, and the other lines of {character} follow. (Shift+Enter)",
                )
            )
        )
        self.character_button.setVisible(bool(character))

    def _create_push_button(self, text: str, tip: str, command: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        self._prepare_push_button(button, command)
        return button

    def _prepare_push_button(self, button: QPushButton, command: str) -> None:
        button.setAutoDefault(False)
        # A click leaves the focus, and so the keys, with the table.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self._create_emitter(command))

    def _create_tool_button(self, text: str, name: str, tip: str, command: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setObjectName("framed")
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.clicked.connect(self._create_emitter(command))
        return button

    def _create_emitter(self, command: str) -> Callable[[], None]:
        return lambda: self.command_requested.emit(command)


class BoardFilter(QWidget):
    """A filter of the shown cells, with their count.

    Signals:
        changed(): Another filter was chosen.
        compare_requested(): A blind test of the starred cells is requested.
    """

    changed = Signal()
    compare_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.starred = QToolButton()
        self.starred.setText(localize("★ スター付き", "★ Starred"))
        self.starred.setCheckable(True)
        self.starred.setObjectName("framed")
        self.starred.setToolTip(localize("スターを付けた音声だけを表示します。", "Shows starred sounds only."))
        self.starred.toggled.connect(self.changed)
        self.rating = ChoiceBox()
        self.rating.setAccessibleName(localize("評価", "Rating"))
        self.rating.setToolTip(localize("評価で絞り込みます。", "Filters the sounds by rating."))
        self.rating.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.rating.setMinimumWidth(RATING_FILTER_WIDTH_PX)
        self.rating.addItem(localize("すべての評価", "Any rating"), 0)
        for number in range(1, HIGHEST_RATING):
            self.rating.addItem(localize(f"評価 {number} 以上", f"{number} or more"), number)
        self.rating.addItem(localize(f"評価 {HIGHEST_RATING}", f"{HIGHEST_RATING} only"), HIGHEST_RATING)
        self.rating.currentIndexChanged.connect(self.changed)
        self.count = PlainLabel()
        self.count.setObjectName("muted")
        self.compare_button = QPushButton(localize("ブラインドテスト…", "Blind test…"))
        self.compare_button.setToolTip(
            localize("スターを付けた音声を、名前を伏せて聞き比べます。", "Compares the starred sounds with their names hidden.")
        )
        self.compare_button.setAutoDefault(False)
        self.compare_button.clicked.connect(self.compare_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.starred, self.rating, self.count):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.compare_button)

    @Slot(int, int, int)
    def show_counts(self, cell_count: int, made_count: int, starred_count: int) -> None:
        """Show how many of the board's cells are made, and offer a blind test where two are starred."""
        self.count.setText(
            localize(f"{cell_count:,} 個中 {made_count:,} 個を合成済み", f"{made_count:,} of {cell_count:,} synthesised")
            if cell_count
            else ""
        )
        self.compare_button.setEnabled(starred_count > 1)
