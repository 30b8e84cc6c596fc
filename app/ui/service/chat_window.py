"""The window of the chat reader: its queue, what can be done with a comment, and the voice and silence of those who write."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatSnapshot
from app.service.chat.chat_voices import may_have_voice
from app.ui.service.chat_table import ChatRow, ChatTable, describe_writer, list_chat_rows
from app.ui.service.window_listeners import ChatVoiceChoice
from app.ui.widgets.controls import (
    DIALOG_MARGINS,
    PlainLabel,
    create_button,
    create_close_button,
    create_tool_button,
    escape_mnemonic,
    escape_tip,
    fill_box,
    set_up_button,
    truncate_text,
)
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.voice_listening import ListeningEntries

SIZE, MAX_MENU_NAME_CHARS = (880, 500), 24


@dataclass(frozen=True, slots=True)
class ChatWindowState:
    """The content of the window at one moment."""

    queue: ChatSnapshot
    status: str  # where it listens, or why it does not
    addresses: Sequence[str] = ()  # at which viewers reach it; none while it does not listen
    caption_address: str = ""  # of the page of captions; empty where there is none
    has_captions: bool = False  # whether that page shows captions


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewerChoices:
    """The answers about those who write, which the window asks for when it shows them."""

    describe_reader: Callable[[ChatTalk], str]
    list_voices: Callable[[], Iterable[ChatVoiceChoice]]
    find_voice: Callable[[str], str]  # the voice that was chosen for a name or number; empty for none
    is_muted: Callable[[str], bool]


class ChatWindow(ClosableDialog):
    """Shows a queue, and asks for changes of it.

    Signals:
        skip_requested(), clear_requested(), settings_requested(): a button was pressed.
        pause_requested(bool): no further comment is to begin, or they are to.
        removal_requested(int): the comment of this number is not to be read.
        mute_requested(str, bool): comments of this writer are to be left out, or read again.
        voice_requested(str, str): this voice is to read for a writer or number; empty for the usual one.
        captions_requested(bool): the page of captions is to be there, or not.
        introduction_requested(VoicePick): a voice of the menu is to be heard.
    """

    skip_requested = Signal()
    clear_requested = Signal()
    settings_requested = Signal()
    pause_requested = Signal(bool)
    removal_requested = Signal(int)
    mute_requested = Signal(str, bool)
    voice_requested = Signal(str, str)
    captions_requested = Signal(bool)
    introduction_requested = Signal(object)

    def __init__(self, parent: QWidget | None, viewers: ViewerChoices) -> None:
        super().__init__(parent)
        self._viewers = viewers
        self._caption_address = ""
        self.setWindowTitle(localize("コメント", "Comments"))
        self.status = PlainLabel("", "muted", wraps=True)
        self.problem = PlainLabel("", "error", wraps=True)  # why something could not be done; hidden where nothing failed
        self.problem.hide()
        self.table = ChatTable(viewers.describe_reader)
        self._create_buttons()
        self.empty_title, self.empty_text = PlainLabel("", "heading"), PlainLabel("", "muted", wraps=True)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self._build_empty_page())
        self.table.chosen.connect(self._update_buttons)
        self.table.removal_requested.connect(self._drop_chosen)
        self.table.menu_requested.connect(self._open_menu)
        self._arrange_widgets()
        self.resize(*SIZE)
        self._update_buttons()

    @Slot()
    def show_state(self, state: ChatWindowState) -> None:
        """Show the queue and what it listens to."""
        queue = state.queue
        rows = list_chat_rows(queue)
        self.table.show_rows(rows)
        self.pages.setCurrentIndex(0 if rows else 1)
        self._show_empty_text(state)
        counted = localize(f"待機 {len(queue.waiting)} 件", f"{len(queue.waiting)} waiting")
        paused = localize("一時停止中", "paused") if queue.is_paused else ""
        self.status.setText(localize("・", " · ").join(filter(None, (counted, paused, state.status))))
        self.skip.setEnabled(queue.current is not None)
        self.clear.setEnabled(bool(queue.waiting))
        self.pause.setChecked(queue.is_paused)
        self.pause.setText(localize("再開", "Resume") if queue.is_paused else localize("一時停止", "Pause"))
        self.pause.setAccessibleName(self.pause.text())
        self._caption_address = state.caption_address
        self.captions.setChecked(state.has_captions)
        self.copy_address.setEnabled(state.has_captions and bool(state.caption_address))
        self.copy_address.setToolTip(
            localize(
                f"{state.caption_address} をコピーします。OBS のブラウザーソースに貼り付けてください。",
                f"Copies {state.caption_address}, for a browser source in OBS.",
            )
            if self.copy_address.isEnabled()
            else localize("字幕ページをオンにすると、アドレスをコピーできます。", "Switch the caption page on to copy its address.")
        )

    def show_problem(self, text: str) -> None:
        """Show why something could not be done; an empty text hides it."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def fill_menu(self, menu: QMenu, row: ChatRow) -> None:
        """Fill a menu with what can be done with a comment, and with those of its writer."""
        _clear_menu(menu)
        menu.setToolTipsVisible(True)
        if row.place == 0:
            menu.addAction(localize("スキップ", "Skip"), self.skip_requested.emit)
        elif row.place is not None:
            menu.addAction(localize("待機から削除", "Remove from queue"), partial(self.removal_requested.emit, row.talk.number))
        menu.addSeparator()
        self._add_voice_menu(menu, row.talk)
        self._add_mute_action(menu, row.talk.writer)

    def _create_buttons(self) -> None:
        tip = localize("読み上げ中のコメントを飛ばします。", "Skips the comment that is being read.")
        self.skip = create_button(localize("スキップ", "Skip"), tip, self.skip_requested.emit)
        tip = localize("次のコメントの読み上げを止めます。受け付けは続けます。", "Lets no further comment begin; they are still taken.")
        self.pause = create_button(localize("一時停止", "Pause"), tip, is_checkable=True)
        self.pause.clicked.connect(self.pause_requested)
        tip = localize("待っているコメントをすべて削除します。", "Removes all comments that wait.")
        self.clear = create_button(localize("待機をすべて削除", "Clear queue"), tip, self.clear_requested.emit)
        tip = localize(
            "選択中のコメントの投稿者の声とミュート。（右クリック）", "Voice and mute for who wrote the selected comment. (Right click)"
        )
        self.viewer = create_tool_button(localize("この投稿者", "This viewer"), tip)
        self.viewer.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.viewer)
        menu.aboutToShow.connect(lambda: self.fill_menu(menu, self.table.current) if self.table.current is not None else None)
        self.viewer.setMenu(menu)
        tip = localize(
            "OBS のブラウザーソースで、読み上げている言葉を表示できるようにします。",
            "Lets a browser source in OBS show the words as they are spoken.",
        )
        self.captions = set_up_button(QCheckBox(localize("OBS 用の字幕ページ", "Caption page for OBS")), tip)
        self.captions.clicked.connect(self.captions_requested)
        self.copy_address = create_button(localize("アドレスをコピー", "Copy address"), "", self._copy_caption_address, style="small")
        tip = localize("「設定」の「ほかのアプリ」を開きます。", "Opens Settings › Other programs.")
        self.settings = create_button(localize("設定…", "Settings…"), tip, self.settings_requested.emit)

    def _build_empty_page(self) -> QWidget:
        page = QWidget()
        for label in (self.empty_title, self.empty_text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        fill_box(QVBoxLayout(page), None, self.empty_title, self.empty_text, None, margins=DIALOG_MARGINS, spacing=8)
        return page

    def _arrange_widgets(self) -> None:
        top = fill_box(QHBoxLayout(), self.skip, self.pause, self.clear, None, self.viewer, spacing=8)
        foot = fill_box(QHBoxLayout(), self.captions, self.copy_address, None, self.settings, create_close_button(self), spacing=8)
        column = fill_box(QVBoxLayout(self), self.status, top, self.problem, (self.pages, 1), foot, margins=DIALOG_MARGINS, spacing=10)
        column.setSizeConstraint(column.SizeConstraint.SetDefaultConstraint)
        self.table.setFocus()

    def _show_empty_text(self, state: ChatWindowState) -> None:
        if not state.addresses:
            self.empty_title.setText(localize("コメントを受け付けていません", "No comments are taken now"))
            self.empty_text.setText(state.status)
            return
        places = localize(" または ", " or ").join(state.addresses)
        self.empty_title.setText(localize("コメントを待っています", "Waiting for comments"))
        self.empty_text.setText(
            localize(
                f"コメントビューアーの読み上げ先に「棒読みちゃん」を選んでください。\n接続先：{places}",
                f"In your comment viewer, choose BouyomiChan for reading.\nIt connects to {places}.",
            )
        )

    def _add_voice_menu(self, menu: QMenu, talk: ChatTalk) -> None:
        who = talk.writer or (str(talk.voice) if talk.voice > 0 else "")
        voices = menu.addMenu(localize(f"「{_shorten_name(talk)}」の声", f"Voice for “{_shorten_name(talk)}”"))
        if not may_have_voice(who):
            reason = (
                localize("名前に「=」や「;」があるため、声を指定できません。", "Not for a name with “=” or “;”.")
                if who
                else localize("投稿者の名前も番号もありません。", "It came without a name or number.")
            )
            _disable_action(voices.menuAction(), reason)
            return
        # Filled when it is opened: there may be hundreds.
        voices.aboutToShow.connect(partial(self._fill_voices, voices, who))
        voices.addAction("")  # an empty menu does not open

    def _fill_voices(self, menu: QMenu, who: str) -> None:
        _clear_menu(menu)
        group, chosen = QActionGroup(menu), self._viewers.find_voice(who)
        choices = list(self._viewers.list_voices())
        usual = ChatVoiceChoice("", localize("指定なし", "Default"), "")
        entries = self._begin_entries(menu)
        self._add_choice(entries, group, usual, who, is_chosen=not chosen)
        if chosen and not any(_is_same_name(choice.value, chosen) for choice in choices):
            self._add_choice(entries, group, ChatVoiceChoice("", chosen, chosen), who, is_chosen=True)
        for name, voices in _group_choices(choices):
            menu.addSeparator() if not name else None
            target = self._begin_entries(menu.addMenu(escape_mnemonic(name))) if len(voices) > 1 and name else entries
            for choice in voices:
                self._add_choice(target, group, choice, who, is_chosen=_is_same_name(choice.value, chosen))

    def _begin_entries(self, menu: QMenu) -> ListeningEntries:
        entries = menu.findChild(ListeningEntries, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if entries is None:
            entries = ListeningEntries(menu)
            entries.requested.connect(self.introduction_requested)
        return entries

    def _add_choice(self, entries: ListeningEntries, group: QActionGroup, choice: ChatVoiceChoice, who: str, *, is_chosen: bool) -> None:
        action = entries.add_entry(escape_mnemonic(choice.label), choice.pick)
        action.setCheckable(True)
        action.setChecked(is_chosen)
        group.addAction(action)
        action.triggered.connect(partial(self.voice_requested.emit, who, choice.value))

    def _add_mute_action(self, menu: QMenu, writer: str) -> None:
        is_muted = self._viewers.is_muted(writer)
        text = localize("ミュートを解除", "Unmute") if is_muted else localize("この投稿者をミュート", "Mute this viewer")
        action = menu.addAction(text, partial(self.mute_requested.emit, writer, not is_muted))
        if not writer:
            _disable_action(action, localize("投稿者の名前がありません。", "It came without a name."))

    @Slot()
    def _update_buttons(self) -> None:
        self.viewer.setEnabled(self.table.current is not None)

    @Slot()
    def _drop_chosen(self) -> None:
        row = self.table.current
        if row is not None and row.place == 0:
            self.skip_requested.emit()
        elif row is not None and row.place is not None:
            self.removal_requested.emit(row.talk.number)

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        if (row := self.table.current) is not None:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.fill_menu(menu, row)
            menu.popup(place)

    def _copy_caption_address(self) -> None:
        QGuiApplication.clipboard().setText(self._caption_address)


def _group_choices(choices: Sequence[ChatVoiceChoice]) -> list[tuple[str, list[ChatVoiceChoice]]]:
    """Return the choices by their groups, in order."""
    groups: dict[str, list[ChatVoiceChoice]] = {}
    for choice in choices:
        groups.setdefault(choice.group, []).append(choice)
    return list(groups.items())


def _is_same_name(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _clear_menu(menu: QMenu) -> None:
    """Remove what is in a menu, and the menus in it, which Qt would keep."""
    menu.clear()
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inner.deleteLater()


def _shorten_name(talk: ChatTalk) -> str:
    return escape_mnemonic(truncate_text(describe_writer(talk), MAX_MENU_NAME_CHARS))


def _disable_action(action: QAction, reason: str) -> None:
    action.setEnabled(False)
    action.setToolTip(escape_tip(reason))
