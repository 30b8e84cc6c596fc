"""What the lines mean that our command line prints with `--json`."""

from __future__ import annotations

from typing import Any

from app.json_text import parse_object
from app.ui.tasks.task import Advance, Complaint, LicenceText

LONGEST_LINE = 4 << 20  # bytes without a newline, after which nothing is expected any more

Result = dict[str, Any]


class LineCutter:
    """Cuts what a process prints into lines, wherever the pieces end."""

    def __init__(self) -> None:
        self._rest = b""

    def cut(self, piece: bytes) -> list[str]:
        """The lines that this piece completes, stripped."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        return [_text(line) for line in lines]

    def end(self) -> str:
        """What stands after the last newline."""
        rest, self._rest = self._rest, b""
        return _text(rest)


def read_line(line: str) -> Advance | LicenceText | Complaint | Result | None:
    """What a line says; None for one that is not of ours."""
    try:
        data = parse_object(line)
    except ValueError:
        return None
    error = data.get("error")
    if data.get("type") == "progress":
        return _advance(data)
    if isinstance(error, dict):
        ways = error.get("ways") or data.get("ways")
        return Complaint(str(error.get("message", "")), str(error.get("hint", "")), tuple(map(str, ways)) if isinstance(ways, list) else ())
    if data.get("type") == "licence":
        return LicenceText(str(data.get("id", "")), str(data.get("name", "")), str(data.get("text", "")))
    return data


def _advance(data: dict[str, Any]) -> Advance:
    def number(name: str) -> Any:
        value = data.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    waiting = data.get("waiting")
    text = waiting.get("text") if isinstance(waiting, dict) else None
    return Advance(
        str(data.get("step", "")),
        round(number("percent") or 0),
        number("received"),
        number("total"),
        number("bytes_per_s"),
        number("seconds_left"),
        text if isinstance(text, str) else "",
    )


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()
