"""Programs that the build runs are ended, whatever they have started."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from bundle import command
from bundle.program import Program

STARTS_ANOTHER = """
import subprocess, sys, time
print("last words", file=sys.stderr, flush=True)
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid, flush=True)
time.sleep(60)
"""


def test_a_killed_program_is_not_waited_for_where_its_child_holds_the_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "LAST_WORDS_S", 0.5)
    parent = subprocess.Popen([sys.executable, "-c", STARTS_ANOTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    try:
        # Windows' half of `subprocess` hands out nothing of a pipe that stays open.
        assert command.kill(parent).strip() == ("" if sys.platform == "win32" else "last words")
        assert parent.returncode
        assert child.is_running()
    finally:
        child.kill()
        for pipe in (parent.stdin, parent.stdout, parent.stderr):
            assert pipe is not None
            pipe.close()


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_program_that_does_not_end_is_killed_with_what_it_said(tmp_path: Path) -> None:
    script = tmp_path / "koebako-cli"
    script.write_text("#!/bin/sh\necho still here >&2\nexec sleep 60\n", encoding="ascii")
    script.chmod(0o755)
    with pytest.raises(AssertionError, match=r"did not end within 1 s: still here"):
        Program(tmp_path).run("koebako-cli", timeout_s=1)
