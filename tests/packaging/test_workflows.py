"""What the workflows ask for is there: files, targets, commands, versions of Python."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
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
    assert [file for file in sorted(files) if not (ROOT / file).is_file()] == []
    asked = set(re.findall(r"build\.py (\w+)", text)) | set(re.findall(r"target: (\w+)", text))
    assert {"linux", "windows", "zip"} <= asked <= set(program("build").TARGETS)
    assert set(re.findall(r"dev\.py (\w+)", text)) <= {"libraries", "test"}
    assert "libraries" in (ROOT / "packaging" / "dev.py").read_text(encoding="utf-8")


def test_only_pythons_that_the_program_supports_are_taken() -> None:
    supported = SpecifierSet(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"])
    versions = [version for text in WORKFLOWS.values() for version in re.findall(r'python(?:-version)?: "([\d.]+)"', text)]
    assert len(versions) > 5
    assert [version for version in versions if f"{version}.1" not in supported] == []


def test_nothing_is_signed_without_a_certificate() -> None:
    steps = re.split(r"\n      - ", WORKFLOWS["release.yml"])
    signing = [step for step in steps if "sign.ps1" in step]
    assert len(signing) == 2
    assert all("if: env.SIGN_PFX != ''" in step for step in signing)
