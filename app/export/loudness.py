"""Loudness as EBU R 128 and ITU-R BS.1770 measure it, the gains that bring a batch to a target, and what came of it.

A channel is measured by itself: our files are one channel, or the same one twice, which is 3.01 LU louder. A target is met by a gain and a
limiter behind it; what the limiter takes was measured with the sound, so that no sound is rendered again to come closer.
Of a book no more is kept than a few numbers for each tenth of a second.
"""

import base64
import math
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.adapters.resampler import RateConverter
from app.common.files.untrusted_json import require_int, require_number
from app.common.language import localize
from app.core.sound.k_weighting import WEIGHTED_PIECE, Float64, KWeighting
from app.core.sound.waveform import REACH, PeakLimiter, find_true_levels
from app.core.synthesis_types import Float32
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings

MAX_TRUE_PEAK_DB = -1.0
LIMITER_CEILING_DB = MAX_TRUE_PEAK_DB - 0.1  # meters that look closer than four times between two samples find a little more
MAX_LIMITED_DB = 6.0  # what the limiter may take from a peak; what needs more stays quieter than its target
MIN_LOUDNESS_LENGTH_S = 3.0  # a word alone has no loudness of its own, so shorter sounds are not measured by themselves
OFFSET_DB, ABSOLUTE_GATE, RELATIVE_GATE = -0.691, -70.0, -10.0
_GAIN_SEARCH_STEPS = 30  # each halves what is not known of a gain in dB

MAX_MEASURED_BLOCKS = 10_000_000
_MAX_LOSSES, _MAX_THRESHOLD_DB = 20, 1_000  # what the limiter may take has eight whole dB; the levels of any sound are far within these

_STEPS_PER_S, _STEPS_PER_BLOCK = 10, 4  # blocks of 400 ms begin every 100 ms
_BINS_PER_S = 1000  # what a limiter would take is found from levels and energies of 1 ms, at which its gain hardly changes


@dataclass(frozen=True, slots=True)
class LoudnessMeasurement:
    """One file's sound."""

    powers: tuple[float, ...]  # mean square of each block after K-weighting
    peak: float  # true peak, 1 being full scale
    seconds: float
    # By a true peak in whole dBFS what a limiter takes that keeps the sound below it, as the sum over the blocks; 0 for those above the
    # highest, and down to what `MAX_LIMITED_DB` allows.
    losses: Mapping[int, float] = field(default_factory=dict)


def merge_measurements(items: Sequence[LoudnessMeasurement]) -> LoudnessMeasurement:
    """Merge several sounds into one programme; no block spans two of them."""
    powers = tuple(power for item in items for power in item.powers)
    losses = defaultdict[int, float](float)
    for threshold, loss in (pair for item in items for pair in item.losses.items()):
        losses[threshold] += loss
    return LoudnessMeasurement(powers, max((item.peak for item in items), default=0.0), sum(item.seconds for item in items), losses)


def compute_integrated_lufs(powers: Sequence[float]) -> float:
    """Return the gated LUFS of one channel's blocks; minus infinity if no block passes the gate."""
    return _compute_lufs(np.asarray(powers, np.float64))


def compute_limited_lufs(measurement: LoudnessMeasurement, gain_db: float, channels: int) -> float:
    """Return the loudness after a gain and the limiter; minus infinity if no block passes the gate."""
    threshold_db = LIMITER_CEILING_DB - gain_db
    # Between two whole dB as a straight line has it.
    lower, upper = (measurement.losses.get(math.floor(threshold_db) + step, 0.0) for step in (0, 1))
    lost = lower + (upper - lower) * (threshold_db - math.floor(threshold_db))
    return _compute_lufs(np.asarray(measurement.powers, np.float64), lost) + gain_db + 10 * math.log10(channels)


