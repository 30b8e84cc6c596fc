"""Pitch and intonation of real speech, measured by other means than those that made it."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.world_pitch import WorldPitchEstimator
from app.compose.speaker_opening import open_speaker
from app.core.sound.line_melody import measure_mora_pitches
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import Float32, MoraOverride, Overrides, StageTiming, SynthesisRequest
from tests.pitch_measures import formant_shift, pitch_of, semitones_between

GOLDEN = Path(__file__).parent / "golden" / "g2p_rohan_300.jsonl"
TEXTS = sorted((json.loads(line)["text"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()), key=len)[:50]
CENT = 0.01


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return open_speaker(None, "cpu").pipeline


def spoken(pipeline: Pipeline, request: SynthesisRequest) -> Float32:
    return np.concatenate([chunk.samples for chunk in pipeline.synthesize(replace(request, pre_silence_s=0, post_silence_s=0))])


def test_lines_move_by_what_was_asked_for(pipeline: Pipeline, at_length: bool) -> None:
    lines = 50 if at_length else 3
    rate = pipeline.voice.sampling_rate
    for number, text in enumerate(TEXTS[:: len(TEXTS) // lines]):
        wanted = (-6.0, -2.5, 1.0, 3.0, 6.0)[number % 5]
        request = SynthesisRequest(text, style=number * 5 // lines % len(pipeline.voice.styles))
        plain, moved = spoken(pipeline, request), spoken(pipeline, replace(request, pitch=wanted))
        assert len(plain) == len(moved)
        found = semitones_between(plain, moved, rate)
        assert len(found) > 20, text
        assert np.median(found) == pytest.approx(wanted, abs=10 * CENT), text


@pytest.mark.parametrize(
    "change",
    [pytest.param({"pitch": 6.0}, marks=pytest.mark.slow), {"pitch": -6.0}, {"pitch": 3.0, "intonation": 1.5}, {"intonation": 0.0}],
)
def test_formants_stay_within_five_percent(pipeline: Pipeline, change: dict[str, Any], at_length: bool) -> None:
    for text in TEXTS[20 : 22 if at_length else 21]:
        request = SynthesisRequest(text)
        plain, moved = spoken(pipeline, request), spoken(pipeline, replace(request, **change))
        assert formant_shift(plain, moved, pipeline.voice.sampling_rate) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("takes_offset", [True, False], ids=["in its flow", "pitch stage"])
def test_a_drawn_melody_is_heard_as_drawn_and_keeps_formants(pipeline: Pipeline, takes_offset: bool) -> None:
    pipeline = replace(pipeline, voice=replace(pipeline.voice, flow_pitch_offset=takes_offset), caches=RenderCaches())
    rate, misses = pipeline.voice.sampling_rate, []
    for number, text in enumerate(TEXTS[20:22]):
        drawn = np.random.default_rng(number).uniform(-6, 6, 100).round(1)
        edits = Overrides(moras=tuple(MoraOverride(mora, pitch=semitones) for mora, semitones in enumerate(drawn.tolist())))
        request = SynthesisRequest(text, pre_silence_s=0, post_silence_s=0, speaker=number % 3)
        plain, moved = (list(pipeline.synthesize(item)) for item in (request, replace(request, overrides=edits)))
        sounds = [np.concatenate([chunk.samples for chunk in chunks]) for chunks in (plain, moved)]
        timings = [phone for chunk in plain for phone in chunk.phones]
        before, after = (measure_mora_pitches(item, rate, timings, WorldPitchEstimator()) for item in sounds)
        assert len(sounds[0]) == len(sounds[1])
        assert formant_shift(sounds[0], sounds[1], rate) == pytest.approx(1, abs=0.05)
        misses += [12 * np.log2(two / one) - by for one, two, by in zip(before, after, drawn, strict=False) if one and two]
    assert len(misses) > 30
    assert np.median(np.abs(misses)) < 0.3
    assert np.quantile(np.abs(misses), 0.95) < 1


def test_the_formants_are_measured_at_all(pipeline: Pipeline) -> None:
    plain = spoken(pipeline, SynthesisRequest(TEXTS[20]))
    faster = np.interp(np.arange(0, len(plain), 1.2), np.arange(len(plain)), plain).astype(np.float32)
    drawn_out = np.interp(np.linspace(0, len(faster) - 1, len(plain)), np.arange(len(faster)), faster).astype(np.float32)
    assert formant_shift(plain, drawn_out, pipeline.voice.sampling_rate) == pytest.approx(1, abs=0.01)
    assert formant_shift(plain, plain, pipeline.voice.sampling_rate) == 1


@pytest.mark.parametrize(
    ("intonation", "scaled"),
    [
        (0.0, (0.0, 0.2)),
        pytest.param(0.5, (0.4, 0.6), marks=pytest.mark.slow),
        pytest.param(1.5, (1.35, 1.65), marks=pytest.mark.slow),
        (2.0, (1.75, 2.25)),
    ],
)
def test_the_intonation_is_scaled_around_the_mean(
    pipeline: Pipeline, intonation: float, scaled: tuple[float, float], at_length: bool
) -> None:
    rate = pipeline.voice.sampling_rate
    for text in TEXTS[30 : 32 if at_length else 31]:
        request = SynthesisRequest(text)
        plain, changed = spoken(pipeline, request), spoken(pipeline, replace(request, intonation=intonation))
        before, after = (np.log2(pitch_of(samples, rate)) for samples in (plain, changed))
        both = np.isfinite(before) & np.isfinite(after)
        slope, _ = np.polyfit(before[both], after[both], 1)
        assert scaled[0] - 0.05 <= slope <= scaled[1] + 0.05, text
        assert len(plain) == len(changed)


def test_the_same_request_gives_the_same_samples_and_off_those_of_the_voice(pipeline: Pipeline) -> None:
    request = SynthesisRequest(TEXTS[40])
    plain = spoken(pipeline, request)
    first = spoken(pipeline, replace(request, pitch=2.0))
    pipeline.caches.clear()
    assert np.array_equal(spoken(pipeline, replace(request, pitch=2.0)), first)
    assert np.array_equal(spoken(pipeline, replace(request, pitch=0.0, intonation=1.0)), plain)


def test_another_pitch_decodes_nothing_again(pipeline: Pipeline) -> None:
    request = SynthesisRequest(TEXTS[41])
    spoken(pipeline, request)
    timings: list[StageTiming] = []
    list(pipeline.synthesize(replace(request, pitch=-2.0), timings.append))
    ran = {timing.stage for timing in timings if not timing.cache_hit}
    assert ran == {"text", "pitch", "audio"}


def test_the_first_sound_of_a_long_sentence_does_not_wait_for_its_end(pipeline: Pipeline) -> None:
    pipeline.caches.clear()
    request = SynthesisRequest("風が吹く道を歩いていくと" * 8 + "、着いた。", pitch=2.0)
    decoded, total = 0, 0
    timings: list[StageTiming] = []
    chunks = pipeline.synthesize(request, timings.append)
    for chunk in chunks:
        if not chunk.silence:
            decoded = decoded or sum(timing.samples for timing in timings if timing.stage == "decode")
            total += len(chunk.samples)
    assert decoded < total / 4


def test_a_line_without_it_does_not_import_the_analysis() -> None:
    program = (
        "import sys; from app.compose.speaker_opening import open_speaker; from app.core.synthesis_types import SynthesisRequest;"
        "speaker = open_speaker(None, 'cpu'); list(speaker.pipeline.synthesize(SynthesisRequest('はい。')));"
        "assert 'pyworld' not in sys.modules; list(speaker.pipeline.synthesize(SynthesisRequest('はい。', pitch=1.0)));"
        "assert 'pyworld' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
