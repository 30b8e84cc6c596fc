"""The checks' other user: may not write where the program lies, and has Wine's files under a name of their own."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from bundle.other_user import closed_to_writing, lent_prefix
from bundle.program import Program
from bundle.smoke_places import far_away, read_only

if sys.platform != "linux":
    pytest.skip("users and modes of Linux, which Wine runs on", allow_module_level=True)

SPEAKS = """#!/bin/sh
touch "$(dirname "$0")/cache" 2> /dev/null && [ -n "$MUST_NOT" ] && exit 9
for last; do :; done
cp "{sound}" "$last"
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="koebako-other-") as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def test_the_program_speaks_where_it_may_not_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks, sound = folder / "checks", folder / "checks" / "bundle.wav"
    checks.mkdir()
    soundfile.write(sound, np.full(100, 0.1, np.float32), 44_100)
    (folder / "Koebako").mkdir()
    script = folder / "Koebako" / "koebako-cli"
    script.write_text(SPEAKS.format(sound=sound), encoding="utf-8")
    script.chmod(0o755)
    program = Program(folder / "Koebako")
    far_away(program, checks)
    monkeypatch.setenv("MUST_NOT", "write")
    told = read_only(program, checks)
    if told.startswith("skipped"):
        pytest.skip(told)
    assert told == "the same sound (0e+00)"
    (folder / "Koebako" / "cache").unlink(missing_ok=True)
    with pytest.raises(AssertionError, match="exit code 9"):  # the same program where it may write
        far_away(program, folder / "checks" / "声箱 のフォルダー")


def test_a_folder_is_open_again_afterwards(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with closed_to_writing(tmp_path):
        assert (tmp_path / "inner").stat().st_mode & 0o222 == 0
    assert (tmp_path / "inner").stat().st_mode & 0o200


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_a_lent_prefix_has_the_same_files_and_a_registry_of_its_own(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    system = prefix / "drive_c" / "windows"
    system.mkdir(parents=True)
    for file in (system / "kernel32.dll", prefix / "user.reg", prefix / "wineserver"):
        file.write_text(file.name, encoding="ascii")
    (prefix / "drive").symlink_to("/")
    with lent_prefix(prefix, tmp_path / "lent", os.getuid()) as lent:
        (lent / "user.reg").write_text("changed", encoding="ascii")
        assert (lent / "drive_c" / "windows" / "kernel32.dll").samefile(system / "kernel32.dll")
        assert (lent / "drive").is_symlink()
        assert not (lent / "wineserver").exists()  # it would lead to a server that serves somebody else
    assert (prefix / "user.reg").read_text(encoding="ascii") == "user.reg"
