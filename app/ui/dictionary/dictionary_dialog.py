"""The dialog of the user dictionary: a table of entries and a form for one of them."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.common.errors import AppError, InputError
from app.common.language import localize
from app.core.text.dictionary_entries import (
    DICTIONARY_ENTRY_KINDS,
    HIGHEST_PRIORITY,
    LONGEST_READING,
    LONGEST_SURFACE,
    USUAL_PRIORITY,
    DictionaryEntry,
    fold_surface,
    make_entry,
)
from app.core.text.pronunciation import parse_user_reading, split_moras
from app.ui.dictionary.entry_tables import EntryTable, mark_accent
from app.ui.display_names import format_word_kind
from app.ui.widgets.controls import (
    CHOICE_TEXT_PADDING_PX,
    DIALOG_MARGINS,
    ChoiceBox,
    GuardedComboBox,
    GuardedSpinBox,
    PlainLabel,
    create_button,
    describe_control,
    fill_box,
)
from app.ui.widgets.dialogs import ClosableDialog

PRIORITY_WIDTH_PX = 86


class EntryForm(QWidget):
    """Fields for surface, reading, accent, part of speech and priority.

    Signals:
        changed(): A field was edited.
        entered(): Enter was pressed.
    """

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.surface = QLineEdit(maxLength=LONGEST_SURFACE)
        self.surface.setToolTip(localize("単語のテキストでの表記。", "As written in the text."))
        self.reading = QLineEdit(maxLength=LONGEST_READING)
        self.reading.setToolTip(localize("ひらがなまたはカタカナで入力します。", "In hiragana or katakana."))
        self.accent = GuardedComboBox()
        tip = localize("音が下がる位置（アクセント核）。￣ は平板です。", "Where the pitch falls (accent nucleus); ￣ is flat.")
        self.accent.setToolTip(tip)
        self.kind = GuardedComboBox()
        self.kind.setToolTip(localize("前後の言葉とのつながり方が変わります。", "Affects how it connects to neighbouring words."))
        for kind in DICTIONARY_ENTRY_KINDS:
            self.kind.addItem(format_word_kind(kind), kind)
        self.priority = GuardedSpinBox(maximum=HIGHEST_PRIORITY)
        self.priority.setFixedWidth(PRIORITY_WIDTH_PX)
        self.priority.setAlignment(Qt.AlignmentFlag.AlignRight)
        tip = localize("値が大きいほど、ほかの読みよりもこの単語が優先されます。", "Higher values make this word win over other readings.")
        self.priority.setToolTip(tip)
        self._build_widgets()
        self.reading.textChanged.connect(self._update_accents)
        for field in (self.surface, self.reading):
            field.textEdited.connect(self.changed)
            field.returnPressed.connect(self.entered)
        self.accent.activated.connect(self.changed)
        self.kind.activated.connect(self.changed)
        self.priority.valueChanged.connect(self.changed)
        self.show_entry(None)

    @property
    def entry(self) -> DictionaryEntry:
        """Return the entry as filled in. Raise InputError where something is missing or wrong."""
        accent = max(0, self.accent.currentIndex())
        return make_entry(self.surface.text(), self.reading.text(), accent, self.kind.currentData(), self.priority.value())

    def show_entry(self, entry: DictionaryEntry | None, surface: str = "", reading: str = "") -> None:
        """Show an entry, or an empty form with the known parts of a new word."""
        self.surface.setText(entry.surface if entry else surface)
        self.reading.setText(entry.reading if entry else reading)
        # The list of accents depends on the reading, so the accent is set after it.
        self._update_accents()
        self.accent.setCurrentIndex(entry.accent if entry else 0)
        self.kind.setCurrentIndex(DICTIONARY_ENTRY_KINDS.index(entry.kind) if entry else 0)
        self.priority.setValue(entry.priority if entry else USUAL_PRIORITY)

    def _build_widgets(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        fields = (
            (localize("表記", "Word"), self.surface),
            (localize("読み", "Reading"), self.reading),
            (localize("アクセント", "Accent"), self.accent),
            (localize("品詞", "Part of speech"), self.kind),
            (localize("優先度", "Priority"), self.priority),
        )
        for column, (name, field) in enumerate(fields):
            label = PlainLabel(name, "muted")
            label.setBuddy(field)
            field.setAccessibleName(name)
            grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
        for column, stretch in enumerate((3, 3, 3, 2, 0)):
            grid.setColumnStretch(column, stretch)

    @Slot()
    def _update_accents(self) -> None:
        """Offer one accent for each mora, and the flat one; keep the chosen accent where possible."""
        chosen = self.accent.currentIndex()
        self.accent.clear()
        # While a reading is being typed it is often invalid; the list is empty until it is valid.
        with suppress(InputError):
            kana = parse_user_reading(self.surface.text(), self.reading.text())
            self.accent.addItems([mark_accent(kana, accent) for accent in range(len(split_moras(kana)) + 1)])
        self.accent.setCurrentIndex(chosen if 0 <= chosen < self.accent.count() else 0)


DICTIONARY_DIALOG_SIZE = (820, 560)


class DictionaryDialog(ClosableDialog):
    """A dialog that emits what is requested; `show_entries` shows the result.

    Signals:
        put_requested(DictionaryEntry): The entry is to be added or replaced.
        removal_requested(list[str]): The entries with these surfaces are to be removed.
        hearing_requested(DictionaryEntry): The word is to be spoken.
        import_requested(), export_requested(): Entries are to be read from or written to a file.
        scope_changed(): The entries of the other dictionary are to be shown.
    """

    put_requested = Signal(object)
    removal_requested = Signal(object)
    hearing_requested = Signal(object)
    import_requested = Signal()
    export_requested = Signal()
    scope_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ユーザー辞書", "User dictionary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*DICTIONARY_DIALOG_SIZE)
        self.scope = _create_scope_box()
        self.scope.currentIndexChanged.connect(self.scope_changed)
        self.search = describe_control(
            QLineEdit(placeholderText=localize("表記や読みで検索", "Search by word or reading"), clearButtonEnabled=True),
            localize("単語を検索", "Search words"),
            localize("入力した文字を含む単語だけを表示します。", "Shows only the words that contain this text."),
        )
        self.table = EntryTable()
        text = localize(
            "まだ単語が登録されていません。\n下の欄に表記と読みを入力して登録するか、\nVOICEVOX や AivisSpeech の辞書を読み込んでください。",
            "No words yet.\nEnter a word and its reading below,\nor import a dictionary from VOICEVOX or AivisSpeech.",
        )
        self.empty = PlainLabel(text, "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.form = EntryForm()
        self.error = PlainLabel("", "error", wraps=True)
        self._build_widgets()
        self.search.textChanged.connect(self.table.words.search_entries)
        self.table.entries_selected.connect(self._show_selected_entry)
        # A reset clears the selection without emitting selectionChanged.
        self.table.words.modelReset.connect(self._update_buttons)
        self.form.changed.connect(self._update_buttons)
        self.form.entered.connect(self._request_put)
        self._update_buttons()

    @property
    def is_project_shown(self) -> bool:
        """Return whether the project's entries are shown instead of the user's own."""
        return self.scope.currentIndex() == 1

    def show_entries(self, entries: Sequence[DictionaryEntry], selected_surfaces: Collection[str] = ()) -> None:
        """Show the entries of the dictionary, and select the first one with one of these surfaces."""
        self.pages.setCurrentIndex(1 if entries else 0)
        self.table.show_entries(entries, selected_surfaces)
        self.search.setEnabled(bool(entries))
        self.export.setEnabled(bool(entries))

    def begin_entry(self, surface: str, reading: str) -> None:
        """Fill the form with a new word, or with its entry where the dictionary has it."""
        # Entries are stored with a folded surface: compare in the same form, or the word would be added twice.
        entry = next((word for word in self.table.words.words if word.surface == fold_surface(surface)), None)
        self.form.show_entry(entry, surface, reading)
        self._update_buttons()
        (self.form.reading if surface else self.form.surface).setFocus()

    def show_error(self, error: AppError | None) -> None:
        """Show an error; None hides it."""
        self.error.setText(f"{error.message} {error.hint}" if error else "")
        self.error.setVisible(error is not None)

    def _build_widgets(self) -> None:
        tip = localize("この読みとアクセントで再生します。", "Plays the word with this reading.")
        self.hear = create_button(localize("再生", "Play"), tip, lambda: self._emit_entry(self.hearing_requested.emit))
        tip = localize("この単語を辞書に登録します。（Enter）", "Adds the word to the dictionary. (Enter)")
        self.put = create_button("", tip, self._request_put, style="primary")
        text = localize("削除", "Delete")
        tip = localize("選んだ単語を辞書から削除します。", "Deletes the selected words from the dictionary.")
        self.remove = create_button(text, tip, lambda: self.removal_requested.emit([word.surface for word in self.table.selected_entries]))
        tip = localize(
            "VOICEVOX や AivisSpeech の JSON、または CSV から単語を追加します。",
            "Adds words from a JSON of VOICEVOX or AivisSpeech, or from a CSV.",
        )
        self.take_in = create_button(localize("読み込み…", "Import…"), tip, self.import_requested.emit)
        tip = localize("すべての単語をファイルに書き出します。", "Exports all words to a file.")
        self.export = create_button(localize("書き出す…", "Export…"), tip, self.export_requested.emit)
        close = create_button(localize("閉じる", "Close"), localize("閉じる（Esc）", "Close (Esc)"), self.accept)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.table)
        head = fill_box(QHBoxLayout(), self.scope, (self.search, 1))
        foot = fill_box(QHBoxLayout(), self.hear, self.put, self.remove, None, self.take_in, self.export, close)
        fill_box(QVBoxLayout(self), head, (self.pages, 1), self.form, self.error, foot, margins=DIALOG_MARGINS, spacing=10)

    @Slot()
    def _show_selected_entry(self) -> None:
        chosen = self.table.selected_entries
        if len(chosen) == 1:
            self.form.show_entry(chosen[0])
        self._update_buttons()

    @Slot()
    def _update_buttons(self) -> None:
        self.show_error(None)
        surface = fold_surface(self.form.surface.text())
        exists = any(word.surface == surface for word in self.table.words.words)
        is_complete = bool(surface and self.form.reading.text().strip())
        self.put.setText(localize("更新", "Update") if exists else localize("登録", "Add"))
        self.put.setEnabled(is_complete)
        self.hear.setEnabled(is_complete)
        self.remove.setEnabled(bool(self.table.selected_entries))

    @Slot()
    def _request_put(self) -> None:
        self._emit_entry(self.put_requested.emit)

    def _emit_entry(self, emit: Callable[[DictionaryEntry], object]) -> None:
        try:
            word = self.form.entry
        except AppError as error:
            self.show_error(error)
        else:
            emit(word)


def _create_scope_box() -> ChoiceBox:
    scope = ChoiceBox()
    scope.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    scope.addItems([localize("ユーザー辞書", "User dictionary"), localize("このプロジェクトだけ", "This project only")])
    scope.setMinimumWidth(scope.sizeHint().width() + 2 * CHOICE_TEXT_PADDING_PX)
    scope.setAccessibleName(localize("辞書", "Dictionary"))
    tip = localize(
        "プロジェクトの単語は、そのプロジェクトを開いている間だけ、ユーザー辞書より優先されます。",
        "While the project is open, its words take precedence over the user dictionary.",
    )
    scope.setToolTip(tip)
    return scope
