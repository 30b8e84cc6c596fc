"""Takes are made and saved in a process that is killed, again and again: `python -m tests.campaigns.takes.rounds --rounds 200 --seed 1`.

Each round starts where the killed one was, reads every sound that is there, and does random deeds until it is killed at any moment, or
closed now and then. Afterwards all sounds must be there that a project or the recovery names, and all takes that were reported as kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.common.files.paths import HOME_VARIABLE
from app.common.language import set_language
from app.ui.script.autosave import load_autosave
from tests.ui.takes.sound_judge import losses, move_project

if TYPE_CHECKING:
    from tests.ui.takes.desk import Desk

ROOT = Path(__file__).parents[3]
SCENE_ROUNDS = 8  # then all begins with an empty folder
MOST_DEEDS, LATER_S, CLOSED_SHARE = 60, 0.2, 0.15
START_S = 120.0  # what a busy machine may need to start the next one


class Child:
    """The process that takes are made in.

    Args:
        log: gets what it says, an object a line.
    """

    def __init__(self, folder: Path, seed: str, log: Path) -> None:
        command = [sys.executable, "-m", "tests.campaigns.takes.rounds", "--child", str(folder), "--seed", seed]
        shown = os.environ | {"QT_QPA_PLATFORM": "offscreen", "KOEBAKO_LANG": "en"}
        self._log = log
        with log.open("wb") as out:
            self._process = subprocess.Popen(command, cwd=ROOT, env=shown, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE)

    def wait_for_start(self) -> None:
        """Until all that was there is open and read."""
        self._wait_for(b'"started"', 1)

    def wait_for_deeds(self, count: int) -> None:
        """Until so many deeds are done."""
        self._wait_for(b'"deed"', count)

    def _wait_for(self, word: bytes, count: int) -> None:
        while self._process.poll() is None and self._log.read_bytes().count(word) < count:
            time.sleep(0.005)

    def end(self, *, killed: bool) -> str:
        """Kills it, or has it closed; returns what it complained of."""
        if killed:
            self._process.kill()
        errors = self._process.communicate(None if killed else b"close", timeout=START_S)[1].decode("utf-8", "replace")
        lines = [line for line in errors.splitlines() if "propagateSizeHints" not in line]
        return "" if killed or (self._process.returncode == 0 and not lines) else f"ended with {self._process.returncode}: {lines}"

    @property
    def said(self) -> Iterator[dict[str, Any]]:
        """What it said until its end."""
        for line in self._log.read_bytes().splitlines():
            with suppress(ValueError):  # the last one may be half
                yield json.loads(line)


class Scene:
    """A data folder, projects, and what must be there.

    Attributes:
        made: takes that were reported as kept.
        lost: what was missing, for people.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.made, self.lost, self._rounds = 0, list[str](), 0
        self._folder, self._home = folder, home
        self._folder.mkdir(parents=True)
        self._expected, self._given_up = set[str](), set[str]()

    def round(self, draw: random.Random) -> None:
        """One process, from its start to its end."""
        seed, killed = str(draw.randrange(1 << 30)), draw.random() > CLOSED_SHARE
        with at_home(self._home):
            self._rounds += 1
            child = Child(self._folder, seed, self._folder.parent / f"round-{self._rounds}.txt")
            if draw.random() < 0.9:  # else it may be killed while it starts
                child.wait_for_start()
                child.wait_for_deeds(draw.randrange(MOST_DEEDS))
            time.sleep(draw.random() * LATER_S)
            complaint = child.end(killed=killed)
            self._add_to_job(child.said)
            self.lost += [complaint] if complaint else []
            self.lost += losses(self._folder, self._expected)
            self._move(draw)

    def _move(self, draw: random.Random) -> None:
        """A project that is not open, with its folder."""
        others = [path for path in sorted(self._folder.rglob("*.koebako")) if str(path) != load_autosave().origin.file]
        if others and draw.random() < 0.3:
            move_project(draw.choice(others), self._folder / f"{draw.randrange(1 << 30)}.koebako")

    def _add_to_job(self, said: Iterable[dict[str, Any]]) -> None:
        for item in said:
            if "made" in item:
                self.made += len(item["made"])
                self._expected |= {*item["made"]} - self._given_up
            self._given_up |= {*item.get("deleted", ())}
            self._expected -= self._given_up
            self.lost += [f"unread: {name}" for name in item.get("unread", ())] + [f"error: {text}" for text in item.get("errors", ())]


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """With another data folder."""
    before = os.environ.get(HOME_VARIABLE)
    os.environ[HOME_VARIABLE] = str(home)
    try:
        yield
    finally:
        del os.environ[HOME_VARIABLE]
        if before is not None:
            os.environ[HOME_VARIABLE] = before


def run(rounds: int, seed: int) -> tuple[int, list[str]]:
    """So many rounds; how many takes were made, and what was lost."""
    draw, made, lost = random.Random(seed), 0, list[str]()
    for first in range(0, rounds, SCENE_ROUNDS):
        root = Path(tempfile.mkdtemp(prefix="koebako-rounds-"))
        scene = Scene(root / "projects", root / "home")
        for number in range(first, min(rounds, first + SCENE_ROUNDS)):
            scene.round(draw)
            if scene.lost:
                lost += [f"round {number} in {root}: {item}" for item in scene.lost]
                break
        else:
            shutil.rmtree(root)
        made += scene.made
    return made, lost


def play(folder: Path, seed: str) -> int:
    """What the child does."""
    if sys.platform == "win32":
        raise NotImplementedError("asks a pipe without waiting, as Python 3.11 can on Unix alone")
    from PySide6.QtCore import QCoreApplication

    from app.ui.main import make_application
    from app.ui.script import autosave
    from tests.ui.takes.desk import Deeds, Desk, finish

    _application = make_application()
    draw = random.Random(seed)
    autosave.AUTOSAVE_DELAY_MS = draw.choice((20, 2_000))
    desk = Desk()
    desk.projects.check_file()
    _say(unread=_unread(desk))
    deeds = Deeds(desk, folder, draw, lambda what, ids: _say(**{what: ids}), lambda _path, _target: None, was_killed=True)
    _say(started=True)
    os.set_blocking(0, False)
    while not (asked := sys.stdin.read(1)):
        _say(deed=deeds.one())
        QCoreApplication.processEvents()
    assert asked
    finish(deeds)
    desk.close()
    _say(errors=[f"{error.message} {error.hint}" for error in desk.errors])
    sys.stdout.flush()
    os._exit(0)


def _unread(desk: Desk) -> list[str]:
    """Reads all sounds of the takes that are there; those that cannot be."""
    from PySide6.QtCore import QCoreApplication

    names, read, failed = [take.sound for take in desk.shelf.book.takes], list[object](), list[object]()
    desk.shelf.sounds.failed.connect(failed.append)
    for name in names:
        desk.shelf.sounds.read_sound(name, read.append)
    while len(read) + len(failed) < len(names):
        QCoreApplication.processEvents()
        time.sleep(0.001)
    return [] if not failed else [f"{len(failed)} of {len(names)}"]


def _say(**values: Any) -> None:
    os.write(1, (json.dumps(values) + "\n").encode())


def main() -> int:
    """The command; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.takes.rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    set_language("en")
    if options.child is not None:
        return play(options.child, options.seed)
    made, lost = run(options.rounds, int(options.seed))
    print("\n".join(lost))
    print(f"{options.rounds} rounds, {made} takes, {len(lost)} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
