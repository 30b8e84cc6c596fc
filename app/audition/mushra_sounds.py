"""The sounds of a MUSHRA trial: the reference, then everything that is rated, as it stands."""

from __future__ import annotations

import numpy as np

from app.audition.comparable_sounds import ComparableSounds, LoadSound, make_comparable
from app.audition.mushra import ANCHORS_HZ, MushraPlan, MushraTrial
from app.core.synthesis_types import Float32

# Nothing is left above 4 kHz of the low anchor, where BS.1534-3 asks for 25 dB less.
STOPBAND_RATIO = 8 / 7


def load_mushra_sounds(plan: MushraPlan, trial: MushraTrial, load: LoadSound) -> ComparableSounds:
    """Return the sounds with the open reference first, all as loud as the softest."""
    reference, rate = load(plan.references[trial.line])
    anchors = [(filter_low_pass(reference, rate, hertz), rate) for hertz in ANCHORS_HZ]
    columns = [*map(load, plan.sounds[trial.line]), (reference, rate), *anchors]
    return make_comparable([(reference, rate), *(columns[column] for column in trial.order)])


def filter_low_pass(samples: Float32, rate: int, edge_hz: float) -> Float32:
    """Return the samples without the frequencies above: all up to `edge_hz` pass, none from an eighth above on, without delay."""
    # Or the end would be heard at the beginning.
    padded = 2 * len(samples)
    spectrum = np.fft.rfft(samples, padded)
    hertz = np.fft.rfftfreq(padded, 1 / rate)
    share = np.clip((hertz - edge_hz) / (edge_hz * (STOPBAND_RATIO - 1)), 0, 1)
    return np.asarray(np.fft.irfft(spectrum * np.cos(share * np.pi / 2) ** 2, padded)[: len(samples)], np.float32)
