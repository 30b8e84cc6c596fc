"""All of a window that takes and projects need, without the window: takes are made, saved, deleted, moved and left in random order."""

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.errors import AppError
from app.core.script.project import LineTake
from app.core.script.script import Line, Script
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectContents, ProjectDocument
from app.ui.script.autosave import Autosave, open_startup_script
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.shell.files_feature import connect_saving
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository

RATE = 44_100
PATIENCE_S = 60.0
MOST_FILES, MOST_MADE = 6, 4
SAVE, DISCARD, REPLACE = "Save", "Don't save", "Replace"


class _Recent(QObject):
    """The menu of recent projects, which nobody opens."""

    chosen = Signal(object)

    def add_project(self, _path: Path) -> None: ...


class Desk:
    """What is open.

    Attributes:
        errors: all that the user would have seen.
    """

    def __init__(self) -> None:
        self.errors: list[AppError] = []
        self._is_closed = False
        self._parent = QWidget()
        script, kept = open_startup_script(Settings(text="雨が降る。"))
        self.document = ScriptDocument(script, self._parent)
        self.project = ProjectDocument(self.document, kept.origin)
        seeds = LineSeeds(self.document)
        self.autosave = Autosave(self.document, seeds, lambda: "", lambda: self.project.origin)
        self.autosave.failed.connect(self.errors.append)
        self.shelf = TakeRepository(
            self.project, SpeechController(None, self._parent), self.errors.append, self.autosave.save_now, self._parent
        )
        view: Any = SimpleNamespace(current_id="", end_editing=lambda: None, select_lines=lambda _ids: None)
        banner: Any = SimpleNamespace(show_error=self.errors.append, show_message=lambda *_said, **_more: None, hide=lambda: None)
        contents = ProjectContents(self.project, self.document, seeds, view, SimpleNamespace(find_voice=lambda _voice: None), lambda: None)  # type: ignore[arg-type]
        self.projects = ProjectController(self._parent, self.project, contents, self.shelf, _Recent(self._parent), banner)  # type: ignore[arg-type]
        connect_saving(self.project, self.projects, self.shelf.follow_project, self.shelf, self.autosave)

    def keep(self, seed: int, safe: Callable[[LineTake], object]) -> None:
        """Makes a take of the first line."""
        if not self.document.script.lines:
            self.document.apply_edit("line", Script((Line("雪が積もる。"),)))
        samples = np.random.default_rng(seed).uniform(-0.5, 0.5, 200 + seed % 2_000).astype(np.float32)
        self.shelf.keep_rendered(self.document.script.lines[0], samples, RATE, on_secured=safe)

    def close(self) -> None:
        """As the window does, once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.shelf.sounds.wait_until_kept()
        self.projects.wait_until_saved()
        error = self.autosave.begin_flush()()
        self.autosave.close()
        self.projects.close()
        self._parent.deleteLater()
        self.shelf.close()
        if error is not None:
            self.errors.append(error)


class Deeds:
    """Does to a desk what users do.

    Args:
        folder: of the projects.
        report: is given `made` or `deleted`, and the ids of takes: what was reported as kept, and what was deleted, or given up with its
            project.
        mover: moves a project.
        was_killed: the program before was, perhaps after it had written a project and before it had noted that: it asks then.
    """

    def __init__(
        self,
        desk: Desk,
        folder: Path,
        draw: random.Random,
        report: Callable[[str, list[str]], object],
        mover: Callable[[Path, Path], object],
        *,
        was_killed: bool = False,
    ) -> None:
        self.was_killed = was_killed
        self._desk, self._folder, self._draw, self._report, self._mover = desk, folder, draw, report, mover
        self._removed: list[tuple[LineTake, int]] = []
        self._ways: dict[Callable[[], object], int] = {
            self._make: 9,
            self._save: 7,
            self._wait: 9,
            self._save_as: 2,
            self._delete: 4,
            self._undo: 3,
            self._delete_all: 1,
            self._star: 1,
            self._embed: 1,
            self._new: 1,
            self._open: 2,
            self._move: 1,
            self._test: 1,
        }

    def one(self) -> str:
        """Another deed; its name."""
        deed = self._draw.choices(list(self._ways), list(self._ways.values()))[0]
        deed()
        self._answer()
        return deed.__name__

    def _make(self) -> None:
        for _ in range(self._draw.randint(1, MOST_MADE)):
            self._desk.keep(self._draw.randrange(1 << 30), lambda take: self._report("made", [take.id]))

    def _wait(self) -> None:
        ends = time.monotonic() + self._draw.random() * 0.03
        while time.monotonic() < ends:
            QCoreApplication.processEvents()
            time.sleep(0.001)

    def _save(self) -> None:
        if self._desk.project.path is None:
            self._save_as()
        else:
            self._desk.projects.save_project()

    def _save_as(self) -> None:
        number = self._draw.randrange(1 << 30)
        if len(list(self._folder.rglob("*.koebako"))) < MOST_FILES:
            path = self._folder / self._draw.choice(("", "elsewhere")) / f"{number}.koebako"
            path.parent.mkdir(exist_ok=True)
            QFileDialog.getSaveFileName = lambda *_asked: (str(path), "")  # type: ignore[method-assign]
            self._desk.projects.save_project_as()

    def _delete(self) -> None:
        book = self._desk.shelf.book
        if book.takes:
            take = self._draw.choice(book.takes)
            self._report("deleted", [take.id])
            self._removed.append((take, book.takes.index(take)))
            book.remove_take(take)

    def _undo(self) -> None:
        if self._removed:
            self._desk.shelf.book.restore_take(*self._removed.pop())

    def _delete_all(self) -> None:
        self._report("deleted", [take.id for take in self._desk.shelf.book.takes])
        self._desk.shelf.delete_takes(starred=self._draw.random() < 0.5)

    def _star(self) -> None:
        book = self._desk.shelf.book
        if book.takes:
            book.change_take(self._draw.choice(book.takes).id, starred=True)

    def _embed(self) -> None:
        self._desk.project.change_parts(embeds=not self._desk.project.parts.embeds)

    def _new(self) -> None:
        self._removed.clear()
        self._desk.projects.create_project()

    def _open(self) -> None:
        others = [path for path in sorted(self._folder.rglob("*.koebako")) if path != self._desk.project.path]
        if others:
            self._removed.clear()
            self._desk.projects.open_file(self._draw.choice(others))

    def _move(self) -> None:
        """A project that is not open, with its folder."""
        others = [path for path in sorted(self._folder.rglob("*.koebako")) if path != self._desk.project.path]
        if others and self.is_idle:
            path = self._draw.choice(others)
            self._mover(path, path.with_name(f"{self._draw.randrange(1 << 30)}.koebako"))

    def _test(self) -> None:
        """A blind test of a sound that is no take."""
        samples = np.random.default_rng(self._draw.randrange(1 << 30)).uniform(-0.5, 0.5, 500).astype(np.float32)
        project = self._desk.project
        then = partial(lambda name: project.change_parts(tests=(*project.parts.tests, {"id": name[:8], "sounds": [name]})[-3:]))
        self._desk.shelf.keep_unnamed(samples, RATE, then)

    @property
    def is_idle(self) -> bool:
        """No file is being read or written."""
        return self._desk.projects.is_idle

    def _answer(self) -> None:
        """Whatever is asked."""
        question = self._desk.projects.question
        if question is None:
            return
        labels = {button.text(): button for button in question.buttons()}
        assert SAVE in labels or self.was_killed, f"a question that nobody expected: {question.text()}"
        label = self._draw.choice(list(labels)) if SAVE in labels else REPLACE
        if label == DISCARD:
            path = self._desk.project.path
            saved = {take.id for take in read_project(path).takes} if path is not None and path.exists() else set()
            self._report("deleted", [take.id for take in self._desk.shelf.book.takes if take.id not in saved])
        if label == SAVE and self._desk.project.path is None:
            path = self._folder / f"{self._draw.randrange(1 << 30)}.koebako"
            QFileDialog.getSaveFileName = lambda *_asked: (str(path), "")  # type: ignore[method-assign]
        labels[label].click()


def finish(deeds: Deeds) -> None:
    """Waits until nothing is written any more."""
    ends = time.monotonic() + PATIENCE_S
    while not deeds.is_idle and time.monotonic() < ends:
        QCoreApplication.processEvents()
        time.sleep(0.001)
    assert deeds.is_idle
