"""A dialog that asks what the columns of a table are, and which voices speak the names of a file."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QHeaderView,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.project import VoiceAssignment
from app.interchange.character_assignment import AssignableVoice
from app.interchange.script_tables import COLUMN_FIELDS, ScriptTable, format_field_name
from app.ui.interchange.opened_import import OpenedImport
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, escape_tip, fill_box
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.voice_listening import VoicePick, add_listening
from app.voices.voice_labels import describe_speaker, format_style, localize_voice_name

SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_CHARACTERS = 5, 30, 200
NARROWEST_COLUMN, WIDEST_COLUMN, LOWEST_TABLE_PX = 150, 420, 130  # pixels of a column, and of the table


class ColumnTable(QWidget):
    """A table in which each field is assigned to one column at most.

    Signals:
        changed(): Other columns are assigned.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choosers: list[ChoiceBox] = []
        self.cells = QTableWidget()
        self.cells.setAccessibleName(localize("表の列", "Columns of the table"))
        self.cells.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.cells.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.cells.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cells.verticalHeader().hide()
        self.cells.horizontalHeader().setSectionsClickable(False)
        self.cells.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.cells.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        fill_box(QVBoxLayout(self), self.cells)

    @property
    def columns(self) -> dict[str, int]:
        return {str(field): column for column, box in enumerate(self._choosers) if (field := box.currentData())}

    def show_table(self, table: ScriptTable, columns: Mapping[str, int]) -> None:
        """Show another table, or the same one with another header."""
        rows, width = table.rows[:SHOWN_ROWS], min(table.width, SHOWN_COLUMNS)
        names = list(table.header[:width]) or [localize(f"{column + 1} 列目", f"Column {column + 1}") for column in range(width)]
        self.cells.clear()
        self.cells.setColumnCount(width)
        self.cells.setRowCount(1 + len(rows))
        for column, name in enumerate(names + [""] * (width - len(names))):
            self.cells.setHorizontalHeaderItem(column, _create_item(name))
        for row, cells in enumerate(rows, 1):
            for column, cell in enumerate(cells[:width]):
                self.cells.setItem(row, column, _create_item(cell))
        fields = {column: field for field, column in columns.items()}
        self._choosers = [self._create_chooser(column, fields.get(column, ""), names) for column in range(width)]
        self._fit_columns(width)

    def sizeHint(self) -> QSize:
        """Return a size as high as the shown rows."""
        heights = sum(self.cells.rowHeight(row) for row in range(self.cells.rowCount()))
        # Room for the scroll bar is always kept, or it would cover the last row of a wide table.
        bar = self.cells.horizontalScrollBar().sizeHint().height()
        return QSize(super().sizeHint().width(), heights + self.cells.horizontalHeader().sizeHint().height() + bar + 4)

    def _fit_columns(self, width: int) -> None:
        self.cells.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.cells.resizeColumnsToContents()
        for column in range(width):
            self.cells.setColumnWidth(column, min(WIDEST_COLUMN, max(NARROWEST_COLUMN, self.cells.columnWidth(column))))
        self.cells.horizontalHeader().setStretchLastSection(True)
        self.cells.setRowHeight(0, self._choosers[0].sizeHint().height() + 6 if self._choosers else 0)
        self.setMaximumHeight(self.sizeHint().height())
        self.setMinimumHeight(min(LOWEST_TABLE_PX, self.sizeHint().height()))

    def _create_chooser(self, column: int, field: str, names: Sequence[str]) -> ChoiceBox:
        box = ChoiceBox()
        name = names[column] if column < len(names) else str(column + 1)
        box.setAccessibleName(localize(f"列「{name}」の内容", f"Meaning of column {name}"))
        box.setToolTip(localize("この列を何として読み込むかを選びます。", "What this column is imported as."))
        box.addItem(localize("読み込まない", "Not imported"), "")
        for offered in COLUMN_FIELDS:
            box.addItem(format_field_name(offered), offered)
        box.setCurrentIndex(box.findData(field))
        box.activated.connect(lambda _index: self._update_meanings(column))
        self.cells.setCellWidget(0, column, box)
        return box

    @Slot(int)
    def _update_meanings(self, column: int) -> None:
        field = self._choosers[column].currentData()
        for number, box in enumerate(self._choosers):
            # A field belongs to one column, so the column that had it before is no longer imported.
            if field and number != column and box.currentData() == field:
                box.setCurrentIndex(0)
        self.changed.emit()


