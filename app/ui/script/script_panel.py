"""The left side: messages, the lines, and the buttons under them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.script.character_filter import CharacterFilterBar
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel
from app.ui.script.search_bar import SearchBar
from app.ui.script.transport_bar import TransportBar
from app.ui.theme.theme import Theme
from app.ui.widgets.banner import Banner, BannerStack

LIST_SCROLL_BAR_PX = 11  # pixels beside the cards
LINE_MENU_ACTIONS: tuple[str, ...] = ("play", "play_through", "", "edit_line", "duplicate", "delete", "")
LINE_MENU_ACTIONS += (
    "split_here",
    "split_sentences",
    "join_lines",
    "",
    "move_up",
    "move_down",
    "",
    "cut",
    "copy",
    "paste",
    "",
    "save_line",
)
EMPTY_STATE_ACTIONS = ("add_line", "play", "paste", "find_command")


class ScriptPanel(QWidget):
    """Lines and transport under banners: `notice` for what concerns the program, `banner` for what was asked last.

    Attributes:
        above: banners, which the window lays out over all of its columns: a narrow one would leave no room for their words.
        below: from top to bottom, what has its place under the lines. It ends where the cards end.
    """

    def __init__(self, model: ScriptModel, actions: WindowActions, theme: Theme) -> None:
        super().__init__()
        self.notice = Banner()
        self.banner = Banner()
        self.script = ScriptList(model, theme)
        self.transport = TransportBar(actions)
        self._offer_menu(actions)
        actions.install_list_keys(self.script)
        self.script.lesson.taught = lambda: [
            (actions.find_key_text(name), actions[name].iconText().rstrip("…"))
            for name in EMPTY_STATE_ACTIONS
            if actions.find_key_text(name)
        ]
        self.above, self.below = QVBoxLayout(), QVBoxLayout()
        self.messages = BannerStack()
        for banner in (self.notice, self.banner):
            self.add_banner(banner)
        self.search, self.filter = SearchBar(), CharacterFilterBar()
        self.below.addWidget(self.transport)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for part in (column, self.above, self.below):
            part.setSpacing(8)
        self.above.setContentsMargins(0, 0, LIST_SCROLL_BAR_PX, 0)
        self.below.setContentsMargins(0, 0, LIST_SCROLL_BAR_PX, 0)
        over = QVBoxLayout()  # next to the lines, whatever messages come above
        over.setContentsMargins(0, 0, LIST_SCROLL_BAR_PX, 0)
        over.setSpacing(8)
        over.addWidget(self.filter)
        over.addWidget(self.search)
        column.addLayout(over)
        column.addWidget(self.script, 1)
        column.addLayout(self.below)

    def add_banner(self, banner: Banner) -> None:
        """Add a banner for messages above the lines, of which only the newest is shown."""
        self.messages.add_banner(banner)
        self.above.addWidget(banner)

    def add_line_menu(self, menu: QMenu) -> None:
        """Offer a menu under a right click on lines, before the commands for sound files."""
        last = self.script.actions()[-1]
        self.script.insertAction(last, menu.menuAction())
        line = QAction(self)
        line.setSeparator(True)
        self.script.insertAction(last, line)

    def _offer_menu(self, actions: WindowActions) -> None:
        """Show the commands for the lines under a right click, which selects them."""
        self.script.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for name in LINE_MENU_ACTIONS:
            if name:
                self.script.addAction(actions[name])
            else:
                line = QAction(self)
                line.setSeparator(True)
                self.script.addAction(line)

    def show_empty_message(self) -> None:
        """Show that there is nothing to speak or save."""
        hint = localize("行にテキストを入力してください。", "Type some text into a line.")
        self.banner.show_message("notice", localize("読み上げるテキストが空です。", "The text is empty."), hint)
