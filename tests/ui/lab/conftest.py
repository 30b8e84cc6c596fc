"""The Lab window over the real pipeline, or over parts of which it is known what they find."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.lab.candidate_tests import candidate_work
from app.ui.lab.controller import LabController
from app.ui.lab.part_page import PartPage
from app.ui.lab.window import LabWindow
from app.ui.tasks.queue import TaskQueue
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.licence_questions import LicenceQuestions
from app.ui.voices.task_specs import take_candidate
from app.ui.widgets.banner import Banner
from tests.ui.conftest import WAIT_MS

CHILD = Path(__file__).with_name("parts_child.py")


@pytest.fixture
def _known_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that find what `parts_child` says."""
    for module in ("runs", "controller", "candidate_tests"):
        monkeypatch.setattr(f"app.ui.lab.{module}.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))


@pytest.fixture
def controller(qtbot: QtBot) -> Iterator[LabController]:
    """The lab of a window that holds nothing else."""
    parent = QWidget()
    qtbot.addWidget(parent)
    catalog, licences, queue = (
        VoiceCatalog(parent),
        LicenceQuestions(parent, Banner()),
        TaskQueue(parent, lambda: [sys.executable, str(CHILD)]),
    )
    catalog.refresh()
    controller = LabController(
        parent, catalog, licences, lambda source, row: queue.add(take_candidate(candidate_work(source, row, "--install")))
    )
    yield controller
    controller.close()
    queue.close()
    catalog.close()
    licences.close()


@pytest.fixture
def lab(qtbot: QtBot, controller: LabController) -> LabWindow:
    """The Lab window with its voices and parts."""
    controller.open()
    return opened(qtbot, controller)


def opened(qtbot: QtBot, controller: LabController) -> LabWindow:
    """Once its voices and parts are known."""
    lab = controller.window
    assert lab is not None
    qtbot.waitUntil(lambda: bool(lab.pages and lab.source.source), timeout=WAIT_MS)
    return lab


def page_of(lab: LabWindow, part: str) -> PartPage:
    """A part at the front."""
    lab.show_part(part)
    return lab.pages[part]


def run(qtbot: QtBot, page: PartPage) -> None:
    """To its end."""
    page.start.click()
    assert page.start.isHidden()
    qtbot.waitUntil(lambda: not page.start.isHidden(), timeout=WAIT_MS)
