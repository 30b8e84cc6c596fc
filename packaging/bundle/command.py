"""Runs programs for the build: shows what is run, never waits for ever, and ends the build with the tail of what was printed."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
TAIL = 4_000
LAST_WORDS_S = 5  # what a program started may outlive it and hold the pipe: Wine's hosts of consoles do


def run(command: Sequence[str | Path], *, timeout_s: float, env: Mapping[str, str] | None = None, cwd: Path = PROJECT) -> str:
    """Runs a program to its end and returns what it printed; SystemExit where it fails or takes too long.

    Args:
        env: variables on top of this process's own.
    """
    words = [str(word) for word in command]
    print("$", " ".join(words)[:200], flush=True)
    # One pipe for both: under Wine a program without a pipe waits for a console that is not there.
    process = subprocess.Popen(
        words, cwd=cwd, env=os.environ | dict(env or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    printed = bytearray()
    reader = threading.Thread(target=_read, args=(process, printed), daemon=True)
    reader.start()
    try:
        code: int | None = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        process.kill()
    reader.join(LAST_WORDS_S)
    output = printed.decode("utf-8", "replace").replace("\r\n", "\n")
    if code is None:
        sys.exit(f"{words[0]} did not end within {timeout_s:g} s.\n{output[-TAIL:]}")
    if code:
        sys.exit(f"{words[0]} ended with {code}.\n{output[-TAIL:]}")
    return output


def kill(process: subprocess.Popen[Any]) -> str:
    """Kills a program whose streams are pipes, and returns what it had written to stderr (on Windows only where its pipes close).

    Waits only so long for its pipes: what it started holds them too, and under Wine a child whose parent dies while it starts neither begins nor ends.
    """
    process.kill()
    try:
        written = process.communicate(timeout=LAST_WORDS_S)[1]
    except subprocess.TimeoutExpired as exc:
        written = exc.stderr
        process.wait()
    return written.decode("utf-8", "replace") if isinstance(written, bytes) else written or ""


def _read(process: subprocess.Popen[bytes], printed: bytearray) -> None:
    assert process.stdout is not None
    with process.stdout:
        while data := os.read(process.stdout.fileno(), 1 << 16):
            printed += data
