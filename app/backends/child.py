"""Runs a trial in a child process: what crashes, hangs or prints nonsense there harms nobody here."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import InternalError
from app.json_text import json_objects
from app.language import localized
from app.own_program import run_own
from app.system_errors import reason_of

TIME_LIMIT_S = 300.0
RECORD = "record"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: a line, or an error."""

    line: dict[str, Any] | None = None
    error: str | None = None
    crashed: bool = False


def run_trial(trial: str, wanted: str | None, calls: Path) -> Ended:
    """Tries a placement, or with RECORD speaks on the CPU and keeps what every graph computed.

    Args:
        trial: what `--trial` takes.
        wanted: id, name or path of the voice; None is the first one.
        calls: the file of what was kept.

    Raises:
        InternalError: our own program cannot be started.
    """
    arguments = ["backends", "--trial", trial, "--calls", str(calls), "--json"]
    if wanted is not None:
        arguments += ["--voice", wanted]
    try:
        done = run_own(*arguments, timeout_s=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        seconds = round(TIME_LIMIT_S)
        return Ended(error=localized(f"{seconds} 秒以内に終わりませんでした。", f"It did not finish within {seconds} s."), crashed=True)
    except OSError as exc:
        raise InternalError(
            localized("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({reason_of(exc)})"
        ) from exc
    lines = list(json_objects(done.stdout.decode("utf-8", "replace")))
    if not lines:
        return Ended(
            error=localized(f"異常終了しました。（コード {done.returncode}）", f"The process crashed (exit code {done.returncode})."),
            crashed=True,
        )
    line = lines[-1]
    error = line.get("error")
    if isinstance(error, dict):
        return Ended(error=f"{error.get('message', '')} {error.get('hint', '')}".strip())
    return Ended(line=line)
