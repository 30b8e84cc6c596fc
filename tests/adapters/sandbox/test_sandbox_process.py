"""A confined child keeps to its limits, ends with the process that waits for it, and none of its answers is trusted unchecked."""

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.adapters.sandbox import process_limits, sandbox_process
from app.adapters.sandbox.process_limits import ProcessLimits, build_job_limits
from app.adapters.sandbox.sandbox_process import MAX_MESSAGE_BYTES, MAX_RESULTS, SandboxProcess, SandboxStoppedError
from app.common.errors import InternalError, OutputFileError, VoiceError
from app.common.processes import launch

ROOT = Path(__file__).parent.parent.parent.parent
UNDER_WINE = sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")
holds = pytest.mark.skipif(UNDER_WINE, reason="Wine knows the limits of job objects and does not hold anybody to them")
ROOMY = ProcessLimits(4 << 30, 60)

TASKS = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from app.adapters.sandbox.sandbox_child import serve_task
from app.common.errors import VoiceError

def add(channel, one, other):
    print("a library prints\\rthis", end="")
    for step in range(5):
        channel.report_progress("checking", step / 4)
    channel.send_result(sum=one + other)
def refuse(channel):
    raise VoiceError("no voice", "take another")
def fail(channel):
    raise KeyError("nobody thought of this")
def eat(channel, size):
    channel.send_result(size=len(bytearray(size)))
def library(channel):
    raise RuntimeError("Failed to allocate memory for requested buffer of size 12884901888")
def spin(channel):
    channel.send_result(began=True)
    while True:
        pass
def wait(channel):
    channel.send_result(began=True)
    time.sleep(600)
def watch(channel, path):
    channel.send_result(began=True)
    while not os.path.exists(path):
        time.sleep(0.001)
    channel.send_result(seen=True)
def temporary(channel):
    import tempfile
    channel.send_result(folder=tempfile.gettempdir())
serve_task({{name: value for name, value in list(globals().items()) if callable(value)}})
"""
SAYS = """
import sys, time
print('{"pid": 1}', flush=True)
sys.stdin.readline()
"""

KILLED_PARENT = """
import sys; sys.path.insert(0, {root!r})
from pathlib import Path
import psutil
from app.common.processes import launch
from app.adapters.sandbox.sandbox_process import SandboxProcess
from app.adapters.sandbox.process_limits import ProcessLimits
launch.build_cli_command = lambda: [sys.executable, '-c', {tasks!r}]
seen = []
with SandboxProcess('', {task!r}, [], ProcessLimits(4 << 30, 60), Path({folder!r}), {paused}) as child:
    for found in child.iterate_results():
        seen.append(found)
        {then}
        print(psutil.Process().children()[-1].pid, flush=True)
