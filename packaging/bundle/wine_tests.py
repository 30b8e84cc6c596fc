"""The fast tests in the Windows Python under Wine: what differs on Windows is mostly files, processes and paths, and those are tested there."""

from __future__ import annotations

import hashlib
import sys

from bundle.command import PROJECT, run
from bundle.wine import FOR_WINDOWS, Wine

REQUIREMENTS = PROJECT / "packaging" / "requirements" / "windows-tests.txt"
# The window is the same on any system and slow on a screen of Wine; the starter voice's recipe is for the makers' machine.
LEFT_OUT = ("ui", "starter_voice", "benchmarks")
LONGEST_S = 1_200


def run_tests(wine: Wine) -> None:
    """Runs them in a prefix that is ready; SystemExit where one fails."""
    packages = wine.folder / "tests"
    state = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = packages / "koebako.stamp"
    if not (stamp.exists() and stamp.read_text() == state):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *FOR_WINDOWS, "--no-compile"]
        run([*pip, "--require-hashes", "--upgrade", "--target", packages, "-r", REQUIREMENTS], timeout_s=600)
        stamp.write_text(state)
    options = ["-p", "no:cacheprovider", "--no-header", "--tb=short", "-r", "f", *(f"--ignore=tests/{name}" for name in LEFT_OUT)]
    environment = {"PYTHONPATH": str(packages), "HYPOTHESIS_STORAGE_DIRECTORY": str(wine.folder / "hypothesis")}
    printed = wine.run([wine.python, "-m", "pytest", *options, "tests"], timeout_s=LONGEST_S, env=environment)
    print(" ", printed.strip().splitlines()[-1], flush=True)
