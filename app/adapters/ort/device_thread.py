"""One thread in which everything runs that a graphics driver could hang: DirectML allows one run at a time in a process anyway."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

GRACE_S = 2.0  # for a run that was asked to stop; ONNX Runtime looks between two nodes only

T = TypeVar("T")


class DeviceHung(Exception):  # noqa: N818
    """A run did not end in time; its thread is left behind."""


@dataclass(slots=True)
class _Task:
    work: Callable[[], Any]
    ended: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: BaseException | None = None


class _DeviceThread:
    """A daemon, so that a hanging driver does not keep the program from ending."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="device", daemon=True).start()

    def put(self, task: _Task) -> None:
        self._tasks.put(task)

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            try:
                task.result = task.work()
            except BaseException as exc:  # raised again where the result is waited for
                task.error = exc
            task.ended.set()
            del task  # a session must not live on as the last thing that was run


_lock = threading.Lock()
_thread: _DeviceThread | None = None


def run_on_device(work: Callable[[], T], limit_s: float, stop: Callable[[], None]) -> T:
    """Runs `work` in the device thread and gives its result, or raises what it raises.

    Args:
        limit_s: after which `stop` is called, and a little later the thread given up.

    Raises:
        DeviceHung: it took longer, whether it ended then or not.
    """
    global _thread
    with _lock:
        _thread = thread = _thread or _DeviceThread()
    task = _Task(work)
    thread.put(task)
    if not task.ended.wait(limit_s):
        stop()
        if not task.ended.wait(GRACE_S):
            with _lock:
                if _thread is thread:
                    _thread = None  # the next run gets a thread that is alive
        raise DeviceHung
    if task.error is not None:
        raise task.error
    return task.result  # type: ignore[no-any-return]
