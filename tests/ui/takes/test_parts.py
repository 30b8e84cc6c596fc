"""What a take differs in, which sounds must stay, and how much of what was heard is remembered."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from app.core.script.project import create_take, find_sounds, restore_line
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import AudioChunk, Overrides, PauseOverride, SynthesisRequest
from app.engine.synthesis_jobs import SpeechJob
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes import take_repository
from app.ui.takes.take_panel import list_differences
from app.ui.takes.take_repository import MAX_RECENT_PER_LINE, RecentRenderings, build_take_key
from app.ui.takes.take_sounds import _match_loudness

RATE = 44_100


def test_every_setting_but_the_seed_is_a_difference_and_none_is_left_after_going_back() -> None:
    line = Line("はい。", LineSettings(seed=3))
    others: dict[str, Any] = {
        name: value + 0.25 if isinstance(value, float) else (("。", 0.3),) if name == "pauses" else "other"
        for name in LineSettings.__slots__
        if (value := getattr(line.settings, name)) is not None and name not in ("seed", "seed_locked")
    }
    changed = replace(
        line, text="いいえ。", settings=replace(line.settings, **others), overrides=Overrides(pauses=(PauseOverride(0, 0.5),))
    )
    take = create_take(changed)
    found = list_differences(take, line, lambda voice: f"«{voice}»")
    assert len(found) == len(others) + 2, "and text, and reading"
    assert any("«other»" in words for words in found)
    assert list_differences(take, restore_line(line, take), str) == ()
    assert list_differences(create_take(replace(line, settings=replace(line.settings, seed=9))), line, str) == ()


def test_sounds_of_blind_tests_stay_wherever_they_name_them() -> None:
    name = "ab" * 32
    assert find_sounds(({"takes": [{"sound": name}, {"text": "ab", "n": 3}]},)) == {name}
    assert find_sounds(()) == frozenset()


def test_of_each_line_the_last_are_remembered_and_not_too_much_of_all(qtbot: QtBot) -> None:
    controller = SpeechController(lambda _device, _rate: SimpleNamespace())
    heard = RecentRenderings(controller, controller)

    def hear(line_id: str, seed: int, samples: int = 1000) -> None:
        line = Line("はい。", LineSettings(seed_locked=False), id=line_id)
        job = SpeechJob(SynthesisRequest("はい。", id=f"{line_id} {seed}", seed=seed), 0.0, source=line)
        controller._pending.spoken.append(job)
        for last in (False, True):
            controller.chunk_made.emit(job, AudioChunk(np.zeros(samples // 2, np.float32), RATE, job.request.id, 0, last=last))
        controller.speech_computed.emit(job)
        controller._pending.spoken.remove(job)

    for seed in range(MAX_RECENT_PER_LINE + 2):
        hear("a", seed)
    assert [item.take.settings.seed for item in heard.list_line_renderings("a")] == list(range(2, MAX_RECENT_PER_LINE + 2))
    hear("a", 4)
    assert [item.take.settings.seed for item in heard.list_line_renderings("a")] == [2, 3, 5, 6, 4], (
        "the same again takes the place of the older one"
    )
    now = Line("はい。", LineSettings(seed=5), id="a")
    found = heard.find_current_rendering(now)
    assert found is not None
    assert build_take_key(found.take) == build_take_key(create_take(now))
    assert heard.find_current_rendering(replace(now, text="いいえ。")) is None
    hear("long", 1, take_repository.MAX_RECENT_BYTES // 4)
    assert (len(heard.list_line_renderings("a")), len(heard.list_line_renderings("long"))) == (0, 1), "what is older makes room"
    assert not heard._chunks
    hear("longer", 1, take_repository.MAX_RECENT_BYTES)
    assert not heard.list_line_renderings("long")
    assert not heard.list_line_renderings("longer"), "one that is longer than all that is remembered is not"


def test_a_pair_of_other_rates_is_as_long_and_as_loud() -> None:
    tones = [np.asarray(gain * np.sin(2 * np.pi * 440 * np.arange(rate) / rate), np.float32) for rate, gain in ((RATE, 0.5), (22_050, 0.1))]
    pair = _match_loudness((tones[0], RATE), (tones[1], 22_050))
    assert pair.rate == RATE
    blocks = np.concatenate([chunk.samples for chunk in pair.iterate_chunks("r", lambda: 0.0, lambda: False)])
    assert abs(len(blocks) - 2 * RATE) < 50
    first, second = blocks[2000 : RATE - 2000], blocks[RATE + 2000 : -2000]
    assert abs(np.sqrt(np.mean(first**2) / np.mean(second**2)) - 1) < 0.02
