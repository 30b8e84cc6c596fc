"""Measures spoken lines without a recogniser: edges of sound against labels, the first mora, the pitch of beginnings and ends, levels."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import pyworld

from app.core.synthesis_types import Float32, Float64, PhoneTiming
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras
from app.export.loudness import compute_integrated_lufs, measure_loudness, merge_measurements
from app.export.sidecar_formats import HTS_UNITS_PER_S, PAUSE_PHONE, TimedText

FRAME_S, STEP_S = 0.01, 0.005
SOUND_DB = -40.0
"""What is louder, beside the loudest frame of the line, is sound."""

FIRST_MORA_DB = -20.0
PITCH_STEP_S = 0.005
VOWELS, HIGH_VOWELS = frozenset("aiueo"), frozenset("iu")
STOPS = frozenset({"k", "ky", "t", "ty", "ch", "ts", "p", "py"})
"""Their labels begin with a closure, in which nothing sounds."""

VOICELESS = STOPS | {"s", "sh", "h", "hy", "f", "q"}
"""Between two of them a high vowel loses its voice."""

LAST_RUN_S, LAST_STEPS, SHORTEST_RUN = 0.3, 3, 6
CUE_TIMES = re.compile(r"(\d+):(\d+):(\d+),(\d+) --> (\d+):(\d+):(\d+),(\d+)")


def compute_frame_levels(samples: Float32, rate: int) -> Float64:
    """Return dB of the frames of FRAME_S, one every STEP_S, beside the loudest; minus infinity in digital silence."""
    size, step = round(FRAME_S * rate), round(STEP_S * rate)
    padded = np.pad(samples.astype(np.float64), (size // 2, size))
    powers = np.square(np.lib.stride_tricks.sliding_window_view(padded, size)[::step]).mean(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(10 * np.log10(powers / max(powers.max(), 1e-20)))


def find_sound(levels: Float64, start_s: float, end_s: float) -> tuple[float, float] | None:
    """Return where sound begins and ends between two times, or None where there is none; `levels` are of `compute_frame_levels`."""
    first = round(start_s / STEP_S)
    loud = first + np.flatnonzero(levels[first : round(end_s / STEP_S) + 1] >= SOUND_DB)
    # A frame is around its time, so sound that fills half of it begins there.
    return (loud[0] * STEP_S, loud[-1] * STEP_S) if len(loud) else None


@dataclass(frozen=True, slots=True)
class EdgeMiss:
    """How far sound begins and ends after the time that a label says, in seconds.

    Attributes:
        stop_first: the label begins with the closure of a stop.
    """

    start_s: float
    end_s: float
    stop_first: bool = False


def measure_edge_misses(samples: Float32, rate: int, spans: Sequence[TimedText]) -> list[EdgeMiss | None]:
    """Return for each span how far its sound misses it, or None where nothing sounds; it is looked for up to the middle between spans."""
    levels, length_s = compute_frame_levels(samples, rate), len(samples) / rate
    bounds = [0.0, *((one.end_s + other.start_s) / 2 for one, other in itertools.pairwise(spans)), length_s]
    misses: list[EdgeMiss | None] = []
    for span, (start_s, end_s) in zip(spans, itertools.pairwise(bounds), strict=True):
        sound = find_sound(levels, start_s, end_s)
        is_stop = span.text.split(" ")[0] in STOPS
        misses.append(None if sound is None else EdgeMiss(sound[0] - span.start_s, sound[1] - span.end_s, is_stop))
    return misses


def read_phrases(labels: str) -> list[TimedText]:
    """Return what lies between pauses in a `.lab` file, its phones as text."""
    rows = [row.split(" ") for row in labels.splitlines()]
    phones = [TimedText(name, int(start) / HTS_UNITS_PER_S, int(end) / HTS_UNITS_PER_S) for start, end, name in rows]
    groups = itertools.groupby(phones, lambda phone: phone.text == PAUSE_PHONE)
    spoken = [list(group) for is_pause, group in groups if not is_pause]
    return [TimedText(" ".join(phone.text for phone in group), group[0].start_s, group[-1].end_s) for group in spoken]


def read_cues(subtitles: str) -> list[TimedText]:
    """Return the cues of a `.srt` file, without their text."""
    times = [list(map(int, found)) for found in CUE_TIMES.findall(subtitles)]
    return [TimedText("", *(3600 * h + 60 * m + s + ms / 1000 for h, m, s, ms in (row[:4], row[4:]))) for row in times]


def find_vowels(phones: Sequence[PhoneTiming]) -> dict[int, PhoneTiming]:
    """Return the vowels of a line by mora, devoiced ones too."""
    moras = map_phones_to_moras([phone.phone for phone in phones])
    found = zip(moras, phones, strict=True)
    return {mora: phone for mora, phone in found if mora != NO_INDEX and phone.phone.lower() in VOWELS}


def is_first_mora_devoiced(phones: Sequence[PhoneTiming]) -> bool:
    """Return whether the first vowel of a line may be devoiced, as in きっと."""
    consonant, vowel, after = (item.phone for item in phones[1:4])
    return consonant in VOICELESS and vowel in HIGH_VOWELS and after in VOICELESS


def measure_first_mora(samples: Float32, rate: int, phones: Sequence[PhoneTiming]) -> float:
    """Return dB of the first vowel by its label, the median of its frames, beside the loudest frame of the line."""
    vowel = find_vowels(phones)[0]
    first = round(vowel.start_s / STEP_S)
    return float(np.median(compute_frame_levels(samples, rate)[first : max(first + 1, round(vowel.end_s / STEP_S))]))


def track_semitones(samples: Float32, rate: int) -> Float64:
    """Return the pitch every PITCH_STEP_S, NaN where nothing is voiced."""
    sound = samples.astype(np.float64)
    rough, times = pyworld.dio(sound, rate, f0_floor=50, f0_ceil=700, frame_period=PITCH_STEP_S * 1000)
    f0 = pyworld.stonemask(sound, rough, times, rate)
    return np.asarray(12 * np.log2(np.where(f0 > 0, f0, np.nan)))


def measure_first_step(samples: Float32, rate: int, phones: Sequence[PhoneTiming]) -> float:
    """Return semitones from the first mora's vowel to the second's, NaN where one has no pitch: medians of their second halves by the
    labels, where the tone has arrived.
    """
    semitones, vowels = track_semitones(samples, rate), find_vowels(phones)
    pitches = []
    for vowel in (vowels[0], vowels[1]):
        span = semitones[round((vowel.start_s + vowel.end_s) / 2 / PITCH_STEP_S) : round(vowel.end_s / PITCH_STEP_S) + 1]
        voiced = span[np.isfinite(span)]
        pitches.append(np.median(voiced) if len(voiced) else np.nan)
    return float(pitches[1] - pitches[0])


def measure_last_rise(semitones: Float64) -> float:
    """Return by how much the last voiced run rises, its last LAST_RUN_S: the mean of the last steps over the lowest of the first half.

    A run may begin before the last mora, whose label may hold silence too; the lowest value leaves out how the pitch came there. Runs below
    SHORTEST_RUN steps are slips of the tracker. NaN where nothing is voiced.
    """
    edges = np.flatnonzero(np.diff(np.isfinite(semitones).astype(int), prepend=0, append=0)).reshape(-1, 2)
    runs = [(start, end) for start, end in edges if end - start >= SHORTEST_RUN]
    if not runs:
        return float("nan")
    start, end = runs[-1]
    run = semitones[max(start, end - round(LAST_RUN_S / PITCH_STEP_S)) : end]
    return float(run[-LAST_STEPS:].mean() - run[: len(run) // 2].min())


@dataclass(frozen=True, slots=True)
class SpeakerLevels:
    """Levels of all lines of a speaker.

    Attributes:
        lufs: integrated over all lines.
        peak: the highest sample, 1 being full scale.
        lines_over, samples_over: beyond full scale.
    """

    lufs: float
    peak: float
    lines_over: int
    samples_over: int


@dataclass(frozen=True, slots=True)
class DeliveryMeasures:
    """How a line is delivered: median and range (5 to 95 %) of its pitch in semitones, its length in seconds, its level in dB; or by how much two lines differ."""

    pitch: float
    range: float
    length: float
    level: float


MANNER_BOUNDS = DeliveryMeasures(pitch=1.0, range=1.5, length=7.0, level=2.0)
"""From which difference of one of them on two deliveries are two manners; of the length in percent."""


def measure_delivery(samples: Float32, rate: int) -> DeliveryMeasures:
    """Measure how a line is delivered."""
    semitones = track_semitones(samples, rate)
    low, high = np.nanpercentile(semitones, [5, 95])
    level = 10 * np.log10(np.square(samples, dtype=np.float64).mean())
    return DeliveryMeasures(float(np.nanmedian(semitones)), float(high - low), len(samples) / rate, float(level))


def compare_deliveries(one: DeliveryMeasures, other: DeliveryMeasures) -> DeliveryMeasures:
    """Return how far the other one is from the first; of the length in percent."""
    steps = {name: getattr(other, name) - getattr(one, name) for name in ("pitch", "range", "level")}
    return DeliveryMeasures(**steps, length=100 * (other.length / one.length - 1))


def is_another_manner(step: DeliveryMeasures) -> bool:
    """Return whether a difference reaches one of MANNER_BOUNDS."""
    return any(abs(value) >= bound for value, bound in zip(astuple(step), astuple(MANNER_BOUNDS), strict=True))


def measure_levels(lines: Sequence[Float32], rate: int) -> SpeakerLevels:
    """Measure the lines of a speaker."""
    programme = merge_measurements([measure_loudness(samples, rate) for samples in lines])
    over = [int((np.abs(samples) > 1).sum()) for samples in lines]
    peak = max(float(np.abs(samples).max(initial=0)) for samples in lines)
    return SpeakerLevels(compute_integrated_lufs(programme.powers), peak, sum(map(bool, over)), sum(over))
