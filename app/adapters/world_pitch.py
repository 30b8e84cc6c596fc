"""The pitch of speech, by WORLD; pyworld enters here."""

import numpy as np

from app.core.sound.ports import PITCH_FRAME_S
from app.core.synthesis_types import Float32, Float64

LOWEST_HZ, HIGHEST_HZ = 55.0, 1000.0
DECIMATED_HZ, MOST_DECIMATED = 11025, 12  # DIO looks for the pitch in as little as it needs; StoneMask refines it in all of it


class WorldPitchEstimator:
    """DIO and StoneMask, which call nothing voiced that is silent. Both let other threads run."""

    def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
        """Return Hz every PITCH_FRAME_S from the first sample on, 0 at unvoiced frames."""
        # Most lines are spoken as they come.
        import pyworld

        if not len(samples):
            return np.zeros(0)
        sound = np.ascontiguousarray(samples, np.float64)
        speed = min(MOST_DECIMATED, max(1, sampling_rate // DECIMATED_HZ))
        rough, times = pyworld.dio(sound, sampling_rate, LOWEST_HZ, HIGHEST_HZ, frame_period=PITCH_FRAME_S * 1000, speed=speed)
        return np.asarray(pyworld.stonemask(sound, rough, times, sampling_rate), np.float64)
