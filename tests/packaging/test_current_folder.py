"""Nothing of the current folder runs, whatever lies in it and however Koebako was installed."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from bundle.planted import careless_environment, plant

ROOT = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command `koebako` of an environment that holds the program as pip installs it, and finds other packages in ours."""
    folder = tmp_path_factory.mktemp("installed")
    try:
        importlib.import_module("venv").create(folder, symlinks=os.name != "nt")
    except (ImportError, OSError) as exc:  # Pythons for Windows that come without
        pytest.skip(f"this Python makes no environments: {exc}")
    site, programs = (Path(sysconfig.get_path(name, "venv", {"base": str(folder)})) for name in ("purelib", "scripts"))
    shutil.copytree(ROOT / "app", site / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "resources", site / "app" / "resources")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    module, function = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]["koebako"].split(":")
    program = programs / "koebako.py"
    program.write_text(f"import sys\nfrom {module} import {function}\nsys.exit({function}())\n", encoding="utf-8")
    return [str(programs / Path(sys.executable).name), str(program)]


@pytest.fixture(params=["installed", "checkout"])
def koebako(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in a folder that is full of traps."""
    if request.param == "installed":
        command = request.getfixturevalue("installed")
        monkeypatch.delenv("PYTHONPYCACHEPREFIX")  # a throw-away copy leaves no bytecode in a folder that stays
    else:
        command = [sys.executable, str(ROOT / "main.py")]
    trap = tmp_path / "unpacked"
    trap.mkdir()
    ran = plant(trap)

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        environment = os.environ | careless_environment() | {"QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run([*command, *arguments], cwd=trap, env=environment, capture_output=True, encoding="utf-8", timeout=300)
        assert not ran.exists(), f"{ran.read_text(encoding='utf-8')}\n{done.stderr[-1000:]}"
        assert done.returncode == 0, done.stderr[-1000:]
        return done

    return run


def test_the_folder_is_a_trap(tmp_path: Path) -> None:
    ran = plant(tmp_path)
    assert subprocess.run([sys.executable, "-m", "app.cli.main", "--version"], cwd=tmp_path, capture_output=True).returncode
    assert ran.read_text(encoding="utf-8").splitlines()
    if os.name == "posix":
        ran.unlink()
        assert subprocess.run(["uname"], cwd=tmp_path, env=os.environ | careless_environment()).returncode == 1
        assert ran.read_text(encoding="utf-8") == "uname\n"


def test_the_system_is_looked_at(koebako: Run) -> None:
    koebako("doctor", "--only", "python")  # where Python asks `uname`


def test_a_word_is_learnt(koebako: Run) -> None:
    koebako("dict", "add", "声箱", "コエバコ")


@pytest.mark.parametrize("koebako", ["installed", pytest.param("checkout", marks=pytest.mark.slow)], indirect=True)
def test_lines_are_exported_by_children(koebako: Run, tmp_path: Path) -> None:
    (tmp_path / "script.txt").write_text("はい。\nいいえ。\n", encoding="utf-8")
    koebako("export", tmp_path / "script.txt", "-o", tmp_path / "sounds", "--jobs", "2")
    assert len(list((tmp_path / "sounds").glob("*.wav"))) == 2


@pytest.mark.slow
@pytest.mark.parametrize("koebako", ["installed"], indirect=True)
@pytest.mark.parametrize("arguments", [["voices", "add", "--accept-licence"], ["lab", "inspect"], ["lab", "verify"]], ids=" ".join)
def test_a_strangers_voice_is_opened_in_a_confined_child(koebako: Run, tiny_models: Path, arguments: list[str]) -> None:
    koebako(*arguments, tiny_models / "jp-extra-tiny-2spk" / "model.aivmx")


@pytest.mark.slow
@pytest.mark.parametrize("koebako", ["installed"], indirect=True)
def test_the_machine_is_tried_with_children_and_a_window(koebako: Run, tmp_path: Path) -> None:
    koebako("selftest", "--report", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["window"]["ok"], report["window"]
    assert report["backends"][0]["ok"]
