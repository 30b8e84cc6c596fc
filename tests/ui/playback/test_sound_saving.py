"""Saving: one line, all lines, and all in one."""

from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.common import language
from app.core.script.script import Line, LineSettings, Script
from app.ui.playback import sound_saving
from app.voices.voice_labels import format_style
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

TEXTS = ("雨が降る。", " ", "雪が積もる。")
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window()
    window.document.reset_script(Script(tuple(Line(text, id=text) for text in TEXTS)))
    window.script.select_lines([TEXTS[2]])
    window.script.setFocus()
    return window


def answer(monkeypatch: pytest.MonkeyPatch, file: Path) -> list[str]:
    """Answers the dialog; the list is what it suggested."""
    suggested: list[str] = []

    def ask(_parent: object, _title: str, start: str, _kinds: str, _first: str) -> tuple[str, str]:
        suggested.append(Path(start).name)
        return str(file), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    return suggested


def test_e_saves_the_selected_line(qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suggested = answer(monkeypatch, tmp_path / "a.flac")
    qtbot.keyClick(window.script, Qt.Key.Key_E)
    wait_idle(qtbot, window)
    assert suggested == ["雪が積もる.wav"]
    assert soundfile.info(tmp_path / "a.flac").duration > 0.5
    assert window.banner.message.text() == "Exported: a.flac"
    qtbot.keyClick(window.script, Qt.Key.Key_E)
    wait_idle(qtbot, window)
    assert suggested[1] == "雪が積もる.flac", "the kind is remembered"
    assert window.settings.value.save_suffix == ".flac"


def test_every_line_is_saved_into_its_own_file(qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    suggested = answer(monkeypatch, folder / "$number$_$text$.mp3")
    window.window_actions["save_all"].trigger()
    wait_idle(qtbot, window)
    assert suggested == ["$number$_$text$.wav"]
    assert sorted(file.name for file in folder.iterdir()) == ["001_雨が降る。.mp3", "003_雪が積もる。.mp3"]
    assert window.banner.message.text() == "Exported 2 files."
    window.window_actions["save_all"].trigger()
    wait_idle(qtbot, window)
    assert len(list(folder.iterdir())) == 4, "what is there is not replaced"


def test_joined_is_one_file_as_long_as_all_lines(
    qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, tmp_path / "$number$.wav")
    window.window_actions["save_all"].trigger()
    wait_idle(qtbot, window)
    suggested = answer(monkeypatch, tmp_path / "joined.wav")
    qtbot.keyClick(window, Qt.Key.Key_E, CTRL | Qt.KeyboardModifier.ShiftModifier)
    wait_idle(qtbot, window)
    assert suggested == ["雨が降る.wav"]
    window.project.path = tmp_path / "物語.koebako"
    window.window_actions["save_joined"].trigger()
    wait_idle(qtbot, window)
    assert suggested[1] == "物語.wav"
    single = [soundfile.info(tmp_path / f"{number}.wav").frames for number in ("001", "003")]
    assert soundfile.info(tmp_path / "joined.wav").frames == sum(single)


def test_a_pause_of_a_line_is_in_the_joined_file(
    qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, tmp_path / "plain.wav")
    window.window_actions["save_joined"].trigger()
    wait_idle(qtbot, window)
    window.script.select_lines([window.lines[0].id])
    window.side.line_pause.number.setValue(3.0)
    answer(monkeypatch, tmp_path / "joined.wav")
    window.window_actions["save_joined"].trigger()
    wait_idle(qtbot, window)
    plain, paused = soundfile.info(tmp_path / "plain.wav"), soundfile.info(tmp_path / "joined.wav")
    assert paused.frames - plain.frames == round(2.8 * plain.samplerate), "3 s in place of twice 0.1 s"


def test_a_line_without_anything_to_read_is_silent_among_others_and_an_error_alone(
    qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.document.reset_script(Script((Line("……", id="a"), Line("雪。", id="b"))))
    answer(monkeypatch, tmp_path / "$number$.wav")
    window.window_actions["save_all"].trigger()
    wait_idle(qtbot, window)
    silent, rate = soundfile.read(tmp_path / "001.wav")
    assert (len(silent) / rate, silent.any()) == (pytest.approx(0.2), False)
    answer(monkeypatch, tmp_path / "joined.wav")
    window.window_actions["save_joined"].trigger()
    wait_idle(qtbot, window)
    assert soundfile.info(tmp_path / "joined.wav").frames == len(silent) + soundfile.info(tmp_path / "002.wav").frames
    window.script.select_lines(["a"])
    answer(monkeypatch, tmp_path / "alone.wav")
    window.window_actions["save_line"].trigger()
    wait_idle(qtbot, window)
    assert not (tmp_path / "alone.wav").exists()
    assert "nothing in this text" in window.banner.message.text()


def test_where_one_file_cannot_be_written_the_others_are_not_tried(
    qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, tmp_path / "none" / "$number$.wav")
    failures = []
    window.controller.failed.connect(failures.append)
    window.window_actions["save_all"].trigger()
    wait_idle(qtbot, window)
    assert len(failures) <= 2
    assert "001.wav" in failures[0].error.message


def test_nothing_to_save_is_told(qtbot: QtBot, window: WindowDriver) -> None:
    window.script.select_lines([TEXTS[1]])
    qtbot.keyClick(window.script, Qt.Key.Key_E)
    assert "empty" in window.banner.message.text()


def test_many_files_can_be_given_up(qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 20
    window.document.reset_script(Script(tuple(Line(f"{number}{long}") for number in range(5))))
    folder = tmp_path / "out"
    folder.mkdir()
    answer(monkeypatch, folder / "a.wav")
    window.window_actions["save_all"].trigger()
    qtbot.waitUntil(lambda: any(folder.iterdir()), timeout=WAIT_MS)
    window.transport.save.click()
    wait_idle(qtbot, window)
    assert not [file for file in folder.iterdir() if file.suffix != ".wav"], "nothing half-written"
    assert len(list(folder.iterdir())) < 5


def test_the_folder_can_be_opened_and_progress_is_shown(
    qtbot: QtBot, window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    monkeypatch.setattr(sound_saving, "PROGRESS_DELAY_S", 0.0)
    shown: list[str] = []
    window.saving.reported.connect(lambda report: shown.append(report.message))
    answer(monkeypatch, tmp_path / "a.wav")
    window.window_actions["save_joined"].trigger()
    qtbot.waitUntil(lambda: window.banner.message.text() == "Exported: a.wav", timeout=WAIT_MS)
    shares = [int(message.removeprefix("Exporting… ").removesuffix("%")) for message in shown if message.startswith("Exporting")]
    assert shares
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 100
    press_action(window.banner, "Open folder")
    assert opened == [str(tmp_path)]


def test_names_of_files_say_the_style_as_the_window_does(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = LineSettings(style="Happy")
    assert window.catalog.describe_speaker(settings).style == "Happy"
    monkeypatch.setattr(language, "_current", "ja")
    assert window.catalog.describe_speaker(settings).style == format_style("Happy") != "Happy"
    assert window.catalog.describe_speaker(LineSettings(voice="gone", style="Happy")).voice == "gone"
