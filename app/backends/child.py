"""Runs a trial in a child process: what crashes, hangs or prints nonsense there harms nobody here."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app import paths
from app.errors import InternalError
from app.language import say

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
    command = [*paths.own_command(), "backends", "--trial", trial, "--calls", str(calls), "--json"]
    if wanted is not None:
        command += ["--voice", wanted]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", timeout=TIME_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        seconds = round(TIME_LIMIT_S)
        return Ended(error=say(f"{seconds} 秒以内に終わりませんでした。", f"It did not end within {seconds} s."), crashed=True)
    except OSError as exc:
        raise InternalError(say("自分自身を起動できません。", "The program cannot start itself."), str(exc)) from exc
    line = _last_object(done.stdout)
    if line is None:
        return Ended(
            error=say(f"異常終了しました。(コード {done.returncode})", f"Its process died (exit code {done.returncode})."), crashed=True
        )
    if "error" in line:
        return Ended(error=f"{line['error'].get('message', '')} {line['error'].get('hint', '')}".strip())
    return Ended(line=line)


def _last_object(text: str) -> dict[str, Any] | None:
    for item in reversed(text.splitlines()):
        try:
            value = json.loads(item)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return None
