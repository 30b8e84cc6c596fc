"""One thread in which everything runs that a graphics driver could hang: DirectML allows one run at a time in a process anyway.

Sessions are opened there, too, in the background: a run goes before all openings that wait, and never waits for one that has begun. A
thread that hangs is left behind, and no other takes its place while it does: two would run on the device at once when it wakes up.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

PROGRAM_ENDING = threading.Event()  # set when the program ends: nothing more is prepared for a device
RUN_END_GRACE_S = 2.0  # for a run that was asked to stop; ONNX Runtime looks between two nodes only

T = TypeVar("T")


class DeviceHungError(Exception):
    """A run did not end in time; its thread is left behind, and nothing else is tried meanwhile."""


class DeviceBusyError(Exception):
    """A session is being opened, which may take seconds."""


@dataclass(slots=True)
class _DeviceTask:
    work: Callable[[], Any]
    ended: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: BaseException | None = None

    def take_outcome(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


class _DeviceThread:
    """A daemon, so that a hanging driver does not keep the program from ending; `hanging` is the task that did not end in time."""

    def __init__(self) -> None:
        self.hanging: _DeviceTask | None = None
        self._changed = threading.Condition()
        self._runs: deque[_DeviceTask] = deque()
        self._openings: deque[_DeviceTask] = deque()
        self._opening = False
        threading.Thread(target=self._run_tasks, name="device", daemon=True).start()

    def put_task(self, task: _DeviceTask, *, behind_openings: bool) -> None:
        with self._changed:
            if self.hanging is not None and not self.hanging.ended.is_set():
                raise DeviceHungError
            if self._opening and not behind_openings:
                raise DeviceBusyError
            self._runs.append(task)
            self._changed.notify()

    def put_opening(self, task: _DeviceTask) -> None:
        with self._changed:
            self._openings.append(task)
            self._changed.notify()

    def _wait_for_task(self) -> _DeviceTask:
        with self._changed:
            self._opening = False
            while not self._runs and not self._openings:
                self._changed.wait()
            self._opening = not self._runs
            return self._openings.popleft() if self._opening else self._runs.popleft()

    def _run_tasks(self) -> None:
        while True:
            task = self._wait_for_task()
            try:
                task.result = task.work()
            except BaseException as exc:  # raised again where the result is waited for
                task.error = exc
            task.ended.set()
            # A session must not live on as the last thing that was run.
            del task


_lock = threading.Lock()
_thread: _DeviceThread | None = None


def _start_device_thread() -> _DeviceThread:
    global _thread
    with _lock:
        _thread = _thread or _DeviceThread()
        return _thread


def run_on_device(work: Callable[[], T], limit_s: float, stop: Callable[[], None], *, behind_openings: bool = True) -> T:
    """Run `work` in the device thread and return its result, or raise its error.

    Args:
        limit_s: after which `stop` is called, and a little later the thread given up.
        behind_openings: wait for a session that is being opened; else DeviceBusyError is raised.

    Raises:
        DeviceHungError: it took longer, whether it ended then or not; or an earlier one did, and has not ended yet.
    """
    thread, task = _start_device_thread(), _DeviceTask(work)
    thread.put_task(task, behind_openings=behind_openings)
    if not task.ended.wait(limit_s):
        stop()
        if not task.ended.wait(RUN_END_GRACE_S):
            thread.hanging = task
        raise DeviceHungError
    return task.take_outcome()  # type: ignore[no-any-return]


def open_on_device(work: Callable[[], T], limit_s: float) -> T:
    """Run `work` in the device thread when no run waits, for a thread that may wait; raise its error, or DeviceHungError."""
    thread, task = _start_device_thread(), _DeviceTask(work)
    thread.put_opening(task)
    if not task.ended.wait(limit_s):
        thread.hanging = task
        raise DeviceHungError
    return task.take_outcome()  # type: ignore[no-any-return]


def drop_on_device(sessions: dict[Any, Any]) -> None:
    """Close sessions in the thread that opened them, some time soon."""
    if sessions:
        _start_device_thread().put_opening(_DeviceTask(sessions.clear))
