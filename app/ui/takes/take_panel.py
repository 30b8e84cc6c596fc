"""The panel of the selected line's takes: a table, which says how each differs from the line, and buttons for the chosen take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QHeaderView, QSizePolicy, QTableView, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.delivery import describe_latin_reading
from app.core.script.project import LineTake
from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings
from app.core.synthesis_types import BOUNDS
from app.ui.takes.take_repository import TAKES_PER_BATCH, TAKES_TITLE
from app.ui.widgets.controls import (
    ElidedLabel,
    Index,
    PlainLabel,
    RowTableModel,
    create_button,
    escape_tip,
    fill_box,
    select_single_row,
    set_up_row_table,
)
from app.voices.voice_labels import format_speaker, format_style

COLUMNS = STAR, NUMBER, LENGTH, SEED, DIFFERS, NOTE = range(6)
ROW_MARGINS, CELL_MARGINS = 6, 24  # pixels added to the height of the text, and to its width
ROWS, FEW_ROWS, FEWEST_ROWS = 5, 3, 2  # visible rows in a high, a lower and a low window
HIGH_WINDOW, LOW_WINDOW = 900, 760  # window heights in pixels; below them the script needs the room
NOTE_COLUMN_SHARE = 0.4  # share of the width that the number columns leave; the differences get the rest


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A row of the table: a take and its number."""

    take: LineTake
    number: int = 0  # number within the line, from 1; 0 for a take that is not kept
    differs: tuple[str, ...] = ()  # the differences from the line as it is now, in words

    @property
    def name(self) -> str:
        return localize(f"テイク {self.number}", f"Take {self.number}") if self.number else localize("未保存のテイク", "Unsaved take")

    @property
    def difference(self) -> str:
        """Return the differences in one line."""
        text = localize("、", ", ").join(self.differs)
        return text[:1].upper() + text[1:] or localize("現在の設定と同じ", "Same settings as now")


