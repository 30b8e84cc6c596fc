"""Saving sound where it goes wrong: voices that are missing, disks that are full or protected, names that are taken, work that is stopped."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, LineSettings, Script
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.playback.test_sound_saving import answer
from tests.ui.window_driver import WindowDriver

TEXTS = ("雨が降る。", "雪が積もる。", "風が吹く。")
LONG = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 20


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window()
    show(window, *(Line(text, id=text) for text in TEXTS))
    return window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "out"
    made.mkdir()
    return made


def show(window: WindowDriver, *lines: Line) -> None:
    window.document.reset_script(Script(lines))
    window.script.select_lines([lines[0].id])
    window.script.setFocus()


def save(qtbot: QtBot, window: WindowDriver, deed: str = "save_line") -> None:
    window.window_actions[deed].trigger()
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: not window.saving.wanted, timeout=WAIT_MS)


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def test_each_kind_for_one_for_all_and_for_all_in_one(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for suffix in (".wav", ".flac", ".mp3", ".ogg", ".opus"):
        place = folder / suffix
        place.mkdir()
        answer(monkeypatch, place / f"one{suffix}")
        save(qtbot, window)
        answer(monkeypatch, place / f"all{suffix}")
        save(qtbot, window, "save_all")
        answer(monkeypatch, place / f"joined{suffix}")
        save(qtbot, window, "save_joined")
        assert names(place) == sorted([f"one{suffix}", f"joined{suffix}", *(f"all_00{number}{suffix}" for number in (1, 2, 3))])
        lengths = {file.stem: soundfile.info(file).duration for file in place.iterdir()}
        assert lengths["one"] == lengths["all_001"] > 0.5
        assert lengths["joined"] == pytest.approx(sum(lengths[f"all_00{number}"] for number in (1, 2, 3)), abs=0.3)


def test_a_kind_we_cannot_write_is_told_with_those_we_can(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, folder / "a.m4a")
    save(qtbot, window)
    assert names(folder) == []
    assert window.banner.isVisible()
    assert "a.m4a" in window.banner.message.text()
    assert ".mp3" in window.banner.hint.text()


def test_a_name_without_a_kind_gets_one_and_replaces_nothing(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "title 2.5.wav").write_bytes(b"another sound")
    answer(monkeypatch, folder / "title 2.5")
    save(qtbot, window)
    assert names(folder) == ["title 2.5 2.wav", "title 2.5.wav"]
    assert (folder / "title 2.5.wav").read_bytes() == b"another sound", "the dialog has not asked about this name"


def test_what_the_user_agreed_to_replace_is_whole_at_every_moment(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "a.wav"
    file.write_bytes(b"before")
    show(window, Line(LONG))
    answer(monkeypatch, file)
    window.window_actions["save_line"].trigger()
    qtbot.waitUntil(lambda: len(names(folder)) == 2, timeout=WAIT_MS)
    assert file.read_bytes() == b"before"
    window.transport.save.click()  # which stops
    wait_idle(qtbot, window)
    assert names(folder) == ["a.wav"]
    assert file.read_bytes() == b"before"
    assert "stopped" in window.banner.message.text()
    save(qtbot, window)
    assert soundfile.info(file).duration > 10


def test_lines_whose_voice_is_missing_are_told_at_the_end(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = LineSettings(voice="gone")
    show(window, Line("雨。"), Line("雪。", gone), Line("風。"), Line("月。", gone), Line("花。"))
    answer(monkeypatch, folder / "a.wav")
    save(qtbot, window, "save_all")
    assert names(folder) == ["a_001.wav", "a_003.wav", "a_005.wav"]
    qtbot.waitUntil(lambda: window.banner.message.text() == "Exported 3 of 5 files.", timeout=WAIT_MS)
    assert window.banner.property("error")
    hint = window.banner.hint.text()
    assert hint.startswith("a_002.wav: ")
    assert "The voice for this line is missing." in hint
    assert "gone" not in hint
    assert "1 more" in hint
    assert "koebako " not in hint


def test_joined_is_nothing_without_one_of_its_voices(
    qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(window, Line("雨。"), Line("雪。", LineSettings(voice="gone")))
    answer(monkeypatch, folder / "a.wav")
    save(qtbot, window, "save_joined")
    assert names(folder) == []
    assert window.banner.message.text() == "The voice for this line is missing."
    assert "koebako " not in window.banner.hint.text()


@pytest.fixture
def full_disk(folder: Path) -> Iterator[Path]:
    """A disk of 200 kB, which two seconds of sound fill."""
    with mounted(folder, "size=200k"):
        yield folder


@pytest.fixture
def protected(folder: Path) -> Iterator[Path]:
    """A folder nobody may write into, the administrator included."""
    with mounted(folder, "ro"):
        yield folder


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A disk of its own at a folder; the test is skipped where none can be made."""
    if not sys.platform.startswith("linux") or shutil.which("mount") is None:
        pytest.skip("needs mount")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("a disk can only be made as root")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_a_disk_that_fills_up_keeps_what_was_complete(
    qtbot: QtBot, window: WindowDriver, full_disk: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    show(window, Line("雨。"), Line(LONG), Line("風。"), Line("花。"))
    answer(monkeypatch, full_disk / f"a{suffix}")
    save(qtbot, window, "save_all")
    complete = names(full_disk)
    assert complete[0] == f"a_001{suffix}"
    assert f"a_002{suffix}" not in complete
    assert all(soundfile.info(full_disk / name).duration > 0.2 for name in complete)
    qtbot.waitUntil(lambda: window.banner.message.text() == f"Exported {len(complete)} of 4 files.", timeout=WAIT_MS)
    assert "full" in window.banner.hint.text()
    save(qtbot, window, "save_joined")
    assert names(full_disk) == complete
    assert "full" in window.banner.message.text()


def test_a_protected_folder_is_told_at_once(qtbot: QtBot, window: WindowDriver, protected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, protected / "a.mp3")
    save(qtbot, window)
    assert "read-only" in window.banner.message.text()
    assert window.banner.hint.text()
    assert names(protected) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_of_somebody_else_is_told(qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.chmod(0o555)
    answer(monkeypatch, folder / "a.wav")
    save(qtbot, window)
    assert "not writable" in window.banner.message.text()


def test_all_lines_twice_in_a_row_are_all_there(qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second wish comes while the first is written: its names are taken, though no such files are there yet."""
    answer(monkeypatch, folder / "a.wav")
    window.window_actions["save_all"].trigger()
    save(qtbot, window, "save_all")
    assert len(names(folder)) == 6
    assert window.banner.message.text() == "Exported 6 files."
