"""A process that writes files for `koebako export --jobs`: a line of JSON in, a line out, until its input ends. Started as `main.py --export`."""

from __future__ import annotations

import json
import sys
from typing import Any

from app.common.errors import AppError, InternalError
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.processes.terminal import write_text
from app.export.export_tasks import BatchSettings, parse_task_data
from app.export.local_worker import LocalWorker


def main() -> int:
    """Run the worker process."""
    lines = sys.stdin.buffer
    worker = LocalWorker(BatchSettings.from_data(parse_object(lines.readline())))
    for line in lines:
        # ASCII: every other letter is escaped.
        write_text(json.dumps(_run_request(worker, line)) + "\n")
    return 0


def _run_request(worker: LocalWorker, line: bytes) -> dict[str, Any]:
    try:
        return worker.run_task(parse_task_data(parse_object(line)))
    except AppError as error:
        found = error
    except Exception as exc:
        words = localize("予期しないエラーが発生しました。", "An unexpected error occurred.")
        found = InternalError(words, f"{type(exc).__name__}: {exc}"[:500])
    return {"error": {"family": found.family, "message": found.message, "hint": found.hint}}
