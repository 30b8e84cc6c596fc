"""The Lab window over the real pipeline, or over parts of which it is known what they find."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.lab.lab_command_page import LabCommandPage
from app.ui.lab.lab_controller import LabController, build_candidate_command
from app.ui.lab.lab_window import LabWindow
from app.ui.tasks.process_task import TaskQueue
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import create_candidate_task
from app.ui.widgets.banner import Banner
from tests.ui.conftest import WAIT_MS

CHILD = Path(__file__).with_name("parts_child.py")


@pytest.fixture
def _known_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that find what `parts_child` says."""
    for module in ("lab_commands", "lab_controller"):
        monkeypatch.setattr(f"app.ui.lab.{module}.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))


@pytest.fixture
def controller(qtbot: QtBot) -> Iterator[LabController]:
    """The lab of a window that holds nothing else."""
    parent, banner = QWidget(), Banner()
    qtbot.addWidget(parent)
    qtbot.addWidget(banner)
    catalog, licences, queue = (
        VoiceCatalog(parent),
        LicenceQuestionQueue(parent, banner),
        TaskQueue(parent, lambda: [sys.executable, str(CHILD)]),
    )
    catalog.refresh_voices()
    controller = LabController(
        parent,
        catalog,
        licences,
        lambda source, row: queue.add_task(create_candidate_task(build_candidate_command(source, row, "--install"))),
    )
    yield controller
    controller.close()
    queue.close()
    catalog.close()
    licences.close()


@pytest.fixture
def lab(qtbot: QtBot, controller: LabController) -> LabWindow:
    """The Lab window with its voices and parts."""
    controller.open_window()
    return opened(qtbot, controller)


def opened(qtbot: QtBot, controller: LabController) -> LabWindow:
    """Once its voices and parts are known."""
    lab = controller.window
    assert lab is not None
    qtbot.waitUntil(lambda: bool(lab.pages and lab.source.source), timeout=WAIT_MS)
    return lab


def page_of(lab: LabWindow, part: str) -> LabCommandPage:
    """A part at the front."""
    lab.show_command(part)
    return lab.pages[part]


def run(qtbot: QtBot, page: LabCommandPage) -> None:
    """To its end."""
    page.start_button.click()
    assert page.start_button.isHidden()
    qtbot.waitUntil(lambda: not page.start_button.isHidden(), timeout=WAIT_MS)
