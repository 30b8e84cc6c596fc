"""Widgets in unreachable cycles are deleted in the window's thread, whichever thread allocates meanwhile."""

import gc
import subprocess
import sys
import threading

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.workarounds.gui_thread_gc import GuiThreadCollector

COLLECT_ELSEWHERE = """
import gc, threading
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
gc.disable()
class Knot(QWidget):
    pass
widget = Knot()
widget.myself = widget
widget.destroyed.connect(lambda: print(threading.current_thread().name), Qt.ConnectionType.DirectConnection)
del widget
thread = threading.Thread(target=gc.collect, name="another")
thread.start()
thread.join()
application.processEvents()
"""


class Knot(QObject):
    """Holds itself, and notes in which thread it goes."""

    gone: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.myself = self

    def __del__(self) -> None:
        self.gone.append(threading.current_thread().name)


def allocate() -> None:
    """Enough for dozens of automatic collections."""
    for _ in range(100):
        list(map(list, [[]] * 1000))


def test_cycles_go_in_the_windows_thread(qtbot: QtBot, qapp: QApplication) -> None:
    Knot.gone = []
    gc.enable()  # as in the program; GuiThreadCollector has to end it
    collection = GuiThreadCollector(qapp)
    try:
        for _ in range(50):
            Knot()
        thread = threading.Thread(target=allocate, name="another")
        thread.start()
        thread.join()
        assert Knot.gone == []
        allocate_in_waiting: list[list[object]] = [[] for _ in range(5000)]  # makes a collection due
        qtbot.waitUntil(lambda: len(Knot.gone) == 50, timeout=5000)
        assert allocate_in_waiting
    finally:
        collection.deleteLater()
        gc.collect()
    assert set(Knot.gone) == {threading.main_thread().name}


def test_qts_binding_still_deletes_widgets_in_other_threads() -> None:
    done = subprocess.run([sys.executable, "-c", COLLECT_ELSEWHERE], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["another"], "should PySide6 delete widgets in their own thread, gui_thread_gc can go"
