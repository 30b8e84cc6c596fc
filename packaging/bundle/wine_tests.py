"""The fast tests in the Windows Python under Wine: what differs on Windows is mostly files, processes and paths, and those are tested there."""

from __future__ import annotations

import hashlib
import math
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bundle.command import PROJECT, run

if TYPE_CHECKING:
    from bundle.wine import Wine

REQUIREMENTS = PROJECT / "packaging" / "requirements" / "windows-tests.txt"
# Files, processes and paths first. The window is the same on any system and slow on a screen of Wine; the starter voice's recipe is for the
# makers' machine.
FOLDERS = ("install", "adapters", "cli", "bench", "packaging", "voices", ".", "core")
LEFT_OUT = ("ui", "starter_voice", "benchmarks")
# Unless told otherwise no folder is begun after this time, and none may take longer.
LONGEST_S = 600
COUNTS = re.compile(r"^=* ?(\d+ .*) in [\d.]+s", re.MULTILINE)


def run_tests(wine: Wine, until: float = math.inf) -> None:
    """Runs them in a prefix that is ready, folder by folder, and prints how many; SystemExit names the folders in which one failed.

    Args:
        until: no folder is begun after this time (seconds since 1970); ten minutes from now where there is no end.
    """
    environment = {
        "PYTHONPATH": str(_packages(wine)), "HYPOTHESIS_STORAGE_DIRECTORY": str(wine.folder / "hypothesis"),
        "PYTHONUTF8": "0",  # as users have it: what reads a file in the code page of this Windows shows itself
    }  # fmt: skip
    options = ["-p", "no:cacheprovider", "--no-header", "--tb=short", "-r", "f"]
    ends = time.time() + LONGEST_S if until == math.inf else until
    all_counts: Counter[str] = Counter()
    not_run, failed = [], []
    for folder in FOLDERS:
        if time.time() > ends:
            not_run.append(folder)
            continue
        tests = [f"tests/{path.name}" for path in sorted(PROJECT.glob("tests/test_*.py"))] if folder == "." else [f"tests/{folder}"]
        timeout_s = max(LONGEST_S, ends - time.time())
        try:
            printed = wine.run([wine.python, "-m", "pytest", *options, *tests], timeout_s, environment)
        except SystemExit as exc:  # the others are of interest all the same
            print(f"  FAILED  tests/{folder}: {exc}", flush=True)
            failed.append(folder)
            continue
        counts = COUNTS.search(printed)
        print(f"  ok  tests/{folder}: {counts[1] if counts else printed.strip().splitlines()[-1]}", flush=True)
        all_counts.update({kind: int(number) for number, kind in re.findall(r"(\d+) (\w+)", counts[1] if counts else "")})
    print(f"  all of them: {', '.join(f'{number} {kind}' for kind, number in all_counts.items())}", flush=True)
    print(
        f"  SKIPPED  {', '.join(f'tests/{name}' for name in LEFT_OUT)}: nothing of their own on Windows, or too slow under Wine", flush=True
    )
    if not_run:
        print(f"  SKIPPED  {', '.join(f'tests/{name}' for name in not_run)}: there was no time left", flush=True)
    if failed:
        sys.exit(f"Tests failed under Wine: {', '.join(f'tests/{name}' for name in failed)}")


def _packages(wine: Wine) -> Path:
    """The folder with pytest and what else tests need, filled where its pins have changed."""
    from bundle.wine import FOR_WINDOWS  # needs pefile, which only builds have

    packages = wine.folder / "tests"
    state = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = packages / "koebako.stamp"
    if not (stamp.exists() and stamp.read_text() == state):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *FOR_WINDOWS, "--no-compile"]
        run([*pip, "--require-hashes", "--upgrade", "--target", packages, "-r", REQUIREMENTS], timeout_s=600)
        stamp.write_text(state)
    return packages
