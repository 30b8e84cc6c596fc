"""Runs programs for the build: shows what is run, never waits for ever, and ends the build with the tail of what was printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TAIL = 4_000


def run(command: Sequence[str | Path], *, timeout_s: float, env: Mapping[str, str] | None = None, cwd: Path = PROJECT) -> str:
    """Runs a program to its end and returns what it printed; SystemExit where it fails or takes too long.

    Args:
        env: variables on top of this process's own.
    """
    words = [str(word) for word in command]
    print("$", " ".join(words)[:200], flush=True)
    try:
        # One pipe for both: under Wine a program without a pipe waits for a console that is not there.
        done = subprocess.run(
            words, cwd=cwd, env=os.environ | dict(env or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=timeout_s, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired as exc:
        sys.exit(f"{words[0]} did not end within {timeout_s:g} s.\n{_text(exc.stdout)[-TAIL:]}")
    if done.returncode:
        sys.exit(f"{words[0]} ended with {done.returncode}.\n{done.stdout[-TAIL:]}")
    return done.stdout


def _text(output: bytes | str | None) -> str:
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else output or ""
