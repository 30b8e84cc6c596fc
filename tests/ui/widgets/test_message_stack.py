"""Messages over the lower right of the script: nothing moves for them, they go by themselves or stay, and past ones are kept."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.settings.user_settings import Settings
from app.ui.export.export_progress import ExportProgress
from app.ui.tasks.process_task import ProcessTask, TaskProgress, TaskSpec
from app.ui.widgets import message_stack
from app.ui.widgets.banner import Banner
from app.ui.widgets.message_stack import MAX_PAST, list_tab_stops
from app.ui.widgets.text_dialog import TextDialog
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

LAPTOP = (1366, 768)
NARROW_CARD_PX = 40
"""The height of a line with one row of text that the window is designed for."""


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    opened = open_window()
    opened.document.reset_script(Script(tuple(Line(f"{number} 行目です。", id=str(number)) for number in range(30))))
    opened.resize(*LAPTOP)
    QApplication.processEvents()
    return opened


def settle() -> None:
    for _turn in range(3):  # what a layout asks for is laid out in the next one
        QApplication.processEvents()


def places(window: WindowDriver) -> dict[str, QRect]:
    """Where the parts are that a message once pushed away."""
    parts = {
        "script": window.script,
        "play": window.transport.play,
        "save": window.transport.save,
        "strip": window.strip_frame,
        "side": window.side,
        "panel": window.left,
    }
    return {name: QRect(part.mapTo(window, QPoint()), part.size()) for name, part in parts.items()}


def begin_job(window: WindowDriver) -> ProcessTask:
    """A job that has come to 40 % and never ends; no process runs."""
    job = ProcessTask(TaskSpec("Adding 花子", ()), window.task_queue)
    job.advance = TaskProgress("downloading", 40)
    window.task_queue.jobs.append(job)
    window.task_queue.added.emit(job)
    return job


def finish_export(window: WindowDriver) -> ExportProgress:
    """The card of an export as it looks at its end."""
    card = ExportProgress()
    window.export.progress = card
    window.export.progress_made.emit(card)
    card.title.setText("Exported 11 files.")
    card.state.setText("/home/someone/Music")
    for part in (card.bar, card.stop_button, card.more, card.orphans):
        part.hide()
    card.show()
    return card


def suggest(window: WindowDriver) -> Banner:
    window.voice_banner.show_message("notice", "“Fast” is available.", "It sounds alike and is faster.", action="Compare", on_action=list)
    banner: Banner = window.voice_banner
    return banner


def test_nothing_moves_when_messages_come_and_go(window: WindowDriver) -> None:
    before = places(window)
    comers: tuple[Callable[[], object], ...] = (
        lambda: window.banner.show_message("error", "It broke. " * 20, "Mend it. " * 30),
        lambda: begin_job(window),
        lambda: finish_export(window),
        lambda: suggest(window),
        lambda: window.updates.banner.show_message("notice", "A new version."),
    )
    for come in comers:
        come()
        settle()
        assert window.messages.isVisible()
        assert places(window) == before
    for job in list(window.task_queue.jobs):
        window.task_queue.remove_task(job)
    for card in window.messages.wanted_cards:
        card.hide()
        settle()
        assert places(window) == before
    assert not window.messages.isVisible()


def test_eight_lines_are_seen_under_a_job_an_export_and_a_suggestion(window: WindowDriver) -> None:
    begin_job(window)
    finish_export(window)
    suggest(window)
    settle()
    view, stack = window.script, window.messages
    room = view.viewport().rect()
    rows = [view.visualRect(window.model.index(row)) for row in range(window.model.rowCount())]
    seen = [row for row in rows if room.contains(row)]
    assert len(seen) == room.height() // rows[0].height(), "as many as without a message"
    assert room.height() // NARROW_CARD_PX >= 8
    covered = QRect(view.viewport().mapFromGlobal(stack.mapToGlobal(QPoint())), stack.size())
    words = [row.adjusted(0, 0, -row.width() // 2, 0) for row in seen]
    assert not any(covered.intersects(left) for left in words), "who speaks, and the beginning of what is said, is read beside the messages"
    assert covered.height() < 0.7 * room.height()


def test_it_is_over_the_lower_right_of_the_lines_and_follows_them(window: WindowDriver) -> None:
    window.banner.show_message("notice", "Saved.", action="Undo", on_action=list)
    for size in (LAPTOP, (1700, 1000), (900, 600)):
        window.resize(*size)
        settle()
        lines, stack = window.script.geometry(), window.messages.geometry()
        assert lines.right() - 25 < stack.right() < lines.right() - window.script.verticalScrollBar().width()
        assert lines.bottom() - 12 < stack.bottom() < lines.bottom()
        assert stack.width() <= min(400, lines.width())
        middle = stack.center()
        assert window.left.childAt(middle) is not None
        assert window.messages.isAncestorOf(window.left.childAt(middle)), "in front of the lines"


def test_a_small_screen_shows_the_newest_message_whole(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ", strip="folded", latency="folded"))
    window.resize(640, 300)
    window.banner.show_message("error", "It broke. " * 20, "Mend it. " * 30, action="Mend", on_action=list)
    settle()
    card = QRect(window.banner.mapTo(window, QPoint()), window.banner.size())
    assert window.rect().contains(card)
    assert window.banner.height() >= window.banner.heightForWidth(window.banner.width())
    assert window.banner.visibleRegion().boundingRect() == window.banner.rect()


def test_a_notice_goes_by_itself_and_what_asks_or_fails_stays(qtbot: QtBot, window: WindowDriver) -> None:
    stack = window.messages
    stack.notice_ms = 0
    window.banner.show_message("notice", "Copied.")
    qtbot.waitUntil(lambda: not stack.isVisible())
    assert window.banner.isHidden()
    stays: tuple[Callable[[], object], ...] = (
        lambda: window.banner.show_message("error", "It broke."),
        lambda: window.banner.show_message("progress", "Exporting… 1 of 3"),
        lambda: window.banner.show_message("notice", "Deleted.", action="Undo", on_action=list),
        lambda: window.banner.show_message("notice", "Imported.", details="One line was empty."),
        lambda: window.banner.show_message("notice", "A part is missing.", stays=True),
        lambda: window.notice.show_messages("notice", [("A file is damaged.", "")]),
        lambda: suggest(window),
        lambda: finish_export(window),
    )
    for show in stays:
        show()
        settle()
        assert [frame.timer.isActive() for frame in stack._frames] == [False] * len(stack._frames)
    assert len(stack.wanted_cards) == 4
    window.banner.show_message("notice", "Copied.")
    qtbot.waitUntil(lambda: window.banner.isHidden())
    assert len(stack.wanted_cards) == 3


def frame_of(window: WindowDriver, card: QWidget) -> message_stack._CardFrame:
    return next(frame for frame in window.messages._frames if frame.card is card)


def test_a_notice_waits_for_the_mouse_and_the_keyboard(window: WindowDriver) -> None:
    window.banner.show_message("notice", "Copied.")
    settle()
    timer = frame_of(window, window.banner).timer
    assert timer.isActive()
    assert timer.interval() == window.messages.notice_ms
    here = window.banner.rect().center().toPointF()
    QApplication.sendEvent(window.banner, QEnterEvent(here, here, here))
    assert not timer.isActive(), "under the mouse"
    window.banner.show_message("notice", "Copied again.")
    assert not timer.isActive()
    QApplication.sendEvent(window.banner, QEvent(QEvent.Type.Leave))
    assert timer.isActive()
    window.window_actions["focus_messages"].trigger()
    assert window.banner.hasFocus()
    assert not timer.isActive(), "keys go to it"
    window.script.setFocus()
    assert timer.isActive()
    window.banner.hide()
    assert not timer.isActive()


def test_the_usual_time_is_six_seconds() -> None:
    assert message_stack.NOTICE_MS == 6000


def test_the_newest_are_seen_and_the_others_are_counted(window: WindowDriver) -> None:
    window.resize(1366, 1000)
    banners = window.notice, window.banner, window.voice_banner, window.updates.banner
    for banner in banners:
        banner.show_message("notice", "Something.", action="Do it", on_action=list)
    settle()
    assert [item.isVisible() for item in banners] == [False, True, True, True]
    assert [item.mapTo(window, QPoint()).y() for item in banners[1:]] == sorted(item.mapTo(window, QPoint()).y() for item in banners[1:])
    assert window.messages.more.text() == "1 more"
    window.messages.more.click()
    settle()
    assert all(item.isVisible() for item in banners)
    window.updates.banner.close_button.click()
    window.notice.show_message("notice", "Once more.", action="Do it", on_action=list)
    settle()
    assert window.messages.wanted_cards[-1] is window.notice, "what is said again is the newest"
    for banner in banners[:3]:
        banner.hide()
    assert not window.messages.isVisible()


def test_messages_are_folded_until_the_next_one(window: WindowDriver) -> None:
    begin_job(window)
    settle()
    high = window.messages.height()
    window.messages.fold.click()
    settle()
    assert not window.jobs_panel.isVisible()
    assert window.messages.height() < high / 2
    assert window.messages.more.text() == "1 message"
    window.banner.show_message("error", "It broke.")
    settle()
    assert window.jobs_panel.isVisible()
    assert window.banner.isVisible()
    for job in list(window.task_queue.jobs):
        window.task_queue.remove_task(job)


def test_the_keyboard_reaches_presses_and_closes_messages(window: WindowDriver) -> None:
    done: list[str] = []
    window.script.setFocus()
    window.notice.show_message("notice", "First.", action="Do it", on_action=list)
    window.banner.show_message("notice", "Second.", action="Undo", on_action=lambda: done.append("undone"))
    settle()
    assert window.script.hasFocus(), "a message takes no key away"
    QTest.keyClick(window.script, Qt.Key.Key_F6)
    assert window.banner.hasFocus()
    QTest.keyClick(window.banner, Qt.Key.Key_F6)
    assert window.script.hasFocus(), "and back"
    QTest.keyClick(window.script, Qt.Key.Key_F6)
    for _turn in range(8):
        if QApplication.focusWidget() is window.banner.action:
            break
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert window.banner.action.hasFocus()
    QTest.keyClick(window.banner.action, Qt.Key.Key_Space)
    assert done == ["undone"]
    assert window.notice.hasFocus(), "the next one"
    QTest.keyClick(window.notice, Qt.Key.Key_Escape)
    assert not window.messages.isVisible()
    assert window.script.hasFocus()


def test_esc_puts_aside_what_goes_on_and_stops_nothing(window: WindowDriver) -> None:
    job = begin_job(window)
    settle()
    QTest.keyClick(window.script, Qt.Key.Key_F6)
    row = window.jobs_panel.rows[job]
    assert row.hasFocus()
    assert row.accessibleName() == "Adding 花子 Waiting"
    QTest.keyClick(row, Qt.Key.Key_Escape)
    assert job in window.task_queue.jobs
    assert not window.jobs_panel.isVisible()
    assert window.messages.isVisible()
    assert window.script.hasFocus()
    window.task_queue.remove_task(job)


def test_past_messages_are_listed(window: WindowDriver) -> None:
    stack = window.messages
    stack.past.clear()
    window.banner.show_message("notice", "Copied.", "Three lines.")
    window.banner.show_message("progress", "Exporting… 1 of 3")
    window.banner.show_message("error", "It broke.")
    window.banner.hide()
    window.window_actions["past_messages"].trigger()
    dialog = window.findChild(TextDialog)
    assert isinstance(dialog, TextDialog)
    newest, before = dialog.page.toPlainText().split("\n")
    assert newest.endswith("  It broke.")
    assert before.endswith("  Copied. Three lines.")
    dialog.close()
    for number in range(MAX_PAST + 5):
        window.banner.show_message("notice", f"{number}.")
    assert len(stack.past) == MAX_PAST
    assert stack.past[-1].endswith(f"{MAX_PAST + 4}.")
    window.banner.hide()
    QTest.keyClick(window.script, Qt.Key.Key_F6)
    dialogs = [item for item in window.findChildren(TextDialog) if item.isVisible()]
    assert len(dialogs) == 1, "with no message open, the way there leads to past ones"
    dialogs[0].close()


def test_screen_readers_are_told(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[QAccessible.Event, object]] = []

    def listen(event: QAccessibleEvent) -> None:
        told.append((event.type(), event.object()))

    kinds = {"Event": QAccessible.Event, "AnnouncementPoliteness": QAccessible.AnnouncementPoliteness}
    reader = SimpleNamespace(isActive=lambda: True, updateAccessibility=listen, **kinds)
    monkeypatch.setattr(message_stack, "QAccessible", reader)
    window.banner.show_message("error", "It broke.")
    window.banner.show_message("progress", "Exporting… 1 of 3")
    assert told == [(QAccessible.Event.Alert, window.banner), (QAccessible.Event.Announcement, window.banner)]
    assert window.messages.accessibleName() == "Messages"
    assert window.banner.accessibleName() == "Exporting… 1 of 3"
    window.banner.hide()


def test_the_result_of_an_export_goes_with_its_project(window: WindowDriver) -> None:
    card = finish_export(window)
    settle()
    assert card.isVisible()
    window.projects.show_project(Project())
    assert card.isHidden()


def test_many_jobs_leave_lines_free(window: WindowDriver) -> None:
    for _number in range(5):
        begin_job(window)
        settle()
    assert window.jobs_panel.isVisible()
    assert window.jobs_panel.verticalScrollBar().maximum() > 0
    assert window.messages.height() < 0.7 * window.script.height()
    for job in list(window.task_queue.jobs):
        window.task_queue.remove_task(job)


def test_a_menu_of_a_message_is_a_window_of_its_own(qtbot: QtBot) -> None:
    part = QWidget()
    qtbot.addWidget(part)
    button = QPushButton(part)
    menu = QMenu(button)
    menu.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    assert list_tab_stops(part) == [button]
