"""Takes pictures of the choice between Exact and Fast: `python -m tests.ui.precision_screenshots FOLDER VOICE.aivmx [WIDTHxHEIGHT]`.

The voice is added with graphs of ours in both precisions; each language and look in a process of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.ui.looks import in_each_look

CHILD = Path(__file__).parent / "stories" / "fast_child.py"


def main() -> int:
    """One process per language and look."""
    folder, voice = Path(sys.argv[1]), sys.argv[2]
    size = sys.argv[3] if len(sys.argv) > 3 else "1366x768"
    folder.mkdir(parents=True, exist_ok=True)
    in_each_look("tests.ui.precision_screenshots", lambda language, look: [size, voice, str(folder / f"fast-{language}-{look}")])
    return 0


def take(theme: str, size: str, voice: Path, start: str) -> None:
    """The offer, the card and its menu, the library with a voice of each kind, and the default in the settings."""
    from PySide6.QtWidgets import QDialog, QTabWidget, QWidget

    from app.settings import Settings
    from app.ui.main import make_application
    from app.ui.shell import window_controllers
    from app.ui.shell.window import MainWindow
    from app.ui.synthesis.controller import SpeechController
    from app.ui.tasks.queue import TaskQueue
    from app.ui.tasks.task import Stage
    from app.ui.voices.precision_button import PrecisionButton
    from tests.ui.recording_player import RecordingPlayer
    from tests.voices.both_precisions import REFUSED

    window_controllers.TaskQueue = lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)])  # type: ignore[assignment,misc]
    app, player = make_application(), RecordingPlayer(pace=6.0)
    window = MainWindow(Settings(text="こんにちは。今日はいい天気です。", theme=theme), SpeechController(lambda _d, _r: player))  # type: ignore[arg-type]

    def until(done: Callable[[], object], limit_s: float = 60) -> None:
        ends = time.monotonic() + limit_s
        while not done() and time.monotonic() < ends:
            app.processEvents()
            time.sleep(0.002)

    def picture(name: str, widget: QWidget) -> None:
        until(lambda: False, 0.3)
        widget.grab().save(f"{start}-{name}.png")
        print(f"{start}-{name}.png")

    def menu_of(button: PrecisionButton, name: str) -> None:
        menu = button.menu()
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
        picture(name, menu)
        menu.hide()

    window.theme_switcher.show()
    window.resize(*(int(edge) for edge in size.split("x")))
    window.start()
    until(lambda: window.controller.state.ready and not window.controller.state.loading)
    window.script.choose([window.document.script.lines[0].id])
    window.library.add_files([voice])
    (job,) = window.voice_tasks.queue.jobs
    until(lambda: job.stage not in (Stage.RUNNING, Stage.WAITING))
    if job.stage is Stage.ASKING:
        next(item for item in window.findChildren(QDialog) if item.isVisible()).accept()
    until(lambda: window.voice_banner.action.isVisible())
    picture("offer", window)
    menu_of(window.side.card.precision, "card-menu")
    window.voice_banner.action.click()
    until(lambda: any(item.fast for item in window.controller.voices.values()))
    picture("card", window)
    own = next(item for item in window.catalog.voices if item.place == "own")
    window.library.open()
    library = window.library.dialog
    assert library is not None
    picture("library", library)
    refused = replace(own.manifest, fast=None, refused=REFUSED, id="refused", name="Refused")
    window.catalog._take(((*window.catalog.voices, replace(own, id="refused", manifest=refused)), window.catalog.berts))
    library.choose("refused")
    picture("library-refused", library)
    if library.facts.precision is not None:
        menu_of(library.facts.precision, "library-menu")
    library.close()
    window.window_actions["settings"].trigger()
    settings = window.dialogs.shown
    assert settings is not None
    tabs = settings.findChild(QTabWidget)
    assert isinstance(tabs, QTabWidget)
    tabs.setCurrentIndex(1)
    picture("settings", settings)
    settings.reject()
    window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main())
