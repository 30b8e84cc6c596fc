"""What a run of the suite cost: the dearest tests in processor seconds, which decide nothing, and counts with bounds, which do.

A test that prepares one more voice, or starts one more program, costs the same on every machine; so the counts are what CI fails on.
Counted is what the processes of the tests do, and not what programs do that they start.
"""

import os
import re
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

from tests.run_counts import counts

# Bounds of a whole run, without the slow tests and with them. To raise one, say why in the commit.
BOUNDS: dict[str, tuple[int, int]] = {
    "voices prepared": (110, 250),
    "int8 forms made": (20, 60),
    "windows opened": (720, 1000),
    "programs started": (700, 1200),
    "examples drawn": (5_000, 100_000),
}
FUNCTIONS = {
    ("app.install.sandboxed_import", "prepare_voice_in_sandbox"): "voices prepared",
    ("app.install.voice_preparation", "prepare_voice"): "voices prepared",
    ("app.install.natural_voice_install", "prepare_natural_voice"): "voices prepared",
    ("app.install.int8_graphs", "add_int8_graphs"): "int8 forms made",
}
EXAMPLES = re.compile(r"(\d+) (?:passing|failing|invalid)")
KEPT = 40  # of the dearest tests of a worker

counted: dict[tuple[str, str], FunctionType] = {}


def call_counted(*arguments: Any, **named: Any) -> Any:
    """Stand in for the code of a function; its globals are those of that function's module, its name is all that it knows."""
    import sys as system

    from tests import run_counts, run_figures

    name, _, module = system._getframe().f_code.co_name.partition(" of ")
    run_counts.counts[run_figures.FUNCTIONS[module, name]] += 1
    return run_figures.counted[module, name](*arguments, **named)


def count_function(module: str, name: str) -> None:
    """Count a function's calls, under whatever name other modules have imported it."""
    function = getattr(sys.modules[module], name)
    original = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    original.__kwdefaults__ = function.__kwdefaults__
    counted[module, name] = original
    function.__code__ = call_counted.__code__.replace(co_name=f"{name} of {module}")
    function.__defaults__ = function.__kwdefaults__ = None


def _hear_event(event: str, _arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        counts["programs started"] += 1


def _processor_s() -> float:
    return sum(os.times()[:4])


class RunFigures:
    """A plugin: gathers the figures of this process, and in the process that leads the others theirs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = {}
        self._worker_s = 0.0

    def pytest_configure(self) -> None:
        """Listen from now on: an audit hook cannot be taken back."""
        sys.addaudithook(_hear_event)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Add up what a test takes with its fixtures; children count once they have ended."""
        for module, name in FUNCTIONS:
            if module in sys.modules and (module, name) not in counted:
                count_function(module, name)
        before = _processor_s()
        result = yield
        self._seconds[item.nodeid] = _processor_s() - before
        counts["examples drawn"] += sum(map(int, EXAMPLES.findall(getattr(item, "hypothesis_statistics", ""))))
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the figures of a worker that has ended."""
        figures = getattr(node, "workeroutput", {}).get("figures")
        if figures:
            counts.update(figures["counts"])
            self._seconds.update(figures["seconds"])
            self._worker_s += figures["processor_s"]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand a worker's figures on, or fail the run where one is over its bound."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            seconds = dict(self._list_dearest(KEPT))
            output["figures"] = {"counts": dict(counts), "seconds": seconds, "processor_s": _processor_s()}
        elif self._config.getoption("--figures") and self.list_exceeded():
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the dearest tests and the counts."""
        if not self._config.getoption("--figures"):
            return
        workers_in_children = os.times().children_user + os.times().children_system if self._worker_s else 0.0
        total_s = _processor_s() - workers_in_children + self._worker_s
        terminalreporter.section(f"{total_s:.0f} processor seconds; the twenty dearest tests")
        for name, seconds in self._list_dearest(20):
            terminalreporter.write_line(f"{seconds:6.1f} s  {name}")
        exceeded = self.list_exceeded()
        terminalreporter.section("counts of the run, and their bounds (tests/run_figures.py)")
        for name, bounds in BOUNDS.items():
            mark = "  EXCEEDED" if name in exceeded else ""
            terminalreporter.write_line(f"{counts[name]:6d} of {bounds[self._is_slow]:6d}  {name}{mark}")

    def _list_dearest(self, count: int) -> list[tuple[str, float]]:
        return sorted(self._seconds.items(), key=lambda entry: -entry[1])[:count]

    @property
    def _is_slow(self) -> bool:
        return bool(self._config.getoption("--run-slow"))

    def list_exceeded(self) -> list[str]:
        """List the counts that are over their bounds."""
        return [name for name, bounds in BOUNDS.items() if counts[name] > bounds[self._is_slow]]
