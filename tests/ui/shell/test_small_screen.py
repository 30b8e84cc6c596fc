"""A screen of 1280×720 at a scale of 200 % has 640×360 pixels of the window's, and less beside its frame and a task bar."""

import pytest
from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTestPlan, begin_blind_test, compute_seal
from app.common import language
from app.settings.user_settings import Settings
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.script.empty_state import EmptyStatePainter
from app.ui.shell.main_window import NO_TOOLBAR_HEIGHT
from app.ui.shell.window_layout import keep_window_on_screen
from app.ui.widgets import dialogs
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.every_window import DIALOGS
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

SMALL = (640, 300)
FOLDED = Settings(text="今日はとてもいい天気です。駅前の公園まで歩きました。", strip="folded", latency="folded")


def place_of(widget: QWidget, window: WindowDriver) -> QRect:
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_everything_is_reached_on_a_small_screen(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tongue: str
) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(FOLDED)
    for _turn in range(2):  # the toolbar goes first
        window.resize(*SMALL)
        QApplication.processEvents()
    assert (window.width(), window.height()) == SMALL
    parts = (window.script, window.transport.play, window.transport.save, window.side, window.status.backends)
    for part in parts:
        assert window.rect().contains(place_of(part, window)), part
        assert part.visibleRegion().boundingRect() == part.rect(), part
    assert window.transport.play.width() >= window.transport.play.sizeHint().width(), "its words are whole"
    assert not window.edit_bar.isVisible()
    assert window.transport.save.text() == ""
    assert window.transport.save.accessibleName(), "for those who do not see its drawing"
    window.resize(1280, NO_TOOLBAR_HEIGHT + 200)
    qtbot.waitUntil(lambda: window.edit_bar.isVisible() and bool(window.transport.save.text()), timeout=WAIT_MS)
    assert window.transport.length.isVisible()


def test_open_parts_scroll_where_they_have_no_room(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(FOLDED)
    window.resize(640, 330)
    window.fold.part.set_open(True)
    window.banner.show_message("notice", "Saved. " * 40, "To a folder. " * 40)
    QApplication.processEvents()
    assert window.width() == 640, "neither a long message nor an open part widens it"
    assert window.height() <= 360
    assert window.strip_panel.height() > window.strip_frame.height()
    assert window.strip_frame.verticalScrollBar().maximum() > 0
    assert window.banner.message.width() > 60


def test_a_replacement_is_typed_in_a_narrow_window(open_window: OpenWindow) -> None:
    window = open_window(FOLDED, ready=False)
    window.resize(640, 400)
    window.window_actions["replace"].trigger()
    QApplication.processEvents()
    assert window.left.search.by.isVisible()
    assert window.width() == 640


def test_dialogs_keep_their_buttons_on_a_small_screen(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(FOLDED)
    room = QSize(600, 280)
    monkeypatch.setattr(dialogs, "SCREEN_MARGINS", window.screen().availableSize() - room)
    for name in ("settings", "export", "cast", "audition", "blind_test", "chat", "licence"):
        dialog = DIALOGS[name](window)
        dialog.show()
        if name == "blind_test":
            assert isinstance(dialog, BlindTestDialog)
            plan = BlindTestPlan("abx", (("0" * 64, "1" * 64),), ("A", "B"), 12)
            dialog.resume_test(begin_blind_test(plan, compute_seal("a")))
        for _turn in range(3):
            QApplication.processEvents()
        assert dialog.size().boundedTo(room) == dialog.size(), name
        assert dialog.layout().totalMinimumSize().boundedTo(room) == dialog.layout().totalMinimumSize(), f"{name}: parts overlap"
        assert dialog.focusWidget() is not None, name
        dialog.close()


def test_an_empty_script_says_all_in_a_narrow_list(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    painter, palette = EmptyStatePainter(), qapp.palette()
    painter.list_keys = lambda: [("Shift+Enter", "行を追加"), ("Ctrl+K", "コマンドを検索")]
    for width, height in ((240, 216), (240, 140), (900, 560)):
        picture = QImage(width + 80, height + 80, QImage.Format.Format_RGB32)
        picture.fill(palette.color(QPalette.ColorRole.Window))
        canvas = QPainter(picture)
        painter.paint_empty_state(canvas, QRectF(40, 40, width, height), qapp.font(), palette, is_focused=True)
        canvas.end()
        across = {picture.pixel(x, y) for x in (20, 50, width + 30, width + 60) for y in range(60, height + 20)}
        down = {picture.pixel(x, y) for y in (20, height + 60) for x in range(width + 80)}
        assert across | down == {picture.pixel(0, 0)}, "no word is at the frame or beyond it"


@pytest.mark.parametrize("size", [(5000, 4000), (800, 800)])
def test_a_window_that_was_left_on_a_larger_screen_is_on_this_one_with_its_frame(
    qtbot: QtBot, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    window = open_window(FOLDED)
    window.resize(*size)
    kept = bytes(window.saveGeometry().toBase64().data()).decode()
    window.close()
    again = open_window(Settings(text="あ", geometry=kept))
    room = again.screen().availableGeometry()
    qtbot.waitUntil(lambda: room.contains(again.frameGeometry()), timeout=WAIT_MS)
    assert again.frameGeometry().size() != again.size(), "there is a frame"
    again.move(room.right() - 40, room.bottom() - 40)
    keep_window_on_screen(again, again.size())
    assert room.contains(again.frameGeometry())


def test_the_usual_window_has_room_on_a_laptop_at_twice_the_scale(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日はとてもいい天気です。"))
    assert window.minimumSizeHint().width() <= 1366 // 2
    for _turn in range(2):  # the toolbar goes first
        window.resize(1366 // 2 - 2, 768 // 2 - 30)
        QApplication.processEvents()
    assert (window.width(), window.height()) == (681, 354)
