"""Waveforms and lengths are there again after a restart."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.script import change
from app.ui.reading.kept_sounds import sounds_path
from app.ui.script.autosave import autosave_path
from app.ui.shell.window import MainWindow
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, write

TEXT = "今日はとてもいい天気です。"


def ids(window: MainWindow) -> list[str]:
    return [line.id for line in window.document.script.lines]


@pytest.mark.parametrize("locked", [True, False])
def test_a_line_shows_its_waveform_again(qtbot: QtBot, open_window: OpenWindow, locked: bool) -> None:
    window = open_window()
    write(window, TEXT)
    (line_id,) = ids(window)
    window.document.edit("test", change(window.document.script, [line_id], seed_locked=locked))
    speak(qtbot, window)
    sound, length_s = window.strip.sounds.find(line_id), window.model.state(line_id).take
    assert sound is not None
    assert length_s is not None
    assert sound.is_whole
    assert sound.spoken_s == pytest.approx(length_s.length_s, abs=0.01)
    window.close()
    assert sounds_path().stat().st_mode & 0o077 == 0 or sounds_path().drive

    again = open_window()
    qtbot.waitUntil(lambda: again.strip.sounds.find(line_id) is not None, timeout=WAIT_MS)
    (line,) = again.document.script.lines
    assert again.strip.sounds.is_current(line)
    found = again.strip.sounds.find(line_id)
    assert found is not None
    assert np.abs(found.peaks - sound.peaks).max() < 0.01
    strip = again.strip.panel.strip
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.timed, timeout=WAIT_MS)
    take = again.model.state(line_id).take
    assert take is not None
    assert take.length_s == pytest.approx(sound.spoken_s)
    assert again.model.state(line_id).is_done(line)


def reopened(qtbot: QtBot, open_window: OpenWindow) -> MainWindow:
    """A window that has read what was kept."""
    window = open_window()
    with qtbot.waitSignal(window.kept_sounds.loaded, timeout=WAIT_MS):
        window.kept_sounds.load()
    return window


def test_a_line_that_was_changed_and_a_damaged_file_show_nothing(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    speak(qtbot, window)
    window.close()
    kept, script = sounds_path().read_bytes(), autosave_path().read_text(encoding="utf-8")
    autosave_path().write_text(script.replace(TEXT, "はい。"), encoding="utf-8")
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find(ids(window)[0]) is None
    window.close()
    autosave_path().write_text(script, encoding="utf-8")
    sounds_path().write_text('{"version": 1, "lines": [{"line": 3}]}')
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find(ids(window)[0]) is None
    assert window.notice.isHidden()
    window.close()
    autosave_path().write_text(script, encoding="utf-8")
    sounds_path().write_bytes(kept)
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find(ids(window)[0]) is not None
