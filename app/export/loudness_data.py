"""A loudness measurement as plain data, in the manifest of a folder and in the answers of workers; either may be a stranger's."""

from __future__ import annotations

import base64
import struct
from typing import Any

from app.common.files.untrusted_json import require_int, require_number
from app.export.loudness import LoudnessMeasurement

MAX_MEASURED_BLOCKS = 10_000_000
# What the limiter may take has eight whole dB; the levels of any sound are far within these.
_MAX_LOSSES, _MAX_THRESHOLD_DB = 20, 1_000


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
