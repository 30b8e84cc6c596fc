"""DNSMOS P.835 (Microsoft DNS Challenge, CC BY 4.0): an outside judge of how clean speech sounds."""

from pathlib import Path

import numpy as np
import onnxruntime
import soxr
from numpy.typing import NDArray

RATE = 16000
WINDOW = int(9.01 * RATE)
# raw overall score to opinion score, as published with the model
OVERALL = np.poly1d([-0.06766283, 1.11546468, 0.04602535])


class Dnsmos:
    """Overall score (OVRL), 1 … 5, mean over windows a second apart."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "sig_bak_ovr.onnx"), options)

    def score(self, audio: NDArray[np.float32], rate: int) -> float:
        """Judges one recording; a short one is repeated until it fills the window."""
        samples = soxr.resample(audio, rate, RATE).astype(np.float32)
        samples = np.tile(samples, -(-WINDOW // len(samples)))
        starts = range(0, len(samples) - WINDOW + 1, RATE)
        name = self._session.get_inputs()[0].name
        raw = [self._session.run(None, {name: samples[None, start : start + WINDOW]})[0][0][2] for start in starts]
        return float(OVERALL(np.array(raw)).mean())