class TakeModel(RowTableModel):
    """A table model with a row for each take of a line, kept takes first, then recent renderings that are not kept.

    Signals:
        noted(str, str): the note of this take was edited.
    """

    columns = COLUMNS
    rows: Sequence[TakeRow] = ()
    noted = Signal(str, str)
    _playing_id = ""

    def show_rows(self, rows: Sequence[TakeRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def show_playing(self, take_id: str) -> None:
        """Mark the take that plays; an empty id marks none."""
        if take_id != self._playing_id:
            self._playing_id = take_id
            if self.rows:
                self.dataChanged.emit(self.index(0, NUMBER), self.index(len(self.rows) - 1, NUMBER))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            numbers = "★", localize("番号", "No."), localize("長さ", "Length"), localize("シード", "Seed")
            return (*numbers, localize("現在の設定との違い", "Differs from now"), localize("メモ", "Note"))[section]
        return _choose_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a cell; only notes of kept takes are editable."""
        flags = super().flags(index)
        editable = index.column() == NOTE and self.rows[index.row()].number
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell.

        The accessible text of the first cell is that of the whole row, for screen readers.
        """
        row, column = self.rows[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._format_cells(row)[column]
        if role == Qt.ItemDataRole.AccessibleTextRole and column == STAR:
            star = localize("スター付き、", "starred, ") if row.take.starred else ""
            return f"{row.name}: {star}{self._format_cells(row)[LENGTH]}, {row.difference} {row.take.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tip("\n".join(part for part in (row.name, row.difference, row.take.text, row.take.note) if part))
        return _choose_alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit an edited note."""
        if role != Qt.ItemDataRole.EditRole or index.column() != NOTE:
            return False
        self.noted.emit(self.rows[index.row()].take.id, str(value).strip())
        return True

    def _format_cells(self, row: TakeRow) -> tuple[str, ...]:
        take = row.take
        number = str(row.number) if row.number else localize("未保存", "not saved")
        return (
            "★" if take.starred else "☆" if row.number else "",
            f"▶ {number}" if take.id == self._playing_id else number,
            localize(f"{take.length_s:.2f} 秒", f"{take.length_s:.2f} s"),
            str(take.settings.seed),
            row.difference,
            take.note,
        )


def _choose_alignment(column: int) -> Qt.AlignmentFlag:
    if column == STAR:
        return Qt.AlignmentFlag.AlignCenter
    across = Qt.AlignmentFlag.AlignRight if column in (NUMBER, LENGTH, SEED) else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter


def list_differences(
    take: LineTake, line: Line, find_voice_name: Callable[[str], str], character: Character | None = None
) -> tuple[str, ...]:
    """List the differences with the take's values; the seed is left out, as it has a column of its own.

    Nothing says whether a take with another voice, speaker or style comes from before its character was recast or from a deviation of the line
    that is gone, so it is only said that neither the line nor its character is spoken so.

    Args:
        find_voice_name: returns the displayed name of a voice id.
    """
    then, now = take.settings, line.settings
    differences: list[str] = []
    if character is not None and not _is_same_cast(then, now) and not _is_same_cast(then, character.settings):
        differences.append(localize("今の配役と異なる", "not the present cast"))
    if take.text != line.text:
        differences.append(localize("テキスト", "text"))
    if take.overrides != line.overrides:
        differences.append(localize("読みとアクセント", "reading and accent"))
    if then.voice != now.voice:
        differences.append(localize(f"声 {find_voice_name(then.voice)}", f"voice {find_voice_name(then.voice)}"))
    first = localize("（先頭）", "(first)")
    if then.speaker != now.speaker:
        differences.append(localize("話者", "speaker") + f" {format_speaker(then.speaker) or first}")
    if then.style != now.style:
        differences.append(localize("スタイル", "style") + f" {format_style(then.style) or first}")
    differences += [
        f"{BOUNDS[name].label} {BOUNDS[name].unit.format_number(value)}"
        for name in BOUNDS
        if (value := getattr(then, name)) != getattr(now, name)
    ]
    others = {
        "pauses": localize("間の長さ", "pauses"),
        "assist_text": localize("アシストテキスト", "assist text"),
        "latin": localize("英字の読み方", "Latin letters") + f" {describe_latin_reading(then.latin)}",
        "memos": localize("メモの扱い", "memos"),
    }
    differences += [words for name, words in others.items() if getattr(then, name) != getattr(now, name)]
    return tuple(differences)


def _is_same_cast(one: LineSettings, other: LineSettings) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in CAST_FIELDS)


Key = Qt.Key
TAKE_TABLE_KEYS = dict.fromkeys((Key.Key_Space, Key.Key_Return, Key.Key_Enter), "play") | dict.fromkeys((Key.Key_N, Key.Key_F2), "note")
TAKE_TABLE_KEYS |= {Key.Key_A: "compare", Key.Key_S: "star", Key.Key_R: "restore", Key.Key_K: "keep", Key.Key_Delete: "delete"}


class TakeTable(QTableView):
    """A table with one current row, which keys and buttons act on.

    Signals:
        chosen(): another row is current.
        command_requested(str): a key, a double click or the star column: play, compare, star, note, restore, keep, delete.
        drag_requested(): the current row is dragged.
    """

    chosen = Signal()
    command_requested = Signal(str)
    drag_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.takes = TakeModel()
        self.setModel(self.takes)
        self.setObjectName("takes")
        self.setAccessibleName(localize("この行のテイク", "Takes of this line"))
        tip = localize(
            "Space：再生　A：現在の行と聞き比べ　S：スター　N：メモ　R：この設定に戻す　K：保存　Del：削除　ドラッグ：ほかのアプリで使う",
            "Space: play · A: compare with the line · S: star · N: note · R: restore settings · K: keep · Del: delete · "
            "drag: use in another program",
        )
        self.setToolTip(tip)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        set_up_row_table(self, ROW_MARGINS)
        self._lay_out_columns()
        self.setDragEnabled(True)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.clicked.connect(self._toggle_star)
        self.doubleClicked.connect(self._request_play)

    @property
    def current(self) -> TakeRow | None:
        """Return the current row, or None."""
        rows = self.selectionModel().selectedRows()
        return self.takes.rows[rows[0].row()] if rows else None

    def show_rows(self, rows: Sequence[TakeRow], wanted: str = "") -> None:
        """Show other rows and select `wanted`, else the take that was current, else its neighbour."""
        selected_id = self.current.take.id if self.current else ""
        index = next((index for index, row in enumerate(self.takes.rows) if row.take.id == selected_id), 0)
        self.takes.show_rows(rows)
        row_by_id = {row.take.id: index for index, row in enumerate(rows)}
        chosen = row_by_id.get(wanted, row_by_id.get(selected_id, min(index, len(rows) - 1)))
        if rows:
            select_single_row(self, self.takes.index(chosen, 0))
            self.scrollTo(self.takes.index(chosen, 0))
        self.chosen.emit()

    def edit_note(self) -> None:
        """Open the editor for the note of the current row."""
        rows = self.selectionModel().selectedRows(NOTE)
        if rows and self.takes.flags(rows[0]) & Qt.ItemFlag.ItemIsEditable:
            select_single_row(self, rows[0])
            self.edit(rows[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width that the number columns leave between differences and notes."""
        header = self.horizontalHeader()
        free_width = self.viewport().width() - sum(header.sectionSize(column) for column in (STAR, NUMBER, LENGTH, SEED))
        header.resizeSection(NOTE, max(0, round(NOTE_COLUMN_SHARE * free_width)))
        super().resizeEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Drag the current take to another program."""
        if self.current is not None:
            self.drag_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the command of a key."""
        # Keys of the numeric keypad carry a modifier of their own, and its Enter counts too.
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        name = TAKE_TABLE_KEYS.get(Qt.Key(event.key()), "") if plain else ""
        if name and self.current is not None:
            self.command_requested.emit(name)
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _toggle_star(self, index: QModelIndex) -> None:
        if index.column() == STAR:
            self.command_requested.emit("star")

    @Slot(QModelIndex)
    def _request_play(self, index: QModelIndex) -> None:
        if index.column() == NOTE:
            self.edit_note()
        elif index.column() != STAR:
            self.command_requested.emit("play")

    def _lay_out_columns(self) -> None:
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        header.setHighlightSections(False)
        widest = {STAR: "★", NUMBER: "▶ " + localize("未保存", "not saved"), LENGTH: localize("999.99 秒", "999.99 s"), SEED: "4294967295"}
        for column, words in widest.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(words) + CELL_MARGINS)
        header.setSectionResizeMode(NOTE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(DIFFERS, QHeaderView.ResizeMode.Stretch)


class TakePanel(QFrame):
    """Emits the commands of its buttons; `TakesController` runs them.

    Signals:
        command_requested(str): play, compare, star, note, restore, keep, delete, more, stop or close.
    """

    command_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.table = TakeTable()
        self.table.command_requested.connect(self.command_requested)
        self.table.chosen.connect(self.update_buttons)
        # An elided label, as a long text must not change the width of the columns.
        self.state = ElidedLabel("")
        self.state.setObjectName("muted")
        self.empty = PlainLabel(
            localize(
                f"この行のテイクはまだありません。\n「保存」で直前に再生した音声を残し、「さらに {TAKES_PER_BATCH} 個」で話し方の違うテイクを作成します。",
                f"This line has no takes yet.\n“Keep” saves what you just heard; “{TAKES_PER_BATCH} more” makes takes with other seeds.",
            ),
            "muted",
            wraps=True,
        )
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        names = {"star": localize("スター", "Star"), "close": localize("閉じる", "Close")}  # of buttons with a sign instead of a word
        self.buttons = {
            command: create_button(text, tip, partial(self.command_requested.emit, command), name=names.get(command, ""), style="small")
            for command, (text, tip) in _list_buttons().items()
        }
        self.buttons["star"].setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        keep, more, stop, *others = self.buttons.values()
        title = PlainLabel(localize(*TAKES_TITLE), "heading")
        top = fill_box(QHBoxLayout(), title, keep, more, stop, (self.state, 1), *others, spacing=4)
        fill_box(QVBoxLayout(self), top, self.table, self.empty, spacing=6, margins=(10, 6, 10, 6))
        self.update_buttons()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """Return the widgets in tab order."""
        return (*self.buttons.values(), self.table)

    def update_buttons(self) -> None:
        """Enable the buttons for the chosen take."""
        row = self.table.current
        for name in ("play", "compare", "restore"):
            self.buttons[name].setEnabled(row is not None)
        for name in ("star", "note", "delete"):
            self.buttons[name].setEnabled(row is not None and row.number > 0)
        self.buttons["star"].setChecked(row is not None and row.take.starred)
        self.table.setVisible(bool(self.table.takes.rows))
        self.empty.setVisible(not self.table.takes.rows)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the height to the window."""
        super().showEvent(event)
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to another size of the window."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Set the height to that of 5, 3 or 2 rows, by the height of the window."""
        window_height, table = self.window().height(), self.table
        rows = ROWS if window_height >= HIGH_WINDOW else FEW_ROWS if window_height >= LOW_WINDOW else FEWEST_ROWS
        table.setFixedHeight(table.horizontalHeader().sizeHint().height() + rows * table.verticalHeader().defaultSectionSize() + 4)
        self.empty.setFixedHeight(table.height())


def _list_buttons() -> dict[str, tuple[str, str]]:
    return {
        "keep": (localize("保存", "Keep"), localize("聞いた音声をテイクとして保存します。", "Saves what you heard as a take.")),
        "more": (
            localize(f"さらに {TAKES_PER_BATCH} 個", f"{TAKES_PER_BATCH} more"),
            localize(f"シードの異なるテイクを {TAKES_PER_BATCH} 個作成します。", f"Makes {TAKES_PER_BATCH} takes with other seeds."),
        ),
        "stop": (localize("中止", "Stop"), localize("残りのテイクの作成を中止します。", "Stops making the remaining takes.")),
        "play": (localize("再生", "Play"), localize("選んだテイクを再生します。", "Plays the selected take.")),
        "compare": (
            "A/B",
            localize(
                "選んだテイクと現在の行を、同じ音量で続けて再生します。もう一度押すと切り替わります。",
                "Plays the take and the line as it is now, equally loud. Press again to switch.",
            ),
        ),
        "star": (
            "★",
            localize("スターを付けます。自動で削除されなくなります。", "Stars the take, so that it is never removed automatically."),
        ),
        "note": (localize("メモ", "Note"), localize("選んだテイクにメモを付けます。", "Adds a note to the selected take.")),
        "restore": (
            localize("この設定に戻す", "Restore"),
            localize(
                "行のテキスト、読み、設定、シードを、選んだテイクのものに戻します。",
                "Gives the line the text, reading, settings and seed of the selected take.",
            ),
        ),
        "delete": (localize("削除", "Delete"), localize("選んだテイクを削除します。", "Deletes the selected take.")),
        "close": ("×", localize("テイクの一覧を閉じます。", "Closes the list of takes.")),
    }
