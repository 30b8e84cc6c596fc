"""Calls of the program that block the window's thread: files, the network, sleeps, locks, other processes, graphs."""

import os
import queue
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from PySide6.QtCore import QProcess, QThread, QThreadPool

APP = str(Path(__file__).parents[2] / "app") + os.sep
WINDOW = APP + "ui" + os.sep
TESTS = str(Path(__file__).parents[1]) + os.sep
IMPORTING = "<frozen importlib"
NEAR = ("/proc/", "/sys/", "/dev/", str(Path(__file__).parents[2]) + os.sep, sys.prefix + os.sep)
DEPTH = 25  # of the stacks that are shown
STARTING = threading.Thread.start.__code__  # waits until the thread is there
# What Python tells of by itself (https://docs.python.org/3/library/audit_events.html).
EVENTS = {
    "open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.utime",
    "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.rmtree", "mmap.__new__", "sqlite3.connect", "ctypes.dlopen",
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto",
    "subprocess.Popen", "os.posix_spawn", "os.system",
}  # fmt: skip
# And what waits without an event; none of them does for no time at all.
WAITS: tuple[tuple[Any, str], ...] = (
    (os, "fsync"),
    (time, "sleep"),
    (threading.Event, "wait"),
    (threading.Condition, "wait"),
    (threading.Thread, "join"),
    (queue.Queue, "get"),
    (subprocess.Popen, "wait"),
    (subprocess.Popen, "communicate"),
    (QProcess, "waitForStarted"),
    (QProcess, "waitForFinished"),
    (QThread, "wait"),
    (QThreadPool, "waitForDone"),
)
GRAPHS = (("app.adapters.ort.graph_session", "GraphSession"), ("app.adapters.ort.graph_session", "CpuSession"))

# What may, by file and function below `ui`, and why.
START = "read once, before the first picture of the window"
CLOSING = "waits unseen for what is to be kept, as the window or a dialog closes"
REQUEST = "a small file by which programs of ours find each other, written a moment before by the other one"
ALLOWED = {
    "script/autosave.py load_autosave": START,
    "script/undo_history.py load_undo_history": START,
    "voices/voice_controller.py _read_known_names": START,
    "actions/window_actions.py load_shortcuts": START,
    "parameters/preset_bar.py load_presets": START,
    "shell/update_feature.py __init__": START,
    "shell/update_feature.py check_if_due": "asks once a session how the program was installed",
    "background_thread.py close": CLOSING,
    "background_thread.py submit_work": CLOSING,
    "background_thread.py wait_until_idle": CLOSING,
    "background_thread.py wait_for_flush": CLOSING,
    "synthesis/speech_events.py end_thread": CLOSING,
    "tasks/process_task.py close": CLOSING,
    "playback/speech_settings.py close": CLOSING,
    "help/diagnostics_dialog.py done": CLOSING,
    "workarounds/gui_thread_gc.py timerEvent": "what finalizers do; without the workaround they would do it in any thread, this one included",
    "lab/lab_controller.py _remove_folder": "removes a temporary folder of some files as a blind test ends",
    "lab/lab_controller.py begin_blind_test": "makes that folder",
    "voices/hub_voice_loader.py _ensure_temporary_folder": "makes a temporary folder, once a session",
    "audition/blind_test_controller.py load_sound": "reads one sound that was written a moment before",
    "help/diagnostics_dialog.py read_newest_lines": "reads the last lines of a file of limited size",
    "voices/voice_library_actions.py <genexpr>": "lists one folder that was dropped, to tell a BERT from a voice",
    "shell/request_watcher.py __init__": REQUEST,
    "shell/request_watcher.py _take_requests": REQUEST,
    "shell/single_instance.py acquire_window_lock": REQUEST,
    "shell/single_instance.py take_requests": REQUEST,
}


class GuiThreadWatch:
    """What the window's thread was kept from its events by, where a part of the window asked for it.

    Attributes:
        calls: how often what was called where, as ("open", "shell/main_window.py show_recent").
    """

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self._stacks: dict[tuple[str, str], str] = {}
        self._thread = threading.get_ident()
        self._is_noting = False

    def list_unexpected(self) -> list[str]:
        """List the calls that nobody allowed, with where they come from."""
        return sorted(f"{name} in {place}" for name, place in self.calls if place not in ALLOWED)

    def describe_unexpected(self) -> str:
        """Return how the first of each of these calls came about."""
        return "\n".join(f"{name} in {place}:\n{stack}" for (name, place), stack in self._stacks.items() if place not in ALLOWED)

    def note_call(self, name: str, path: object = None) -> None:
        """Keeps the call, if it is the window's own and in its thread; files of the program and of the kernel are as near as memory."""
        if self._is_noting or threading.get_ident() != self._thread:
            return
        if isinstance(path, str) and path.startswith(NEAR):
            return
        self._is_noting = True  # what is looked at here may be told of, too
        try:
            place = find_window_place(sys._getframe(1))
            if place:
                self.calls[name, place] += 1
                if self.calls[name, place] == 1 and place not in ALLOWED:
                    self._stacks[name, place] = "".join(traceback.format_stack(sys._getframe(2), DEPTH))
        finally:
            self._is_noting = False


def find_window_place(frame: FrameType | None) -> str:
    """Find the function of the window that a call comes from.

    Empty for imports, for the start of a thread, and for what a test calls without the window: its own files, and a function of a module.
    """
    place, last = "", frame
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(IMPORTING) or frame.f_code is STARTING:
            return ""
        if file.startswith(WINDOW):
            place = place or f"{file.removeprefix(WINDOW).replace(os.sep, '/')} {frame.f_code.co_name}"
            last = frame
        elif file.startswith(TESTS) and place:
            return place if last is not None and last.f_code.co_varnames[:1] == ("self",) else ""
        frame = frame.f_back
    return place


watching: list[GuiThreadWatch] = []  # an audit hook stays for good: at most one watch listens to it


def _hear_event(event: str, arguments: tuple[object, ...]) -> None:
    if watching and event in EVENTS:
        is_of_file = event == "open" or event.startswith("os.")
        watching[-1].note_call(event, os.fspath(arguments[0]) if is_of_file and isinstance(arguments[0], str | os.PathLike) else None)


def _noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        may_wait = 0 not in (arguments[-1] if len(arguments) > 1 else None, named.get("timeout"))
        if watching and may_wait:
            watching[-1].note_call(name)
        return function(*arguments, **named)

    return call


hooked: list[bool] = []


@contextmanager
def watch_gui_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[GuiThreadWatch]:
    """Watch this thread as long as it is entered."""
    if not hooked:
        hooked.append(True)
        sys.addaudithook(_hear_event)
    for owner, name in WAITS:
        monkeypatch.setattr(owner, name, _noted(f"{getattr(owner, '__name__', owner)}.{name}", getattr(owner, name)))
    for module, cls in GRAPHS:
        if module in sys.modules and (graph := getattr(sys.modules[module], cls, None)):
            monkeypatch.setattr(graph, "run_graph", _noted("a graph", graph.run_graph))
    watch = GuiThreadWatch()
    watching.append(watch)
    try:
        yield watch
    finally:
        watching.remove(watch)
