"""Takes are made, saved, deleted and left in random order, and before each change of a folder all sounds are there: a kill takes none away."""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.ui.script import autosave
from tests.ui.takes.desk import Deeds, Desk, finish
from tests.ui.takes.sound_judge import losses, move_project

DEEDS, STARTS = 40, 2


class Watch:
    """Looks before each change of a folder, wherever it is made: one at a time, so that what it sees is what a kill would leave.

    Attributes:
        lost: what it missed so far.
        looks: how often it has looked.
        made: takes that were reported as kept.
    """

    def __init__(self, folder: Path) -> None:
        self.lost: list[str] = []
        self.looks = self.made = 0
        self._expected, self._given_up = set[str](), set[str]()
        self._folder, self._lock = folder, threading.RLock()

    def report(self, what: str, ids: list[str]) -> None:
        """As `Deeds` does."""
        if what == "made":
            self.made += len(ids)
            self._expected |= {*ids} - self._given_up
        else:  # perhaps before it is reported as made
            self._given_up |= {*ids}
            self._expected -= {*ids}

    def look(self) -> None:
        """A kill at this moment."""
        self.looks += 1
        self.lost += losses(self._folder, frozenset(self._expected))

    def move(self, path: Path, target: Path) -> None:
        """Between two looks."""
        with self._lock:
            move_project(path, target)

    def watched(self, method: Any) -> Any:
        """A method of paths that looks first."""

        def call(*given: Any, **options: Any) -> Any:
            with self._lock:
                self.look()
                return method(*given, **options)

        return call


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Over all renames and removals."""
    folder = tmp_path / "projects"
    folder.mkdir()
    made = Watch(folder)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", QFileDialog.getSaveFileName)  # put back at the end
    monkeypatch.setattr(autosave, "AUTOSAVE_DELAY_MS", 20)
    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, made.watched(getattr(Path, name)))
    yield made
    made.look()
    assert made.lost == []


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))])
def test_no_sound_is_lost_whatever_is_done_and_whenever_it_is_killed(
    seed: int, watch: Watch, qapp: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    draw, done = random.Random(seed), Counter[str]()
    for _ in range(STARTS):
        desk = Desk()
        desk.projects.check_file()
        deeds = Deeds(desk, watch._folder, draw, watch.report, watch.move)
        done.update(deeds.one() for _ in range(DEEDS))
        finish(deeds)
        desk.close()
        assert desk.errors == []
        assert watch.lost == [], (done, watch.looks)
    assert watch.made > STARTS
    assert watch.looks > DEEDS
    with capsys.disabled():
        print(f" {watch.made} takes, {watch.looks} looks", end=" ")
