"""The script that runs before anything is installed."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dev() -> ModuleType:
    """packaging/dev.py, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("koebako_dev", ROOT / "packaging" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.platform == "win32", reason="for builds under Wine only")
def test_a_build_that_takes_too_long_is_stopped_with_all_it_started(dev: ModuleType, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    command = ["sh", "-c", f"sleep 60 & echo $! > {started}.part; mv {started}.part {started}; wait"]
    assert dev.run_until(time.monotonic() + 1.0, command) is None
    pid = int(started.read_text())
    deadline = time.monotonic() + 5
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="for builds under Wine only")
def test_a_build_that_ends_in_time_tells_how(dev: ModuleType) -> None:
    assert dev.run_until(time.monotonic() + 30, ["sh", "-c", "exit 3"]) == 3


def test_what_ci_runs_is_what_the_script_knows() -> None:
    last = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert last == "exec python3 packaging/dev.py test --bundle --no-wine --run-slow"


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
