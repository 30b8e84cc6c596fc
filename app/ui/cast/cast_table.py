"""The table of the cast: colour and name, voice, number of lines, and how long they take."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.core.script.script import Character
from app.ui.script.script_model import ScriptDuration
from app.ui.theme.theme import ThemedWidget, create_colour_icon, list_colour_names
from app.ui.voices.voice_chooser import VOICE_MIME, read_dragged_voice
from app.ui.widgets.controls import Index, RowTableModel, escape_tip, select_single_row, set_up_row_table

COLUMNS = NUMBER, NAME, VOICE, LINES, LENGTH = range(5)
SWATCH_PX = 16
ROW_MARGINS, CELL_MARGINS = 12, 22  # pixels added to the height of the text, and to its width
NAME_COLUMN_SHARE = 0.45  # share of the width that the other columns leave
MIN_NAME_AND_VOICE_PX = 260


class CastTableModel(RowTableModel):
    """A row for each character, in the order of the cast.

    Signals:
        renamed(str, str): the name of the character of this id was edited.
        voice_dropped(str, str): a voice, by id, was dropped on the character of this id.
    """

    columns = COLUMNS
    rows: Sequence[Character] = ()
    renamed = Signal(str, str)
    voice_dropped = Signal(str, str)

    def __init__(self, describe_voice: Callable[[Character], str], draw_swatch: Callable[[int], QIcon]) -> None:
        super().__init__()
        self._describe_voice, self._draw_swatch = describe_voice, draw_swatch
        self._counts: Mapping[str, int] = {}
        self._lengths: Mapping[str, ScriptDuration] = {}

    def show_cast(self, cast: Sequence[Character]) -> None:
        if [character.id for character in cast] == [character.id for character in self.rows]:  # an editor stays open then
            self.rows = cast
            self.update_cells()
        else:
            self.beginResetModel()
            self.rows = cast
            self.endResetModel()

    def show_lines(self, counts: Mapping[str, int], lengths: Mapping[str, ScriptDuration]) -> None:
        """Show how many lines the characters have, and how long they take."""
        self._counts, self._lengths = counts, lengths
        self.update_cells()

    def update_cells(self) -> None:
        """Ask for all cells again, as after voices have got other names."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, LENGTH))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = (localize("番号", "No."), localize("名前", "Name"), localize("声", "Voice"))
            return (*names, localize("行数", "Lines"), localize("長さ", "Length"))[section]
        if role == Qt.ItemDataRole.ToolTipRole and section == NUMBER:
            return localize(
                "Alt と 1〜9 の番号で、選択中の行に登場人物を設定できます。",
                "Alt and a number up to 9 give the selected lines a character.",
            )
        return _choose_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a cell; names are editable, and voices are dropped on any."""
        flags = super().flags(index) | (Qt.ItemFlag.ItemIsDropEnabled if index.isValid() else Qt.ItemFlag.NoItemFlags)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell; the accessible text of the first one is that of the whole row."""
        character, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._format_cell(index.row(), character, column)
        if role == Qt.ItemDataRole.EditRole:
            return character.name
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return self._draw_swatch(character.colour)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NUMBER:
            colours = list_colour_names()
            cells = [self._format_cell(index.row(), character, number) for number in (NAME, VOICE, LINES, LENGTH)]
            return localize("、", ", ").join([*cells, colours[character.colour % len(colours)]])
        if role == Qt.ItemDataRole.ToolTipRole and column in (NAME, VOICE):
            aliases = localize("、", ", ").join(character.aliases)
            return escape_tip("\n".join(filter(None, (character.name, aliases, self._describe_voice(character), character.note))))
        return _choose_alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit an edited name."""
        if role != Qt.ItemDataRole.EditRole or index.column() != NAME:
            return False
        self.renamed.emit(self.rows[index.row()].id, str(value).strip())
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        """Return what a drop does: the voice stays where it was."""
        return Qt.DropAction.CopyAction

    def mimeTypes(self) -> list[str]:
        """Return what can be dropped: a voice."""
        return [VOICE_MIME]

    def dropMimeData(self, data: QMimeData, _action: Qt.DropAction, _row: int, _column: int, parent: Index) -> bool:
        """Emit a voice that is dropped on a character."""
        voice = read_dragged_voice(data)
        if voice is None or not parent.isValid():
            return False
        self.voice_dropped.emit(self.rows[parent.row()].id, voice)
        return True

    def _format_cell(self, row: int, character: Character, column: int) -> str:
        if column == VOICE:
            return self._describe_voice(character)
        if column == LENGTH:
            length = self._lengths.get(character.id)
            return format_duration(length) if length is not None else "–"
        return {NUMBER: str(row + 1), NAME: character.name, LINES: f"{self._counts.get(character.id, 0):,}"}[column]


class CastTable(ThemedWidget, QTableView):
    """A table of characters, several of which can be selected.

    Signals:
        chosen(): other characters are selected.
        play_requested(), removal_requested(): a key or a double click asks for it.
    """

    chosen = Signal()
    play_requested = Signal()
    removal_requested = Signal()

    def __init__(self, describe_voice: Callable[[Character], str]) -> None:
        super().__init__()
        self.characters = CastTableModel(describe_voice, lambda colour: create_colour_icon(colour, SWATCH_PX, self))
        self.setModel(self.characters)
        self.setObjectName("words")
        self.setAccessibleName(localize("登場人物", "Characters"))
        self.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.setDragDropMode(QAbstractItemView.DragDropMode.DropOnly)
        set_up_row_table(self, ROW_MARGINS)
        self._lay_out_columns()
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.doubleClicked.connect(self._use_cell)

    @property
    def selected(self) -> list[Character]:
        return [self.characters.rows[row] for row in sorted(index.row() for index in self.selectionModel().selectedRows())]

    @property
    def current(self) -> Character | None:
        """Return the current one of the selected characters, or None."""
        selected, row = self.selected, self.currentIndex().row()
        current = self.characters.rows[row] if 0 <= row < len(self.characters.rows) else None
        return current if current in selected else selected[0] if selected else None

    def show_cast(self, cast: Sequence[Character]) -> None:
        """Show other characters; those that were selected stay so, else their neighbour is."""
        selected, row = {character.id for character in self.selected}, max(0, self.currentIndex().row())
        self.characters.show_cast(cast)
        if not self.selected and cast:
            neighbour = cast[min(row, len(cast) - 1)]
            self.select_character(next((character.id for character in cast if character.id in selected), neighbour.id))
        self.chosen.emit()

    def select_character(self, character_id: str) -> None:
        for row, character in enumerate(self.characters.rows):
            if character.id == character_id:
                select_single_row(self, self.characters.index(row, NAME))

    def edit_name(self) -> None:
        """Open the editor for the name of the current character."""
        index = self.characters.index(self.currentIndex().row(), NAME)
        if index.isValid():
            select_single_row(self, index)
            self.edit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Rename, play or remove what is selected."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if plain and event.key() == Qt.Key.Key_F2:
            self.edit_name()
        elif plain and event.key() == Qt.Key.Key_Space:
            self.play_requested.emit()
        elif plain and event.key() == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width that the other columns leave between names and voices; a narrow table has the names alone."""
        header = self.horizontalHeader()
        room = self.viewport().width() - sum(header.sectionSize(column) for column in (NUMBER, LINES, LENGTH))
        is_narrow = room < MIN_NAME_AND_VOICE_PX
        self.setColumnHidden(VOICE, is_narrow)
        header.resizeSection(NAME, max(0, room if is_narrow else round(NAME_COLUMN_SHARE * room)))
        super().resizeEvent(event)

    def draw_in_theme(self) -> None:
        """Draw the colours of the characters."""
        self.viewport().update()

    @Slot(QModelIndex)
    def _use_cell(self, index: QModelIndex) -> None:
        if index.column() == NAME:
            self.edit_name()
        else:
            self.play_requested.emit()

    def _lay_out_columns(self) -> None:
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        header.setHighlightSections(False)
        for column, sample in ((NUMBER, localize("番号", "No.")), (LINES, "99,999"), (LENGTH, localize("約 0:00:00", "≈ 0:00:00"))):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(sample) + CELL_MARGINS)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(VOICE, QHeaderView.ResizeMode.Stretch)


def format_duration(duration: ScriptDuration) -> str:
    """Return a length such as 1:05, marked where some of it is estimated."""
    minutes, seconds = divmod(round(duration.seconds), 60)
    hours, minutes = divmod(minutes, 60)
    length = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return length if duration.is_exact else localize(f"約 {length}", f"≈ {length}")


def _choose_alignment(column: int) -> Qt.AlignmentFlag:
    across = Qt.AlignmentFlag.AlignRight if column in (LINES, LENGTH) else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter
