"""Error responses, in the forms that clients of VOICEVOX and of FastAPI know."""

import os
import re
from collections.abc import Sequence
from typing import Any

from app.common.errors import AppError, InputError, VoiceError
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import CorruptFileError
from app.common.language import localize

Problem = dict[str, Any]
MAX_SHOWN_VALUE = 100
_FOLDER_NAME_PATTERN = r"[^/\\\n「」『』“”\"'<>|。、]*"
_FOLDERS_PATTERN = re.compile(
    rf"(?<![\w/\\.])(?:/(?!/)(?:{_FOLDER_NAME_PATTERN}/)+|(?:[A-Za-z]:[/\\]|\\\\)(?:{_FOLDER_NAME_PATTERN}[/\\])*)"
)


class RefusalError(Exception):
    """A request that is not served."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status = status  # of HTTP
        self.body = body  # JSON


def create_refusal(status: int, ja: str, en: str) -> RefusalError:
    """Return a refusal in one sentence."""
    return RefusalError(status, {"detail": localize(ja, en)})


def create_unknown_style_refusal(style: int) -> RefusalError:
    """Return the one refusal that VOICEVOX words otherwise."""
    return RefusalError(422, {"message": localize(f"スタイル {style} が見つかりません。", f"There is no style {style}.")})


def create_invalid_refusal(problems: Sequence[Problem], unlisted_count: int = 0) -> RefusalError:
    """Return a refusal that lists the errors in a body or in parameters, field by field, and counts those left out."""
    unlisted = [build_problem("too_many_errors", (), f"{unlisted_count} more errors are not listed")] if unlisted_count else []
    return RefusalError(422, {"detail": [*problems, *unlisted]})


def build_problem(kind: str, where: Sequence[str | int], message: str, value: object = None) -> Problem:
    """Return one entry of `create_invalid_refusal`; a value is shown only if it is short."""
    entry: Problem = {"type": kind, "loc": list(where), "msg": message}
    if isinstance(value, str) and len(value) <= MAX_SHOWN_VALUE:
        # A half of a pair has no place in an answer.
        entry["input"] = value.encode("utf-8", "replace").decode()
    elif value is None or isinstance(value, bool | int | float):
        entry["input"] = value
    return entry


def convert_to_refusal(error: AppError) -> RefusalError:
    """Convert an error of the program for a client: the client's fault if the input is, else ours. Folders of this computer are left out."""
    ours = isinstance(error, CorruptFileError) or not isinstance(error, InputError | VoiceError)
    return RefusalError(500 if ours else 422, {"detail": strip_folders(f"{error.message} {error.hint}".strip())})


def strip_folders(text: str) -> str:
    """Return a text in which paths are only the names at their ends."""
    # The user may have named that one as no pattern expects.
    return _FOLDERS_PATTERN.sub("", text.replace(f"{find_data_dir()}{os.sep}", ""))
