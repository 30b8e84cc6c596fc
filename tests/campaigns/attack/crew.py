"""Keeps workers at it: starts them, watches them from outside, ends those that stand still or take too much, and goes on after them."""

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaigns.attack import watch
from tests.campaigns.attack.area import Complaint
from tests.campaigns.attack.place import ROOT, Place
from tests.campaigns.attack.progress import Now, Progress

POLL_S = 0.05
START_S = 120.0  # for a worker's preparations, on a busy machine
LATE_S = 40.0  # what the last try may take beyond the end
OnTry = Callable[[int, str, list[Complaint]], None]


@dataclass(slots=True)
class Errand:
    """What a crew is sent for.

    Attributes:
        first, step: numbers of the tries; `first` moves on.
        most: tries, for those who want one only.
        until: seconds of the monotonic clock.
        on_try: told of each try that is over.
    """

    area: str
    seed: str
    first: int
    step: int
    until: float
    on_try: OnTry
    most: int = 1 << 60

    def told(self, line: dict[str, Any]) -> None:
        """A worker's line."""
        self.over(line["number"], line["outcome"], [Complaint(**item) for item in line["complaints"]])

    def over(self, number: int, outcome: str, complaints: list[Complaint]) -> None:
        """A try is over."""
        self.first, self.most = number + self.step, self.most - 1
        self.on_try(number, outcome, complaints)


def run(errand: Errand) -> None:
    """Works until the time is up, with as many workers one after the other as it takes."""
    while errand.most > 0 and time.monotonic() < errand.until:
        root = Path(tempfile.mkdtemp(prefix="koebako-attack-")).resolve()
        try:
            _Shift(errand, root).work()
        finally:
            left = watch.belonging(root)
            watch.kill(left)
            watch.gone(left, 5.0)
            _unlock(root)
            shutil.rmtree(root, ignore_errors=True)


def _unlock(root: Path) -> None:
    """Folders that a try made unreadable."""
    for folder, _, _ in os.walk(root):
        with contextlib.suppress(OSError):
            Path(folder).chmod(0o700)


class _Shift:
    """One worker, from its start to its end."""

    def __init__(self, errand: Errand, root: Path) -> None:
        self._errand, self._root = errand, root
        self._progress = Progress(root / "progress")
        options = {
            "seed": errand.seed,
            "first": errand.first,
            "step": errand.step,
            "most": errand.most,
            "until": errand.until,
            "root": root,
        }
        command = [
            sys.executable,
            "-m",
            "tests.campaigns.attack.worker",
            errand.area,
            *(f"--{name}={value}" for name, value in options.items()),
        ]
        surroundings = Place(root).environment()
        (root / "system").mkdir()
        self._errors = root / "worker.txt"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=surroundings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
            )
        self._rest = b""

    def work(self) -> None:
        """Until the worker has ended, or had to be."""
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector, self._process.stdout as pipe:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                if selector.select(POLL_S) and not self._take(os.read(pipe.fileno(), 1 << 16)):
                    break
                if (complaint := self._watch()) is not None:
                    now = self._progress.now()
                    self._end()
                    self._errand.over(now.number, complaint.kind, [complaint] if complaint.kind != "late" else [])
                    return
        code = self._process.wait()
        if code:
            self._died(code)

    def _take(self, data: bytes) -> bool:
        """Lines as they come; False at their end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._errand.told(json.loads(line))
        return bool(data)

    def _watch(self) -> Complaint | None:
        """What is wrong with the worker now."""
        now, pids = self._progress.now(), watch.tree(self._process.pid)
        held = watch.memory_bytes(pids)
        if held > now.memory_bytes:
            return Complaint("memory", f"{now.text}\n{held >> 20} MB held by {len(pids)} processes")
        limit_s = now.limit_s if now.number >= 0 else START_S
        if now.seconds > limit_s and now.seconds - max(0.0, watch.starved_s(pids) - now.starved_s) > limit_s:
            return Complaint("hang", f"{now.text}\nno end after {now.seconds:.0f} s")
        if time.monotonic() > self._errand.until + LATE_S:
            return Complaint("late", now.text)
        return None

    def _died(self, code: int) -> None:
        """The worker itself ended: what it called has taken it along."""
        now = self._progress.now()
        said = self._errors.read_text(encoding="utf-8", errors="replace")[-3000:]
        with contextlib.suppress(OSError):
            said += (self._root / "system" / "stderr.txt").read_text(encoding="utf-8", errors="replace")[-3000:]
        if now.number < 0:
            raise RuntimeError(f"the attack on {self._errand.area} could not begin ({code}): {said}")
        self._errand.over(now.number, "signal", [Complaint("signal" if code < 0 else "traceback", _death(now, code, said))])

    def _end(self) -> None:
        watch.kill([*watch.tree(self._process.pid), *watch.belonging(self._root)])
        self._process.wait()


def _death(now: Now, code: int, said: str) -> str:
    return f"{said}\n{now.text}\nended by signal {-code}" if code < 0 else f"{said}\n{now.text}\nended with {code}"
