"""The window of the audition board: the chooser at the left, the table at the right, the buttons below the table."""

import itertools
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.common.language import localize
from app.core.script.project import HIGHEST_RATING, LONGEST_NOTE, LineTake
from app.ui.audition.board_chooser import BoardChooser
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_view import BoardView, list_key_hints
from app.ui.widgets.controls import (
    DIALOG_MARGINS,
    ChoiceBox,
    ElidedButton,
    PlainLabel,
    create_button,
    create_tool_button,
    describe_control,
    escape_mnemonic,
    escape_tip,
    fill_box,
)
from app.ui.widgets.dialogs import ClosableDialog, compute_text_scale

SIZE, CHOOSER_WIDTH, NARROWEST_CHOOSER = (1100, 640), 280, 272
WORD_JOINER = "\u2060"  # Qt breaks Japanese text in spite of `nowrap`

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
        describe_control(self, localize("メモ", "Note"), localize("選んでいる音声のメモ。（N）", "Note on the selected sound. (N)"))

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
        self.apply_button, self.character_button = QPushButton(), ElidedButton("", "")
        self.buttons = {command: describe_control(QPushButton(text), text, tip) for command, text, tip in _list_play_commands()}
        self.buttons |= {"apply": self.apply_button, "character": self.character_button}
        for command, button in self.buttons.items():
            button.setAutoDefault(False)
            # A click leaves the focus, and so the keys, with the table.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._request_command, command))
        self.apply_button.setObjectName("primary")
        self.show_targets(is_of_casts=False, character="")
        star_tip = localize("スターを付けて残します。（S）", "Stars the sound and keeps it. (S)")
        self.star_button = self._create_mark_button("★", localize("スター", "Star"), star_tip, "star")
        self.ratings = [
            self._create_mark_button(
                str(number),
                localize(f"評価 {number}", f"Rating {number}"),
                localize(f"{number} と評価します。（{number}、0 で消去）", f"Rates it {number}. ({number}; 0 clears)"),
                f"rate {number}",
            )
            for number in range(1, HIGHEST_RATING + 1)
        ]
        self.note = CellNoteField()
        self.note.editingFinished.connect(lambda: self.note_changed.emit(self.note.text()))
        marks = fill_box(QHBoxLayout(), self.star_button, *self.ratings, 8, (self.note, 1), spacing=3)
        *playing, apply, character = self.buttons.values()
        fill_box(QVBoxLayout(self), marks, fill_box(QHBoxLayout(), *playing, None, character, apply, spacing=6), spacing=8)

    def show_take(self, take: LineTake | None, *, has_cell: bool) -> None:
        """Show star, rating and note of the focused cell's take, and enable the buttons where a cell is focused."""
        self.star_button.setChecked(take is not None and take.starred)
        rating = take.rating if take is not None else 0
        for number, button in enumerate(self.ratings, 1):
            button.setChecked(number <= rating)
        # The user may still be typing: another cell's state must not replace the note meanwhile.
        if not self.note.hasFocus():
            self.note.setText(take.note if take is not None else "")
        for widget in (*self.buttons.values(), self.star_button, *self.ratings, self.note):
            widget.setEnabled(has_cell)

    def show_targets(self, *, is_of_casts: bool, character: str) -> None:
        """Show what can be applied to whom.

        Args:
            character: name of the character who speaks all lines; empty where there are several, or nothing of a character is compared.
        """
        if is_of_casts:
            text = localize("配役を適用", "Apply cast")
            tip = localize(
                "すべての登場人物をこの配役にします。行ごとの設定は残ります。（Enter）",
                "All characters get the voices of this cast; lines keep what you set for them. (Enter)",
            )
        else:
            text = localize("行に適用", "Apply to line")
            tip = localize("この声と設定を行に適用します。（Enter）", "The line gets this voice and these settings. (Enter)")
        self.apply_button.setText(text)
        self.apply_button.setToolTip(tip)
        text = localize(f"「{character}」に適用", f"Apply to {character}")
        tip = localize(
            f"比べた声と設定を「{character}」に適用します。「{character}」のほかの行にも反映されます。（Shift+Enter）",
            f"{character} gets the compared voice and settings, and the other lines of {character} follow. (Shift+Enter)",
        )
        self.character_button.setText(escape_mnemonic(text))
        describe_control(self.character_button, text, escape_tip(tip))
        self.character_button.setVisible(bool(character))

    def _create_mark_button(self, text: str, name: str, tip: str, command: str) -> QToolButton:
        return create_tool_button(text, tip, partial(self._request_command, command), name=name, is_checkable=True)

    def _request_command(self, command: str, _is_checked: bool = False) -> None:
        self.command_requested.emit(command)


