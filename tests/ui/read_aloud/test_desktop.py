"""Reading aloud among other programs: an X server, a window manager, a tray, xclip and xdotool."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAMS = ("Xvfb", "openbox", "trayer", "xclip", "xdotool")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
WAIT_S = 60.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11"),
    pytest.mark.skipif(bool(MISSING), reason=f"not on this machine: {' '.join(MISSING)}"),
]


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    ends = time.monotonic() + WAIT_S
    while not (found := condition()):
        assert time.monotonic() < ends, what
        time.sleep(0.05)
    return found


class Desktop:
    """A screen with a window manager and a tray.

    Attributes:
        environment: for programs that appear on it.
    """

    def __init__(self, home: Path) -> None:
        read_end, write_end = os.pipe()
        self._programs = [
            subprocess.Popen(
                ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x720x24"], pass_fds=[write_end], stderr=subprocess.DEVNULL
            )
        ]
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            display = f":{pipe.readline().strip()}"
        self.environment = {name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")} | {
            "DISPLAY": display,
            "KOEBAKO_HOME": str(home),
            "KOEBAKO_LANG": "en",
            "PYTHONPATH": str(ROOT),
            "QT_QPA_PLATFORM": "xcb",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
        }
        self.start("openbox")
        self.start("trayer", "--edge", "bottom", "--SetDockType", "true")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        made = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._programs.append(made)
        return made

    def run(self, *command: str, words: str = "") -> None:
        subprocess.run(
            command,
            env=self.environment,
            input=words.encode(),
            check=True,
            timeout=WAIT_S,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def read(self, *options: str) -> subprocess.CompletedProcess[str]:
        """What `koebako read` answers."""
        command = [sys.executable, str(ROOT / "main.py"), "read", *options]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=WAIT_S)

    def close(self) -> None:
        for program in reversed(self._programs):
            program.terminate()
            program.wait(WAIT_S)


class Program:
    """Our window on that desktop, and what it says."""

    def __init__(self, desktop: Desktop, **settings: object) -> None:
        command = [sys.executable, "-m", "tests.ui.read_aloud.desktop_program", json.dumps(settings)]
        self.process = subprocess.Popen(
            command, env=desktop.environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.said: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                self.said.append(json.loads(line))

    def wait_for(self, kind: str, value: object = None) -> Any:
        """The value that it says of this kind; with `value`, once it is that one."""
        return wait_until(
            lambda: next((item for item in self.said if kind in item and value in (None, item[kind])), None),
            f"{kind} {value}, said: {self.said}",
        )[kind]

    def close(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT_S)
        self._thread.join(WAIT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    made = Desktop(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def open_program(desktop: Desktop) -> Iterator[Callable[..., Program]]:
    opened: list[Program] = []

    def open_one(**settings: object) -> Program:
        opened.append(Program(desktop, **settings))
        return opened[-1]

    yield open_one
    for program in opened:
        program.close()


def test_a_key_reads_the_selection_in_every_program(desktop: Desktop, open_program: Callable[..., Program]) -> None:
    program = open_program(read_hotkey="Ctrl+Alt+R", read_source="selection", read_player=True)
    program.wait_for("ready")
    desktop.run("xclip", "-selection", "primary", words="選択した文です。")
    desktop.run("xdotool", "key", "ctrl+alt+r")
    program.wait_for("read", "選択した文です。")
    # Num Lock counts as a modifier.
    desktop.run("xclip", "-selection", "primary", words="次の選択です。")
    desktop.run("xdotool", "key", "Num_Lock")
    desktop.run("xdotool", "key", "ctrl+alt+r")
    program.wait_for("read", "次の選択です。")
    # The command line asks the same program.
    desktop.run("xclip", "-selection", "clipboard", words="コピーした文です。")
    assert desktop.read("--clipboard").returncode == 0
    program.wait_for("read", "コピーした文です。")
    desktop.run("xclip", "-selection", "clipboard", "-t", "x-kde-passwordManagerHint", words="secret")
    refused = desktop.read("--clipboard")
    assert (refused.returncode, "marked as secret" in refused.stderr) == (2, True)
    assert program.close() == 0


def test_a_key_that_another_program_holds(desktop: Desktop, open_program: Callable[..., Program], tmp_path: Path) -> None:
    first = open_program(read_hotkey="Ctrl+Alt+R")
    first.wait_for("ready")
    desktop.environment["KOEBAKO_HOME"] = str(tmp_path / "other")
    second = open_program(read_hotkey="Ctrl+Alt+R")
    assert second.wait_for("message") == "Another program uses Ctrl+Alt+R already."
    desktop.run("xclip", "-selection", "clipboard", words="最初のアプリだけが読みます。")
    desktop.run("xdotool", "key", "ctrl+alt+r")
    first.wait_for("read", "最初のアプリだけが読みます。")
    assert not [item for item in second.said if "read" in item]


def test_the_icon_in_the_tray(desktop: Desktop, open_program: Callable[..., Program]) -> None:
    program = open_program(read_tray=True)
    program.wait_for("ready")
    x, y = program.wait_for("icon")
    desktop.run("xclip", "-selection", "clipboard", words="トレイから読む文です。")
    desktop.run("xdotool", "mousemove", str(x), str(y), "click", "3")
    program.wait_for("menu", True)
    desktop.run("xdotool", "key", "Down")
    desktop.run("xdotool", "key", "Return")
    program.wait_for("read", "トレイから読む文です。")


def test_the_clipboard_is_watched(desktop: Desktop, open_program: Callable[..., Program]) -> None:
    program = open_program(read_watch=True)
    program.wait_for("ready")
    desktop.run("xclip", "-selection", "clipboard", words="https://example.com/")
    time.sleep(1.0)
    desktop.run("xclip", "-selection", "clipboard", words="コピーすると読みます。")
    program.wait_for("read", "コピーすると読みます。")
    assert [item["read"] for item in program.said if "read" in item] == ["コピーすると読みます。"]


def test_without_a_window_a_child_reads_what_is_selected(desktop: Desktop) -> None:
    desktop.run("xclip", "-selection", "primary", words="選択した文です。")
    code = "from app.cli.commands.read.run import read_clipboard_in_child as read; print(read('selection'))"
    done = subprocess.run([sys.executable, "-c", code], env=desktop.environment, capture_output=True, text=True, timeout=WAIT_S)
    assert done.stdout.strip() == "選択した文です。"
