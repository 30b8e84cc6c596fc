"""Tests with a full disk leave no broken bytecode to those after them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.small_files import small_files

TESTS = Path(__file__).parent
LONG = "VALUES = [" + ", ".join(str(number) for number in range(20_000)) + "]\n"


def test_a_process_with_a_full_disk_writes_no_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "long_module.py").write_text(LONG, encoding="utf-8")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "bytecode"))
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import long_module; open(sys.argv[1], 'wb').write(bytes(9000))",
    ]
    with small_files(5_000):
        done = subprocess.run([*command, str(tmp_path / "file")], capture_output=True)
    assert (tmp_path / "file").stat().st_size == 5_000
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "bytecode").exists()
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert not sys.dont_write_bytecode
    subprocess.run([*command, str(tmp_path / "file")], check=True)
    assert list((tmp_path / "bytecode").rglob("long_module*.pyc"))


def test_files_are_limited_only_so() -> None:
    """But where the limits themselves are tried, without bytecode."""
    limiting = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if re.search(r"setrlimit\(resource\.RLIMIT_FSIZE", path.read_text(encoding="utf-8"))
    }
    assert limiting == {"small_files.py", "adapters/sandbox/test_sandbox_process.py"}
