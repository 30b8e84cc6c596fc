"""What tests of reading aloud do again and again."""

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.ui.conftest import WAIT_MS, wait_idle
from tests.ui.window_driver import WindowDriver

LONG = "今日はとてもいい天気です。明日は雨が降るでしょう。" * 5


def wait_read(qtbot: QtBot, window: WindowDriver) -> None:
    qtbot.waitUntil(lambda: not window.read_aloud.player.is_on and not window.read_aloud.player.passage, timeout=WAIT_MS)
    wait_idle(qtbot, window)


def copy_text(text: str, *formats: str) -> None:
    data = QMimeData()
    data.setText(text)
    for name in formats:
        data.setData(name, b"secret")
    QGuiApplication.clipboard().setMimeData(data)
