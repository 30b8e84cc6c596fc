"""Where things lie: folders left aside by dying processes, Windows' long paths, and data beside a portable program."""

import sys
from pathlib import Path, PureWindowsPath

import platformdirs
import pytest

from app.common.files.paths import (
    HOME_VARIABLE,
    MAX_PLAIN_PATH_CHARS,
    PORTABLE_NAMES,
    build_replaced_path,
    extend_windows_path,
    find_data_dir,
    list_subfolders,
)
from app.install.resolve_source import CACHE_KEY_LENGTH

LONG = "x" * 50


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (r"C:\Users\hana\AppData\Local\Koebako", r"C:\Users\hana\AppData\Local\Koebako"),
        (rf"C:\{LONG}\{LONG}\{LONG}", rf"\\?\C:\{LONG}\{LONG}\{LONG}"),
        (rf"C:/{LONG}/{LONG}/{LONG}", rf"\\?\C:\{LONG}\{LONG}\{LONG}"),
        (rf"\\server\share\{LONG}\{LONG}\{LONG}", rf"\\?\UNC\server\share\{LONG}\{LONG}\{LONG}"),
        (rf"//server/share/{LONG}/{LONG}/{LONG}", rf"\\?\UNC\server\share\{LONG}\{LONG}\{LONG}"),
        (rf"//?/C:/{LONG}/{LONG}/{LONG}", rf"//?/C:/{LONG}/{LONG}/{LONG}"),
        (rf"\\.\pipe\{LONG}\{LONG}\{LONG}", rf"\\.\pipe\{LONG}\{LONG}\{LONG}"),
        (r"\\server\share\Koebako", r"\\server\share\Koebako"),
        (rf"\\?\C:\{LONG}\{LONG}\{LONG}", rf"\\?\C:\{LONG}\{LONG}\{LONG}"),
    ],
)
def test_long_windows_paths_get_the_unlimited_form(path: str, expected: str) -> None:
    assert extend_windows_path(path) == expected
    assert extend_windows_path(expected) == expected
    assert PureWindowsPath(expected).is_absolute()


def test_what_we_make_fits_beside_the_longest_plain_path() -> None:
    """Windows ends at 260; the deepest file of ours is an icon of a voice in a staging folder."""
    voice = max(CACHE_KEY_LENGTH, len("01234567-0123-0123-0123-012345678901-99"))
    deepest = len("\\staging\\" + "f" * 16 + "\\" + "f" * voice + "\\media\\" + "f" * 24 + ".flac")
    assert MAX_PLAIN_PATH_CHARS + deepest < 260


def test_a_folder_left_aside_stands_in_for_its_missing_successor(tmp_path: Path) -> None:
    for name in ("b", ".a.old", ".b.old", ".hidden", "c.old"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("")
    assert [item.name for item in list_subfolders(tmp_path)] == [".a.old", "b", "c.old"]
    assert build_replaced_path(tmp_path / "a").name == ".a.old"
    assert list_subfolders(tmp_path / "missing") == []


@pytest.mark.parametrize("name", PORTABLE_NAMES)
def test_a_portable_program_keeps_its_data_beside_itself(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "Koebako.exe"))
    usual = Path(platformdirs.user_data_dir("Koebako", appauthor=False))
    (tmp_path / name).write_text("")
    assert find_data_dir() == usual, "the Python of a checkout is no program of ours"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert find_data_dir() == tmp_path / "data"
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "elsewhere"))
    assert find_data_dir() == tmp_path / "elsewhere"
    monkeypatch.delenv(HOME_VARIABLE)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    assert find_data_dir() == usual