"""

Start = Callable[..., SandboxProcess]


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Start]:
    """Starts a child with the tasks above, or one that says something else."""

    def start(
        task: str,
        *arguments: object,
        limits: ProcessLimits = ROOMY,
        says: str | None = None,
        is_paused: Callable[[], bool] | None = None,
    ) -> SandboxProcess:
        code = TASKS if says is None else SAYS + says
        if says is not None and sys.platform == "win32":
            code = code.replace('"pid": 1', "\"pid\": ' + str(__import__('os').getpid()) + '")
        monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", code])
        return SandboxProcess("", task, arguments, limits, tmp_path, is_paused)

    yield start
    assert not [item for item in psutil.Process().children() if item.status() != psutil.STATUS_ZOMBIE]


def test_it_tells_what_it_finds_and_how_far_it_is(child: Start) -> None:
    steps: list[tuple[str, float]] = []
    with child("add", 2, 3) as started:
        assert list(started.iterate_results(lambda *step: steps.append(step))) == [{"sum": 5}]
    assert steps == [("checking", part / 4) for part in range(5)]


def test_its_errors_are_those_of_the_program(child: Start) -> None:
    with child("refuse") as started, pytest.raises(VoiceError, match="no voice") as caught:
        list(started.iterate_results())
    assert caught.value.hint == "take another"
    with child("fail") as started, pytest.raises(RuntimeError, match="nobody thought of this"):
        list(started.iterate_results())


def test_its_temporary_files_lie_where_the_caller_clears_up(child: Start, tmp_path: Path) -> None:
    with child("temporary") as started:
        assert list(started.iterate_results()) == [{"folder": str(tmp_path)}]


# ------------------------------------------------------------------------------------------------- limits


@holds
def test_memory_beyond_the_limit_is_not_given(child: Start) -> None:
    limits = ProcessLimits(1 << 30, 60)
    with child("eat", limits.enforced_memory_bytes // 2, limits=limits) as started:
        assert list(started.iterate_results()) == [{"size": limits.enforced_memory_bytes // 2}]
    for task, *arguments in (("eat", limits.enforced_memory_bytes), ("eat", 1 << 45), ("library",)):
        with child(task, *arguments, limits=limits) as started, pytest.raises(SandboxStoppedError) as caught:
            list(started.iterate_results())
        assert caught.value.reason == "memory"


@holds
def test_processor_time_beyond_the_limit_is_not_given(child: Start) -> None:
    with child("spin", limits=ProcessLimits(4 << 30, 1)) as started, pytest.raises(SandboxStoppedError) as caught:
        list(started.iterate_results())
    assert caught.value.reason == "time"


def test_one_that_stands_still_is_not_waited_for_for_ever(child: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits, "ELAPSED_PER_PROCESSOR_TIME", 0.05)
    with child("wait") as started, pytest.raises(SandboxStoppedError) as caught:
        list(started.iterate_results())
    assert caught.value.reason == "time"


def test_a_computer_that_slept_has_not_waited(child: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    asleep_s = 0.0

    def clock() -> float:
        return real() + asleep_s

    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", clock)
    with child("add", 1, 2) as started:
        asleep_s = 86_400.0
        assert list(started.iterate_results()) == [{"sum": 3}]


# ------------------------------------------------------------------------------------------------- pauses


def test_one_that_is_paused_stands_still_and_has_not_been_waited_for(child: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For ten times as long as it might take, by a clock that runs fast meanwhile; what it looks for is there all that time."""
    looked, skipped_s, states = 0, 0.0, []
    pause = range(5, 5 + 10 * ROOMY.max_elapsed_s)
    file = tmp_path / "here"

    def is_paused() -> bool:
        nonlocal looked, skipped_s
        looked += began
        if looked in pause:
            skipped_s += 1.0
            if looked == pause[2]:
                file.touch()
            if looked == pause[-1]:
                states.append(psutil.Process().children()[0].status())
        return looked in pause

    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + skipped_s)
    monkeypatch.setattr(sandbox_process, "MESSAGE_POLL_S", 0.0005)
    began = False
    with child("watch", str(file), is_paused=is_paused) as started:
        found = started.iterate_results()
        assert next(found) == {"began": True}
        assert psutil.Process().children()[0].nice() == sandbox_process.LOWEST_PRIORITY
        began = True
        assert list(found) == [{"seen": True}]
    assert states == [psutil.STATUS_STOPPED]
    assert looked > pause[-1], "it saw the file only when it was let go"


def test_one_that_is_paused_ends_when_it_is_left(child: Start) -> None:
    processes: list[psutil.Process] = []

    def left() -> None:
        with child("spin", is_paused=lambda: bool(processes)) as started:
            for _ in started.iterate_results():
                processes.extend(psutil.Process().children())
                started._follow_pause()
                _wait_for_state(processes[0], psutil.STATUS_STOPPED)
                raise LeftError

    with pytest.raises(LeftError):
        left()
    assert not processes[0].is_running()


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing there ends a child that cannot look whether its parent lives")
def test_one_that_is_paused_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = KILLED_PARENT.format(
        tasks=TASKS, root=str(ROOT), task="spin", folder=str(tmp_path), paused="lambda: bool(seen)", then="child._follow_pause()"
    )
    _check_end_with_parent(code, psutil.STATUS_STOPPED)


# ------------------------------------------------------------------------------------------------- limits of the system


