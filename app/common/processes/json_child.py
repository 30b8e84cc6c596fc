"""Child processes that speak JSON, an object a line, in both directions, and errors as both sides say them."""

import contextlib
import json
import os
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from app.common.errors import (
    AppError,
    AudioDeviceError,
    BackendError,
    DownloadError,
    InputError,
    InternalError,
    OutputFileError,
    VoiceError,
)
from app.common.files.untrusted_json import parse_object, sanitise_long_text
from app.common.language import localize
from app.common.processes.launch import start_own_program
from app.common.system_errors import describe_reason

LOGGED_OUTPUT_LINES = 20  # of what is no message, for the log
LOGGED_LINE_BYTES = 300
ERROR_BY_FAMILY: dict[str, type[AppError]] = {
    kind.family: kind for kind in (InputError, VoiceError, BackendError, AudioDeviceError, DownloadError, OutputFileError, InternalError)
}


class JsonChild:
    """A child that runs our program. Raises InternalError if it cannot be started.

    Args:
        environment: all of its variables; None gives it ours.
        max_line_bytes: no longer line is a message; -1 for a child that nobody can lead astray.
    """

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None, max_line_bytes: int = -1) -> None:
        try:
            # Its input and output are pipes of messages.
            self.process = start_own_program(os.environ if environment is None else environment, *arguments)
        except OSError as exc:
            raise build_start_error(exc) from exc
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output, self._max_line_bytes = self.process.stdin, self.process.stdout, max_line_bytes
        self.other_output: deque[bytes] = deque(maxlen=LOGGED_OUTPUT_LINES)  # the last lines that libraries printed in between

    def send_message(self, message: Mapping[str, Any]) -> None:
        """Send a message; raise OSError or ValueError if the child is gone."""
        self._input.write(json.dumps(message).encode() + b"\n")
        self._input.flush()

    def iterate_lines(self) -> Iterator[bytes]:
        """Yield the lines of the output as they come, until it ends; raise OSError or ValueError if it is closed."""
        while line := self._output.readline(self._max_line_bytes):
            yield line

    def parse_line(self, line: bytes) -> dict[str, Any] | None:
        """Return the message on a line; None for other output, which is kept."""
        try:
            return parse_object(line)
        except ValueError:
            if line.strip():
                self.other_output.append(line.strip()[-LOGGED_LINE_BYTES:])
            return None

    def read_message(self) -> dict[str, Any] | None:
        """Wait for the next message and return it; None once the output has ended."""
        return next((message for line in self.iterate_lines() if (message := self.parse_line(line)) is not None), None)

    def close(self, timeout_s: float = 0.0) -> None:
        """Let the child end by itself for so long, then kill it, and wait until it is gone."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if timeout_s:
                self.process.communicate(timeout=timeout_s)
        self.process.kill()
        self.process.wait()
        for pipe in (self._input, self._output):
            with contextlib.suppress(OSError):  # what was not sent
                pipe.close()


def build_start_error(exc: OSError) -> InternalError:
    """Return the error of a child that could not be started."""
    return InternalError(
        localize("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({describe_reason(exc)})"
    )


def parse_error(data: Any) -> AppError:
    """Return the error that `AppError.convert_to_data` described, or what is left of one where it is another value."""
    fields = data if isinstance(data, dict) else {}
    message, hint = (sanitise_long_text(fields[name]) if isinstance(fields.get(name), str) else "" for name in ("message", "hint"))
    error = ERROR_BY_FAMILY.get(str(fields.get("family")), AppError)(message, hint)
    if isinstance(ways := fields.get("ways"), list):
        error.ways = tuple(map(str, ways))
    return error
