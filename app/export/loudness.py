"""Loudness as EBU R 128 and ITU-R BS.1770 measure it, and the gain that brings a batch to a target.

A channel is measured by itself: our files are one channel, or the same one twice, which is 3.01 LU louder. A target is met by a gain and a
limiter behind it; what the limiter takes was measured with the sound, so that no sound is rendered again to come closer.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.common.files.untrusted_json import require_int, require_number
from app.core.sound.k_weighting import Float64

MAX_TRUE_PEAK_DB = -1.0
LIMITER_CEILING_DB = MAX_TRUE_PEAK_DB - 0.1  # meters that look closer than four times between two samples find a little more
MAX_LIMITED_DB = 6.0  # what the limiter may take from a peak; what needs more stays quieter than its target
MIN_LOUDNESS_LENGTH_S = 3.0  # a word alone has no loudness of its own, so shorter sounds are not measured by themselves
OFFSET_DB, ABSOLUTE_GATE, RELATIVE_GATE = -0.691, -70.0, -10.0
_GAIN_SEARCH_STEPS = 30  # each halves what is not known of a gain in dB

MAX_MEASURED_BLOCKS = 10_000_000
_MAX_LOSSES, _MAX_THRESHOLD_DB = 20, 1_000  # what the limiter may take has eight whole dB; the levels of any sound are far within these


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
    """Merge several sounds into one programme; no block lies across two of them."""
    powers = tuple(power for item in items for power in item.powers)
    losses: dict[int, float] = {}
    for item in items:
        for threshold, loss in item.losses.items():
            losses[threshold] = losses.get(threshold, 0.0) + loss
    return LoudnessMeasurement(powers, max((item.peak for item in items), default=0.0), sum(item.seconds for item in items), losses)


def compute_integrated_lufs(powers: Sequence[float]) -> float:
    """Return the gated LUFS of one channel's blocks; minus infinity if no block passes the gate."""
    return _compute_lufs(np.asarray(powers, np.float64))


def compute_limited_lufs(measurement: LoudnessMeasurement, gain_db: float, channels: int) -> float:
    """Return the loudness after a gain and the limiter; minus infinity if no block passes the gate."""
    lost = _find_loss(measurement.losses, LIMITER_CEILING_DB - gain_db)
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
    found = _filter_by_gate(powers, ABSOLUTE_GATE)
    return _convert_to_lufs(_filter_by_gate(found, _convert_to_lufs(found, lost) + RELATIVE_GATE), lost)


def _find_loss(losses: Mapping[int, float], threshold_db: float) -> float:
    """Return the loss between two whole dB, as a straight line has it."""
    below = math.floor(threshold_db)
    lower, upper = losses.get(below, 0.0), losses.get(below + 1, 0.0)
    return lower + (upper - lower) * (threshold_db - below)


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
