"""What the workflows ask for is there: files, targets, commands, versions of Python."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}


def program(name: str) -> ModuleType:
    """A program of packaging/ as a module."""
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", ROOT / "packaging" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["test.yml", "release.yml"])
def test_every_file_and_target_is_there(name: str) -> None:
    text = WORKFLOWS[name]
    files = set(re.findall(r"\bpackaging/[\w./-]+\w", text))
    assert len(files) > 1
    assert [file for file in sorted(files) if not (ROOT / file).exists()] == []
    asked = set(re.findall(r"build\.py ([\w-]+)", text)) | set(re.findall(r"target: (\w+)", text))
    assert {"linux", "windows", "zip"} <= asked <= set(program("build").TARGETS)
    assert set(re.findall(r"dev\.py (\w+)", text)) <= {"libraries", "test"}
    assert "libraries" in (ROOT / "packaging" / "dev.py").read_text(encoding="utf-8")


def test_only_pythons_that_the_program_supports_are_taken() -> None:
    supported = SpecifierSet(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"])
    versions = [version for text in WORKFLOWS.values() for version in re.findall(r'python(?:-version)?: "([\d.]+)"', text)]
    assert len(versions) > 5
    assert [version for version in versions if f"{version}.1" not in supported] == []


def test_each_route_of_signing_waits_for_its_secret_and_signs_before_and_after_the_installer() -> None:
    jobs = yaml.safe_load(WORKFLOWS["release.yml"])["jobs"]
    steps = jobs["windows"]["steps"]
    installer = next(number for number, step in enumerate(steps) if step.get("run", "").endswith(" installer"))
    for route, action in (("Azure", "azure/artifact-signing-action@"), ("SignPath", "signpath/github-action-submit-signing-request@")):
        signing = [number for number, step in enumerate(steps) if step.get("uses", "").startswith(action)]
        assert len(signing) == 2
        assert signing[0] < installer < signing[1]
        assert all(steps[number]["if"] == f"env.KOEBAKO_SIGNING == '{route}'" for number in signing)
    of_secrets = [step for step in steps if "secrets." in str(step)]
    assert all("KOEBAKO_SIGNING" in step["if"] for step in of_secrets)
    order = [next(number for number, step in enumerate(steps) if step.get("run", "").endswith(f" {name}")) for name in ORDER]
    assert order == sorted(order)


ORDER = ("windows", "uninstaller", "installer", "signatures", "msix", "zip", "manifests")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_and_rights_are_the_least(name: str) -> None:
    used = re.findall(r"uses: (\S+)( # v[\d.]+)?$", WORKFLOWS[name], re.MULTILINE)
    assert used
    assert len(used) == WORKFLOWS[name].count("uses:")
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) and version for action, version in used)
    parsed = yaml.safe_load(WORKFLOWS[name])
    assert parsed["permissions"] == {}
    assert parsed["concurrency"]["group"]
    for job in parsed["jobs"].values():
        written = {scope for scope, right in job["permissions"].items() if right == "write"}
        assert job["permissions"]["contents"] == ("write" if "gh release create" in str(job) else "read")
        assert written <= {"contents", "id-token", "attestations"}
        assert job["timeout-minutes"]
        assert all(step["with"]["persist-credentials"] is False for step in job["steps"] if "checkout@" in step.get("uses", ""))
        assert all(step.get("shell", "bash") != "pwsh" for step in job["steps"])


def test_one_version_of_an_action_is_pinned_everywhere() -> None:
    pins = {tuple(pin.split("@")) for text in WORKFLOWS.values() for pin in re.findall(r"uses: (\S+)", text)}
    assert len(pins) == len({action for action, _ in pins})


def test_nothing_runs_there_that_is_not_tried_here() -> None:
    """NSIS itself comes with what else Wine needs."""
    asked = {word for text in WORKFLOWS.values() for word in re.findall(r"build\.py ([\w-]+)", text)}
    tried = (ROOT / "packaging" / "dev.py").read_text(encoding="utf-8")
    assert [word for word in asked if f'"{word}"' not in tried] == []


def test_zizmor_finds_nothing() -> None:
    tool = shutil.which("zizmor", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if tool is None:
        pytest.skip("zizmor is not installed: pip install zizmor")
    found = subprocess.run(
        [tool, "--offline", "--quiet", str(ROOT / ".github" / "workflows")], capture_output=True, encoding="utf-8", check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
