"""Waveforms and lengths are there again after a restart."""

import json
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import change_settings
from app.ui.reading.line_sounds import locate_line_sounds_file
from app.ui.script.autosave import locate_autosave_file
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, write
from tests.ui.window_driver import WindowDriver

TEXT = "今日はとてもいい天気です。"


def ids(window: WindowDriver) -> list[str]:
    return [line.id for line in window.lines]


@pytest.mark.parametrize("locked", [True, False])
def test_a_line_shows_its_waveform_again(qtbot: QtBot, open_window: OpenWindow, locked: bool) -> None:
    window = open_window()
    write(window, TEXT)
    (line_id,) = ids(window)
    window.document.apply_edit("test", change_settings(window.document.script, [line_id], seed_locked=locked))
    speak(qtbot, window)
    sound, length_s = window.strip.sounds.find_sound(line_id), window.model.find_state(line_id).last_rendering
    assert sound is not None
    assert length_s is not None
    assert sound.is_whole
    qtbot.waitUntil(lambda: bool(sound.pitches_hz), timeout=WAIT_MS)
    assert sound.spoken_s == pytest.approx(length_s.length_s, abs=0.01)
    window.close()
    assert locate_line_sounds_file().stat().st_mode & 0o077 == 0 or locate_line_sounds_file().drive

    again = open_window()
    qtbot.waitUntil(lambda: again.strip.sounds.find_sound(line_id) is not None, timeout=WAIT_MS)
    (line,) = again.lines
    assert again.strip.sounds.is_current(line)
    found = again.strip.sounds.find_sound(line_id)
    assert found is not None
    assert np.abs(found.peaks - sound.peaks).max() < 0.01
    strip = again.phone_strip
    qtbot.waitUntil(lambda: strip.shape is not None and strip.shape.axis.is_timed, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: again.melody_lane.shape is not None and again.melody_lane.shape.melody.is_measured, timeout=WAIT_MS)
    take = again.model.find_state(line_id).last_rendering
    assert take is not None
    assert take.length_s == pytest.approx(sound.spoken_s)
    assert again.model.find_state(line_id).is_done(line)


def reopened(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    """A window that has read what was kept."""
    window = open_window()
    with qtbot.waitSignal(window.kept_sounds.loaded, timeout=WAIT_MS):
        window.kept_sounds.load_sounds()
    return window


def test_a_line_that_was_changed_and_a_damaged_file_show_nothing(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    speak(qtbot, window)
    window.close()
    kept, script = locate_line_sounds_file().read_bytes(), locate_autosave_file().read_text(encoding="utf-8")
    locate_autosave_file().write_text(script.replace(TEXT, "はい。"), encoding="utf-8")
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find_sound(ids(window)[0]) is None
    window.close()
    locate_autosave_file().write_text(script, encoding="utf-8")
    locate_line_sounds_file().write_text('{"version": 1, "lines": [{"line": 3}]}')
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find_sound(ids(window)[0]) is None
    assert window.notice.isHidden()
    window.close()
    locate_autosave_file().write_text(script, encoding="utf-8")
    locate_line_sounds_file().write_bytes(kept)
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find_sound(ids(window)[0]) is not None
    window.close()
    locate_autosave_file().write_text(script, encoding="utf-8")
    data = json.loads(kept)
    data["lines"][0]["recipe"] += 1
    locate_line_sounds_file().write_text(json.dumps(data), encoding="utf-8")
    window = reopened(qtbot, open_window)
    assert window.strip.sounds.find_sound(ids(window)[0]) is None, "the voice was prepared by another recipe since"


def test_what_a_voice_said_before_it_was_prepared_again_is_shown_no_longer(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    speak(qtbot, window)
    (line_id,) = ids(window)
    sound = window.strip.sounds.find_sound(line_id)
    assert sound is not None
    qtbot.waitUntil(lambda: bool(sound.pitches_hz), timeout=WAIT_MS)
    voice = window.controller.voices[""]
    assert sound.recipe == voice.recipe
    window.controller.voice_opened.emit(voice)
    assert window.strip.sounds.find_sound(line_id) is sound
    window.controller.voice_opened.emit(replace(voice, recipe=voice.recipe + 1))
    assert window.strip.sounds.find_sound(line_id) is None
    assert window.model.find_state(line_id).last_rendering is None
    assert line_id not in window.strip.pitches._pitches
