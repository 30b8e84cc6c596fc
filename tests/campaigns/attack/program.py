"""Runs the program itself, as a process or within this one, and judges what it prints and how it ends."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli.main import main
from tests.campaigns.attack import watch
from tests.campaigns.attack.area import LIMIT_S, Case
from tests.campaigns.attack.place import Place, command
from tests.campaigns.attack.worker import ESCAPES

CODES = (0, 2, 3, 4, 5, 6, 7, 130)
POLL_S, ORPHANS_S, SPEAKING_S = 0.01, 20.0, 120.0


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    arguments: tuple[str, ...]
    code: int
    out: bytes
    err: bytes

    def lines(self) -> list[dict[str, Any]]:
        """The objects that `--json` printed; those that are none are left out."""
        found = []
        for line in self.out.splitlines():
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                found += [value] if isinstance(value, dict) else []
        return found

    def told(self) -> str:
        """Everything, for people."""
        shown = " ".join(ascii(item)[1:-1] if len(item) < 300 else f"{item[:100]!a}… ({len(item)})" for item in self.arguments)
        printed = b"\n".join((self.out[-500:], self.err[-1500:])).decode("utf-8", "replace")
        return f"koebako {shown}\n{printed}\nended with {self.code}"


class Program:
    """A process of the program that runs beside us."""

    def __init__(
        self, place: Place, arguments: Sequence[str], stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        self.arguments = tuple(arguments)
        self._files = [tempfile.TemporaryFile(dir=place.system) for _ in range(3)]  # noqa: SIM115  closed at the end of the process
        self._files[0].write(stdin)
        self._files[0].seek(0)
        given, out, err = self._files
        started = list(arguments) if arguments[0] == sys.executable else command(*arguments)
        surroundings = place.environment(**(env or {}))
        self.process = subprocess.Popen(
            started, stdin=given, stdout=out, stderr=err, cwd=cwd or place.canary, env=surroundings, start_new_session=True
        )
        self.began = self._said_at = time.monotonic()
        self._said = 0

    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def printed(self, stream: int = 1) -> bytes:
        """What it has printed so far on stdout (1) or stderr (2)."""
        if sys.platform != "linux":
            raise NotImplementedError("the attack is Linux's alone")
        number = self._files[stream].fileno()
        return os.pread(number, os.fstat(number).st_size, 0)

    def kill(self, *, all_of_it: bool) -> None:
        """Ends it at once, with its children or without."""
        watch.kill(watch.tree(self.process.pid) if all_of_it else [self.process.pid])
        self.process.wait()

    def _last_word(self) -> float:
        """When it printed something for the last time, or else began."""
        size = sum(os.fstat(file.fileno()).st_size for file in self._files[1:])
        if size != self._said:
            self._said, self._said_at = size, time.monotonic()
        return self._said_at

    def finish(self, case: Case, limit_s: float = LIMIT_S, silence_s: float = LIMIT_S) -> Ran:
        """Waits for its end; a program that does not end, or does not say for so long that it is still at it, is ended and complained of."""
        while self.runs():
            seconds = time.monotonic() - self.began
            silent = time.monotonic() - self._last_word()
            excess = max(seconds - limit_s, silent - silence_s)
            if excess > 0 and excess > watch.starved_s(watch.tree(self.process.pid)):
                said = Ran(self.arguments, 0, self.printed(), self.printed(2)).told()
                case.complain("hang", f"{said}\nno end after {seconds:.0f} s, no word for {silent:.0f} s")
                self.kill(all_of_it=True)
                break
            time.sleep(POLL_S)
        ran = Ran(self.arguments, self.process.returncode, self.printed(), self.printed(2))
        for file in self._files:
            file.close()
        return ran


def run(
    case: Case,
    place: Place,
    *arguments: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    limit_s: float = LIMIT_S,
    silence_s: float = LIMIT_S,
) -> Ran:
    """A command in a process of its own, judged."""
    case.doing(f"koebako {ascii(arguments)[:1500]} {dict(env or {})}")
    case.allow(limit_s + ORPHANS_S + LIMIT_S)
    ran = Program(place, arguments, stdin, env, cwd).finish(case, limit_s, silence_s)
    judge(case, ran)
    left = [pid for pid in watch.belonging(place.root) if pid != os.getpid()]
    if not watch.gone(left, ORPHANS_S):
        case.complain("hang", f"children that go on after their parent has ended: {left}\n{ran.told()}", "orphans")
        watch.kill(left)
    return ran


def run_inside(case: Case, place: Place, *arguments: str, stdin: bytes = b"") -> Ran:
    """The same within this process, which takes a hundredth of the time."""
    case.doing(f"koebako {ascii(arguments)[:1500]}")
    if arguments[0] == "speak":
        case.allow(SPEAKING_S)  # it says that it is at it: 5,000 digits are 20 minutes of sound
    streams = [io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", write_through=True) for content in (stdin, b"", b"")]
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = main(arguments)
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else 0
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        out, err = (_bytes(stream) for stream in streams[1:])
    ran = Ran(tuple(arguments), code, out, err)
    judge(case, ran)
    return ran


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    content = stream.buffer
    assert isinstance(content, io.BytesIO)
    return content.getvalue()


def judge(case: Case, ran: Ran) -> None:
    """Complains of how a command ended and what it printed."""
    if sys.platform != "linux":
        raise NotImplementedError("the attack is Linux's alone")
    if ran.code == -signal.SIGKILL and any(item.kind == "hang" for item in case.complaints):
        return
    if ran.code < 0:
        case.complain("signal", ran.told())
    elif ran.code == 70 and ran.arguments[:1] != ("doctor",):  # that ends so where a check fails
        case.complain("internal", ran.told())
    elif ran.code not in CODES:
        case.complain("wrong", ran.told())
    if b"Traceback" in ran.err or b"Fatal Python" in ran.err:
        case.complain("traceback", ran.err.decode("utf-8", "replace"))
    as_json = "--json" in ran.arguments or ran.arguments[:1] == ("g2p",)
    as_json = as_json and not {"-h", "--help"} & {*ran.arguments}
    sound = ran.out[:4] == b"RIFF"
    for name, content in (("stdout", b"" if sound else ran.out), ("stderr", ran.err)):
        text = content.decode("utf-8", "replace")
        found = ESCAPES.search(text) if not (as_json and name == "stdout") else None
        if found:
            case.complain("escape", f"{ran.told()}\non {name}: {text[max(0, found.start() - 60) : found.end() + 60]!r}")
    if as_json and not sound:
        _judge_lines(case, ran)


def _judge_lines(case: Case, ran: Ran) -> None:
    for line in ran.out.splitlines():
        try:
            if not isinstance(json.loads(line), dict):
                raise ValueError("no object")
        except ValueError as exc:
            case.complain("wrong", f"{ran.told()}\nno JSON line ({exc}): {line[:200]!r}")
            return
