"""Every part of the window has a role and a name for screen readers, which Qt alone does not give it."""

import gc
import subprocess
import sys

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.workarounds.accessible_roles import install_accessible_roles
from tests.ui.conftest import WAIT_MS, OpenWindow

BY_QT_ALONE = """
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
app = QApplication(["x", "-platform", "offscreen"])
box, part = QComboBox(), QWidget()
box.addItem("value")
box.setAccessibleName("label")
name = QAccessible.queryAccessibleInterface(box).text(QAccessible.Text.Name)
print(name, QAccessible.queryAccessibleInterface(part).role().name)
"""


def read(widget: QWidget) -> tuple[QAccessible.Role, str]:
    told = QAccessible.queryAccessibleInterface(widget)
    return told.role(), told.text(QAccessible.Text.Name)


@pytest.mark.skipif(sys.platform != "linux", reason="Qt says the value on Linux alone")
def test_qt_alone_says_too_little() -> None:
    said = subprocess.run([sys.executable, "-c", BY_QT_ALONE], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["value", "Client"], "no longer needed"


def test_every_part_of_the_window_has_a_role_and_boxes_their_labels(qtbot: QtBot, open_window: OpenWindow) -> None:
    install_accessible_roles()
    window = open_window(Settings(text="あ。", expression_open=True, strip="open"))
    qtbot.waitUntil(lambda: window.phone_strip.shape is not None, timeout=WAIT_MS)
    parts = window.findChildren(QWidget)
    assert [type(part).__name__ + "<" + type(part).__mro__[1].__name__ for part in parts if read(part)[0] is QAccessible.Role.Client] == []
    assert {read(part)[0] for part in (window.phone_strip, window.melody_lane)} == {QAccessible.Role.Canvas}
    if sys.platform == "linux":
        boxes = {box: read(box)[1] for box in window.findChildren(QComboBox)}
        assert [name for box, name in boxes.items() if not (box.accessibleName() and name.startswith(box.accessibleName()))] == []
        assert boxes[window.styles] == "Style: Neutral"


def test_interfaces_live_as_long_as_their_widgets(qtbot: QtBot) -> None:
    install_accessible_roles()
    for number in range(50):
        part = QWidget()
        box = QComboBox(part)
        box.addItem(str(number))
        told = QAccessible.queryAccessibleInterface(part)
        gc.collect()
        assert told.child(0).text(QAccessible.Text.Value) == str(number)
        del told, box, part
        gc.collect()