def test_limits_that_were_set_before_stay() -> None:
    resource = pytest.importorskip("resource", reason="limits of Unix")
    before = resource.getrlimit(resource.RLIMIT_CORE)
    code = (
        "import resource; from app.adapters.sandbox.process_limits import _lower_limit\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5, 7)); _lower_limit(resource.RLIMIT_FSIZE, 6); print(resource.getrlimit(resource.RLIMIT_FSIZE))\n"
        "_lower_limit(resource.RLIMIT_CPU, 50, 5); print(resource.getrlimit(resource.RLIMIT_CPU))"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split("\n")[:2] == ["(5, 6)", "(50, 55)"]
    assert resource.getrlimit(resource.RLIMIT_CORE) == before


def test_windows_is_told_the_same() -> None:
    told = build_job_limits(ProcessLimits(3 << 30, 20))
    assert told.ProcessMemoryLimit == ProcessLimits(3 << 30, 20).enforced_memory_bytes > 3 << 30
    assert told.BasicLimitInformation.PerProcessUserTimeLimit == 20 * 10_000_000
    if ctypes.sizeof(ctypes.c_void_p) == 8:
        assert ctypes.sizeof(told) == 144
        assert ctypes.sizeof(told.BasicLimitInformation) == 64


# ------------------------------------------------------------------------------------------------- its end


class LeftError(Exception):
    """Something happens while a child works."""


@pytest.mark.parametrize("task", ["spin", "wait"])
@pytest.mark.parametrize("leaves", [LeftError, KeyboardInterrupt])
def test_it_ends_when_it_is_left(child: Start, task: str, leaves: type[BaseException]) -> None:
    processes: list[psutil.Process] = []

    def left() -> None:
        with child(task) as started:
            for _ in started.iterate_results():
                processes.extend(psutil.Process().children())
                raise leaves

    with pytest.raises(leaves):
        left()
    assert not processes[0].is_running()


def test_one_that_is_killed_is_noticed(child: Start) -> None:
    with child("wait") as started:
        found = started.iterate_results()
        next(found)
        psutil.Process().children()[0].kill()
        with pytest.raises(SandboxStoppedError) as caught:
            next(found)
    assert caught.value.reason == "crash"


@pytest.mark.parametrize("task", ["spin", "wait"])
def test_it_ends_with_a_parent_that_is_killed(task: str, tmp_path: Path) -> None:
    _check_end_with_parent(KILLED_PARENT.format(tasks=TASKS, root=str(ROOT), task=task, folder=str(tmp_path), paused=None, then="None"))


def _wait_for_state(process: psutil.Process, state: str) -> None:
    """A signal arrives a little later."""
    end = time.monotonic() + 10
    while process.status() != state:
        assert time.monotonic() < end
        time.sleep(0.001)


def _check_end_with_parent(code: str, state: str | None = None) -> None:
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        process = psutil.Process(int(parent.stdout.readline()))
        assert process.is_running()
        if state is not None:
            _wait_for_state(process, state)
        parent.kill()
    process.wait(10)


def test_a_program_that_cannot_be_started_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "build_cli_command", lambda: [str(tmp_path / "missing")])
    with pytest.raises(InternalError, match="could not start a process"):
        SandboxProcess("", "add", [], ROOMY, tmp_path)


# ------------------------------------------------------------------------------------------------- led astray

LIES = {
    "nothing": "",
    "its output closed": "import os; os.close(1); os.close(2); time.sleep(600)",
    "no end of nothing": "print('x' * 100, flush=True)\nwhile True: print('{\"step\": \"checking\"}')",
    "no JSON": "print('[' * 100000, '{', 'nan', '\\0' * 1000, sep='\\n')",
    "an error without words": "print('{\"error\": {}}')",
    "an error that is a list": "print('{\"error\": []}')",
    "a line without an end": f"sys.stdout.write('x' * {2 * MAX_MESSAGE_BYTES})",
}


@pytest.mark.parametrize("lie", LIES)
def test_one_that_says_nothing_of_use_ends_in_an_error(child: Start, lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits, "ELAPSED_PER_PROCESSOR_TIME", 0.02)
    monkeypatch.setattr(sandbox_process, "EXIT_TIMEOUT_S", 0.2)
    with child("add", says=LIES[lie]) as started, pytest.raises((SandboxStoppedError, RuntimeError)):
        list(started.iterate_results())


def test_what_it_says_is_cleaned_and_counted(child: Start) -> None:
    steps: list[tuple[str, float]] = []
    lines = [
        {"step": "\x1b[2Jchecking", "fraction": 0.1},
        {"step": "reading", "fraction": 1e300},
        {"step": "reading", "fraction": "1"},
        {"step": "reading", "fraction": -7},
        {"step": ["reading"]},
        {"found": [1]},
        {"error": {"family": "output_file", "message": "full\x1b[31m", "hint": ["x"]}},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    with child("add", says=f"print({text!r})") as started, pytest.raises(OutputFileError) as caught:
        list(started.iterate_results(lambda *step: steps.append(step)))
    assert steps == [("reading", 1.0), ("reading", 0.0), ("reading", 0.0)]
    assert (caught.value.message, caught.value.hint) == ("full[31m", "")
    many = f"print('{{\"found\": {{}}}}\\n' * {2 * MAX_RESULTS} + '{{\"done\": 1}}')"
    with child("add", says=many) as started:
        assert len(list(started.iterate_results())) == MAX_RESULTS
    began = time.monotonic()
    with child("add", says="print('{\"found\": {}}\\n' * 100000, flush=True); time.sleep(600)") as started:
        next(started.iterate_results())  # what is left unread holds nobody up
    assert time.monotonic() - began < 60
