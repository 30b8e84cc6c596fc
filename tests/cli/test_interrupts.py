"""Requests to end: acted on at once where nothing can be half done."""

import signal
import subprocess
import sys
import time

import pytest

from app.cli.interrupts import INTERRUPTED_EXIT_CODE, InterruptHandler

SLOW_IMPORT = """
import sys, time, types
from importlib.machinery import ModuleSpec

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "app.cli.commands.%s.run":
            print("importing", flush=True)
            try:
                time.sleep(60)
            except KeyboardInterrupt:  # as a library that turns it into another error
                raise ImportError("broken")
        return None

sys.meta_path.insert(0, Slow())
from app.cli.main import main
sys.exit(main(["%s"]))
"""


def test_a_request_raises_where_nobody_takes_it() -> None:
    with InterruptHandler() as interruption:
        with interruption.call_on_interrupt(lambda: None):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C cannot be sent to one program")
@pytest.mark.parametrize("command", ["serve", "doctor"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_within_the_first_imports_ends_the_process(command: str, number: signal.Signals) -> None:
    """They are not waited for, whatever they would make of it."""
    program = SLOW_IMPORT % (command, command)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as own:
        assert own.stdout is not None
        assert own.stdout.readline() == b"importing\n"
        own.send_signal(number)
        began = time.monotonic()
        _, errors = own.communicate(timeout=30)
    assert (own.returncode, errors) == (INTERRUPTED_EXIT_CODE, b"")
    assert time.monotonic() - began < 10
