"""Runs a trial in a child process: what crashes, hangs or prints nonsense there harms nobody here."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.common.errors import InternalError
from app.common.files.untrusted_json import parse_object_lines
from app.common.language import localize
from app.common.processes.self_launch import run_own_program
from app.common.system_errors import describe_reason

TRIAL_TIME_LIMIT_S = 300.0
RECORD_TRIAL = "record"


@dataclass(frozen=True, slots=True)
class TrialExit:
    """The end of a child: a line, or an error."""

    line: dict[str, Any] | None = None
    error: str | None = None
    has_crashed: bool = False


def run_trial(trial: str, voice_name: str | None, runs_file: Path) -> TrialExit:
    """Try a placement in a child, or with RECORD speak on the CPU and keep the results of every graph.

    Args:
        trial: what `--trial` takes.
        voice_name: id, name or path of the voice; None is the first one.
        runs_file: the file of what was kept.

    Raises:
        InternalError: our own program cannot be started.
    """
    arguments = ["backends", "--trial", trial, "--calls", str(runs_file), "--json"]
    if voice_name is not None:
        arguments += ["--voice", voice_name]
    try:
        done = run_own_program(*arguments, timeout_s=TRIAL_TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        seconds = round(TRIAL_TIME_LIMIT_S)
        return TrialExit(
            error=localize(f"{seconds} 秒以内に終わりませんでした。", f"It did not finish within {seconds} s."), has_crashed=True
        )
    except OSError as exc:
        raise InternalError(
            localize("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({describe_reason(exc)})"
        ) from exc
    lines = list(parse_object_lines(done.stdout.decode("utf-8", "replace")))
    if not lines:
        return TrialExit(
            error=localize(f"異常終了しました。（コード {done.returncode}）", f"The process crashed (exit code {done.returncode})."),
            has_crashed=True,
        )
    line = lines[-1]
    error = line.get("error")
    if isinstance(error, dict):
        return TrialExit(error=f"{error.get('message', '')} {error.get('hint', '')}".strip())
    return TrialExit(line=line)
