"""The left side: the lines under messages, and under them the bar that plays and saves, with how far it is and how much there is."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.script.list_bars import SearchBar
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.theme.theme import Theme, ThemedWidget, draw_icon
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import PlainLabel, fill_box
from app.ui.widgets.message_stack import MessageStack
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

LIST_SCROLL_BAR_PX = 11  # pixels to the right of the cards
LINE_MENU_ACTIONS: tuple[str, ...] = ("play", "play_through", "", "edit_line", "duplicate", "delete", "")
LINE_MENU_ACTIONS += ("split_here", "split_sentences", "join_lines", "", "move_up", "move_down", "")
LINE_MENU_ACTIONS += ("cut", "copy", "paste", "", "save_line")
EMPTY_STATE_ACTIONS = ("add_line", "play", "paste", "find_command")

LINE_ACTIONS: tuple[str, ...] = ("play_through", "save_all", "save_joined", "edit_line", "duplicate", "delete", "move_up", "move_down")
LINE_ACTIONS += ("split_here", "split_sentences", "join_lines", "cut", "copy", "select_all")
"""Actions that an empty script has nothing for."""
ORDER_ACTIONS = ("move_up", "move_down")  # for which there must be another line
PLAY_LINE_STEPS = 1000  # steps of the play line
TRANSPORT_ACTIONS = ("play_through", "loop", "live")
WORDED_ACTIONS = ("play_through", "live")  # whose drawings say too little alone
SPARE_PLAY, NARROW_SAVE = 24, 44  # pixels: added to the width of the one; width of the other without its words
SPACING, NARROW_SPACING = 8, 3  # pixels between two buttons
WORD_GAP = 4  # pixels that Qt leaves between a drawing and its words


class TransportBar(ThemedWidget, QWidget):
    """Buttons and play line.

    Signals:
        play_requested(), save_requested(): pressed; both also mean stop while their work is running.
    """

    play_requested = Signal()
    save_requested = Signal()

    def __init__(self, actions: WindowActions) -> None:
        super().__init__()
        self._actions = actions
        self._state = SpeechState()
        self._is_waiting = False
        self._lines = 0
        self.play = QPushButton()
        self.play.setObjectName("primary")
        self.play.clicked.connect(self.play_requested)
        self.save = QPushButton()
        self.save.clicked.connect(self.save_requested)
        self.length = PlainLabel("", "muted")
        self.line = DeferredProgressBar(localize("再生位置", "Playback position"), PLAY_LINE_STEPS)
        self.buttons = {name: _create_button(actions[name]) for name in TRANSPORT_ACTIONS}
        self._row = fill_box(QHBoxLayout(), self.play, *self.buttons.values(), None, self.length, self.save, spacing=SPACING)
        fill_box(QVBoxLayout(self), self.line, self._row, spacing=8)
        self._usual_play = 0
        self.draw_in_theme()
        self._usual_play = self.play.sizeHint().width() + SPARE_PLAY
        self.play.setMinimumWidth(self._usual_play)

    def show_state(self, state: SpeechState, is_waiting: bool) -> None:
        """Show the state; `is_waiting` means that a line will be spoken as soon as the voice is open."""
        before = (self._state.is_playing or self._is_waiting, self._state.is_saving)
        self._state, self._is_waiting = state, is_waiting
        if before != (state.is_playing or is_waiting, state.is_saving):
            self._update_enabled()
        share = state.played_s / state.computed_s if state.is_speaking and state.computed_s else 0.0
        self.line.setValue(round(PLAY_LINE_STEPS * min(1.0, share)))

    def show_length(self, line_count: int, character_count: int) -> None:
        """Show the length of the script, and disable playing for an empty one."""
        self._lines = line_count
        self._update_enabled()
        counted = f"{line_count:,} line{'s' * (line_count != 1)}, {character_count:,} character{'s' * (character_count != 1)}"
        self.length.setText(localize(f"{line_count:,} 行・{character_count:,} 文字", counted))

    def minimumSizeHint(self) -> QSize:
        """Return what is left in a narrow column: the buttons, by their drawings alone."""
        width = self.play.sizeHint().width() + self._measure_buttons_width(NARROW_SPACING) + NARROW_SAVE
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide words if there is no space for them."""
        super().resizeEvent(event)
        self._fit_width()

    def _update_enabled(self) -> None:
        """Keep the stop button enabled while something runs, even if the lines are gone by then."""
        stops = self._state.is_playing or self._is_waiting
        for button, name, running in ((self.play, "play", stops), (self.save, "save_line", self._state.is_saving)):
            button.setEnabled(self._lines > 0 or running)
            self._actions[name].setEnabled(self._lines > 0 or running)
        for name in LINE_ACTIONS:
            self._actions[name].setEnabled(self._lines > (name in ORDER_ACTIONS))
        self.draw_in_theme()  # their drawings fade with them

    @Slot()
    def draw_in_theme(self) -> None:
        """Draw the icons, and fit the buttons."""
        colors = self.palette()
        group = QPalette.ColorGroup.Active if self.play.isEnabled() else QPalette.ColorGroup.Disabled
        on_accent = colors.color(group, QPalette.ColorRole.HighlightedText if self.play.isEnabled() else QPalette.ColorRole.ButtonText)
        stops = self._state.is_playing or self._is_waiting
        self.play.setText(localize("停止", "Stop") if stops else localize("再生", "Play"))
        self.play.setIcon(draw_icon("stop" if stops else "play", on_accent))
        self.play.setToolTip(
            localize("停止（Esc）", "Stop (Esc)")
            if stops
            else localize("選んだ行を再生（Ctrl+Enter、Space）", "Play the selected line (Ctrl+Enter, Space)")
        )
        saving = self._state.is_saving
        self.save.setText(localize("書き出しを中止", "Stop exporting") if saving else localize("音声を書き出す…", "Export audio…"))
        self.save.setIcon(draw_icon("stop" if saving else "save", colors.color(QPalette.ColorRole.WindowText)))
        self.save.setToolTip(
            localize("書き出し途中のファイルは残りません。", "No unfinished files are left behind.")
            if saving
            else localize(
                "選んだ行を wav、flac、mp3、ogg、opus に書き出す（E）", "Export the selected lines as wav, flac, mp3, ogg or opus (E)"
            )
        )
        for button in (self.play, self.save):
            button.setAccessibleName(button.text())
        self._save_width = self.save.sizeHint().width()
        self._fit_width()

    def _fit_width(self) -> None:
        """Show words on the button that exports, then on those of playing, then the length of the script, as far as there is space."""
        room = self.width() - self._measure_buttons_width(SPACING) - self._usual_play
        has_words = room >= self._save_width
        if has_words != bool(self.save.text()):
            self.save.setText(self.save.accessibleName() if has_words else "")
        spare = room - self._save_width
        words = sum(self._measure_words_width(name) for name in WORDED_ACTIONS)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if spare >= words else Qt.ToolButtonStyle.ToolButtonIconOnly
        for name in WORDED_ACTIONS:
            self.buttons[name].setToolButtonStyle(style)
        spare -= words if spare >= words else 0
        self.length.setVisible(spare >= SPACING + self.length.sizeHint().width())
        is_narrow = room < NARROW_SAVE
        self.play.setMinimumWidth(self.play.sizeHint().width() if is_narrow else self._usual_play)
        self._row.setSpacing(NARROW_SPACING if is_narrow else SPACING)
        self.updateGeometry()  # layouts remember what the buttons asked for before they were styled

    def _measure_buttons_width(self, spacing: int) -> int:
        """Return the width of the buttons between playing and exporting in pixels, by their drawings alone, with the space around each."""
        return len(self.buttons) * (self.buttons["loop"].sizeHint().width() + spacing) + 2 * spacing

    def _measure_words_width(self, name: str) -> int:
        """Return the width in pixels that words add to a button."""
        button = self.buttons[name]
        return button.fontMetrics().horizontalAdvance(f"{button.text()}  ") + WORD_GAP


