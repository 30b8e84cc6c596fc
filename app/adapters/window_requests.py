"""Requests to the running window, which answers them: small files in a folder of the data folder that the window watches.

The command line sends them without Qt. Only the user can write the folder, and no port is open.
"""

import contextlib
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from app.adapters.files.file_lock import is_lock_held
from app.common.errors import AppError, InputError, InternalError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import parse_json
from app.common.files.whole_files import PRIVATE, read_bounded, write_file_atomically
from app.common.language import localize
from app.common.system_errors import describe_reason

ReadSource = Literal["text", "clipboard", "selection"]
READ_SOURCES: tuple[ReadSource, ...] = get_args(ReadSource)
ReadCommand = Literal["stop", "pause", "skip"]
READ_COMMANDS: tuple[ReadCommand, ...] = get_args(ReadCommand)
MAX_READ_BYTES = 1 << 20  # bytes of a text, in UTF-8, that is read aloud at once
MAX_REQUEST_BYTES = 6 * MAX_READ_BYTES + 4096  # JSON writes a control character as six bytes
MAX_ANSWER_BYTES = 64 << 10
ANSWER_TIMEOUT_S = 10.0  # seconds; a window that is still opening answers once it is ready
ANSWER_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request to read aloud, or a command for what is being read."""

    source: ReadSource | ReadCommand
    text: str = ""  # empty unless it is the source
    asked_at: float = 0.0  # seconds of `time.time`


def find_requests_dir() -> Path:
    """Return the folder of pending requests."""
    return find_data_dir() / "requests"


def find_window_lock_path() -> Path:
    """Return the file that the one window keeps locked while it is open."""
    return find_data_dir() / "window.lock"


def is_window_open() -> bool:
    """Return whether a window of this data folder is open; one that is starting may wait a moment meanwhile."""
    with contextlib.suppress(OSError):
        return is_lock_held(find_window_lock_path())
    return False


def send_read_request(request: ReadRequest) -> bool:
    """Ask the open window to read aloud; return False if none is open. Raise InputError if it refuses, InternalError if it does not answer."""
    check_read_size(request.text)
    if not is_window_open():
        return False
    name = uuid.uuid4().hex
    pending, answer = find_requests_dir() / f"{name}.read", find_requests_dir() / f"{name}.answer"
    try:
        make_private_folder(find_requests_dir())
        data = {"source": request.source, "text": request.text, "asked_at": time.time()}
        write_file_atomically(pending, json.dumps(data).encode(), PRIVATE)
        content = _wait_for_answer(answer)
    except OSError as exc:
        message = localize("開いている Koebako に依頼できません。", "The open Koebako cannot be asked.")
        raise InternalError(message, f"({describe_reason(exc)})") from exc
    finally:
        # Also when the user interrupts the waiting: the text would otherwise be read when a window opens.
        for file in (pending, answer):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
    _raise_refusal(content)
    return True


def _wait_for_answer(answer: Path) -> bytes:
    ends = time.monotonic() + ANSWER_TIMEOUT_S
    while not answer.exists():
        if time.monotonic() > ends or not is_window_open():
            raise InternalError(
                localize("開いている Koebako が応答しません。", "The open Koebako does not answer."),
                localize("Koebako を再起動してください。", "Restart Koebako."),
            )
        time.sleep(ANSWER_POLL_S)
    return read_bounded(answer, MAX_ANSWER_BYTES)


def handle_read_requests(read_aloud: Callable[[ReadRequest], object]) -> None:
    """Give every pending request that is still waited for to `read_aloud`, and answer each with the error that it raises, if any."""
    for pending in sorted(find_requests_dir().glob("*.read")):
        try:
            content = read_bounded(pending, MAX_REQUEST_BYTES)
            pending.unlink()
        except OSError:
            continue
        answer: dict[str, str] = {}
        try:
            request = parse_read_request(content)
            if abs(time.time() - request.asked_at) > ANSWER_TIMEOUT_S:
                continue
            read_aloud(request)
        except AppError as error:
            answer = {"error": error.message, "hint": error.hint}
        except ValueError as exc:
            answer = {"error": str(exc), "hint": ""}
        with contextlib.suppress(OSError):
            write_file_atomically(pending.with_suffix(".answer"), json.dumps(answer).encode(), PRIVATE)


def remove_old_answers() -> None:
    """Remove answers that nobody fetched, because who asked had ended."""
    for answer in find_requests_dir().glob("*.answer"):
        answer.unlink(missing_ok=True)


def parse_read_request(content: bytes) -> ReadRequest:
    """Return the request that a file holds; raise ValueError if it holds none, InputError if its text is too long."""
    data = parse_json(content)
    kinds = {"source": str, "text": str, "asked_at": float}
    is_complete = isinstance(data, dict) and all(isinstance(data.get(name), kind) for name, kind in kinds.items())
    if not is_complete or data["source"] not in (*READ_SOURCES, *READ_COMMANDS):
        raise ValueError("no request to read aloud")
    check_read_size(data["text"])
    return ReadRequest(data["source"], data["text"], data["asked_at"])


def check_read_size(text: str) -> None:
    """Raise InputError for a text that is longer than what is read aloud at once."""
    if len(text) > MAX_READ_BYTES or len(text.encode(errors="replace")) > MAX_READ_BYTES:
        raise InputError(
            localize("テキストが長すぎます（1 MB まで）。", "The text is too long; at most 1 MB is read aloud."),
            localize("短く分けてお試しください。", "Read a shorter part of it."),
        )


def _raise_refusal(content: bytes) -> None:
    try:
        data: Any = parse_json(content)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise InternalError(localize("開いている Koebako の応答を読み取れません。", "The answer of the open Koebako cannot be read."))
    if isinstance(data.get("error"), str):
        raise InputError(data["error"], str(data.get("hint", "")))
