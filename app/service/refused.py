"""Answers that are no results, in the forms that clients of VOICEVOX and of FastAPI know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.errors import AppError, InputError, VoiceError
from app.language import localized

Problem = dict[str, Any]
LONGEST_SHOWN = 100


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
    """An error of the program, for a client: its fault where the input is, else ours."""
    status = 422 if isinstance(error, InputError | VoiceError) else 500
    return Refused(status, {"detail": f"{error.message} {error.hint}".strip()})
