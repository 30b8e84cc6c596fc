"""The user's dictionary: its words, and one of them to be filled in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.core.dictionary import Entry, surface_of
from app.errors import AppError
from app.language import localized
from app.ui.dictionary.word_form import WordForm
from app.ui.dictionary.word_table import WordTable
from app.ui.plain_text import PlainLabel
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.widgets.choice_box import PADDING, ChoiceBox

SIZE = (820, 560)


class DictionaryDialog(QDialog):
    """Emits what is requested; `show_words` shows the result.

    Signals:
        put_requested(Entry): the word is to be in the dictionary.
        removal_requested(list[str]): words with these surfaces are to go.
        hearing_requested(Entry): somebody wants to hear the word.
        import_requested(), export_requested(): words from elsewhere, or to elsewhere.
        scope_changed(): the words of the other dictionary are to be shown.
    """

    put_requested = Signal(object)
    removal_requested = Signal(object)
    hearing_requested = Signal(object)
    import_requested = Signal()
    export_requested = Signal()
    scope_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("ユーザー辞書", "User dictionary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self.scope = _scope()
        self.scope.currentIndexChanged.connect(self.scope_changed)
        self.search = QLineEdit()
        self.search.setPlaceholderText(localized("表記や読みで検索", "Search by word or reading"))
        self.search.setAccessibleName(localized("単語を検索", "Search words"))
        self.search.setToolTip(localized("入力した文字を含む単語だけを表示します。", "Shows only the words that contain this text."))
        self.search.setClearButtonEnabled(True)
        self.table = WordTable()
        self.empty = QLabel(
            localized(
                "まだ単語が登録されていません。\n下の欄に表記と読みを入力して登録するか、\nVOICEVOX や AivisSpeech の辞書を読み込んでください。",
                "No words yet.\nEnter a word and its reading below,\nor import a dictionary from VOICEVOX or AivisSpeech.",
            )
        )
        self.empty.setObjectName("muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.form = WordForm()
        self.error = PlainLabel()
        self.error.setObjectName("error")
        self.error.setWordWrap(True)
        self._build()
        self.search.textChanged.connect(self.table.words.search)
        self.table.chosen.connect(self._on_selected)
        self.table.words.modelReset.connect(self._on_typed)  # nothing is selected then
        self.form.changed.connect(self._on_typed)
        self.form.entered.connect(self._on_put)
        self._on_typed()

    @property
    def is_project(self) -> bool:
        """The words of the project are shown, not the user's own."""
        return self.scope.currentIndex() == 1

    def show_words(self, words: Sequence[Entry], chosen: Collection[str] = ()) -> None:
        """Shows what the dictionary holds now, and selects those with these surfaces."""
        self.pages.setCurrentIndex(1 if words else 0)
        self.table.show_words(words, chosen)
        self.search.setEnabled(bool(words))
        self.export.setEnabled(bool(words))

    def begin(self, surface: str, reading: str) -> None:
        """Begins with a word that is not in the dictionary yet, or shows it where it is."""
        known = [word for word in self.table.words.words if word.surface == surface_of(surface)]
        self.form.show_word(known[0] if known else None, surface, reading)
        self._on_typed()
        (self.form.reading if surface else self.form.surface).setFocus()

    def show_error(self, error: AppError | None) -> None:
        """Says what is wrong; None takes it back."""
        self.error.setText(f"{error.message} {error.hint}" if error else "")
        self.error.setVisible(error is not None)

    def _build(self) -> None:
        self.hear = self._button(
            localized("再生", "Play"), localized("この読みとアクセントで再生します。", "Plays the word with this reading."), self._on_hear
        )
        self.put = self._button(
            "", localized("この単語を辞書に登録します。（Enter）", "Adds the word to the dictionary. (Enter)"), self._on_put
        )
        self.put.setObjectName("primary")
        self.remove = self._button(
            localized("削除", "Delete"),
            localized("選んだ単語を辞書から削除します。", "Deletes the selected words from the dictionary."),
            self._on_remove,
        )
        self.take_in = self._button(
            localized("読み込み…", "Import…"),
            localized(
                "VOICEVOX や AivisSpeech の JSON、または CSV から単語を追加します。",
                "Adds words from a JSON of VOICEVOX or AivisSpeech, or from a CSV.",
            ),
            self.import_requested.emit,
        )
        self.export = self._button(
            localized("書き出す…", "Export…"),
            localized("すべての単語をファイルに書き出します。", "Exports all words to a file."),
            self.export_requested.emit,
        )
        close = self._button(localized("閉じる", "Close"), localized("閉じる（Esc）", "Close (Esc)"), self.accept)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        head = _row(self.scope, self.search)
        head.setStretch(1, 1)
        column.addLayout(head)
        column.addWidget(self.pages, 1)
        column.addWidget(self.form)
        column.addWidget(self.error)
        column.addLayout(_row(self.hear, self.put, self.remove, None, self.take_in, self.export, close))

    def _button(self, text: str, tip: str, pressed: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: pressed())
        return button

    @Slot()
    def _on_selected(self) -> None:
        chosen = self.table.selected
        if len(chosen) == 1:
            self.form.show_word(chosen[0])
        self._on_typed()

    @Slot()
    def _on_typed(self) -> None:
        self.show_error(None)
        surface = surface_of(self.form.surface.text())
        known = any(word.surface == surface for word in self.table.words.words)
        filled = bool(surface and self.form.reading.text().strip())
        self.put.setText(localized("更新", "Update") if known else localized("登録", "Add"))
        self.put.setEnabled(filled)
        self.hear.setEnabled(filled)
        self.remove.setEnabled(bool(self.table.selected))

    @Slot()
    def _on_put(self) -> None:
        self._with_word(self.put_requested.emit)

    @Slot()
    def _on_hear(self) -> None:
        self._with_word(self.hearing_requested.emit)

    def _with_word(self, emit: Callable[[Entry], object]) -> None:
        try:
            word = self.form.word
        except AppError as error:
            self.show_error(error)
        else:
            emit(word)

    @Slot()
    def _on_remove(self) -> None:
        self.removal_requested.emit([word.surface for word in self.table.selected])


def _row(*widgets: QWidget | None) -> QHBoxLayout:
    """Widgets side by side; None is the space that is left."""
    row = QHBoxLayout()
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget)
    return row


def _scope() -> ChoiceBox:
    scope = ChoiceBox()
    scope.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    scope.addItems([localized("ユーザー辞書", "User dictionary"), localized("このプロジェクトだけ", "This project only")])
    scope.setMinimumWidth(scope.sizeHint().width() + 2 * PADDING)
    scope.setAccessibleName(localized("辞書", "Dictionary"))
    scope.setToolTip(
        localized(
            "プロジェクトの単語は、そのプロジェクトを開いている間だけ、ユーザー辞書より優先されます。",
            "While the project is open, its words take precedence over the user dictionary.",
        )
    )
    return scope
