"""Sounds that are there already are heard through the same lane as lines."""

import numpy as np
from pytestqt.qtbot import QtBot

from app.audition.parallel_sounds import MAX_PARALLEL_QUEUED_S, ParallelSounds
from app.core.synthesis_types import Float32
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import OpenWindow, wait_idle

RATE = 44_100


def tone(hz: float, length_s: float) -> Float32:
    return np.asarray(0.5 * np.sin(2 * np.pi * hz * np.arange(round(length_s * RATE)) / RATE), np.float32)


def test_one_sound_is_heard_as_it_is(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    sound = tone(440, 2.5)
    heard: list[object] = []
    window.controller.speech_played.connect(heard.append)
    job = window.controller.play_sounds(ParallelSounds([sound], RATE), source="a take")
    wait_idle(qtbot, window)
    assert np.array_equal(player.sound(job.request.id), sound)
    assert heard == [job]
    assert not window.history.utterances, "nothing was computed, so there is nothing to measure"


def test_two_are_heard_in_turn_at_their_gains_and_switched_at_once() -> None:
    low, high = tone(220, 0.5), tone(880, 0.3)
    pair = ParallelSounds([low, high], RATE, (1.0, 0.5))
    blocks = list(pair.iterate_chunks("r", lambda: 0.0, lambda: False))
    assert [chunk.last for chunk in blocks] == [False] * (len(blocks) - 1) + [True]
    whole = np.concatenate([chunk.samples for chunk in blocks])
    assert len(whole) == 2 * len(low), "side by side: the shorter one ends in silence"
    assert np.array_equal(whole[: len(low)], low)
    fade = round(0.02 * RATE)
    assert np.allclose(whole[len(low) + fade : len(low) + len(high)], 0.5 * high[fade:], atol=1e-6)
    pair = ParallelSounds([low, high], RATE)
    heard = list[Float32]()
    for chunk in pair.iterate_chunks("r", lambda: 0.0, lambda: False):
        heard.append(chunk.samples)
        if len(heard) == 5:
            pair.switch_sound()
    whole = np.concatenate(heard)
    place = 5 * round(0.02 * RATE) + fade
    assert np.allclose(whole[place : len(high)], high[place:], atol=1e-6), "from the same place on"


def test_one_round_ends_with_the_sound_that_was_wanted_last() -> None:
    low, high = tone(220, 0.5), tone(880, 0.3)
    once = ParallelSounds([low, high], RATE, first_index=1, rounds=1)
    assert once.length_s == 0.5
    blocks = list(once.iterate_chunks("r", lambda: 0.0, lambda: False))
    heard = np.concatenate([chunk.samples for chunk in blocks])
    assert np.array_equal(heard[: len(high)], high), "nothing of the first sound is heard before it"
    assert len(heard) == len(low)
    assert not heard[len(high) :].any()
    assert [chunk.last for chunk in blocks] == [False] * (len(blocks) - 1) + [True]
    assert once.wanted == 1, "it switches by itself only where another round follows"


def test_a_stop_silences_them(qtbot: QtBot, open_window: OpenWindow) -> None:
    paced = RecordingPlayer(pace=1.0)
    window = open_window(open_player=lambda _device, _rate: paced)
    pair = ParallelSounds([tone(220, 20), tone(440, 20)], RATE)
    job = window.controller.play_sounds(pair)
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.1)
    assert paced.queued_s < 2 * MAX_PARALLEL_QUEUED_S
    window.play_commands.stop_playing()
    wait_idle(qtbot, window)
    assert job.cancelled.is_set()
    assert not window.speech_state.is_speaking
