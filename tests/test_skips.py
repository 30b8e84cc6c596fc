"""Skipped tests are counted: a run that leaves out more than it may fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDS_REFERENCE = "tests/adapters/test_char_tokenizer.py::test_golden_ids"


@pytest.mark.parametrize(("most", "code"), [(0, 1), (1, 0)])
def test_a_run_with_too_many_skips_fails_and_says_why(most: int, code: int) -> None:
    environment = os.environ | {"KOEBAKO_REFERENCE": str(ROOT / "no such folder")}
    command = [sys.executable, "-m", "pytest", NEEDS_REFERENCE, "--most-skips", str(most), "-p", "no:cacheprovider"]
    finished = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == code, finished.stdout
    assert f"1 skipped, {most} allowed" in finished.stdout
    assert "1  no reference material at" in finished.stdout
