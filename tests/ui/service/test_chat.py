"""The chat reader of the window: comments speak with the window's player, behind what the user plays."""

import socket
import struct
import threading
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.core.script.script import Character, Line, LineSettings, Script
from app.engine.synthesis_jobs import SpeechJob
from app.service.chat.chat_captions import CAPTION_FILE_NAME
from app.service.chat.chat_protocol import ChatCommand, ChatMessage, ChatTalk
from app.service.chat.chat_queue import MAX_RECORDS
from app.settings.user_settings import Settings
from app.ui.service.chat_table import READER, STATE, WORDS, WRITER
from app.ui.service.chat_window import ChatWindow
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.window_driver import WindowDriver


def find_ports() -> tuple[int, int]:
    """Two free ones."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def send(port: int, *messages: bytes, answer: int = 0) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as own:
        own.sendall(b"".join(messages))
        own.shutdown(socket.SHUT_WR)
        found = b""
        while piece := own.recv(64):
            found += piece
    assert len(found) == answer
    return found


def comment(text: str, voice: int = 0, speed: int = -1) -> bytes:
    content = text.encode()
    return struct.pack("<hhhhhbi", 1, speed, -1, -1, voice, 0, len(content)) + content


def listening(qtbot: QtBot, window: WindowDriver) -> None:
    qtbot.waitUntil(lambda: window.is_made("chat") and window.chat.reader is not None, timeout=WAIT_MS)


def open_chat(qtbot: QtBot, open_window: OpenWindow) -> tuple[int, WindowDriver, list[str]]:
    """The port of a window that reads comments, the window, and the texts that were heard to their end."""
    port, http_port = find_ports()
    window = open_window(Settings(text="", chat_port=port, chat_http_port=http_port, chat_reader=True))
    listening(qtbot, window)
    heard: list[str] = []
    window.controller.speech_played.connect(lambda job: heard.append(job.request.text))
    return port, window, heard


def test_comments_are_heard_in_order_and_can_be_skipped(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, http_port = find_ports()
    window = open_window(Settings(text="", chat_port=port, chat_http_port=http_port))
    assert not window.is_made("chat")
    window.settings.change_settings(chat_reader=True)
    listening(qtbot, window)
    assert str(port) in window.chat.button.text()
    heard: list[str] = []
    window.controller.speech_played.connect(lambda job: heard.append(job.request.text))
    send(port, comment("一つ目。"), comment("www（笑）", 1), comment("。。。"), comment("二つ目。", 2))
    qtbot.waitUntil(lambda: "二つ目。" in heard, timeout=WAIT_MS)
    assert heard[0] == "一つ目。"
    assert not window.history.utterances  # a comment is no measurement, and its text is in no table
    long = comment("これはとても長いコメントです。" * 20)
    send(port, long, comment("次。"))
    qtbot.waitUntil(lambda: window.controller.state.is_speaking, timeout=WAIT_MS)
    assert send(port, struct.pack("<h", 0x0120), answer=1) == b"\x01"
    send(port, struct.pack("<h", 0x0030))
    qtbot.waitUntil(lambda: "次。" in heard, timeout=WAIT_MS)
    assert not any("長い" in text for text in heard)


def test_a_browser_source_that_the_settings_name_may_talk(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, http_port = find_ports()
    settings = Settings(text="", chat_port=port, chat_http_port=http_port, chat_reader=True, service_origins="https://overlay.example")
    window = open_window(settings)
    listening(qtbot, window)
    assert window.chat.status == f"Listening on 127.0.0.1:{port}, 127.0.0.1:{http_port} (HTTP)"
    send(port, struct.pack("<h", 0x0010))

    def ask(origin: str) -> int:
        page = Request(f"http://127.0.0.1:{http_port}/Talk?text=a", headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        try:
            with urlopen(page, timeout=10) as answer:
                return int(answer.status)
        except HTTPError as error:
            with error:
                return error.code

    assert (ask("https://overlay.example"), ask("https://other.example")) == (200, 403)


def test_what_the_user_plays_comes_first(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    write(window, "私の行です。")
    send(port, struct.pack("<h", 0x0010), comment("コメントです。"))
    qtbot.waitUntil(lambda: len(window.chat.reader.queue) == 1, timeout=WAIT_MS)
    window.play_commands.play_or_stop()
    assert window.controller.state.is_speaking
    send(port, struct.pack("<h", 0x0020))
    qtbot.waitUntil(lambda: heard == ["私の行です。", "コメントです。"], timeout=WAIT_MS)


def test_a_comment_that_playing_cuts_off_is_read_again_and_one_that_esc_ends_is_not(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    write(window, "私の行です。")
    send(port, comment("これは長いコメントです。" * 3))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    assert "Stop" not in window.transport.play.text()
    window.play_commands.play_or_stop()  # as Ctrl+Enter does
    assert window.controller.state.is_playing
    qtbot.waitUntil(lambda: heard == ["私の行です。", "これは長いコメントです。" * 3], timeout=WAIT_MS)
    send(port, comment("飛ばすコメントです。" * 20), comment("最後。"))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    window.window_actions["stop"].trigger()
    qtbot.waitUntil(lambda: heard[2:] == ["最後。"], timeout=WAIT_MS)


def test_a_comment_that_ends_while_it_is_asked_for_holds_nobody_up(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other threads may compute and play a short comment before the call that asks for it returns."""
    port, window, heard = open_chat(qtbot, open_window)
    speak_comment = window.controller.speak_comment

    def speak_at_once(*asked: Any) -> SpeechJob:
        job = speak_comment(*asked)
        window.controller.speech_played.emit(job)
        window.controller.skip_job(job)  # so that it is not reported again
        return job

    monkeypatch.setattr(window.controller, "speak_comment", speak_at_once)
    send(port, comment("一つ目。"), comment("。。。"), comment("二つ目。"))
    qtbot.waitUntil(lambda: "二つ目。" in heard, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.chat.reader.queue.is_playing, timeout=WAIT_MS)