def _create_item(text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text[:SHOWN_CHARACTERS])
    item.setToolTip(escape_tip(text[:SHOWN_CHARACTERS]))
    return item


MOST_SHOWN, LOWEST_NAMES_PX = 200, 90  # the number of names shown at most, and the lowest height in pixels


class CharacterRow(NamedTuple):
    """The widgets of one name."""

    character: VoiceAssignment
    voice: ChoiceBox
    style: ChoiceBox


class CharacterTable(QScrollArea):
    """A scroll area with one row for each name; a name left for later keeps a missing voice.

    Signals:
        changed(): A voice was chosen.
        introduction_requested(VoicePick): One of those in the lists is to be heard.
    """

    changed = Signal()
    introduction_requested = Signal(object)

    def __init__(self, voices: Sequence[AssignableVoice]) -> None:
        super().__init__()
        self._voices = {voice.id: voice for voice in voices}
        self.rows: list[CharacterRow] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setMinimumHeight(LOWEST_NAMES_PX)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_names((), {}, {})

    @property
    def choices(self) -> dict[str, VoiceAssignment]:
        """Return the chosen characters by name."""
        return {
            row.character.name: VoiceAssignment(row.character.name, row.voice.currentData(), *(row.style.currentData() or ("", "")))
            for row in self.rows
            if row.voice.currentData()
        }

    def show_names(
        self, names: Sequence[tuple[VoiceAssignment, int]], shown_names: Mapping[str, str], suggestions: Mapping[str, VoiceAssignment]
    ) -> None:
        """Show other names, each with its number of lines; choices already made are kept.

        Args:
            shown_names: Display names of names that are ids.
            suggestions: Voices to begin with, by name.
        """
        choices = dict(suggestions) | self.choices
        body = QWidget()
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        for number in (0, 2, 3):
            grid.setColumnStretch(number, 1)
        self.rows = []
        for character, count in names[:MOST_SHOWN]:
            self._add_row(grid, character, shown_names.get(character.name, character.name), count, choices.get(character.name))
        column = fill_box(QVBoxLayout(body), grid, margins=(0, 0, 8, 0))
        if len(names) > MOST_SHOWN:
            count = len(names) - MOST_SHOWN
            more = localize(
                f"…ほか {count:,} 人（読み込んだ後に声を選べます）", f"… and {count:,} more (choose their voices after importing)"
            )
            column.addWidget(PlainLabel(more, "muted"))
        column.addStretch(1)
        self.setWidget(body)

    def _add_row(
        self, grid: QGridLayout, character: VoiceAssignment, shown_name: str, line_count: int, previous: VoiceAssignment | None
    ) -> None:
        label = PlainLabel(shown_name, wraps=True)
        label.setToolTip(escape_tip(shown_name))
        lines = PlainLabel(localize(f"{line_count:,} 行", f"{line_count:,} {'line' if line_count == 1 else 'lines'}"), "muted")
        voice, style = ChoiceBox(), ChoiceBox()
        voice.setAccessibleName(localize(f"{shown_name}の声", f"Voice of {shown_name}"))
        voice.setToolTip(
            localize("この名前の行を話す声です。次に読み込むときも使います。", "Voice for this character, also used in later imports.")
        )
        style.setAccessibleName(localize(f"{shown_name}の話者とスタイル", f"Speaker and style of {shown_name}"))
        style.setToolTip(localize("声の話者とスタイル。", "Speaker and style of the voice."))
        for box in (voice, style):
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.setMinimumContentsLength(8)
        style.setPlaceholderText("–")
        voice.addItem(localize("あとで選ぶ", "Choose later"), "")
        for offered in self._voices.values():
            voice.addItem(localize_voice_name(offered.name), offered.id)
        row = CharacterRow(character, voice, style)
        for rows in (
            add_listening(voice, lambda voice_id: VoicePick(voice_id) if voice_id else None),
            add_listening(style, lambda names: VoicePick(voice.currentData(), *names)),
        ):
            rows.requested.connect(self.introduction_requested)
        # `activated` comes from the user alone; filling the box must not count as a choice.
        voice.activated.connect(lambda _index: self._offer_styles(row))
        voice.activated.connect(self.changed)
        for number, widget in enumerate((label, lines, voice, style)):
            grid.addWidget(widget, len(self.rows), number)
        self.rows.append(row)
        voice.setCurrentIndex(max(0, voice.findData(previous.voice)) if previous is not None else 0)
        self._offer_styles(row)
        if previous is not None:
            # `findData` compares tuples by identity.
            pairs, previous_pair = [style.itemData(index) for index in range(style.count())], (previous.speaker, previous.style)
            previous_pair = previous_pair if previous_pair in pairs else ("", previous.style)
            style.setCurrentIndex(pairs.index(previous_pair) if previous_pair in pairs else 0)

    def _offer_styles(self, row: CharacterRow) -> None:
        voice = self._voices.get(row.voice.currentData())
        speakers, blends = (voice.speakers, voice.blends) if voice is not None else ((), ())
        row.style.clear()
        row.style.setEnabled(voice is not None)
        for speaker in speakers:
            for style in (name for _, name in speaker.styles if name not in blends):
                names = (describe_speaker(speaker.name) if len(speakers) > 1 else "", format_style(style))
                row.style.addItem(localize("・", " · ").join(filter(None, names)), (speaker.name, style))
        for style in blends:
            row.style.addItem(format_style(style), ("", style))
        row.style.setCurrentIndex(0 if row.style.count() else -1)


