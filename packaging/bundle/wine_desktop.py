"""The window among other programs under Wine: the key that works everywhere, the clipboard, the tray, a line that is dragged out.

The programs are those of the tests, from the checkout, in the Windows Python; keys and mouse are xdotool's. Wine passes keys to its own programs
only, so that the program with the focus is always one of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bundle.command import PROJECT, kill

if TYPE_CHECKING:
    from bundle.wine import Wine

PROGRAMS = {"openbox": "openbox", "trayer": "trayer", "xdotool": "xdotool"}
KEY = "Ctrl+Alt+R"
WAIT_S = 120.0
POLL_S = 0.1
# Between two movements or keys, which the programs must see one by one; a busy machine sees them slower, so that the next attempt waits longer.
PAUSE_S = 0.4
ATTEMPTS = 3
ATTEMPT_S = 15.0
STEPS = 10
WINDOW, OTHER = "tests.ui.read_aloud.desktop_program", "tests.ui.read_aloud.other_windows_program"
DRAG_SOURCE, DRAG_TARGET = "tests.ui.export.drag_source", "tests.ui.export.drag_target"
TARGET_PLACE = (700, 40, 300, 300)  # as `drag_target` has it


class Screen:
    """The screen of Wine's programs, with a window manager and a tray, and what runs on it."""

    def __init__(self, wine: Wine, folder: Path) -> None:
        self._environment = os.environ | wine.environment | {"KOEBAKO_LANG": "en", "PYTHONPATH": str(PROJECT)}
        self._python, self._folder = wine.python, folder

    @contextmanager
    def desktop(self) -> Iterator[None]:
        """A window manager, and a tray over the whole width: in one that grows with its icons Wine does not draw them."""
        with ExitStack() as ends:
            for command in (["openbox"], ["trayer", "--edge", "bottom", "--SetDockType", "true"]):
                made = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                ends.callback(made.wait)
                ends.callback(made.terminate)
            yield

    @contextmanager
    def running(self, module: str, *arguments: str, home: str = "home") -> Iterator[WindowsProgram]:
        """A module of the tests in the Windows Python, until the end of the block."""
        program = WindowsProgram(
            subprocess.Popen(
                ["wine", self._python, "-m", module, *arguments], cwd=PROJECT, env=self._environment | {"KOEBAKO_HOME": str(self._folder / home)},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            )
        )  # fmt: skip
        try:
            yield program
        finally:
            program.end()

    def window(self, home: str = "home", **settings: object) -> Any:
        """Our window, with the included voice."""
        return self.running(WINDOW, json.dumps({"voice": "mei", "text": "", **settings}), home=home)

    def drive(self, *words: object) -> str:
        """Presses keys or moves the mouse; returns what xdotool printed."""
        command = ["xdotool", *map(str, words)]
        return subprocess.run(command, env=self._environment, check=True, capture_output=True, text=True, timeout=WAIT_S).stdout

    def repeat(self, steps: Sequence[Sequence[object]], found: Callable[[float], Any]) -> Any:
        """Does the steps one by one, slower with each attempt, until `found` returns what came of them within so many seconds."""
        for attempt in range(1, ATTEMPTS + 1):
            for words in steps:
                self.drive(*words)
                time.sleep(PAUSE_S * attempt)
            try:
                return found(ATTEMPT_S * attempt)
            except AssertionError:
                if attempt == ATTEMPTS:
                    raise
        return None

    def tray_place(self) -> tuple[int, int]:
        """The middle of the only icon in the tray, a square at its left end."""
        shown = self.drive("search", "--onlyvisible", "--class", "trayer", "getwindowgeometry", "--shell", "%1")
        place = dict(line.split("=") for line in shown.split())
        half = int(place["HEIGHT"]) // 2
        return int(place["X"]) + half, int(place["Y"]) + half


