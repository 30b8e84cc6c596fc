"""The current folder is in no place where code is looked for."""

import os
import sys
from pathlib import Path

import pytest

from app.common.processes import search_paths
from app.common.processes.search_paths import PATH_LIST_VARIABLES, SINGLE_PATH_VARIABLES, remove_current_folder

FIXED = str(Path(sys.prefix).absolute())


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables and Python's path are given back."""
    for name in (*PATH_LIST_VARIABLES, *SINGLE_PATH_VARIABLES, "NODEFAULTCURRENTDIRECTORYINEXEPATH"):
        monkeypatch.setenv(name, "")
        if name != "PATH":
            monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize("name", PATH_LIST_VARIABLES)
@pytest.mark.parametrize("entries", [["", FIXED], [FIXED, ""], [".", FIXED, "bin"], ["..", "", FIXED, "~/bin"]])
def test_of_a_row_the_fixed_folders_stay(name: str, entries: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, os.pathsep.join(entries))
    remove_current_folder()
    assert os.environ[name] == FIXED


@pytest.mark.parametrize("value", ["", ".", "bin", os.pathsep])
def test_what_was_relative_alone_is_gone(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PATH_LIST_VARIABLES, *SINGLE_PATH_VARIABLES):
        monkeypatch.setenv(name, value)
    remove_current_folder()
    assert not [name for name in (*PATH_LIST_VARIABLES, *SINGLE_PATH_VARIABLES) if name != "PATH" and name in os.environ]
    assert all(Path(entry).is_absolute() for entry in os.environ.get("PATH", FIXED).split(os.pathsep))


def test_a_fixed_place_stays_and_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATH", *SINGLE_PATH_VARIABLES):
        monkeypatch.setenv(name, FIXED)
    remove_current_folder()
    assert {name: os.environ.get(name) for name in (*PATH_LIST_VARIABLES, *SINGLE_PATH_VARIABLES)} == dict.fromkeys(
        PATH_LIST_VARIABLES
    ) | dict.fromkeys(("PATH", *SINGLE_PATH_VARIABLES), FIXED)


def test_modules_are_not_looked_for_either(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "lib", FIXED]))
    before = list(sys.path)
    sys.path[:0] = [str(tmp_path), str(tmp_path / "lib"), FIXED]
    remove_current_folder()
    assert sys.path == [FIXED, *before]


def test_the_programs_own_folder_may_be_the_current_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(search_paths, "PROGRAM_FOLDER", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", FIXED]))
    sys.path.insert(0, str(tmp_path))
    before = list(sys.path)
    remove_current_folder()
    assert sys.path == before


def test_windows_searches_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform != "win32":
        pytest.skip("only Windows searches the current folder unasked")
    import ctypes

    remove_current_folder()
    kernel = ctypes.windll.kernel32
    assert not kernel.NeedCurrentDirectoryForExePathW("program.exe")
    (tmp_path / "koebako_test.dll").write_bytes(Path(sys.executable).with_name("python3.dll").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert not kernel.LoadLibraryW("koebako_test.dll")
