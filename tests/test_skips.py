"""What a run skips, prepares, opens and starts is counted: one with more than it may fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import run_counts, run_figures

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


def test_calls_are_counted_under_every_name_and_a_bound_fails_the_run(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.setitem(run_figures.FUNCTIONS, (__name__, "add_up"), "voices prepared")
    before = run_counts.counts["voices prepared"]
    imported_before = add_up
    run_figures.count_function(__name__, "add_up")
    assert imported_before(1, to=2) == imported_before(2) == 3
    assert run_counts.counts["voices prepared"] == before + 2
    monkeypatch.setattr(run_figures, "BOUNDS", {"voices prepared": (before + 1, before + 1), "none of these": (0, 0)})
    assert run_figures.RunFigures(pytestconfig).list_exceeded() == ["voices prepared"]
    monkeypatch.setattr(run_figures, "BOUNDS", {"voices prepared": (before + 2, before + 2)})
    assert run_figures.RunFigures(pytestconfig).list_exceeded() == []


def add_up(number: int, *, to: int = 1) -> int:
    return number + to
