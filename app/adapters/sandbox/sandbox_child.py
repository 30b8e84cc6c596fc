"""The child of `app.adapters.sandbox.sandbox_process`: does one task within its limits and reports progress, a JSON object a line."""

import errno
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from app.adapters.sandbox.process_limits import ProcessLimits, limit_this_process
from app.common.errors import AppError

# How libraries say it, each in its own words.
OUT_OF_MEMORY_TEXT = re.compile(
    r"bad.?alloc|bad.array.new.length|fail\w{0,3} to allocate|(can ?not|unable to) allocate|(out of|not enough) memory", re.I
)


class SandboxChannel:
    """To the parent. Libraries may print in between, on any line of their own."""

    def __init__(self) -> None:
        self._last_step = ("", -1)

    def report_progress(self, step: str, fraction: float) -> None:
        """Report progress; each step and each percent is reported once."""
        percent = round(100 * fraction)
        if (step, percent) != self._last_step:
            self._last_step = (step, percent)
            self.send_message({"step": step, "fraction": fraction})

    def send_result(self, **values: Any) -> None:
        """Send a result, or a part of it, that JSON can hold."""
        self.send_message({"found": values})

    def send_message(self, message: Mapping[str, Any]) -> None:
        """Send one message, whole."""
        line = b"\n" + json.dumps(message, allow_nan=False).encode() + b"\n"
        while line:
            line = line[os.write(1, line) :]


SandboxTask = Callable[..., None]  # given the channel and its arguments


def serve_task(tasks: Mapping[str, SandboxTask]) -> int:
    """Run the task that the parent names on stdin; return the exit code."""
    # Ctrl+C goes to the parent too, which ends this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = SandboxChannel()
    channel.send_message({"pid": os.getpid()})
    order = json.loads(sys.stdin.buffer.readline())
    limit_this_process(ProcessLimits(**order["limits"]), order["parent"])
    try:
        tasks[order["task"]](channel, *order["arguments"])
    except Exception as exc:
        channel.send_message({"error": _describe_error(exc)})
    else:
        channel.send_message({"done": True})
    return 0


def _describe_error(exc: Exception) -> dict[str, str]:
    cause: BaseException | None = exc
    while cause is not None:
        # An AppError may describe a lack of memory in other words than those of what it was made from.
        if not isinstance(cause, AppError) and (
            isinstance(cause, MemoryError) or getattr(cause, "errno", None) == errno.ENOMEM or OUT_OF_MEMORY_TEXT.search(str(cause))
        ):
            return {"family": "memory"}
        cause = cause.__cause__ or cause.__context__
    if isinstance(exc, AppError):
        return exc.convert_to_data()
    return {"family": "unexpected", "message": "".join(traceback.format_exception(exc))}
