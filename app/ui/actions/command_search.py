"""The command search: finds the commands of the menus by their names in either language."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QMenu, QMenuBar, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.script.text_search import fold_text
from app.ui.actions.action_definitions import ACTIONS
from app.ui.widgets.controls import PlainLabel, fill_box
from app.ui.widgets.dialogs import ClosableDialog

ROW_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
COMMAND_SEARCH_SIZE = (560, 380)
OFFSET_BELOW_TOP_PX = 60
COMMAND_ROLE = Qt.ItemDataRole.UserRole

_KANA_TABLE = """
登場人物 とうじょうじんぶつ   常に手前 つねにてまえ   更新 こうしん   履歴 りれき   高精度 こうせいど   高速 こうそく
自動再生 じどうさいせい   連続再生 れんぞくさいせい   全画面 ぜんがめん   自然な しぜんな   変更時 へんこうじ
書き出 かきだ   読み込 よみこ   切り取 きりと   貼り付 はりつ   語尾 ごび   上げ あげ   描 えが   平ら たいら
合わせ あわせ   一時停止 いちじていし   再開 さいかい   停止 ていし   再生中 さいせいちゅう   再生 さいせい
削除 さくじょ   検索 けんさく   置換 ちかん   測定 そくてい   作成 さくせい   位置 いち   分割 ぶんかつ
結合 けつごう   一覧 いちらん   保存 ほぞん   移動 いどう   通知 つうち   管理 かんり   終了 しゅうりょう   編集 へんしゅう
表示 ひょうじ   複製 ふくせい   設定 せってい   診断 しんだん   辞書 じしょ   台本 だいほん   追加 ついか
選択 せんたく   新規 しんき   名前 なまえ   最近 さいきん   消去 しょうきょ   付け つけ   使っ つかっ
選んだ えらんだ   配色 はいしょく   音声 おんせい   含め ふくめ   上に うえに   下に したに   元に もとに
戻す もどす   直す なおす   使い つかい   開く ひらく   読み よみ   個 こ   声 こえ   同じ おなじ   行 ぎょう
秒 びょう   方 かた   英語 えいご   読む よむ
"""
COMMAND_KANA = dict(zip(_KANA_TABLE.split()[::2], _KANA_TABLE.split()[1::2], strict=True))
"""The readings by their spelling; longer spellings come first, because they contain shorter ones."""


def convert_command_to_kana(text: str) -> str:
    """Return a name in kana; text that is not in the table is kept."""
    # The order of the table matters: "再生" replaced first would leave half of "再生中".
    for written, read in COMMAND_KANA.items():
        text = text.replace(written, read)
    return text


MNEMONIC_MARK = "&"
MENU_PATH_SEPARATOR = " › "


@dataclass(frozen=True, slots=True)
class MenuCommand:
    """An action as the search shows it."""

    action: QAction
    path: str
    search_text: str


def list_menu_commands(bar: QMenuBar) -> list[MenuCommand]:
    """Return all actions of the menus except the search itself.

    An action without a definition is found by its "What's this" text.
    """
    text_by_action = {spec.name: " ".join((*spec.label, *spec.tip)) for spec in ACTIONS}
    return [
        MenuCommand(action, path, text_by_action.get(action.objectName()) or action.whatsThis())
        for path, action in _iterate_menu_actions(bar.actions(), "")
        if action.objectName() != "find_command"
    ]


def find_matching_commands(commands: Iterable[MenuCommand], typed: str) -> list[MenuCommand]:
    """Return the commands that contain all typed words, the best matches first.

    First come names that begin with the typed text, then names that begin with its first word, have it at the beginning of a word, or
    have it anywhere; last come commands that only their menu or description matches.
    """
    words = fold_text(typed).split()
    ranked = [(rank, number, command) for number, command in enumerate(commands) if (rank := _rank_command(command, words)) is not None]
    return [command for *_, command in sorted(ranked, key=lambda item: item[:2])]


def _rank_command(command: MenuCommand, words: list[str]) -> int | None:
    name, texts = fold_text(command.path.rsplit(MENU_PATH_SEPARATOR, 1)[-1]), (command.path, command.search_text)
    every = fold_text(" ".join((*texts, *map(convert_command_to_kana, texts))))
    if not all(word in every for word in words):
        return None
    if name.startswith(" ".join(words)):
        return 0
    first = words[0]
    return 1 if name.startswith(first) else 2 if f" {first}" in f" {name}" else 3 if first in name else 4


def _iterate_menu_actions(actions: Iterable[QAction], path: str) -> Iterator[tuple[str, QAction]]:
    for action in actions:
        if action.isSeparator() or not action.isVisible():
            continue
        # Japanese menus have their key in brackets at the end: ファイル(&F)
        # "&&" is an ampersand in a menu's text: it is hidden while the marks of mnemonics are removed.
        name = action.text().split("\t")[0].replace("&&", "\0").partition("(" + MNEMONIC_MARK)[0]
        name = name.replace(MNEMONIC_MARK, "").replace("\0", "&")
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _iterate_menu_actions(menu.actions(), f"{path}{name}{MENU_PATH_SEPARATOR}")
        else:
            yield f"{path}{name}", action


class CommandSearchDialog(ClosableDialog):
    """A dialog that closes with the choice of a command."""

    def __init__(self, commands: Sequence[MenuCommand], parent: QWidget | None = None) -> None:
        # A frameless dialog instead of a popup: input methods do not work well in popups.
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("search")
        self.setWindowTitle(localize("コマンドを検索", "Find a command"))
        self._commands = commands
        self.chosen: QAction | None = None
        self.typed = QLineEdit()
        self.typed.setPlaceholderText(localize("コマンド名を入力（例: 書き出し、theme）", "Type a command (export, theme, …)"))
        self.typed.setAccessibleName(self.windowTitle())
        self.typed.setToolTip(localize("↑↓ で選択し、Enter で実行します。", "Use ↑↓ to select and Enter to run."))
        self.typed.installEventFilter(self)
        self.found = QTreeWidget()
        self.found.setColumnCount(2)
        self.found.setHeaderHidden(True)
        self.found.setRootIsDecorated(False)
        self.found.header().setStretchLastSection(False)
        self.found.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.found.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.found.setAccessibleName(localize("見つかったコマンド", "Commands found"))
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setUniformRowHeights(True)
        column = fill_box(QVBoxLayout(self), self.typed, self.found, margins=(10, 10, 10, 10), spacing=8)
        self.nothing = PlainLabel(localize("一致するコマンドがありません。", "No matching commands."), "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.nothing.setContentsMargins(0, 24, 0, 0)
        column.addWidget(self.nothing, 1)
        # Rows take their height from the first one, which must be styled by then.
        self.found.ensurePolished()
        self.typed.textChanged.connect(self._show_matches)
        self.typed.returnPressed.connect(self._trigger_selected)
        self.found.itemClicked.connect(self._trigger_selected)
        self._show_matches("")
        if parent is not None:
            self.setFixedSize(min(COMMAND_SEARCH_SIZE[0], parent.width() - 40), min(COMMAND_SEARCH_SIZE[1], parent.height() - 80))
            self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, OFFSET_BELOW_TOP_PX)))
        self.typed.setFocus()

    def event(self, event: QEvent) -> bool:
        """Close when another window is clicked."""
        # A choice closes the dialog too, and that must not count as giving up.
        if event.type() == QEvent.Type.WindowDeactivate and self.isVisible() and self.chosen is None:
            self.reject()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow and page keys of the field move through the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in ROW_STEPS:
            row = self.found.currentIndex().row() + ROW_STEPS[Qt.Key(event.key())]
            self._select_row(max(0, min(self.found.topLevelItemCount() - 1, row)))
            return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _show_matches(self, typed: str) -> None:
        self.found.clear()
        for command in find_matching_commands(self._commands, typed):
            keys = command.action.text().partition("\t")[2] or command.action.shortcut().toString()
            item = QTreeWidgetItem([command.path, keys])
            item.setData(0, COMMAND_ROLE, command.action)
            item.setToolTip(0, command.action.toolTip())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, self.palette().placeholderText())
            item.setDisabled(not command.action.isEnabled())
            self.found.addTopLevelItem(item)
        self.found.setVisible(self.found.topLevelItemCount() > 0)
        self.nothing.setVisible(self.found.topLevelItemCount() == 0)
        self._select_row(0)

    def _select_row(self, row: int) -> None:
        item = self.found.topLevelItem(row)
        if item is not None:
            self.found.setCurrentItem(item)

    @Slot()
    def _trigger_selected(self) -> None:
        item = self.found.currentItem()
        if item is not None and not item.isDisabled():
            self.chosen = item.data(0, COMMAND_ROLE)
            self.accept()