class WindowsProgram:
    """A program under Wine, and the lines that it prints, read as JSON where they are."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.said: list[Any] = []
        self._complaints: list[str] = []
        for stream, take in ((process.stdout, self._take), (process.stderr, self._complaints.append)):
            threading.Thread(target=self._listen, args=(stream, take), daemon=True).start()

    def wait_for(self, what: str, found: Callable[[Any], Any], wait_s: float = WAIT_S) -> Any:
        """What `found` makes of a line, once that is true; AssertionError where it does not come."""
        ends = time.monotonic() + wait_s
        while True:
            for line in tuple(self.said):
                if value := found(line):
                    return value
            wrong = f"{what} did not come; said: {self.said[-5:]}, {''.join(self._complaints)[-600:]}"
            assert self._process.poll() is None, wrong
            assert time.monotonic() < ends, wrong
            time.sleep(POLL_S)

    def wait_for_value(self, kind: str, value: object = True, wait_s: float = WAIT_S) -> Any:
        """Waits until it says this value of this kind."""
        return self.wait_for(f"{kind} {value}", lambda line: isinstance(line, dict) and line.get(kind) == value, wait_s)

    def end(self) -> None:
        """Ends it."""
        kill(self._process)

    def _take(self, line: str) -> None:
        try:
            self.said.append(json.loads(line))
        except ValueError:
            self.said.append(line.strip())

    @staticmethod
    def _listen(stream: Any, take: Callable[[str], None]) -> None:
        for line in stream:
            take(line)


def try_desktop(wine: Wine) -> None:
    """All checks; SystemExit says what was not as it should be."""
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as name:
        screen = Screen(wine, Path(name))
        with screen.desktop():
            wine.prepare()  # after the tray, which Wine looks for when it shows its first icon
            for check in (read_by_key, copy_selection, watch_clipboard, use_tray, drag_line):
                began = time.monotonic()
                title = (check.__doc__ or check.__name__).partition(".")[0]
                try:
                    check(screen)
                except AssertionError as exc:
                    sys.exit(f"FAILED  Desktop: {title}: {exc}")
                print(f"  ok  Desktop: {title} [{time.monotonic() - began:.0f} s]", flush=True)


def read_by_key(screen: Screen) -> None:
    """The key reads the clipboard while another program has the focus, a second window cannot have it, and a marked password is not read."""
    with screen.window(read_hotkey=KEY) as window:
        window.wait_for_value("ready")
        with screen.window(home="second", read_hotkey=KEY) as second:
            second.wait_for_value("message", f"Another program uses {KEY} already.")
        with screen.running(OTHER, "copy", "コピーした文です。") as other:
            other.wait_for_value("done", "copy")
            screen.drive("key", "ctrl+alt+r")
            window.wait_for_value("read", "コピーした文です。")
        with screen.running(OTHER, "secret", "パスワードです。") as other:
            other.wait_for_value("done", "secret")
            screen.drive("key", "ctrl+alt+r")
            window.wait_for_value("message", "The content is marked as secret and is not read.")
        assert [line["read"] for line in window.said if "read" in line] == ["コピーした文です。"]


def copy_selection(screen: Screen) -> None:
    """The key copies and reads what is selected in another program, where the user allows Ctrl+C."""
    with screen.window(read_hotkey=KEY, read_source="selection", read_copy=True) as window:
        window.wait_for_value("ready")
        with screen.running(OTHER, "select", "選択した文です。") as other:
            other.wait_for_value("done", "select")
            screen.drive("key", "ctrl+alt+r")
            window.wait_for_value("read", "選択した文です。")


def watch_clipboard(screen: Screen) -> None:
    """What another program copies is read, where the clipboard is watched, and what it marks as secret is not."""
    with screen.window(read_watch=True) as window:
        window.wait_for_value("ready")
        for what, text in (("secret", "パスワードです。"), ("copy", "コピーすると読みます。")):
            with screen.running(OTHER, what, text) as other:
                other.wait_for_value("done", what)
                if what == "copy":
                    window.wait_for_value("read", text)
        assert [line["read"] for line in window.said if "read" in line] == ["コピーすると読みます。"]


def use_tray(screen: Screen) -> None:
    """The icon is in the tray, and its menu reads the clipboard."""
    with screen.window(read_tray=True) as window, screen.running(OTHER, "copy", "トレイから読む文です。") as other:
        window.wait_for_value("ready")
        other.wait_for_value("done", "copy")
        screen.drive("mousemove", *screen.tray_place(), "click", 3)
        window.wait_for_value("opening menu")
        screen.repeat([("key", "Down"), ("key", "Return")], lambda wait_s: window.wait_for_value("read", "トレイから読む文です。", wait_s))


def drag_line(screen: Screen) -> None:
    """A line that is dropped on another program arrives there as a whole sound and its text."""
    with screen.running(DRAG_TARGET) as target, screen.running(DRAG_SOURCE) as source:
        target.wait_for("its window", lambda line: line == "ready")
        x, y = source.wait_for("the handle", lambda line: line if isinstance(line, list) else None)
        left, top, width, height = TARGET_PLACE
        across, down = left + width // 2 - x, top + height // 2 - y
        way = [("mousemove", x + across * step // STEPS, y + down * step // STEPS) for step in range(STEPS + 1)]
        files = screen.repeat(
            [way[0], ("mousedown", 1), *way[1:], ("mouseup", 1)],
            lambda wait_s: target.wait_for("the files", lambda line: line if isinstance(line, dict) else None, wait_s),
        )
    suffixes = [Path(name).suffix for name in files]
    assert suffixes == [".wav", ".txt"], suffixes
    # Their names are those of Windows, whose drive Z: is the root here.
    sound = Path(next(iter(files)).partition(":")[2].replace("\\", "/")).read_bytes()
    assert sound.startswith(b"RIFF"), sound[:4]
    assert int.from_bytes(sound[4:8], "little") == len(sound) - 8, f"{len(sound)} bytes are not all of it"
