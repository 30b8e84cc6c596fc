"""A bar over the lines: what is sought, how many there are, and what takes its place."""

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLineEdit, QToolButton, QWidget

from app.common.language import localize
from app.core.script.text_search import SearchQuery
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import PlainLabel, create_button, fill_box


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
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 6, 8, 6)
        grid.setSpacing(6)
        grid.addWidget(self.sought, 0, 0)
        grid.addLayout(fill_box(QHBoxLayout(), self.count, self.previous, self.next, self.close_button), 0, 1)
        grid.addWidget(self.by, 1, 0)
        grid.addLayout(fill_box(QHBoxLayout(), self.replace_one, self.replace_all), 1, 1)
        grid.addLayout(fill_box(QHBoxLayout(), self.loose, self.expression, self.chosen_only, None), 2, 0, 1, 2)
        grid.addWidget(self.problem, 3, 0, 1, 2)
        grid.setColumnStretch(0, 1)

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
    field = QLineEdit(placeholderText=name)
    field.setAccessibleName(name)
    field.setToolTip(name)
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(localize("入力を消去", "Clear"))
        button.setToolTip(button.accessibleName())
    return field