def compute_gain_db(measurement: LoudnessMeasurement, target_lufs: float, channels: int) -> float:
    """Return the gain in dB that meets the target behind the limiter, or as near as that may go; 0 where the sound is silent."""
    loudness = compute_integrated_lufs(measurement.powers) + 10 * math.log10(channels)
    if math.isinf(loudness) or measurement.peak <= 0:
        return 0.0
    highest = compute_max_gain_db(measurement.peak)
    low, high = min(highest, target_lufs - loudness), highest
    if compute_limited_lufs(measurement, high, channels) <= target_lufs:
        return high
    for _ in range(_GAIN_SEARCH_STEPS if compute_limited_lufs(measurement, low, channels) < target_lufs else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if compute_limited_lufs(measurement, middle, channels) < target_lufs else (low, middle)
    return low


def compute_max_gain_db(peak: float) -> float:
    """Return the highest gain that a true peak allows, the limiter at its utmost."""
    return LIMITER_CEILING_DB + MAX_LIMITED_DB - convert_to_db(peak) if peak > 0 else 0.0


def convert_to_db(level: float) -> float:
    """Return a level as dB of full scale; minus infinity for silence."""
    return 20 * math.log10(level) if level > 0 else -math.inf


def _compute_lufs(powers: Float64, lost: float = 0.0) -> float:
    """Return the gated LUFS of one channel's blocks, of which a limiter has taken so much in all, from loud ones that pass the gate."""
    loud_powers = _filter_by_gate(powers, ABSOLUTE_GATE)
    return _convert_to_lufs(_filter_by_gate(loud_powers, _convert_to_lufs(loud_powers, lost) + RELATIVE_GATE), lost)


def _convert_to_lufs(powers: Float64, lost: float = 0.0) -> float:
    total = float(powers.sum()) - lost
    return OFFSET_DB + 10 * math.log10(total / powers.size) if powers.size and total > 0 else -math.inf


def _filter_by_gate(powers: Float64, gate_lufs: float) -> Float64:
    return powers[powers > 10 ** ((gate_lufs - OFFSET_DB) / 10)]


def convert_loudness_to_data(measured: LoudnessMeasurement) -> dict[str, Any]:
    """Return the data that `parse_loudness` reads."""
    powers = base64.b64encode(struct.pack(f"<{len(measured.powers)}d", *measured.powers)).decode()
    losses = [[threshold, loss] for threshold, loss in measured.losses.items()]
    return {"powers": powers, "peak": measured.peak, "seconds": measured.seconds, "losses": losses}


def parse_loudness(data: object) -> LoudnessMeasurement:
    """Return the measurement in the data; raise ValueError for one that nobody could have made."""
    if not isinstance(data, dict) or not isinstance(data.get("powers"), str) or not isinstance(data.get("losses"), list):
        raise ValueError("no loudness")
    packed = base64.b64decode(data["powers"], validate=True)
    if len(packed) % 8 or len(packed) > 8 * MAX_MEASURED_BLOCKS or len(data["losses"]) > _MAX_LOSSES:
        raise ValueError("no loudness")
    powers = tuple(map(require_number, struct.unpack(f"<{len(packed) // 8}d", packed)))
    peak, seconds = require_number(data.get("peak")), require_number(data.get("seconds"))
    losses = dict(map(_parse_loss, data["losses"]))
    if min((*powers, *losses.values(), peak, seconds)) < 0:
        raise ValueError("no loudness")
    return LoudnessMeasurement(powers, peak, seconds, losses)


def _parse_loss(value: object) -> tuple[int, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("no loss")
    return require_int(value[0], -_MAX_THRESHOLD_DB, _MAX_THRESHOLD_DB), require_number(value[1])


class LoudnessMeter:
    """Measures one channel of sound at a rate in Hz."""

    def __init__(self, rate: int) -> None:
        self._rate, self._step = rate, round(rate / _STEPS_PER_S)
        bins = _BINS_PER_S // _STEPS_PER_S
        self._bin_starts = np.arange(bins) * self._step // bins
        self._filter = KWeighting(rate)
        # The samples that are still to be measured and, before them, those that their levels depend on.
        self._unmeasured_samples = np.zeros(REACH, np.float32)
        # By step, of each piece, and of those what a limiter takes, by its threshold in dB.
        self._energies: list[Float64] = []
        self._losses: list[dict[int, Float64]] = []
        self._peak, self._count = 0.0, 0

    def add_samples(self, samples: Float32) -> None:
        """Add the next samples, float32 (N,)."""
        self._unmeasured_samples = np.concatenate((self._unmeasured_samples, samples))
        size = WEIGHTED_PIECE // self._step * self._step
        while len(self._unmeasured_samples) >= size + 2 * REACH:
            self._measure_piece(size)

    def finish_measurement(self) -> LoudnessMeasurement:
        """Return the loudness of all of the sound; nothing can be added any more."""
        self._measure_piece(len(self._unmeasured_samples) - REACH)
        powers = self._compute_block_powers(self._energies)
        # Down to what may be asked for with the loudest level of the whole sound.
        lowest = convert_to_db(self._peak) - MAX_LIMITED_DB - 1
        thresholds = sorted({threshold for losses in self._losses for threshold in losses if threshold >= lowest})
        losses = {}
        for threshold in thresholds:
            pieces = [lost.get(threshold, np.zeros(len(energies))) for energies, lost in zip(self._energies, self._losses, strict=True)]
            losses[threshold] = float(self._compute_block_powers(pieces).sum())
        return LoudnessMeasurement(tuple(map(float, powers)), self._peak, self._count / self._rate, losses)

    def _compute_block_powers(self, energy_pieces: Sequence[Float64]) -> Float64:
        """Return the mean squares of all whole blocks from the energies of their steps."""
        energies = np.concatenate(energy_pieces)
        if len(energies) < _STEPS_PER_BLOCK:
            return np.zeros(0)
        return np.convolve(energies, np.ones(_STEPS_PER_BLOCK), "valid") / (_STEPS_PER_BLOCK * self._step)

    def _measure_piece(self, count: int) -> None:
        """Measure the next samples, of which all but the last piece of a sound have whole steps."""
        levels = find_true_levels(self._unmeasured_samples[: count + 2 * REACH])[REACH : REACH + count]
        squares = np.square(self._filter.filter_samples(self._unmeasured_samples[REACH : REACH + count]))
        self._unmeasured_samples = self._unmeasured_samples[count:]
        self._count += count
        self._peak = max(self._peak, float(levels.max(initial=0.0)))
        whole_count = count // self._step * self._step
        by_bin = np.add.reduceat(squares[:whole_count].reshape(-1, self._step), self._bin_starts, axis=1)
        self._energies.append(by_bin.sum(axis=1))
        highest = np.maximum.reduceat(levels[:whole_count].reshape(-1, self._step), self._bin_starts, axis=1)
        self._losses.append(self._find_losses(highest, by_bin))

    def _find_losses(self, levels: Float32, energies: Float64) -> dict[int, Float64]:
        """Return the energy that a limiter takes from each step (N, bins), by thresholds below the loudest level so far; lower ones are never asked for."""
        loudest = float(levels.max(initial=0.0))
        # The lab also measures what a broken graph says, which may be no number.
        if not 0 < loudest <= self._peak < math.inf:
            return {}
        losses: dict[int, Float64] = {}
        for threshold in range(math.floor(convert_to_db(self._peak) - MAX_LIMITED_DB), math.ceil(convert_to_db(loudest))):
            limiter = PeakLimiter(_BINS_PER_S, 10 ** (threshold / 20))
            limited = np.concatenate((limiter.limit_samples(levels.ravel()), limiter.flush_samples())).reshape(levels.shape)
            ratios = np.square(limited / np.maximum(levels, np.finfo(np.float32).tiny))
            losses[threshold] = (energies * (1 - ratios)).sum(axis=1)
        return losses


def measure_loudness(samples: Float32, rate: int) -> LoudnessMeasurement:
    """Measure one channel of sound that is there as a whole."""
    meter = LoudnessMeter(rate)
    meter.add_samples(samples)
    return meter.finish_measurement()


@dataclass(frozen=True, slots=True)
class WrittenLoudness:
    """The loudness of a file as it was written."""

    lufs: float | None  # None for a sound that is silent or shorter than a block
    limited_db: float  # what the limiter took from the highest peak; 0 where it took nothing


def convert_written_to_data(loudness: WrittenLoudness) -> dict[str, Any]:
    """Return what a row of `koebako export --json` says of a file."""
    return {"limited_db": round(loudness.limited_db, 2), "loudness_lufs": None if loudness.lufs is None else round(loudness.lufs, 2)}


def parse_written_data(row: Mapping[str, Any]) -> WrittenLoudness | None:
    """Return what a row says, None if nothing; raise ValueError for what none of our workers says."""
    if "limited_db" not in row:
        return None
    lufs = row.get("loudness_lufs")
    return WrittenLoudness(None if lufs is None else require_number(lufs), require_number(row["limited_db"]))


class LoudnessStage:
    """Works piece by piece; the limiter comes behind the change to the file's rate, which may raise a peak."""

    def __init__(self, rate: int, gain_db: float) -> None:
        self._gain = np.float32(10 ** (gain_db / 20))
        self._converter, self._meter = RateConverter(rate), LoudnessMeter(rate)
        self._limiter = PeakLimiter(rate, 10 ** (LIMITER_CEILING_DB / 20), is_true_peak=True)

    def convert_samples(self, samples: Float32, rate: int) -> Float32:
        """Return what is ready of the sound at the rate of the file; the rest comes with a later piece."""
        return self._limit_samples(self._converter.convert_rate(samples, rate))

    def finish_sound(self) -> Float32:
        begun = self._limit_samples(self._converter.flush_filter())
        last_samples = self._limiter.flush_samples()
        self._meter.add_samples(last_samples)
        return np.concatenate((begun, last_samples))

    def measure_loudness(self, channels: int) -> WrittenLoudness:
        """Return the loudness of the whole sound, once it is finished."""
        lufs = compute_integrated_lufs(self._meter.finish_measurement().powers) + 10 * math.log10(channels)
        return WrittenLoudness(None if math.isinf(lufs) else lufs, convert_to_db(1 / self._limiter.least_gain))

    def _limit_samples(self, samples: Float32) -> Float32:
        limited = self._limiter.limit_samples(samples * self._gain)
        self._meter.add_samples(limited)
        return limited


TOLERANCE_LU = 0.5  # what nobody hears, and no rule of a platform asks for
_LEAST_TOLD_DB = 0.05  # what is less than it says nothing in the one decimal that is shown


@dataclass(frozen=True, slots=True)
class FileGains:
    """The gains that bring a batch to its loudness."""

    by_file: Mapping[PlannedFile, float] = field(default_factory=dict)  # the gain in dB of each measured file; none without a target
    # What all files together come to; None where each is brought to the target by itself, or nothing could be measured.
    batch_lufs: float | None = None
    loudest: PlannedFile | None = None  # the file with the highest peak, which limits the gain of all; None as above
    # How far files that are too short to be measured stay behind the others, as their peaks allow no more.
    lags_lu: Mapping[PlannedFile, float] = field(default_factory=dict)


def compute_file_gains(
    files: Sequence[PlannedFile], measured: Mapping[PlannedFile, LoudnessMeasurement], settings: ExportSettings
) -> FileGains:
    """Return one gain for all measured files, or each its own; a file too short to be measured takes the gain of all.

    In the order of the plan, so that sums come out the same in whatever order the files were measured.
    """
    items = [item for item in files if item in measured]
    if settings.loudness is None or not items:
        return FileGains()
    target, channels = settings.loudness, settings.channels
    merged = merge_measurements([measured[item] for item in items])
    if not settings.loudness_each:
        common = compute_gain_db(merged, target, channels)
        lufs = compute_limited_lufs(merged, common, channels)
        loudest = max(items, key=lambda item: measured[item].peak)
        return FileGains(dict.fromkeys(items, common), None if math.isinf(lufs) else lufs, loudest)
    lufs = compute_limited_lufs(merged, 0.0, channels)
    common_db = 0.0 if math.isinf(lufs) else target - lufs
    gains = {item: compute_gain_db(measured[item], target, channels) for item in items}
    short = [item for item in items if measured[item].seconds < MIN_LOUDNESS_LENGTH_S]
    gains |= {item: min(common_db, compute_max_gain_db(measured[item].peak)) for item in short}
    return FileGains(gains, lags_lu={item: common_db - gains[item] for item in short})


class LoudnessReport:
    """Takes every file that is written."""

    def __init__(self, settings: ExportSettings, gains: FileGains) -> None:
        self._settings, self._gains = settings, gains
        self._is_by_file = settings.loudness_each or len(gains.by_file) == 1
        self._limited_db = 0.0
        self._missed_lu: dict[PlannedFile, float] = {}

    def add_file(self, item: PlannedFile, loudness: WrittenLoudness | None, seconds: float) -> float | None:
        """Add a file that was written; return by how many LU it misses its target, or None where it meets it or has none of its own."""
        if loudness is None or self._settings.loudness is None:
            return None
        self._limited_db = max(self._limited_db, loudness.limited_db)
        missed = self._gains.lags_lu.get(item, 0.0)
        if self._is_by_file and loudness.lufs is not None and seconds >= MIN_LOUDNESS_LENGTH_S:
            missed = self._settings.loudness - loudness.lufs
        if missed <= TOLERANCE_LU:
            return None
        self._missed_lu[item] = missed
        return missed

    def build_row(self) -> dict[str, Any]:
        """Return what the summary of `koebako export --json` says; nothing without a target."""
        if self._settings.loudness is None:
            return {}
        row: dict[str, Any] = {"limited_db": round(self._limited_db, 2)}
        if not self._is_by_file:
            lufs, missed = self._gains.batch_lufs, self._batch_missed_lu
            row |= {"loudness_lufs": None if lufs is None else round(lufs, 2)} | ({"missed_lu": round(missed, 2)} if missed else {})
        return row

    def describe_limiter(self) -> str:
        """Return a sentence on what the limiter took; empty where it took nothing."""
        if self._limited_db < _LEAST_TOLD_DB:
            return ""
        return localize(
            f"リミッターでピークを最大 {self._limited_db:.1f} dB 抑えました。",
            f"The limiter lowered peaks by up to {self._limited_db:.1f} dB.",
        )

    def describe_missed(self) -> str:
        """Return a sentence on what stayed below the target; empty where nothing did."""
        if self._settings.loudness is None:
            return ""
        target = f"{self._settings.loudness:g}"
        if self._batch_missed_lu and self._gains.batch_lufs is not None and self._gains.loudest is not None:
            lufs, name = f"{self._gains.batch_lufs:.1f}", self._gains.loudest.file.name
            return localize(
                f"全体のラウドネスは {lufs} LUFS です（指定は {target} LUFS）。{name} のピークが大きいため、これ以上は上げられません。",
                f"All files together are at {lufs} LUFS instead of {target}: the peaks of {name} allow no more.",
            )
        if not self._missed_lu:
            return ""
        item, missed = max(self._missed_lu.items(), key=lambda pair: pair[1])
        count = len(self._missed_lu)
        others = localize(f"、ほか {count - 1:,} 個", f" and {count - 1:,} more") if count > 1 else ""
        return localize(
            f"{target} LUFS に届かなかったファイルがあります: {item.file.name}（{missed:.1f} LU 不足）{others}。ピークが大きいため、これ以上は上げられません。",
            f"Below {target} LUFS, as the peaks allow no more: {item.file.name} (by {missed:.1f} LU){others}.",
        )

    @property
    def _batch_missed_lu(self) -> float:
        """Return by how many LU all files together miss the target; 0 where they meet it or none is theirs."""
        lufs, target = self._gains.batch_lufs, self._settings.loudness
        if self._is_by_file or lufs is None or target is None or target - lufs <= TOLERANCE_LU:
            return 0.0
        return target - lufs
