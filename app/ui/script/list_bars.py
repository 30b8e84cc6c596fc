"""The bar over the lines, with what is sought and what takes its place, and the part of the toolbar that chooses whose lines are shown."""

import itertools
from collections import Counter
from operator import attrgetter

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.common.language import localize
from app.core.script.script import Script
from app.core.script.text_search import SearchQuery
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel
from app.ui.theme.theme import ThemedWidget, create_colour_icon, draw_icon
from app.ui.widgets.controls import ChoiceBox, PlainLabel, create_button, describe_control, fill_box

SWATCH_PX = 16
LONGEST_NAME_PX, SHORTEST_NAME_PX = 240, 92
FILTER_SPACING_PX, OPTION_SPACING_PX = 8, 16


class SearchBar(ThemedWidget, QWidget):
    """Fields and buttons; what they do is `app.ui.script.script_search`.

    Signals:
        query_changed(): other words, or another way to compare them.  replacement_changed(): what takes their place.
        step_requested(int): 1 for the next place, -1 for the one before.
        replace_requested(bool): everywhere, or at the current place.
        closed(): the user has finished.
    """

    query_changed = Signal()
    replacement_changed = Signal()
    step_requested = Signal(int)
    replace_requested = Signal(bool)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.sought = _create_field(localize("検索", "Find"))
        self.by = _create_field(localize("置換後のテキスト", "Replace with"))
        self.count = PlainLabel("", "muted")
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance("0,000 / 0,000"))
        self.loose = QCheckBox(localize("かな・全角半角・大文字小文字を区別しない", "Ignore kana, width and case"))
        self.loose.setChecked(True)
        self.expression = QCheckBox(localize("正規表現", "Regular expression"))
        self.problem = PlainLabel(style="error", wraps=True)
        self.problem.hide()
        self.chosen_only = QCheckBox(localize("選択中の行のみ", "Selected lines only"))
        self.previous = self._create_tool_button("up", localize("前を検索（Shift+Enter）", "Previous (Shift+Enter)"))
        self.next = self._create_tool_button("down", localize("次を検索（Enter）", "Next (Enter)"))
        self.close_button = self._create_tool_button("close", localize("検索を閉じる（Esc）", "Close (Esc)"))
        tip = localize("見つかった言葉を 1 つ置き換えます（Enter）。", "Replaces the word that was found (Enter).")
        self.replace_one = create_button(localize("置換", "Replace"), tip, lambda: self.replace_requested.emit(False))
        tip = localize("見つかった言葉をすべて置き換えます。", "Replaces every word that was found.")
        self.replace_all = create_button(localize("すべて置換", "Replace all"), tip, lambda: self.replace_requested.emit(True))
        for control, tip in (
            (self.loose, localize("「ねこ」で「ネコ」「ﾈｺ」も見つけます。", "Finds ネコ and ﾈｺ as well when you type ねこ.")),
            (
                self.expression,
                localize(
                    "例: ^(.+)「 で行の先頭から「の前までを見つけ、置換後のテキストで $1 として使えます。(?i) で大文字小文字を区別しません。",
                    "For example ^(.+)「 finds what comes before 「 and $1 puts it into the replacement. (?i) ignores case.",
                ),
            ),
            (self.chosen_only, localize("選んでいる行の中だけを探します。", "Searches the selected lines only.")),
        ):
            control.setToolTip(tip)
        self._build_widgets()
        self._connect_widgets()
        self.draw_in_theme()
        self.hide()

    @property
    def query(self) -> SearchQuery:
        """Return what is sought."""
        is_expression = self.expression.isChecked()
        return SearchQuery(self.sought.text(), self.loose.isChecked() and not is_expression, is_expression)

    def open_bar(self, *, is_replacing: bool, has_selection: bool) -> None:
        """Show the bar, with the second row if replacing, and with the choice of lines if several are selected."""
        for widget in (self.by, self.replace_one, self.replace_all):
            widget.setVisible(is_replacing)
        self.chosen_only.setVisible(has_selection)
        with QSignalBlocker(self.chosen_only):  # who opens the bar searches
            self.chosen_only.setChecked(has_selection)
        self.show()
        self.sought.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.sought.selectAll()

    def show_count(self, number: int, count: int) -> None:
        """Show the number of the current match and the count of all; `number` counts from 1, 0 stands for none."""
        nothing = localize("見つかりません", "Not found") if self.sought.text() and not self.problem.text() else ""
        self.count.setText(f"{number:,} / {count:,}" if count else nothing)
        for button in (self.previous, self.next, self.replace_one, self.replace_all):
            button.setEnabled(count > 0)

    def show_problem(self, message: str) -> None:
        """Show why nothing can be found, or clear the message if it is empty."""
        self.problem.setText(message)
        self.problem.setVisible(bool(message))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep Enter and Esc in the fields; elsewhere they edit a line and stop the sound."""
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            if event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier):
                return False
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._press_key(watched, event)
                return True
        return super().eventFilter(watched, event)

    def _press_key(self, field: QObject, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif field is self.by:
            self.replace_requested.emit(False)
        else:
            self.step_requested.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)

    def _create_tool_button(self, drawing: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setProperty("drawing", drawing)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition("（")[0].partition(" (")[0])
        return button

    def _build_widgets(self) -> None:
        options = (self.loose, self.expression, self.chosen_only)
        for option in options:
            option.setMinimumWidth(1)  # on a small screen the bar must not widen the window
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 6, 8, 6)
        grid.setSpacing(6)
        grid.addWidget(self.sought, 0, 0)
        grid.addLayout(fill_box(QHBoxLayout(), self.count, self.previous, self.next, self.close_button), 0, 1)
        grid.addWidget(self.by, 1, 0)
        grid.addLayout(fill_box(QHBoxLayout(), self.replace_one, self.replace_all), 1, 1)
        grid.addLayout(fill_box(QHBoxLayout(), *options, None, spacing=OPTION_SPACING_PX), 2, 0, 1, 2)
        grid.addWidget(self.problem, 3, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        # Who has typed what is sought types what takes its place next; the keys of the buttons next to it are Enter and Esc.
        replacing = (self.by, self.replace_one, self.replace_all)
        order = (self.sought, *replacing, self.previous, self.next, self.close_button, self.loose, self.expression, self.chosen_only)
        for first, second in itertools.pairwise(order):
            QWidget.setTabOrder(first, second)

    def _connect_widgets(self) -> None:
        self.sought.textChanged.connect(self.query_changed)
        self.by.textChanged.connect(self.replacement_changed)
        self.loose.toggled.connect(self.query_changed)
        self.expression.toggled.connect(self.loose.setDisabled)
        self.expression.toggled.connect(self.query_changed)
        self.chosen_only.toggled.connect(self.query_changed)
        self.previous.clicked.connect(lambda: self.step_requested.emit(-1))
        self.next.clicked.connect(lambda: self.step_requested.emit(1))
        self.close_button.clicked.connect(self.closed)
        for field in (self.sought, self.by):
            field.installEventFilter(self)

    @Slot()
    def draw_in_theme(self) -> None:
        """Draw the icons of the buttons."""
        color = self.palette().color(QPalette.ColorRole.WindowText)
        for button in (self.previous, self.next, self.close_button):
            button.setIcon(draw_icon(button.property("drawing"), color))


def _create_field(name: str) -> QLineEdit:
    field = describe_control(QLineEdit(placeholderText=name, clearButtonEnabled=True), name, name)
    for button in field.findChildren(QToolButton):
        describe_control(button, localize("入力を消去", "Clear"), localize("入力を消去", "Clear"))
    return field


class CharacterFilterBar(ThemedWidget, QWidget):
    """Offers the characters with the number of their lines, while the script has a cast.

    Signals:
        chosen(object): id of the character whose lines are to be shown, empty for lines without one, None for all.
        selection_requested(): select all lines that are shown.  recoloured(): the theme has changed.
    """

    chosen = Signal(object)
    selection_requested = Signal()
    recoloured = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_filtered = False
        self.title = QLabel(localize("表示", "Show"))
        self.box = ChoiceBox()
        self.box.setAccessibleName(localize("表示する登場人物", "Characters to show"))
        tip = localize(
            "選んだ登場人物の行だけを表示します。「連続再生」と検索も、表示している行が対象です。",
            "Shows one character's lines only; playing from here and searching follow.",
        )
        self.box.setToolTip(tip)
        self.box.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.box.setMinimumWidth(SHORTEST_NAME_PX)
        self.box.setMaximumWidth(LONGEST_NAME_PX)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(lambda row: self.chosen.emit(self.box.itemData(row)))
        self.title.setBuddy(self.box)
        self.count = PlainLabel(style="muted")
        tip = localize("表示している行をすべて選びます。", "Selects all lines that are shown.")
        self.select = create_button(localize("すべて選択", "Select all"), tip, self.selection_requested.emit, style="small")
        tip = localize("すべての登場人物の行を表示します。", "Shows the lines of all characters.")
        self.everybody = create_button(localize("絞り込みを解除", "Show all"), tip, lambda: self.chosen.emit(None), style="small")
        # What is hidden first where the toolbar has no room for it comes last.
        self._extras = (self.everybody, self.count, self.title, self.select)
        for label in (self.title, self.count):
            label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        fill_box(QHBoxLayout(self), self.title, (self.box, 1), self.count, self.everybody, self.select, spacing=FILTER_SPACING_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
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

    def show_count(self, count: int, total: int, *, is_filtered: bool) -> None:
        """Show how many lines are shown of how many; equal numbers need no words."""
        self.count.setText(localize(f"{count:,} / {total:,} 行", f"{count:,} of {total:,} lines") if count != total else "")
        self._is_filtered = is_filtered
        self._fit_width()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size with all words."""
        width = LONGEST_NAME_PX + sum(part.sizeHint().width() + FILTER_SPACING_PX for part in self._list_wanted_extras())
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the size of the box alone."""
        return QSize(SHORTEST_NAME_PX, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide words for which there is no room."""
        super().resizeEvent(event)
        self._fit_width()

    def _list_wanted_extras(self) -> list[QWidget]:
        unwanted = {self.everybody: not self._is_filtered, self.count: not self.count.text()}
        return [part for part in self._extras if not unwanted.get(part)]

    def _fit_width(self) -> None:
        wanted, needed = self._list_wanted_extras(), SHORTEST_NAME_PX
        for part in self._extras:
            if part in wanted:
                needed += part.sizeHint().width() + FILTER_SPACING_PX
            # The width is asked for each time, because showing a part may widen the whole at once.
            part.setVisible(part in wanted and needed <= self.width())

    def draw_in_theme(self) -> None:
        """Ask for the colours of the characters."""
        self.recoloured.emit()


class CharacterFilterController(QObject):
    """Keeps the bar in step with the script, and the list with the bar."""

    def __init__(self, bar: CharacterFilterBar, document: ScriptDocument, model: ScriptModel, view: ScriptList) -> None:
        # It ends with the model: a toolbar that is deleted later lets go of its widgets, which then hear of another palette.
        super().__init__(model)
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
        self._bar.show_count(self._model.rowCount(), len(self._document.script.lines), is_filtered=self._model.is_filtered)
