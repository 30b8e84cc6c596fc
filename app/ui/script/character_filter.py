"""A bar above the lines that shows one character's lines only; it is there while the script has a cast."""

from collections import Counter
from operator import attrgetter

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.common.language import localize
from app.core.script.script import Script
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel
from app.ui.theme.character_colours import create_colour_icon
from app.ui.theme.theme import ThemedWidget
from app.ui.widgets.controls import ChoiceBox, PlainLabel, create_button, fill_box

SWATCH_PX = 16
LONGEST_NAME_PX = 260


class CharacterFilterBar(ThemedWidget, QWidget):
    """Offers the characters with the number of their lines.

    Signals:
        chosen(object): id of the character whose lines are to be shown, empty for lines without one, None for all.
        selection_requested(): select all lines that are shown.  recoloured(): the theme has changed.
    """

    chosen = Signal(object)
    selection_requested = Signal()
    recoloured = Signal()

    def __init__(self) -> None:
        super().__init__()
        title = QLabel(localize("表示", "Show"))
        self.box = ChoiceBox()
        self.box.setAccessibleName(localize("表示する登場人物", "Characters to show"))
        self.box.setToolTip(
            localize(
                "選んだ登場人物の行だけを表示します。「連続再生」と検索も、表示している行が対象です。",
                "Shows one character's lines only; playing from here and searching follow.",
            )
        )
        self.box.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.box.setMaximumWidth(LONGEST_NAME_PX)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(lambda row: self.chosen.emit(self.box.itemData(row)))
        title.setBuddy(self.box)
        self.count = PlainLabel(style="muted")
        tip = localize("表示している行をすべて選びます。", "Selects all lines that are shown.")
        self.select = create_button(localize("すべて選択", "Select all"), tip, self.selection_requested.emit, style="small")
        tip = localize("すべての登場人物の行を表示します。", "Shows the lines of all characters.")
        self.everybody = create_button(localize("絞り込みを解除", "Show all"), tip, lambda: self.chosen.emit(None), style="small")
        fill_box(QHBoxLayout(self), title, (self.box, 1), self.count, None, self.select, self.everybody, spacing=8)
        self.hide()

    def show_choices(self, script: Script, counts: Counter[str], chosen: str | None) -> None:
        """Offer the characters of a script, those without a line as well."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItem(localize("すべての登場人物", "All characters"), None)
            for character in script.cast:
                icon = create_colour_icon(character.colour, SWATCH_PX, self)
                self.box.addItem(icon, f"{character.name} ({counts[character.id]:,})", character.id)
            if nameless := len(script.lines) - sum(counts[character.id] for character in script.cast):
                self.box.addItem(localize(f"登場人物なし ({nameless:,})", f"No character ({nameless:,})"), "")
        self.show_chosen(chosen)

    def show_chosen(self, chosen: str | None) -> None:
        """Show whose lines are shown."""
        rows = (row for row in range(self.box.count()) if self.box.itemData(row) == chosen)
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(next(rows, 0 if chosen is None else -1))

    def show_count(self, count: int, total: int) -> None:
        """Show how many lines are shown of how many; equal numbers need no words."""
        self.count.setText(localize(f"{count:,} / {total:,} 行", f"{count:,} of {total:,} lines") if count != total else "")

    def draw_in_theme(self) -> None:
        """Ask for the colours of the characters."""
        self.recoloured.emit()


class CharacterFilterController(QObject):
    """Keeps the bar in step with the script, and the list with the bar."""

    def __init__(self, bar: CharacterFilterBar, document: ScriptDocument, model: ScriptModel, view: ScriptList) -> None:
        super().__init__(bar)
        self._bar, self._document, self._model, self._view = bar, document, model, view
        self._shown_cast: object = None
        self._counts = Counter[str]()
        bar.chosen.connect(self.show_character)
        bar.selection_requested.connect(view.selectAll)
        bar.selection_requested.connect(lambda: view.setFocus(Qt.FocusReason.OtherFocusReason))
        bar.recoloured.connect(self._fill_bar)
        document.changed.connect(self._update_bar)
        model.filtered.connect(self._show_filter)
        self._update_bar()

    @Slot(object)
    def show_character(self, character_id: str | None) -> None:
        """Show one character's lines, or all for None; what is selected stays so as far as it is shown."""
        view, model = self._view, self._model
        selected = dict.fromkeys([view.current_id, *view.selected_ids])
        view.end_editing()
        model.show_character(character_id)
        if ids := [line_id for line_id in selected if model.find_row(line_id) >= 0] or model.list_ids(0, 0):
            view.select_lines(ids)
        self._bar.show_chosen(model.shown_character)

    @Slot()
    def _update_bar(self) -> None:
        """Fill the bar only if a name, a colour or a number is another one: this runs with every letter that is typed."""
        script = self._document.script
        self._bar.setVisible(bool(script.cast))
        if not script.cast:
            return
        counts = Counter(map(attrgetter("character"), script.lines))
        shown_cast = ([(character.id, character.name, character.colour) for character in script.cast], len(script.lines), counts)
        if shown_cast != self._shown_cast:
            self._shown_cast, self._counts = shown_cast, counts
            self._fill_bar()

    @Slot()
    def _fill_bar(self) -> None:
        self._bar.show_choices(self._document.script, self._counts, self._model.shown_character)
        self._show_filter()

    @Slot()
    def _show_filter(self) -> None:
        self._bar.show_chosen(self._model.shown_character)
        self._bar.everybody.setVisible(self._model.is_filtered)
        self._bar.show_count(self._model.rowCount(), len(self._document.script.lines))
