"""The editor of a line's text, in place in its card, and the question how a longer text that is pasted becomes lines."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QMessageBox, QPlainTextEdit, QWidget

from app.common.language import localize
from app.core.script.text_division import Division, divide_text
from app.core.text.text_lines import cut_line, split_lines
from app.ui.widgets.controls import escape_mnemonic, truncate_text
from app.ui.widgets.dialogs import ButtonRole, DialogButton, show_question

_RETURN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLAIN_MODIFIERS = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)

MIN_DIVIDED_SENTENCES = 4  # fewer are quickly split by hand
MAX_DIVIDED_CHARS = 100_000  # of a longer text nobody wants to wait until it is divided; it comes as it is
MAX_SHOWN_NAMES, MAX_SHOWN_NAME_LETTERS = 4, 10  # on the button; more would make the question wide

LinesCallback = Callable[[list[str]], object]


def find_divisions(text: str) -> dict[Division, list[str]]:
    """Return the ways in which a text becomes lines, one of each result; only "line" where there is nothing to ask."""
    divisions: dict[Division, list[str]] = {"line": divide_text(text, "line")}
    if len(text) > MAX_DIVIDED_CHARS or len(sentences := divide_text(text, "sentence")) < MIN_DIVIDED_SENTENCES:
        return divisions
    if sentences not in divisions.values():
        divisions["sentence"] = sentences
    if (paragraphs := divide_text(text, "paragraph")) not in divisions.values():
        divisions["paragraph"] = paragraphs
    return divisions


def list_dialogue_names(text: str) -> list[str]:
    """Return who speaks in a text such as `アキ：おはよう`, in the order of their first words; nobody where it is no dialogue."""
    if len(text) > MAX_DIVIDED_CHARS:
        return []
    # The readers of scripts are imported when a text is pasted, so that the window opens sooner.
    from app.interchange.dialogue_text import parse_dialogue

    return list(dict.fromkeys(line.name for line in parse_dialogue(split_lines(text)) or () if line.name))


def offer_divisions(parent: QWidget, text: str, on_chosen: LinesCallback, on_dialogue: Callable[[], object]) -> QMessageBox | None:
    """Ask how a text becomes lines, and pass these to `on_chosen`; where there is one way alone, do so at once.

    Args:
        on_dialogue: is called where the names before a dialogue's lines are to become characters.
    """
    lines_by_division, names = find_divisions(text), list_dialogue_names(text)
    if len(lines_by_division) == 1 and not names:
        on_chosen(lines_by_division["line"])
        return None
    answers = []
    if names:
        tip = localize("名前を登場人物にして、セリフだけを行にします。", "Makes the names characters, and lines of their words alone.")
        answers.append(DialogButton(_name_dialogue(names), ButtonRole.ActionRole, on_dialogue, tip, is_default=True))
    for division, title, tip in _list_division_labels():
        if lines := lines_by_division.get(division):
            label = f"{title} ({format_line_count(len(lines))})"
            answers.append(
                DialogButton(label, ButtonRole.ActionRole, partial(on_chosen, lines), tip, is_default=division == "line" and not names)
            )
    question = localize("貼り付けるテキストを、どのように行に分けますか？", "How should the text become lines?")
    hint = localize("あとから「元に戻す」で戻せます。", "You can undo it afterwards.")
    return show_question(parent, "Koebako", (question, hint), answers)


def _name_dialogue(names: Sequence[str]) -> str:
    """Return the words of the button that makes characters of these names, of which only the first ones are listed."""
    shown = [truncate_text(name, MAX_SHOWN_NAME_LETTERS) for name in names[:MAX_SHOWN_NAMES]]
    listed = localize("、", ", ").join(shown) + ("…" if len(names) > MAX_SHOWN_NAMES else "")
    return escape_mnemonic(localize("登場人物に分ける", "Make characters") + localize(f"（{listed}）", f" ({listed})"))


def format_line_count(count: int) -> str:
    """Return the number of lines in words."""
    return localize(f"{count:,} 行", f"{count:,} line{'s' * (count != 1)}")


def _list_division_labels() -> tuple[tuple[Division, str, str], ...]:
    return (
        ("line", localize("そのまま", "As it is"), localize("改行ごとに 1 行にします。", "A line for each line of the text.")),
        ("sentence", localize("文ごと", "By sentence"), localize("1 文を 1 行にします。", "A line for each sentence.")),
        (
            "paragraph",
            localize("段落ごと", "By paragraph"),
            localize("空行で区切られた段落を 1 行にします。", "A line for each paragraph between blank lines."),
        ),
    )


class LineEditor(QPlainTextEdit):
    """Types into the document as the keys come; undo and redo are the window's.

    Signals:
        typed(str): the whole text, after each change by the user.
        pasted(str): a text of several lines, or one that could become several.
        stepped(int): the cursor left upwards (-1) or downwards (1).
        emptied(): Backspace in a line without text.
        finished(bool): done; True when what is spoken should stop too.
    """

    typed = Signal(str)
    pasted = Signal(str)
    stepped = Signal(int)
    emptied = Signal()
    finished = Signal(bool)

    def __init__(self, parent: QWidget | None, font: QFont, line_id: str) -> None:
        super().__init__(parent)
        self.line_id = line_id
        self.setObjectName("line")
        self.setFont(font)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)  # what is dropped here becomes lines
        self.viewport().setAcceptDrops(False)
        self.document().setDocumentMargin(0)
        self.setPlaceholderText(localize("テキストを入力", "Type Japanese text"))
        self.setAccessibleName(localize("読み上げるテキスト", "Text to speak"))
        self._shown_text = ""
        self.textChanged.connect(self._emit_typed)

    @property
    def text(self) -> str:
        """Return the text with plain line breaks."""
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        """Show a text that came from elsewhere, with the cursor where it differs."""
        old = self.text
        if text == old:
            return
        head = _count_equal_letters(old, text)
        tail = _count_equal_letters(old[head:][::-1], text[head:][::-1])
        self._shown_text = text
        self.setPlainText(text)
        self.place_cursor(len(text) - tail)

    @property
    def selected_range(self) -> tuple[int, int]:
        """Return begin and end of the selected letters; both are the place of the cursor if none are selected."""
        cursor, units = self.textCursor(), self.text.encode("utf-16-le", "surrogatepass")
        ends = (cursor.selectionStart(), cursor.selectionEnd())
        start, end = (len(units[: 2 * end].decode("utf-16-le", "surrogatepass")) for end in ends)  # Qt counts an emoji twice
        return start, end

    def place_cursor(self, offset: int) -> None:
        """Set the cursor before the character at `offset`; -1 is the end."""
        cursor, text = self.textCursor(), self.text if offset < 0 else self.text[:offset]
        cursor.setPosition(len(text.encode("utf-16-le", "surrogatepass")) // 2)  # Qt counts an emoji twice
        self.setTextCursor(cursor)

    def event(self, event: QEvent) -> bool:
        """Leave the window's shortcuts to the window, which this kind of field would take for itself."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            of_window = any(event.matches(key) for key in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo))
            shifted = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.ShiftModifier
            if of_window or (shifted and event.key() in (*_RETURN_KEYS, Qt.Key.Key_Delete)):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return and Esc end the editing, arrows at an edge go to the next line."""
        plain = event.modifiers() in _PLAIN_MODIFIERS
        if event.key() == Qt.Key.Key_Escape or (plain and event.key() in _RETURN_KEYS):
            self.finished.emit(event.key() == Qt.Key.Key_Escape)
        elif plain and (step := self._find_exit_direction(event.key())):
            self.stepped.emit(step)
        elif plain and event.key() == Qt.Key.Key_Backspace and not self.text:
            self.emptied.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert a text of one line at the cursor; of a longer text insert only its first line, after asking the user how to divide it if need be."""
        text = source.text()
        if len(find_divisions(text)) == 1 and len(cut_line(" ".join(split_lines(text)))) == 1 and len(split_lines(text)) < 2:
            self.textCursor().insertText(" ".join(text.splitlines()))
        else:
            self.pasted.emit(text)

    def _find_exit_direction(self, key: int) -> int:
        """Return where a key leads out of the text: -1 up, 1 down, 0 nowhere."""
        cursor = self.textCursor()
        if key == Qt.Key.Key_Left:
            return -1 if cursor.atStart() else 0
        if key == Qt.Key.Key_Right:
            return 1 if cursor.atEnd() else 0
        if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return 0
        up = key == Qt.Key.Key_Up
        moved = QTextCursor(cursor)
        moved.movePosition(QTextCursor.MoveOperation.Up if up else QTextCursor.MoveOperation.Down)
        return 0 if moved.position() != cursor.position() else -1 if up else 1

    @Slot()
    def _emit_typed(self) -> None:
        text = self.text
        if text != self._shown_text:  # the letters that an input method has not settled yet are no change
            self._shown_text = text
            self.typed.emit(text)


def _count_equal_letters(text: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))
