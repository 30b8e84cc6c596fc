"""The program starts itself: frozen, installed, or from a checkout."""

import sys
from pathlib import Path

import pytest

from app.common.processes import launch


def test_a_frozen_program_has_an_executable_for_each_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    for name in ("Koebako.exe", "koebako-cli.exe"):
        monkeypatch.setattr(sys, "executable", str(tmp_path / name))
        assert launch.build_cli_command() == [str(tmp_path / "koebako-cli.exe")]
        assert launch.build_window_command() == [str(tmp_path / "Koebako.exe")]
