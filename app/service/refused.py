"""Answers that are no results, in the forms that clients of VOICEVOX and of FastAPI know."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from app.errors import AppError, InputError, VoiceError
from app.language import localized
from app.paths import data_dir
from app.unreadable import UnreadableError

Problem = dict[str, Any]
LONGEST_SHOWN = 100
_NAME = r"[^/\\\n「」『』“”\"'<>|。、]*"
_FOLDERS = re.compile(rf"(?<![\w/\\.])(?:/(?!/)(?:{_NAME}/)+|(?:[A-Za-z]:[/\\]|\\\\)(?:{_NAME}[/\\])*)")


class Refused(Exception):  # noqa: N818
    """A request that is not served.

    Attributes:
        status: of HTTP.
        body: JSON.
    """

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


def refused(status: int, ja: str, en: str) -> Refused:
    """A refusal in one sentence."""
    return Refused(status, {"detail": localized(ja, en)})


def unknown_style(style: int) -> Refused:
    """The one refusal that VOICEVOX words otherwise."""
    return Refused(422, {"message": localized(f"スタイル {style} が見つかりません。", f"There is no style {style}.")})


def invalid(problems: Sequence[Problem], more: int = 0) -> Refused:
    """What is wrong with a body or with parameters, field by field, and how much more is."""
    rest = [problem("too_many_errors", (), f"{more} more errors are not listed")] if more else []
    return Refused(422, {"detail": [*problems, *rest]})


def problem(kind: str, where: Sequence[str | int], message: str, value: object = None) -> Problem:
    """One entry of `invalid`; what was sent is shown only where it is short."""
    entry: Problem = {"type": kind, "loc": list(where), "msg": message}
    if isinstance(value, str) and len(value) <= LONGEST_SHOWN:
        entry["input"] = value.encode("utf-8", "replace").decode()  # a half of a pair has no place in an answer
    elif value is None or isinstance(value, bool | int | float):
        entry["input"] = value
    return entry


def refusal_of(error: AppError) -> Refused:
    """An error of the program, for a client: its fault where the input is, else ours. Where anything lies on this computer is no client's business."""
    ours = isinstance(error, UnreadableError) or not isinstance(error, InputError | VoiceError)
    return Refused(500 if ours else 422, {"detail": without_folders(f"{error.message} {error.hint}".strip())})


def without_folders(text: str) -> str:
    """A text in which paths are only the names at their ends."""
    return _FOLDERS.sub("", text.replace(f"{data_dir()}{os.sep}", ""))  # the user may have named that one as no pattern expects
