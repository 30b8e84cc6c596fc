"""No attack: one fault of each kind, to see that the attack sees it."""

import os
import signal
import sys
import time
from pathlib import Path

from app.common.errors import InternalError
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.program import run

FAULTS = (
    *("nothing", "traceback", "internal", "hang", "memory", "outside", "escape", "signal"),
    *("a program that hangs", "a program outside", "a program that escapes", "a program that takes memory", "a program that dies"),
)
PROGRAMS = {
    "a program that hangs": "import time; time.sleep(60)",
    "a program outside": "open('words.csv', 'w')",
    "a program that escapes": "print('\\x1b[31mred')",
    "a program that takes memory": "import time; held = [bytes([1]) * (64 << 20) for _ in range(40)]; time.sleep(20)",
    "a program that dies": "import os; os.abort()",
}


def _take_memory() -> None:
    held = [bytes([1]) * (64 << 20) for _ in range(40)]
    time.sleep(20)
    del held


class Planted(Area):
    """The number of a try says which fault."""

    def attempt(self, case: Case) -> str:
        """Does something wrong."""
        fault = FAULTS[case.number % len(FAULTS)]
        case.doing(fault)
        match fault:
            case "traceback":
                raise KeyError("planted")
            case "internal":
                raise InternalError("planted")
            case "hang":
                case.allow(limit_s=1.0)
                time.sleep(60)
            case "memory":
                _take_memory()
            case "outside":
                Path("/var/tmp/koebako-planted").write_text("x")
                Path("/var/tmp/koebako-planted").unlink()
            case "escape":
                print("\x1b[31mred", file=sys.stderr, flush=True)
            case "signal":
                os.kill(os.getpid(), signal.SIGSEGV)
            case _ if fault in PROGRAMS:
                run(case, self.place, sys.executable, "-c", PROGRAMS[fault], limit_s=1.0 if "hangs" in fault else 30.0)
        return fault


ATTACKS = Planted
