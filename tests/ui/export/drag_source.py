"""The window with one line, in a program of its own: it prints where the handle of the line is on the screen.

python -m tests.ui.export.drag_source
"""

import json
import sys

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtWidgets import QApplication

from app.core.script.script import Line, Script
from app.settings.user_settings import Settings
from app.ui.main import make_application
from app.ui.synthesis.speech_controller import SpeechController
from tests.recording_player import RecordingPlayer
from tests.ui.window_driver import WindowDriver


def print_handle(window: WindowDriver, speech: SpeechController) -> None:
    """Print the place of the handle once the voice is there."""
    if not speech.state.is_ready or speech.state.is_loading:
        QTimer.singleShot(100, lambda: print_handle(window, speech))
        return
    view = window.script
    parts = view.cards.layout.compute_rects(QRectF(view.visualRect(view.model().index(0, 0))))
    place = view.viewport().mapToGlobal(parts.handle.center().toPoint())
    print(json.dumps([place.x(), place.y()]), flush=True)


def main() -> int:
    """Show the window until it is killed."""
    make_application()
    player = RecordingPlayer()
    speech = SpeechController(lambda _device, _rate: player)
    window = WindowDriver(Settings(text="", drag_texts="txt"), speech)
    window.document.reset_script(Script((Line("はい。", id="a"),)))
    window.setGeometry(10, 30, 660, 640)
    window.show_and_start()
    QTimer.singleShot(1000, lambda: print_handle(window, speech))
    return QApplication.exec()


if __name__ == "__main__":
    sys.exit(main())