def test_reading_aloud_does_not_wait_for_the_comments_that_wait(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    send(port, comment("一つ目のコメントです。"), comment("二つ目のコメントです。"))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    window.read_aloud.player.speak_text("今すぐ読みます。")
    qtbot.waitUntil(lambda: len(heard) == 3, timeout=WAIT_MS)
    assert heard == ["今すぐ読みます。", "一つ目のコメントです。", "二つ目のコメントです。"]


def test_characters_of_the_project_read_by_number_and_for_writers(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    knight = Character("騎士", LineSettings(style="Sad", speed=1.3, volume=0.8), aliases=("ナイト",))
    window.document.reset_script(Script((Line("行です。", character=knight.id),), cast=(knight,)))
    window.settings.change_settings(chat_voices="3=ナイト; 太郎=騎士; 4=いない人")
    spoken: list[SpeechJob] = []
    window.controller.speech_played.connect(spoken.append)
    send(
        port, comment("番号です。", 3), comment("太郎：名前です。", 1), comment("ほかの声です。", 4), comment("速いコメントです。", 3, 200)
    )
    qtbot.waitUntil(lambda: len(spoken) == 4, timeout=WAIT_MS)
    assert [(job.request.speed, job.request.volume) for job in spoken] == [(1.3, 0.8), (1.3, 0.8), (1.0, 1.0), (2.0, 0.8)]
    assert [job.cast.style for job in spoken if job.cast is not None] == ["Sad", "Sad", "", "Sad"]
    window.document.reset_script(Script())
    send(port, comment("もういません。", 3))
    qtbot.waitUntil(lambda: len(spoken) == 5, timeout=WAIT_MS)
    assert spoken[-1].cast.style == ""


@pytest.mark.parametrize("place", [0, 1])
def test_a_taken_port_is_said_once_and_gone_when_it_is_switched_off(qtbot: QtBot, open_window: OpenWindow, place: int) -> None:
    ports = find_ports()
    with socket.socket() as other:
        other.bind(("127.0.0.1", ports[place]))
        other.listen()
        window = open_window(Settings(text="", chat_port=ports[0], chat_http_port=ports[1], chat_reader=True))
        qtbot.waitUntil(lambda: str(ports[place]) in window.banner.message.text(), timeout=WAIT_MS)
        assert "another program is using it" in window.banner.message.text()
        window.settings.change_settings(chat_reader=False)
        qtbot.waitUntil(lambda: not window.chat.button.isVisible(), timeout=WAIT_MS)
    assert window.chat.reader is None


def open_queue(qtbot: QtBot, window: WindowDriver) -> ChatWindow:
    """The window that the button in the status bar opens, with the queue paused."""
    window.chat.reader.queue.handle_message(ChatMessage(ChatCommand.PAUSE))
    window.chat.button.click()
    shown: ChatWindow = window.chat.queue_window
    qtbot.waitUntil(shown.pause.isChecked, timeout=WAIT_MS)
    return shown


def list_cells(shown: ChatWindow, column: int) -> list[str]:
    comments = shown.table.comments
    return [comments.index(row, column).data() for row in range(comments.rowCount())]


def find_action(menu: QMenu, *path: str) -> QAction:
    """The action under these words, in menus that are filled as they open."""
    for words in path[:-1]:
        menu = next(action.menu() for action in menu.actions() if action.text() == words)  # type: ignore[assignment]
        menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.text().split("\t")[0] == path[-1])


def open_menu(shown: ChatWindow, row: int) -> QMenu:
    """The menu of the button for a comment; a right click fills one in the same way."""
    shown.table.selectRow(row)
    menu = shown.viewer.menu()
    menu.aboutToShow.emit()
    return menu


def test_the_button_opens_the_queue_and_the_queue_its_settings(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    shown = open_queue(qtbot, window)
    assert shown.pages.currentIndex() == 1
    assert f"127.0.0.1:{port}" in shown.empty_text.text()
    send(port, comment("太郎：一。"), comment("二。", 3), comment("三。"))
    qtbot.waitUntil(lambda: window.chat.button.text() == "Chat: paused (3 waiting)", timeout=WAIT_MS)
    assert shown.pages.currentIndex() == 0
    assert list_cells(shown, WRITER) == ["太郎", "Number 3", "–"]
    assert list_cells(shown, WORDS) == ["一。", "二。", "三。"]
    assert list_cells(shown, STATE) == ["Waiting 1", "Waiting 2", "Waiting 3"]
    assert "list of comments" in window.chat.button.toolTip()
    shown.settings.click()
    settings = window.dialogs.shown
    assert settings.tabs.tabText(settings.tabs.currentIndex()) == "Other programs"
    assert settings.focusWidget() is settings.controls["chat_reader"]
    settings.reject()
    window.settings.change_settings(chat_reader=False)
    qtbot.waitUntil(lambda: shown.empty_title.text() == "No comments are taken now", timeout=WAIT_MS)
    assert shown.pages.currentIndex() == 1


def test_comments_are_skipped_removed_and_cleared_in_the_window(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    shown = open_queue(qtbot, window)
    send(port, comment("とても長いコメントです。" * 20), *(comment(f"{number}番。") for number in "一二三四"))
    qtbot.waitUntil(lambda: shown.table.comments.rowCount() == 5, timeout=WAIT_MS)
    shown.table.selectRow(2)
    shown.pause.click()
    qtbot.waitUntil(lambda: list_cells(shown, STATE)[0] == "Being read", timeout=WAIT_MS)
    assert shown.table.current.talk.text == "二番。", "the selected comment stays selected"
    shown.pause.click()
    qtbot.keyClick(shown.table, Qt.Key.Key_Delete)
    shown.skip.click()
    qtbot.waitUntil(lambda: list_cells(shown, STATE)[-2:] == ["Skipped", "Removed"], timeout=WAIT_MS)
    find_action(open_menu(shown, 0), "Remove from queue").trigger()
    shown.clear.click()
    qtbot.waitUntil(lambda: list_cells(shown, STATE) == ["Removed", "Removed", "Removed", "Skipped", "Removed"], timeout=WAIT_MS)
    assert not shown.clear.isEnabled()
    assert heard == []


def test_a_viewer_gets_a_voice_and_silence_from_the_menu(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    knight = Character("騎士", LineSettings(style="Sad"))
    window.document.reset_script(Script((Line("行です。", character=knight.id),), cast=(knight,)))
    window.settings.change_settings(chat_voices="1=Mei; 花子=Nobody")
    shown = open_queue(qtbot, window)
    send(port, comment("太郎さん：一。"), comment("二。", 3), comment("a=b：三。"), comment("四。"))
    qtbot.waitUntil(lambda: shown.table.comments.rowCount() == 4, timeout=WAIT_MS)
    find_action(open_menu(shown, 0), "Voice for “太郎”", "騎士").trigger()
    find_action(open_menu(shown, 1), "Voice for “Number 3”", "Mei", "Mei · Sad").trigger()
    assert window.settings.value.chat_voices == "1=Mei; 花子=Nobody; 太郎=騎士; 3=Mei/Sad"
    qtbot.waitUntil(lambda: list_cells(shown, READER)[:2] == ["騎士", "Mei · Sad"], timeout=WAIT_MS)
    assert find_action(open_menu(shown, 0), "Voice for “太郎”", "騎士").isChecked()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert len(shown.viewer.menu().findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)) == 1
    find_action(open_menu(shown, 0), "Voice for “太郎”", "Default").trigger()
    assert window.settings.value.chat_voices == "1=Mei; 花子=Nobody; 3=Mei/Sad"
    for row, words, reason in ((3, "Voice for “–”", "without a name"), (2, "Voice for “a=b”", "“=”")):
        action = find_action(open_menu(shown, row), words)
        assert not action.isEnabled()
        assert reason in action.toolTip()
    assert not find_action(open_menu(shown, 1), "Mute this viewer").isEnabled()
    find_action(open_menu(shown, 2), "Mute this viewer").trigger()
    assert window.settings.value.chat_muted == ("a=b",)
    qtbot.waitUntil(lambda: list_cells(shown, STATE)[-1] == "Left out: muted", timeout=WAIT_MS)
    find_action(open_menu(shown, 3), "Unmute").trigger()
    assert window.settings.value.chat_muted == ()
    window.settings.change_settings(chat_voices=";".join(f"{number}=Mei" for number in range(500)) + ";" * 100)
    window.chat.choose_voice("太郎", "Mei" * 300)
    assert "Too many voices" in shown.problem.text()


def test_the_menu_comes_by_key_and_by_mouse(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    shown = open_queue(qtbot, window)
    send(port, comment("太郎：一。"), comment("次郎：二。"))
    qtbot.waitUntil(lambda: shown.table.comments.rowCount() == 2, timeout=WAIT_MS)
    asked: list[str] = []
    shown.table.menu_requested.disconnect()
    shown.table.menu_requested.connect(lambda _place: asked.append(shown.table.current.talk.writer))
    table, key, mouse = shown.table, QContextMenuEvent.Reason.Keyboard, QContextMenuEvent.Reason.Mouse

    def ask_for_menu(reason: QContextMenuEvent.Reason, place: QPoint) -> None:
        table.contextMenuEvent(QContextMenuEvent(reason, place, table.viewport().mapToGlobal(place)))

    ask_for_menu(key, QPoint())
    assert asked == [], "no comment is selected"
    for row in (1, 0):
        ask_for_menu(mouse, table.visualRect(table.comments.index(row, WORDS)).center())
    ask_for_menu(key, QPoint())
    ask_for_menu(mouse, QPoint(5, table.viewport().height() - 2))
    assert asked == ["次郎", "太郎", "太郎"]


def test_muting_ends_the_comment_that_is_read(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    send(port, comment("荒らし：" + "長いコメントです。" * 20), comment("太郎：次です。"))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    window.chat.mute_writer("荒らしさん", True)
    qtbot.waitUntil(lambda: heard == ["太郎：次です。"], timeout=WAIT_MS)


def test_what_strangers_write_is_shown_as_it_is(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    shown = open_queue(qtbot, window)
    texts = ("<b>太郎</b>：<img src=x>", "\u202e次郎：やあ", "&ampさん：やあ", "名" * 1_000 + "：<h1>やあ")
    send(port, *map(comment, texts))
    qtbot.waitUntil(lambda: shown.table.comments.rowCount() == len(texts), timeout=WAIT_MS)
    assert list_cells(shown, WRITER) == ["<b>太郎</b>", "次郎", "&amp", "–"]
    for row, text in enumerate(("&lt;img src=x&gt;", "やあ", "やあ")):
        tip = shown.table.comments.index(row, WORDS).data(Qt.ItemDataRole.ToolTipRole)
        assert text in tip
        assert "<img" not in tip
    assert "<b>" not in shown.table.comments.index(0, WRITER).data(Qt.ItemDataRole.ToolTipRole)
    assert open_menu(shown, 2).actions()[-2].text() == "Voice for “&&amp”"


def test_a_flood_is_one_report_and_one_picture(qtbot: QtBot, open_window: OpenWindow) -> None:
    _port, window, _heard = open_chat(qtbot, open_window)
    shown = open_queue(qtbot, window)
    queue, chat = window.chat.reader.queue, window.chat
    qtbot.waitUntil(lambda: not chat._is_change_reported and not chat._soon.isActive(), timeout=WAIT_MS)
    reports: list[bool] = []
    chat._queue_changed.connect(lambda: reports.append(True), Qt.ConnectionType.DirectConnection)

    def flood() -> None:
        for number in range(5_000):
            queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk(f"コメント{number}")))

    sender = threading.Thread(target=flood)
    sender.start()
    sender.join()  # the window's events wait meanwhile
    assert reports == [True]
    qtbot.waitUntil(lambda: shown.table.comments.rowCount() == 20 + MAX_RECORDS, timeout=WAIT_MS)
    assert window.chat.button.text() == "Chat: paused (20 waiting)"
    assert list_cells(shown, WORDS)[0] == "コメント4980"


def test_captions_follow_what_is_heard(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    board = window.chat.reader.captions
    shown_talks: list[tuple[str, str, float]] = []
    show_talk = board.show_talk

    def note_talk(talk: ChatTalk | None, word: tuple[int, int] = (0, 0)) -> None:
        shown_talks.append(
            ("" if talk is None else talk.words, "" if talk is None else talk.text[slice(*word)], window.controller.state.played_s)
        )
        show_talk(talk, word)

    board.show_talk = note_talk
    send(port, comment("誰にも見えません。"))
    qtbot.waitUntil(lambda: len(heard) == 1, timeout=WAIT_MS)
    assert shown_talks == []
    shown = open_queue(qtbot, window)
    assert not shown.copy_address.isEnabled()
    shown.captions.click()
    window.settings.change_settings(chat_caption_folder=str(tmp_path))
    qtbot.waitUntil(shown.copy_address.isEnabled, timeout=WAIT_MS)
    shown.copy_address.click()
    assert QGuiApplication.clipboard().text() == window.chat.reader.caption_address
    window.speech_thread.engine.player.pace = 0.3  # slow enough for any computer to see a word
    shown.pause.click()
    send(port, comment("太郎：今日は、とても良い天気です。"))
    qtbot.waitUntil(lambda: any(word for _, word, _ in shown_talks), timeout=WAIT_MS)
    window.speech_thread.engine.player.pace = float("inf")
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=WAIT_MS)
    assert {word for _, word, _ in shown_talks} <= {"", "太郎", "：", "今日", "は", "とても", "良い", "天気", "です"}
    assert {words for words, _, _ in shown_talks} == {"今日は、とても良い天気です。", ""}
    assert all(played_s > 0 for words, _, played_s in shown_talks if words)
    assert shown_talks[-1][0] == ""
    assert board.state.talk is None
    file = tmp_path / CAPTION_FILE_NAME
    qtbot.waitUntil(lambda: file.is_file() and not file.read_bytes(), timeout=WAIT_MS)
