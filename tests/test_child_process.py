"""Children of the program: on Windows none opens a console of its own."""

import ast
import contextlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.backends.backend_probe import run_trial
from app.bench.reference_comparison import measure_in_child
from app.cli.commands.selftest import run
from app.cli.commands.selftest import run as selftest
from app.common.errors import AppError
from app.common.processes import launch
from app.common.processes.launch import run_own_program
from tests.source_trees import ROOT, SourceModule, read_app, read_module

NO_CONSOLE = 0x0800_0000  # Windows' CREATE_NO_WINDOW
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
SHELLS = {"system", "popen", "startfile", "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe"}

MAY_START = re.compile(rf"\bsubprocess\b|\bos\.({'|'.join(SHELLS)})\b")


def started_with_a_console(module: SourceModule) -> list[int]:
    """Lines that start a program without saying what becomes of its console, under whatever name `subprocess` is imported."""
    found = []
    for imported in module.list_nodes(ast.ImportFrom):
        if imported.module == "subprocess" and {item.name for item in imported.names} & STARTERS:
            found.append(imported.lineno)
    for node in module.list_nodes(ast.Call):
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            owner, name = node.func.value.id, node.func.attr
            bare = owner == "subprocess" and name in STARTERS and "creationflags" not in {item.arg for item in node.keywords}
            if bare or (owner == "os" and name in SHELLS):
                found.append(node.lineno)
    return found


def test_nothing_is_started_with_a_console() -> None:
    starting = [module for module in (read_module(ROOT / "main.py"), *read_app()) if MAY_START.search(module.source)]
    assert len(starting) >= 2
    assert {module.name: lines for module in starting if (lines := started_with_a_console(module))} == {}


def test_only_one_module_starts_processes() -> None:
    sources = {module.name: module.source for module in read_app()}
    starting = {name for name, source in sources.items() if re.search(rf"\bsubprocess\.({'|'.join(STARTERS)})\(", source)}
    assert starting == {"app/common/processes/launch.py"}
    assert not [
        name
        for name, source in sources.items()
        if re.search(r"\bimport multiprocessing|ProcessPoolExecutor|\bos\.(exec|posix_spawn|fork)", source)
    ]
    by_qt = {name: source for name, source in sources.items() if re.search(r"\bQProcess\(|startDetached", source)}
    assert by_qt
    assert [name for name, source in by_qt.items() if "build_cli_command" not in source or "startDetached" in source] == []
    naming_python = {name for name, source in sources.items() if "sys.executable" in source}
    naming_python.remove("app/common/files/paths.py")  # which looks beside the built program
    assert naming_python <= {"app/common/processes/launch.py", "app/ui/help/about_dialog.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess\nsubprocess.run([])",
        "from subprocess import Popen",
        "import os\nos.system('x')",
        "subprocess.check_output(['ver'])",
    ],
)
def test_a_start_with_a_console_is_noticed(source: str) -> None:
    assert MAY_START.search(source)
    assert started_with_a_console(SourceModule(source))


@pytest.mark.parametrize(
    "start",
    [
        lambda folder: run_own_program("--optimise", folder, timeout_s=1),
        lambda folder: run_trial("cpu", None, folder / "calls"),
        lambda _folder: selftest._run_cli("doctor"),
        lambda _folder: run.run_window_selftest(),
        lambda _folder: measure_in_child("ours", "mei", "starter"),
    ],
    ids=["own child", "trial", "selftest", "window of the selftest", "measurement"],
)
def test_every_child_is_started_without_a_console_on_windows(
    start: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    flags: list[int] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        flags.append(options["creationflags"])
        return subprocess.CompletedProcess(command, 1, b"", b"")

    monkeypatch.setattr(launch, "NO_CONSOLE_FLAG", NO_CONSOLE)
    monkeypatch.setattr(subprocess, "run", run)
    with contextlib.suppress(AppError):  # the child did nothing
        start(tmp_path)
    assert flags == [NO_CONSOLE]


def test_a_child_reads_nothing_prints_to_us_and_has_our_variables_or_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_TEST", "ours")
    code = "import os, sys; print(sys.stdin.read(), os.environ.get('KOEBAKO_TEST'), end=''); print('trouble', file=sys.stderr, end='')"
    done = launch.run_without_console([sys.executable, "-c", code], 30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b" ours", b"trouble")
    changed = {"SYSTEMROOT": "C:\\Windows", "KOEBAKO_TEST": "its own"}
    assert launch.run_without_console([sys.executable, "-c", code], 30, changed).stdout == b" its own"
    with pytest.raises(subprocess.TimeoutExpired):
        launch.run_without_console([sys.executable, "-c", "import time; time.sleep(60)"], 0.2)