def _list_play_commands() -> tuple[tuple[str, str, str], ...]:
    """Return the commands that play, with the texts and tips of their buttons."""
    through = localize("連続再生", "Play from here")
    shuffle_tip = localize("順番を変えて続けて再生します。（Shift+P）", "Plays all in random order. (Shift+P)")
    scene_tip = localize(
        "選んでいる声や配役で、すべての行を順番に再生します。（C）", "Plays all lines in order with the selected voice or cast. (C)"
    )
    return (
        (
            "play",
            localize("再生／停止", "Play / stop"),
            localize("選んでいる音声を再生します。（Space）", "Plays the selected sound. (Space)"),
        ),
        ("through", through, localize("順番に続けて再生します。（P）", "Plays one after the other. (P)")),
        ("shuffled", localize("シャッフル", "Shuffle"), shuffle_tip),
        ("scene", localize("場面を再生", "Play scene"), scene_tip),
    )


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
        tip = localize("スターを付けた音声だけを表示します。", "Shows starred sounds only.")
        self.starred = create_tool_button(localize("★ スター付き", "★ Starred"), tip, is_checkable=True)
        self.starred.toggled.connect(self.changed)
        tip = localize("評価で絞り込みます。", "Filters the sounds by rating.")
        self.rating = describe_control(ChoiceBox(), localize("評価", "Rating"), tip)
        self.rating.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.rating.setMinimumWidth(RATING_FILTER_WIDTH_PX)
        self.rating.addItem(localize("すべての評価", "Any rating"), 0)
        for number in range(1, HIGHEST_RATING):
            self.rating.addItem(localize(f"評価 {number} 以上", f"{number} or more"), number)
        self.rating.addItem(localize(f"評価 {HIGHEST_RATING}", f"{HIGHEST_RATING} only"), HIGHEST_RATING)
        self.rating.currentIndexChanged.connect(self.changed)
        self.count = PlainLabel("", "muted")
        tip = localize("スターを付けた音声を、名前を伏せて聞き比べます。", "Compares the starred sounds with their names hidden.")
        self.compare_button = create_button(localize("ブラインドテスト…", "Blind test…"), tip, self.compare_requested.emit)
        fill_box(QHBoxLayout(self), self.starred, self.rating, self.count, None, self.compare_button, spacing=8)

    @Slot(int, int, int)
    def show_counts(self, cell_count: int, made_count: int, starred_count: int) -> None:
        """Show how many of the board's cells are made, and offer a blind test where two are starred."""
        text = localize(f"{cell_count:,} 個中 {made_count:,} 個を合成済み", f"{made_count:,} of {cell_count:,} synthesised")
        self.count.setText(text if cell_count else "")
        self.compare_button.setEnabled(starred_count > 1)


class BoardWindow(ClosableDialog):
    """Shows the board and emits commands; the controllers decide what follows.

    Signals:
        command_requested(str): A command of `BOARD_KEYS` was chosen.
    """

    command_requested = Signal(str)

    def __init__(self, parent: QWidget, model: BoardModel) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("オーディション", "Audition"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.chooser, self.filter, self.bar = BoardChooser(), BoardFilter(), BoardBar()
        self.view = BoardView(model)
        self.empty = PlainLabel("", "muted", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.empty)
        self.hints = QLabel(wordWrap=True)
        self.hints.setObjectName("muted")
        self.reason = PlainLabel("", "error", wraps=True)
        self.reason.hide()
        self.view.command_requested.connect(self.command_requested)
        self.bar.command_requested.connect(self.command_requested)
        self.bar.note.leave_requested.connect(self.view.setFocus)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.show_targets(is_of_casts=False, character="")
        self._lay_out_widgets()
        chooser = self.chooser
        choices = (chooser.take_lines_button, chooser.tabs, chooser.search, chooser.tree, *chooser.strengths.values(), chooser.presets)
        stops = (self.filter.starred, self.filter.rating, self.filter.compare_button, *choices, self.view)
        # Qt's order follows creation: Tab would leave the filter for the bar and reach the table late.
        for before, after in itertools.pairwise(stops):
            self.setTabOrder(before, after)
        self.resize(*SIZE)

    def show_targets(self, *, is_of_casts: bool, character: str) -> None:
        """Show what can be applied to whom; see `BoardBar.show_targets`."""
        hints = list_key_hints(is_of_casts=is_of_casts)
        words = ((keys, WORD_JOINER.join(description)) for keys, description in hints)
        self.hints.setText(
            " &nbsp; ".join(f"<span style='white-space: nowrap'><b>{keys}</b> {description}</span>" for keys, description in words)
        )
        self.view.show_wide_names(is_wide=is_of_casts)
        self.bar.show_targets(is_of_casts=is_of_casts, character=character)

    def show_empty(self, reason: str) -> None:
        """Show why there is no table; an empty reason shows the table."""
        self.empty.setText(reason)
        self.pages.setCurrentWidget(self.empty if reason else self.view)

    def show_failure_reason(self, reason: str) -> None:
        """Show why the focused cell failed, for users who do not hover it; an empty reason hides the text."""
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc stop playback before it closes the window, and leave Enter to the table."""
        if event.key() == Qt.Key.Key_Escape:
            self.command_requested.emit("stop")
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @Slot(QPoint)
    def _show_menu(self, position: QPoint) -> None:
        if not self.view.indexAt(position).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        bar = self.bar
        for command, button in bar.buttons.items():
            if not button.isHidden():
                menu.addAction(button.text()).triggered.connect(partial(self._request_command, command))
        menu.addSeparator()
        marks = {"star": bar.star_button.accessibleName(), "note": bar.note.accessibleName()}
        marks |= {f"rate {number}": rating.accessibleName() for number, rating in enumerate(bar.ratings, 1)}
        marks["rate 0"] = localize("評価を消去", "Clear rating")
        for command, name in marks.items():
            menu.addAction(name).triggered.connect(partial(self._request_command, command))
        menu.popup(self.view.viewport().mapToGlobal(position))

    def _request_command(self, command: str, _is_checked: bool = False) -> None:
        self.command_requested.emit(command)

    def _lay_out_widgets(self) -> None:
        right = QWidget()
        fill_box(QVBoxLayout(right), self.filter, (self.pages, 1), self.reason, self.bar, self.hints, spacing=8)
        splitter = QSplitter(Qt.Orientation.Horizontal, handleWidth=16, childrenCollapsible=False)
        self.chooser.setMinimumWidth(round(NARROWEST_CHOOSER * compute_text_scale(self)))
        splitter.addWidget(self.chooser)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([CHOOSER_WIDTH, SIZE[0] - CHOOSER_WIDTH])
        fill_box(QHBoxLayout(self), splitter, margins=DIALOG_MARGINS)