def _create_button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAccessibleName(action.iconText())
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class ScriptPanel(QWidget):
    """Lines and transport, and over the lines messages: `notice` for what concerns the program, `banner` for what was asked last."""

    def __init__(self, model: ScriptModel, actions: WindowActions, theme: Theme) -> None:
        super().__init__()
        self.notice, self.banner = Banner(is_card=True), Banner(is_card=True)
        self.script = ScriptList(model, theme)
        self.transport = TransportBar(actions)
        self.script.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.script.addActions([actions[name] if name else self._create_separator() for name in LINE_MENU_ACTIONS])
        actions.install_list_keys(self.script)
        self.script.lesson.list_keys = lambda: [
            (actions.find_key_text(name), actions[name].iconText().rstrip("…"))
            for name in EMPTY_STATE_ACTIONS
            if actions.find_key_text(name)
        ]
        self.search = SearchBar()
        margins = (0, 0, LIST_SCROLL_BAR_PX, 0)
        # From top to bottom, what has its place under the lines. It ends where the cards end.
        self.below = fill_box(QVBoxLayout(), self.transport, spacing=8, margins=margins)
        over = fill_box(QVBoxLayout(), self.search, margins=margins)
        fill_box(QVBoxLayout(self), over, (self.script, 1), self.below, spacing=8)
        self.messages = MessageStack(self, self.script)
        for banner in (self.notice, self.banner):
            self.messages.add_card(banner)

    def add_line_menu(self, menu: QMenu) -> None:
        """Offer a menu under a right click on lines, before the commands for sound files."""
        self.script.insertActions(self.script.actions()[-1], [menu.menuAction(), self._create_separator()])

    def _create_separator(self) -> QAction:
        separator = QAction(self)
        separator.setSeparator(True)
        return separator

    def show_empty_message(self) -> None:
        """Show that there is nothing to speak or save."""
        hint = localize("行にテキストを入力してください。", "Type some text into a line.")
        self.banner.show_message("notice", localize("読み上げるテキストが空です。", "The text is empty."), hint)
