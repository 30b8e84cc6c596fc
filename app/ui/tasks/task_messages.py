"""Parses the lines that our command line prints with `--json`."""

from __future__ import annotations

from typing import Any

from app.common.files.untrusted_json import parse_object
from app.ui.tasks.task_spec import LicenceText, TaskError, TaskProgress

# Bytes without a newline; more cannot be a message of ours, and must not fill the memory.
MAX_MESSAGE_BYTES = 4 << 20

TaskResult = dict[str, Any]


class OutputLineSplitter:
    """Splits the output of a process into lines, wherever its pieces end."""

    def __init__(self) -> None:
        self._rest = b""

    def split_lines(self, piece: bytes) -> list[str]:
        """Return the lines that this piece completes, stripped."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > MAX_MESSAGE_BYTES:
            self._rest = b""
        return [_decode_line(line) for line in lines]

    def take_remainder(self) -> str:
        """Return the text after the last newline."""
        rest, self._rest = self._rest, b""
        return _decode_line(rest)


def parse_message(line: str) -> TaskProgress | LicenceText | TaskError | TaskResult | None:
    """Parse one line; return None for a line that is no JSON object."""
    try:
        data = parse_object(line)
    except ValueError:
        return None
    error = data.get("error")
    if data.get("type") == "progress":
        return _parse_progress(data)
    if isinstance(error, dict):
        ways = error.get("ways") or data.get("ways")
        return TaskError(str(error.get("message", "")), str(error.get("hint", "")), tuple(map(str, ways)) if isinstance(ways, list) else ())
    if data.get("type") == "licence":
        return LicenceText(str(data.get("id", "")), str(data.get("name", "")), str(data.get("text", "")))
    return data


def _parse_progress(data: dict[str, Any]) -> TaskProgress:
    def parse_number(name: str) -> Any:
        # A bool is an int in Python, and would count as 0 or 1.
        value = data.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    waiting = data.get("waiting")
    text = waiting.get("text") if isinstance(waiting, dict) else None
    return TaskProgress(
        str(data.get("step", "")),
        round(parse_number("percent") or 0),
        parse_number("received"),
        parse_number("total"),
        parse_number("bytes_per_s"),
        parse_number("seconds_left"),
        text if isinstance(text, str) else "",
    )


def _decode_line(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()