WIDTH, NARROWEST, HEIGHT, LOWEST_TABLE, LOWEST_NAMES, OF_NAME = 820, 560, 560, 480, 230, 40  # pixels; the last one of a row


class MappingDialog(ClosableDialog):
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
        self.file = PlainLabel(opened.file.name, "muted")
        self.header = QCheckBox(localize("1 行目は列の名前", "First row has column names"))
        self.header.setToolTip(
            localize("1 行目を台本の行にせず、列の名前として扱います。", "The first row names the columns; it is not imported as a line.")
        )
        self.columns = ColumnTable()
        self.names = CharacterTable(opened.voices.known_voices)
        self.error = PlainLabel(style="error", wraps=True)
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
        names = {voice.id: voice.name for voice in opened.imported.project.voices} if opened.imported is not None else {}
        self.names.show_names(opened.missing, names, opened.suggestions)
        for widget in (self.names_title, self.names_words, self.names):
            widget.setVisible(bool(opened.missing))
        self._space.setVisible(not opened.missing)
        self.import_button.setEnabled(opened.imported is not None)
        lines = len(opened.imported.project.script.lines) if opened.imported is not None else 0
        self.import_button.setText(
            localize(f"{lines:,} 行を読み込む", f"Import {lines:,} {'line' if lines == 1 else 'lines'}")
            if lines
            else localize("読み込む", "Import")
        )
        self.show_error(None)

    def show_error(self, error: AppError | None) -> None:
        """Show why these columns cannot be used; None hides the error."""
        self.error.setText(f"{error.message} {error.hint}" if error else "")
        self.error.setVisible(error is not None)
        if error is not None:
            self.import_button.setEnabled(False)

    def _build_widgets(self) -> None:
        self.columns_title = PlainLabel(localize("列の内容", "Columns"), "heading")
        columns_hint = localize(
            "テキストの列を選んでください。ほかの列は必要なものだけ選びます。", "Choose the column with the text, and any others you need."
        )
        self.names_title = PlainLabel(localize("話す声", "Voices"), "heading")
        names_hint = localize(
            "対応する声が見つからない登場人物です。まだ使われていない話者を順に割り当てました。変更できます。",
            "No installed voice has these names. They are given speakers that nobody has yet; change them as you like.",
        )
        self.names_words = PlainLabel(names_hint, wraps=True)
        self._space = QWidget()
        buttons = QDialogButtonBox()
        self.import_button = buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.import_button.setObjectName("primary")
        self.import_button.setToolTip(
            localize("選んだ行の下に追加します。元に戻せます。", "Adds the lines below the selected one; you can undo this.")
        )
        cancel = buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("何も読み込まずに閉じます。", "Closes without importing anything."))
        buttons.accepted.connect(self._emit_choices)
        buttons.rejected.connect(self.reject)
        column_parts = (self.columns_title, PlainLabel(columns_hint, wraps=True), self.header, self.columns)
        name_parts = (self.names_title, self.names_words, (self.names, 1), (self._space, 1))
        column = QVBoxLayout(self)
        # The contents change with the columns; the smallest size, set by hand, must not change with them.
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        fill_box(column, self.file, *column_parts, self.error, *name_parts, buttons, spacing=8, margins=DIALOG_MARGINS)
        for widget in column_parts:
            widget.setVisible(self._table is not None)

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
        choices: dict[str, VoiceAssignment] = self.names.choices
        self.accept()
        self.choices_accepted.emit(choices)
