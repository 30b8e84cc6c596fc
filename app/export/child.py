"""A process that writes files for `koebako export --jobs`: a line of JSON in, a line out, until its input ends. Started as `main.py --export`."""

from __future__ import annotations

import json
import sys
from typing import Any

from app.errors import AppError, InternalError
from app.export.own_worker import OwnWorker
from app.export.tasks import BatchSettings, task_from_data
from app.json_text import parse_object
from app.language import localized
from app.terminal import write


def main() -> int:
    """The process."""
    lines = sys.stdin.buffer
    worker = OwnWorker(BatchSettings.from_data(parse_object(lines.readline())))
    for line in lines:
        write(json.dumps(_answer(worker, line)) + "\n")  # ASCII: every other letter is escaped
    return 0


def _answer(worker: OwnWorker, line: bytes) -> dict[str, Any]:
    try:
        return worker.do(task_from_data(parse_object(line)))
    except AppError as error:
        found = error
    except Exception as exc:
        words = localized("予期しないエラーが発生しました。", "An unexpected error occurred.")
        found = InternalError(words, f"{type(exc).__name__}: {exc}"[:500])
    return {"error": {"family": found.family, "message": found.message, "hint": found.hint}}
