"""Takes pictures of the choice between Exact and Fast: `python -m tests.campaigns.screenshots.precision FOLDER VOICE.aivmx [WIDTHxHEIGHT]`.

The voice is added with graphs of ours in both precisions; each language and look in a process of its own.
"""

import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QTabWidget

from app.ui.shell import voices_feature
from app.ui.tasks.process_task import TaskQueue, TaskState
from app.ui.voices.catalog_voice import CatalogScan
from app.ui.voices.precision_button import PrecisionButton
from tests.campaigns.screenshots.camera import Camera
from tests.campaigns.screenshots.looks import take_pictures
from tests.voices.both_precisions import REFUSED

CHILD = Path(__file__).parents[2] / "ui" / "stories" / "fast_child.py"


def take(theme: str, size: str, voice: Path, folder: Path, name: str) -> None:
    """The offer, the card and its menu, the library with a voice of each kind, and the default in the settings."""
    voices_feature.TaskQueue = lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)])  # type: ignore[attr-defined,assignment]
    camera = Camera(theme, size, folder, name, text="こんにちは。今日はいい天気です。")
    window = camera.window
    add(camera, voice)
    camera.take("offer")
    take_menu(camera, window.voice_card.precision, "card-menu")
    window.voice_banner.action.click()
    camera.until(lambda: any(item.is_fast for item in window.controller.voices.values()))
    camera.take("card")
    take_library(camera)
    window.window_actions["settings"].trigger()
    settings = window.dialogs.shown
    assert settings is not None
    tabs = settings.findChild(QTabWidget)
    assert isinstance(tabs, QTabWidget)
    tabs.setCurrentIndex(1)
    camera.take("settings", settings)
    settings.reject()
    window.close()


def add(camera: Camera, voice: Path) -> None:
    """Adds the voice, up to the offer."""
    window = camera.window
    window.script.select_lines([window.lines[0].id])
    window.library.add_files([voice])
    (job,) = window.task_queue.jobs
    camera.until(lambda: job.stage not in (TaskState.RUNNING, TaskState.WAITING))
    if job.stage is TaskState.ASKING and camera.dialog is not None:
        camera.dialog.accept()
    camera.until(lambda: window.voice_banner.action.isVisible())


def take_menu(camera: Camera, button: PrecisionButton, what: str) -> None:
    """The button's menu."""
    menu = button.menu()
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    camera.take(what, menu)
    menu.hide()


def take_library(camera: Camera) -> None:
    """With the voice, and with one that Fast was refused for."""
    window = camera.window
    own = next(item for item in window.catalog.voices if item.origin == "own")
    window.library.open_library()
    library = window.library.dialog
    assert library is not None
    camera.take("library", library)
    refused = replace(own.manifest, fast=None, refused=REFUSED, id="refused", name="Refused")
    window.catalog.apply_scan(
        CatalogScan((*window.catalog.voices, replace(own, id="refused", manifest=refused)), window.catalog.berts, (), "")
    )
    library.select_voice("refused")
    camera.take("library-refused", library)
    if library.facts.precision is not None:
        take_menu(camera, library.facts.precision, "library-menu")
    library.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]), sys.argv[6])
    else:
        sys.exit(take_pictures("tests.campaigns.screenshots.precision", "1366x768", has_voice=True))
