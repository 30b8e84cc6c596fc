"""Streaming change of the sampling rate; soxr enters here."""

import numpy as np
import soxr

from app.core.synthesis_types import Float32


class RateConverter:
    """Turns pieces of sound into pieces at one fixed rate, joined as in one go; what is left of an old input rate comes before a new one."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self._from = rate
        self._stream: soxr.ResampleStream | None = None

    def convert_rate(self, samples: Float32, rate: int) -> Float32:
        """Convert float32 (N,) at `rate` Hz to float32 (about N · self.rate / rate,); the rest comes with a later piece."""
        flushed = self.flush_filter() if rate != self._from else None
        if rate == self.rate:
            converted = samples
        else:
            if self._stream is None:
                self._from = rate
                self._stream = soxr.ResampleStream(rate, self.rate, 1, dtype="float32", quality="HQ")
            converted = self._stream.resample_chunk(np.ascontiguousarray(samples, dtype=np.float32))
        return converted if flushed is None or not flushed.size else np.concatenate([flushed, converted])

    def flush_filter(self) -> Float32:
        """Return the samples still inside the filter; the next piece starts with an empty filter."""
        stream, self._stream, self._from = self._stream, None, self.rate
        nothing = np.zeros(0, dtype=np.float32)
        return nothing if stream is None else np.asarray(stream.resample_chunk(nothing, last=True), dtype=np.float32)
