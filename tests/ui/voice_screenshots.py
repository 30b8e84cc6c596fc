"""Takes pictures of everything about voices: `python -m tests.ui.voice_screenshots FOLDER VOICE_FILE [WIDTHxHEIGHT]`.

A voice is dropped on the window and speaks; each language and look in a process of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.ui.looks import in_each_look


def main() -> int:
    """One process per language and look."""
    folder, voice = Path(sys.argv[1]), sys.argv[2]
    size = sys.argv[3] if len(sys.argv) > 3 else "1366x768"
    folder.mkdir(parents=True, exist_ok=True)
    in_each_look("tests.ui.voice_screenshots", lambda language, look: [size, voice, str(folder / f"voices-{language}-{look}")])
    return 0


def take(theme: str, size: str, voice: Path, start: str) -> None:
    """The import, its licence, the missing BERT, the voice that speaks all the same, the library, and a voice that is not here."""
    from PySide6.QtWidgets import QDialog, QWidget

    from app.settings import Settings
    from app.ui.main import make_application
    from app.ui.shell.window import MainWindow
    from app.ui.synthesis.controller import SpeechController
    from app.ui.tasks.task import Stage
    from tests.ui.recording_player import RecordingPlayer

    app, player = make_application(), RecordingPlayer(pace=6.0)
    window = MainWindow(Settings(text="こんにちは。今日はいい天気です。", theme=theme), SpeechController(lambda _d, _r: player))  # type: ignore[arg-type]

    def until(done: Callable[[], object], limit_s: float = 120) -> None:
        ends = time.monotonic() + limit_s
        while not done() and time.monotonic() < ends:
            app.processEvents()
            time.sleep(0.002)

    def picture(name: str, widget: QWidget) -> None:
        until(lambda: False, 0.1)
        widget.grab().save(f"{start}-{name}.png")
        print(f"{start}-{name}.png")

    def dialog() -> QDialog | None:
        return next((item for item in window.findChildren(QDialog) if item.isVisible()), None)

    window.theme_switcher.show()
    window.resize(*(int(edge) for edge in size.split("x")))
    window.start()
    until(lambda: window.controller.state.ready and not window.controller.state.loading)
    window.library.add_files([voice])
    (job,) = window.voice_tasks.queue.jobs
    until(lambda: job.advance.percent > 20 or job.stage is not Stage.RUNNING)
    picture("import", window)
    until(lambda: job.stage not in (Stage.RUNNING, Stage.WAITING))
    if job.stage is Stage.ASKING and (asked := dialog()) is not None:
        picture("licence", asked)
        asked.accept()
    until(lambda: job.stage is Stage.DONE and dialog() is not None)
    picture("added", window)
    if (offer := dialog()) is not None:
        picture("bert", offer)
        offer.force.click()  # type: ignore[attr-defined]
    until(lambda: len(window.controller.voices) > 1)
    window.play_commands.play_or_stop()
    until(lambda: not window.playback.is_on)
    picture("spoken", window)
    window.library.open()
    if window.library.dialog is not None:
        picture("library", window.library.dialog)
        window.library.dialog.close()
    window.voices.use("0123456789abcdef")
    picture("missing", window)
    window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main())
