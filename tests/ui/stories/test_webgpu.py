"""Starts the story of `webgpu_window` in a process of its own: libraries find the software adapter by variables of the process's start."""

import sys

import pytest

from tests.adapters.ort.test_webgpu import LIMIT_S, MOST_RUNS, run_on_software_adapter

STORY = "tests/ui/stories/webgpu_window.py"


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
def test_webgpu_speaks_in_the_window_and_fails_there() -> None:
    done = run_on_software_adapter([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", STORY])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "1 passed" in done.stdout
