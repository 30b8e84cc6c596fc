"""The fast tests in the Windows Python under Wine: what differs on Windows is mostly files, processes and paths, and those are tested there."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bundle.command import PROJECT, run

if TYPE_CHECKING:
    from bundle.wine import Wine

REQUIREMENTS = PROJECT / "packaging" / "requirements" / "windows-tests.txt"
# Files, processes and paths first. The included voice, the benchmarks, the campaigns and the service's clients are for the makers' machine.
FOLDERS = (
    "install",
    "adapters",
    "cli",
    "bench",
    "packaging",
    "voices",
    ".",
    "core",
    "engine",
    "export",
    "interchange",
    "audition",
    "lab",
    "ui",
)
FONTS = r"Z:\usr\share\fonts\opentype\noto"  # Wine's own folder has none with Japanese letters
LEFT_OUT = ("starter_voice", "benchmarks", "campaigns", "service")
TOGETHER = ("-m", "not alone", "-n", "logical", "--maxprocesses", "4", "--dist", "worksteal")
# Those that need the machine for themselves come last; of the window's these watch the clock, and Wine's says nothing.
ALONE = ("-m", "alone", "--ignore=tests/ui", *(f"--ignore=tests/{name}" for name in LEFT_OUT), "tests")
# Unless an option says otherwise, no folder is begun after this time, and none may take longer.
LONGEST_S = 1_500
COUNTS = re.compile(r"^=* ?(\d+ .*) in [\d.]+s", re.MULTILINE)


def run_tests(wine: Wine, until: float = math.inf) -> None:
    """Runs them in a prefix that is ready, folder by folder, and prints how many; SystemExit names the folders in which one failed.

    Args:
        until: no folder is begun after this time (seconds since 1970); LONGEST_S from now where there is no end.
    """
    environment = {
        "PYTHONPATH": str(_packages(wine)), "HYPOTHESIS_STORAGE_DIRECTORY": str(wine.folder / "hypothesis"),
        "PYTHONUTF8": "0",  # as users have it: what reads a file in the code page of this Windows shows itself
        "KOEBAKO_TEST_FONTS": FONTS,
    }  # fmt: skip
    options = ["-p", "no:cacheprovider", "--no-header", "--tb=short", "-r", "f"]
    ends = time.time() + LONGEST_S if until == math.inf else until
    all_counts: Counter[str] = Counter()
    not_run, failed = [], []
    for name, arguments in runs().items():
        if time.time() > ends:
            not_run.append(name)
            continue
        timeout_s = max(LONGEST_S, ends - time.time())
        try:
            printed = wine.run([wine.python, "-m", "pytest", *options, *arguments], timeout_s, environment)
        except SystemExit as exc:  # the others are of interest all the same
            print(f"  FAILED  {name}: {exc}", flush=True)
            failed.append(name)
            continue
        counts = COUNTS.search(printed)
        print(f"  ok  {name}: {counts[1] if counts else printed.strip().splitlines()[-1]}", flush=True)
        all_counts.update({kind: int(number) for number, kind in re.findall(r"(\d+) (\w+)", counts[1] if counts else "")})
    print(f"  all of them: {', '.join(f'{number} {kind}' for kind, number in all_counts.items())}", flush=True)
    print(f"  SKIPPED  {', '.join(f'tests/{name}' for name in LEFT_OUT)}: for the makers' machine", flush=True)
    if not_run:
        print(f"  SKIPPED  {', '.join(not_run)}: there was no time left", flush=True)
    if failed:
        sys.exit(f"Tests failed under Wine: {', '.join(failed)}")


def runs() -> dict[str, list[str]]:
    """Names and pytest's arguments: a folder each side by side, then what needs the machine for itself."""
    found = {"tests" if name == "." else f"tests/{name}": [*TOGETHER, *_tests_of(name)] for name in FOLDERS}
    return found | {"tests that run alone": list(ALONE)}


def _tests_of(name: str) -> list[str]:
    return [f"tests/{path.name}" for path in sorted(PROJECT.glob("tests/test_*.py"))] if name == "." else [f"tests/{name}"]


def _packages(wine: Wine) -> Path:
    """The folder with pytest and what else tests need, filled where its pins, or the program's needs, have changed."""
    from bundle.wine import FOR_WINDOWS  # needs pefile, which only builds have

    packages = wine.folder / "tests"
    state = hashlib.sha256(REQUIREMENTS.read_bytes() + (PROJECT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = packages / "koebako.stamp"
    if not (stamp.exists() and stamp.read_text() == state):
        pip = [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *FOR_WINDOWS, "--no-compile"]
        run([*pip, "--require-hashes", "--upgrade", "--target", packages, "-r", REQUIREMENTS], timeout_s=600)
        # What an installation would bring: the program's own metadata, which tell whose packages it needs.
        with tempfile.TemporaryDirectory() as made:
            metadata = f"from setuptools import build_meta; build_meta.prepare_metadata_for_build_wheel({made!r})"
            run([sys.executable, "-c", metadata], timeout_s=120)
            shutil.copytree(made, packages, dirs_exist_ok=True)
        stamp.write_text(state)
    return packages
