"""A button that opens a picker of the emoji that voices speak, with the effect of each."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QListView, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.symbols import NANAIRO_EMOJI
from app.ui.display_names import describe_emoji
from app.ui.widgets.controls import PlainLabel, fill_box

EMOJI_CELL_PX = 38  # pixels of a cell of the grid
EMOJI_COLUMNS = 8
EMOJI_FONT_PX = 20  # pixels of the height of an emoji
EMOJI_GRID_FRAME_PX = 22  # pixels that the frame of the grid takes


class EmojiGrid(QListWidget):
    """A grid of all emoji for mouse and keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setGridSize(QSize(EMOJI_CELL_PX, EMOJI_CELL_PX))
        self.setUniformItemSizes(True)
        # The frame of the current cell leaves less width than an emoji takes, and Qt would draw dots instead.
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedSize(
            EMOJI_COLUMNS * EMOJI_CELL_PX + EMOJI_GRID_FRAME_PX,
            -(-len(NANAIRO_EMOJI) // EMOJI_COLUMNS) * EMOJI_CELL_PX + EMOJI_GRID_FRAME_PX,
        )
        self.setAccessibleName(localize("絵文字", "Emoji"))
        font = self.font()
        font.setPixelSize(EMOJI_FONT_PX)
        for symbol in NANAIRO_EMOJI:
            item = QListWidgetItem(symbol, self)
            item.setFont(font)
            item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            item.setSizeHint(QSize(EMOJI_CELL_PX - 2, EMOJI_CELL_PX - 2))
            item.setToolTip(describe_emoji(symbol))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{symbol} {describe_emoji(symbol)}")


class EmojiPicker(QFrame):
    """A popup over the window that closes once an emoji is picked.

    Signals:
        emoji_picked(str): the picked emoji.
    """

    emoji_picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.grid = EmojiGrid()
        self.words = QLabel()
        hint = PlainLabel(localize("効果は声によって異なります。", "The effect depends on the voice."), "muted")
        fill_box(QVBoxLayout(self), self.grid, self.words, hint, margins=(10, 10, 10, 8), spacing=4)
        self.grid.itemEntered.connect(self.grid.setCurrentItem)
        self.grid.currentItemChanged.connect(self._describe_emoji)
        self.grid.itemClicked.connect(self._pick_emoji)
        self.grid.itemActivated.connect(self._pick_emoji)
        self.grid.setCurrentRow(0)

    def show_at_position(self, position: QPoint) -> None:
        """Show the picker with its lower left corner at a screen position, or where it fits."""
        self.adjustSize()
        self.move(position - QPoint(0, self.height()))
        self.show()
        self.grid.setFocus()

    @Slot(QListWidgetItem)
    def _describe_emoji(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.words.setText(f"{item.text()}  {describe_emoji(item.text())}")

    @Slot(QListWidgetItem)
    def _pick_emoji(self, item: QListWidgetItem) -> None:
        # On some systems a click also activates the item, which would pick the emoji twice.
        if self.isVisible():
            self.hide()
            self.emoji_picked.emit(item.text())


class EmojiButton(QPushButton):
    """A button that opens the picker.

    Signals:
        picker_opening(): the picker is about to open and take the focus.
        emoji_picked(str): the picked emoji.
    """

    picker_opening = Signal()
    emoji_picked = Signal(str)

    def __init__(self) -> None:
        super().__init__(localize("絵文字…", "Emoji…"))
        self.setObjectName("small")
        self.setToolTip(
            localize("この声が対応している絵文字を、テキストに入力します。", "Inserts an emoji that this voice supports into the text.")
        )
        self.setAccessibleName(localize("絵文字を入力", "Insert emoji"))
        # Without click focus the text cursor stays in its line.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.picker: EmojiPicker | None = None
        self.clicked.connect(self.open_picker)

    @Slot()
    def open_picker(self) -> None:
        self.picker_opening.emit()
        if self.picker is None:
            self.picker = EmojiPicker(self)
            self.picker.emoji_picked.connect(self.emoji_picked)
        self.picker.show_at_position(self.mapToGlobal(QPoint(0, -4)))
