"""The level meter tells how loud the samples are that are heard now, and costs next to nothing."""

import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.adapters.portaudio.sample_ring import SampleRing
from app.core.sound.waveform import CEILING
from app.settings.user_settings import Settings
from app.ui.shell.status_line import LIMITED, METER_DELAY_TICKS, METER_FLOOR_DB, QUIET, LevelMeter, convert_to_db
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle

pytestmark = pytest.mark.usefixtures("styled")

RATE = 44_100


def test_the_ring_tells_of_the_next_samples() -> None:
    ring = SampleRing(1000, RATE)
    assert ring.measure_level(100) == (0.0, 0.0)
    ring.begin_request()
    ring.put_samples(np.full(400, 0.5, np.float32))
    ring.put_samples(np.full(400, -0.25, np.float32))
    assert ring.measure_level(400) == pytest.approx((0.5, 0.5))
    ring.fill_output(np.zeros((400, 1), np.float32))
    assert ring.measure_level(1000) == pytest.approx((0.25, 0.25))
    ring.put_samples(np.full(500, 1.0, np.float32))  # around the end of the buffer
    assert ring.measure_level(900) == pytest.approx((1.0, np.sqrt((400 * 0.0625 + 500) / 900)))
    ring.discard_queue()
    assert ring.measure_level(100) == (0.0, 0.0)


def test_decibels() -> None:
    assert (convert_to_db(1.0), convert_to_db(0.1), convert_to_db(0.0), convert_to_db(1e-9)) == (
        0.0,
        pytest.approx(-20.0),
        METER_FLOOR_DB,
        METER_FLOOR_DB,
    )


def test_the_meter_shows_levels_when_they_are_heard_and_falls_slowly(qtbot: QtBot) -> None:
    meter = LevelMeter()
    qtbot.addWidget(meter)
    for _ in range(METER_DELAY_TICKS):
        meter.show_level(1.0, 0.5)
    assert meter.level_db == METER_FLOOR_DB
    meter.show_level(0.0, 0.0)
    assert (meter.peak_db, round(meter.level_db)) == (0.0, -6)
    for _ in range(METER_DELAY_TICKS - 1):
        meter.show_level(0.0, 0.0)
    assert round(meter.level_db) == -6
    meter.show_level(0.0, 0.0)
    assert meter.level_db == METER_FLOOR_DB
    assert -3.0 < meter.peak_db < 0.0
    meter.clear_level()
    assert (meter.level_db, meter.peak_db) == (METER_FLOOR_DB, METER_FLOOR_DB)


def test_red_means_clipping(qtbot: QtBot) -> None:
    meter = LevelMeter()
    qtbot.addWidget(meter)
    meter.resize(100, 14)
    for loudness, color in ((0.3, QUIET), (CEILING, LIMITED)):
        meter.clear_level()
        for _ in range(METER_DELAY_TICKS + 1):
            meter.show_level(loudness, loudness)
        assert meter.grab().toImage().pixelColor(4, 7).name() == color


def test_it_moves_while_a_line_sounds_and_rests_afterwards(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=0.05)  # so slowly that a window of a busy machine sees it
    window = open_window(Settings(text="こんにちは、世界。"), open_player=lambda _device, _rate: player)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.status.level.level_db > -40, timeout=WAIT_MS)
    player.pace = 100.0
    wait_idle(qtbot, window)
    assert window.status.level.level_db == METER_FLOOR_DB


def test_looking_costs_next_to_nothing() -> None:
    ring = SampleRing(30 * RATE, RATE)
    ring.begin_request()
    ring.put_samples(np.ones(20 * RATE, np.float32))
    times = []
    for _ in range(200):
        began = time.perf_counter()
        ring.measure_level(round(0.03 * RATE))
        times.append(time.perf_counter() - began)
    assert np.median(times) < 0.0005, "two hundredths of the time between two pictures"
