"""What the tests under Wine tell of themselves."""

import re
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle import wine_tests
from bundle.command import PROJECT

if TYPE_CHECKING:
    from bundle.wine import Wine
else:  # which needs pefile
    Wine = object

PRINTED = """\
....s                                          [100%]
============================= slowest 8 durations =============================
4 passed, 1 skipped in 255.80s (0:04:15)
"""


class FakeWine(Wine):
    """Prints what pytest prints, and remembers what it was asked for, and for how long."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.python = folder, Path("python.exe")
        self.commands: list[Sequence[str | Path]] = []
        self.timeouts_s: list[float] = []

    def run(self, command: Sequence[str | Path], timeout_s: float, env: Mapping[str, str] | None = None) -> str:
        """Pretends to run a Windows program."""
        self.commands.append(command)
        self.timeouts_s.append(timeout_s)
        return PRINTED


@pytest.fixture
def wine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeWine:
    """Without any package to install."""
    monkeypatch.setattr(wine_tests, "_packages", lambda wine: wine.folder)
    return FakeWine(tmp_path)


def test_every_folder_is_run_or_told(wine: FakeWine, capsys: pytest.CaptureFixture[str]) -> None:
    wine_tests.run_tests(wine)
    printed = capsys.readouterr().out
    assert printed.count("4 passed, 1 skipped") == len(wine_tests.runs())
    assert f"all of them: {4 * len(wine_tests.runs())} passed, {len(wine_tests.runs())} skipped" in printed
    folders = {path.name for path in Path(__file__).parents[1].iterdir() if path.is_dir() and any(path.rglob("test_*.py"))}
    assert folders <= {*wine_tests.FOLDERS, *wine_tests.LEFT_OUT}
    asked = [str(word) for command in wine.commands for word in command]
    assert "tests/test_paths.py" in asked
    assert "tests/install" in asked


def test_every_plugin_of_pytest_is_there() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {re.split(r"[>=]", item)[0] for item in project["project"]["optional-dependencies"]["dev"] if item.startswith("pytest")}
    pinned = wine_tests.REQUIREMENTS.read_text(encoding="utf-8")
    assert wanted
    assert wanted <= set(re.findall(r"^([\w-]+)==", pinned, re.MULTILINE))


def test_what_there_was_no_time_for_is_told(wine: FakeWine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wine_tests, "LONGEST_S", -1)
    wine_tests.run_tests(wine)
    assert not wine.commands
    assert "SKIPPED  tests/install, tests/adapters" in capsys.readouterr().out


def test_the_caller_may_give_more_time_or_less(wine: FakeWine, capsys: pytest.CaptureFixture[str]) -> None:
    wine_tests.run_tests(wine, time.time() - 1)
    assert not wine.commands
    wine_tests.run_tests(wine, time.time() + 3_600)
    assert len(wine.commands) == len(wine_tests.runs())
    assert 3_500 < min(wine.timeouts_s) <= 3_600
    assert capsys.readouterr().out.count("no time left") == 1


def test_a_folder_that_fails_does_not_hide_the_others(
    wine: FakeWine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: Sequence[str | Path], timeout_s: float, env: Mapping[str, str] | None = None) -> str:
        if "tests/cli" in command:
            sys.exit("one is wrong")
        return PRINTED

    monkeypatch.setattr(wine, "run", run)
    with pytest.raises(SystemExit, match=r"Tests failed under Wine: tests/cli$"):
        wine_tests.run_tests(wine)
    printed = capsys.readouterr().out
    assert "FAILED  tests/cli: one is wrong" in printed
    assert printed.count("  ok  ") == len(wine_tests.runs()) - 1
