"""The inputs of the public graph that a voice was cut from."""

from __future__ import annotations

import numpy as np

from app.bench.graph_recording import RecordedGraphRun
from app.compose.graph_runner import SYMBOL_TYPES_INPUT

PUBLIC_STYLE_WIDTH = 256


def build_public_inputs(call: RecordedGraphRun, *, multilingual: bool) -> dict[str, np.ndarray]:
    """Return the inputs of the public graph, without noise, for a run of the prosody graph; see `app.compose.graph_runner`."""
    values = call.values
    symbols = values["x_tst"].size
    features = values["ja_bert" if multilingual else "bert"].reshape(1, -1, symbols)
    whole = {
        name: np.asarray(values[name], np.int64).reshape(1, -1)
        for name in ("x_tst", "tones", "language", SYMBOL_TYPES_INPUT)
        if name in values
    }
    case: dict[str, np.ndarray] = {name: np.zeros((1, symbols), np.int64) for name in ("tones", "language", SYMBOL_TYPES_INPUT)} | whole
    case |= {"x_tst_lengths": np.array([symbols]), "sid": np.asarray(values.get("sid", 0)).reshape(1), "bert": features}
    case["style_vec"] = np.asarray(values.get("style_vec", np.zeros(PUBLIC_STYLE_WIDTH)), np.float32).reshape(1, -1)
    case |= {
        name: np.asarray(value, np.float32)
        for name, value in {"length_scale": 1, "noise_scale": 0, "noise_scale_w": 0, "sdp_ratio": 0}.items()
    }
    if multilingual:
        case |= {"ja_bert": features, "bert": np.zeros_like(features), "en_bert": np.zeros_like(features)}
    return case
