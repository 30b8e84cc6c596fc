"""What blocks the window's thread is noticed, whatever it is, and what does not is left alone."""

import ast
import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from app.adapters.ort.graph_session import GraphSession
from tests.ui.gui_thread_watch import ALLOWED, GuiThreadWatch, watch_gui_thread

ROOM = Path(__file__).parents[2] / "app" / "ui"
PLANTED = """
class PlantedPart:
    def press(self, deed):
        deed()

    def press_in_background(self, deed):
        import threading
        thread = threading.Thread(target=deed)
        thread.start()
        return thread

def read_file(path):
    open(path).close()
"""
ENDED = threading.Thread(target=int)
ENDED.start()
QUEUE: queue.Queue[int] = queue.Queue()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Any:
    with watch_gui_thread(monkeypatch) as watch:
        yield watch


@pytest.fixture
def part() -> Any:
    """A part of the window that does in its thread what it is given."""
    names: dict[str, Any] = {}
    exec(compile(PLANTED, str(ROOM / "planted.py"), "exec"), names)
    return SimpleNamespace(**names)


def connect() -> None:
    with socket.socket() as client, contextlib.suppress(OSError):
        client.connect(("127.0.0.1", 9))


def wait_in_line() -> None:
    with contextlib.suppress(queue.Empty):
        QUEUE.get(timeout=0.001)


def run_graph() -> None:
    with contextlib.suppress(Exception):
        GraphSession.run_graph(cast(GraphSession, SimpleNamespace(inputs={})), {})


def start_program() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


def sync(path: Path) -> None:
    with path.open("wb") as file:
        os.fsync(file)


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("open", lambda path: path.write_bytes(b"")),
        ("os.fsync", sync),
        ("os.listdir", lambda path: list(path.parent.iterdir())),
        ("os.rename", lambda path: (path.touch(), path.rename(path.with_name("b")))),
        ("socket.connect", lambda _path: connect()),
        ("time.sleep", lambda _path: time.sleep(0.001)),
        ("Event.wait", lambda _path: threading.Event().wait(0.001)),
        ("Condition.wait", lambda _path: threading.Event().wait(0.001)),
        ("Thread.join", lambda _path: ENDED.join()),
        ("Queue.get", lambda _path: wait_in_line()),
        ("subprocess.Popen", lambda _path: start_program()),
        ("Popen.communicate", lambda _path: start_program()),
        ("QProcess.waitForFinished", lambda _path: QProcess().waitForFinished(1)),
        ("a graph", lambda _path: run_graph()),
    ],
)
def test_what_blocks_is_noticed(watch: GuiThreadWatch, part: Any, tmp_path: Path, name: str, deed: Callable[[Path], object]) -> None:
    part.PlantedPart().press(lambda: deed(tmp_path / "a"))
    assert f"{name} in planted.py press" in watch.list_unexpected()


def test_what_does_not_block_is_left_alone(watch: GuiThreadWatch, part: Any, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    deeds: tuple[Callable[[], object], ...] = (
        lambda: Path("/proc/self/stat").read_bytes() if sys.platform == "linux" else None,
        lambda: Path(__file__).read_bytes(),
        lambda: threading.Event().wait(0),
        lambda: part.PlantedPart().press_in_background(lambda: (tmp_path / "a").read_bytes()),
        lambda: __import__("app.core.text.text_lines"),
    )
    for deed in deeds:
        part.PlantedPart().press(deed)
    part.read_file(tmp_path / "a")
    (tmp_path / "a").read_bytes()
    qtbot.wait(1)
    assert watch.list_unexpected() == []


@pytest.mark.parametrize("place", ALLOWED)
def test_what_is_allowed_is_there(place: str) -> None:
    file, _, name = place.partition(" ")
    tree = ast.parse((ROOM / file).read_text(encoding="utf-8"))
    kinds = (ast.GeneratorExp,) if name == "<genexpr>" else (ast.FunctionDef,)
    assert any(isinstance(node, kinds) and getattr(node, "name", name) == name for node in ast.walk(tree))
