"""The emoji that a voice speaks, to be picked: a button that opens all of them, with what each does."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QListView, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.core.symbols import EMOJI
from app.language import localized
from app.ui.emoji_labels import emoji_words

CELL = 38  # pixels
COLUMNS = 8
LETTER = 20  # pixels of an emoji
AROUND = 22  # what the frame of the list takes


class EmojiGrid(QListWidget):
    """All emoji; arrows, letters' keys and the mouse go from one to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setGridSize(QSize(CELL, CELL))
        self.setUniformItemSizes(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)  # the frame of the current one leaves less room than an emoji takes
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedSize(COLUMNS * CELL + AROUND, -(-len(EMOJI) // COLUMNS) * CELL + AROUND)
        self.setAccessibleName(localized("絵文字", "Emoji"))
        font = self.font()
        font.setPixelSize(LETTER)
        for symbol in EMOJI:
            item = QListWidgetItem(symbol, self)
            item.setFont(font)
            item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            item.setSizeHint(QSize(CELL - 2, CELL - 2))
            item.setToolTip(emoji_words(symbol))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{symbol} {emoji_words(symbol)}")


class EmojiPicker(QFrame):
    """Opens over the window, and closes once one is picked.

    Signals:
        picked(str): this one.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.grid = EmojiGrid()
        self.words = QLabel()
        hint = QLabel(localized("効果は声によって異なります。", "The effect depends on the voice."))
        hint.setObjectName("muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 8)
        column.setSpacing(4)
        for widget in (self.grid, self.words, hint):
            column.addWidget(widget)
        self.grid.itemEntered.connect(self.grid.setCurrentItem)
        self.grid.currentItemChanged.connect(self._on_current)
        self.grid.itemClicked.connect(self._on_picked)
        self.grid.itemActivated.connect(self._on_picked)
        self.grid.setCurrentRow(0)

    def open_at(self, place: QPoint) -> None:
        """Shows it with its lower left corner at a place of the screen, or where there is room."""
        self.adjustSize()
        self.move(place - QPoint(0, self.height()))
        self.show()
        self.grid.setFocus()

    @Slot(QListWidgetItem)
    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.words.setText(f"{item.text()}  {emoji_words(item.text())}")

    @Slot(QListWidgetItem)
    def _on_picked(self, item: QListWidgetItem) -> None:
        if self.isVisible():  # a click activates, too, on some systems
            self.hide()
            self.picked.emit(item.text())


class EmojiButton(QPushButton):
    """Opens the picker.

    Signals:
        opening(): it is about to open, and takes the keys.
        picked(str): an emoji is wanted.
    """

    opening = Signal()
    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__(localized("絵文字…", "Emoji…"))
        self.setObjectName("small")
        self.setToolTip(
            localized("この声が対応している絵文字を、テキストに入力します。", "Inserts an emoji that this voice supports into the text.")
        )
        self.setAccessibleName(localized("絵文字を入力", "Insert emoji"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the cursor where it is
        self.picker: EmojiPicker | None = None
        self.clicked.connect(self.open_picker)

    @Slot()
    def open_picker(self) -> None:
        """Shows all emoji above the button."""
        self.opening.emit()
        if self.picker is None:
            self.picker = EmojiPicker(self)
            self.picker.picked.connect(self.picked)
        self.picker.open_at(self.mapToGlobal(QPoint(0, -4)))
