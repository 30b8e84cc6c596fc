"""Log durations to frames, and the expansion from tokens to symbols and from symbols to frames.

The rule of a voice says how lengths are rounded (`app.voices.prepared_voice`): "ceil" is SBV2's, where every symbol keeps at least one
frame; "round" is Kokoro's, with at least one frame too; "carry" hands the remainder on to the next symbol, so that a sentence is as
long as its parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.sound.ports import FrameInput, Melody, Prosody
from app.core.sound.voice_traits import DurationRule
from app.core.synthesis_types import Float16, Float32, Int64

# 23 s at the usual 86 frames a second: a voice that predicts more is broken and would use up all memory.
MAX_PREDICTED_SYMBOL_FRAMES = 2000.0

MAX_FLOAT16 = float(np.finfo(np.float16).max)


@dataclass(frozen=True, slots=True)
class FrameTarget:
    """A stretch of symbols [start, end) that together last exactly `frames`."""

    start: int
    end: int
    frames: int


@dataclass(frozen=True, slots=True)
class PhraseEnding:
    """A symbol that sounds for at most `frames` at speed 1; what it has beyond that is silence, and counts as the pause's behind it."""

    symbol: int  # symbol, pause: indices of the symbol, and of the mark or `_` behind it
    pause: int
    frames: float


def compute_symbol_frames(
    logw: Float32,
    length_scale: float,
    rule: DurationRule,
    targets: Sequence[FrameTarget] = (),
    *,
    endings: Sequence[PhraseEnding] = (),
    opening_frames: int | None = None,
) -> Int64:
    """Return the frames of each symbol that are heard, int64 (T,), at least one in all.

    Args:
        logw: log of frames per symbol at speed 1, float32 (T,).
        targets: stretches whose length the user fixed; their frames are exact.
        endings: symbols whose silence counts as the pause's behind them.
        opening_frames: of the first symbol at every speed, unless a target fixes it; None leaves it to `logw`.
    """
    # exp overflows float32 from about 88 on; beyond 20 the length is cut to the maximum anyway.
    length = np.exp(np.minimum(logw, np.float32(20))) * np.float32(length_scale)
    length = np.minimum(np.nan_to_num(length), MAX_PREDICTED_SYMBOL_FRAMES)
    for ending in endings:
        silence = max(np.float32(0), length[ending.symbol] - np.float32(ending.frames * length_scale))
        length[ending.symbol] -= silence
        length[ending.pause] += silence
    frames = _ROUNDING[rule](length).astype(np.int64)
    if opening_frames is not None:
        frames[0] = opening_frames
    for target in targets:
        lengths = length[target.start : target.end].astype(np.float64)
        share = lengths / lengths.sum() if lengths.sum() > 0 else np.full(len(lengths), 1 / len(lengths))
        frames[target.start : target.end] = round_with_carry(share * target.frames)
    # A sentence without a frame would give the flow and the decoder empty tensors.
    if frames.sum() == 0:
        frames[len(frames) // 2] = 1
    return frames


def compute_flow_frames(
    logw: Float32, frames: Int64, length_scale: float, rule: DurationRule, endings: Sequence[PhraseEnding], *, has_opening: bool
) -> tuple[Int64, int]:
    """Return the frames that the flow gets of each symbol, and how many of the first one are not heard.

    An ending that nobody changed gets its silence back from the pause, as the voice was trained; the sum stays.

    Args:
        frames: that are heard, int64 (T,), as `compute_symbol_frames` gives them for the other arguments.
        has_opening: the first symbol gets what the voice predicts at speed 1, whatever is heard of it.
    """
    predicted, shortened = compute_symbol_frames(logw, length_scale, rule), compute_symbol_frames(logw, length_scale, rule, endings=endings)
    lengthened = frames.copy()
    for ending in endings:
        if frames[ending.symbol] == shortened[ending.symbol]:
            silence = min(predicted[ending.symbol] - shortened[ending.symbol], max(0, frames[ending.pause] - 1))
            lengthened[ending.symbol] += silence
            lengthened[ending.pause] -= silence
    unheard = max(0, int(compute_symbol_frames(logw[:1], 1.0, rule)[0]) - int(frames[0])) if has_opening else 0
    lengthened[0] += unheard
    return lengthened, unheard


def round_with_carry(length: np.ndarray) -> Int64:
    """Return whole numbers whose running sum never differs from that of `length` by more than a half."""
    edges = np.floor(np.cumsum(length, dtype=np.float64) + 0.5).astype(np.int64)
    return np.diff(edges, prepend=0)


_ROUNDING: dict[DurationRule, Callable[[np.ndarray], np.ndarray]] = {
    "ceil": np.ceil,
    "carry": round_with_carry,
    "round": lambda length: np.maximum(np.rint(length), 1),
}


def expand_prior(
    prosody: Prosody,
    frames: Int64,
    noise: Float32 | None,
    noise_scale: float,
    length_scale: float,
    speaker: int,
    style: Float32,
    melody: Melody | None = None,
    pitch_offset: Float32 | None = None,
) -> FrameInput:
    """Spread the prior over frames and add noise (C, F), standard normal: z_p = mean + noise · exp(log_scale) · noise_scale.

    A prior without scales takes no noise.
    """
    z_p = np.repeat(prosody.mean, frames, axis=1)
    if noise is not None and noise_scale and len(prosody.log_scale):
        scaled = np.repeat(np.exp(prosody.log_scale) * np.float32(noise_scale), frames, axis=1)
        np.multiply(noise, scaled, out=scaled)
        np.add(z_p, scaled, out=z_p)
    phone_frames = np.repeat(frames, frames)
    starts = np.repeat(np.cumsum(frames) - frames, frames)
    position = (np.arange(len(starts)) - starts + 0.5) / phone_frames
    places = (position.astype(np.float32), phone_frames.astype(np.float32))
    return FrameInput(z_p, *places, length_scale, speaker, style, melody, pitch_offset)


def round_features(features: Float32) -> Float16:
    """Round features to float16, as the caches keep them."""
    # All speech is made of rounded features, so a cached sentence sounds the same as a fresh one.
    return np.clip(features, -MAX_FLOAT16, MAX_FLOAT16).astype(np.float16)


def expand_to_phones(
    tokens: Float16 | Float32, word2ph: Int64, weight: float = 1.0, assist: Float16 | Float32 | None = None, assist_weight: float = 0.0
) -> Float32:
    """Repeat the features of each token over the symbols the token is read as.

    Args:
        tokens: (n, 1024), [CLS] and [SEP] included.
        word2ph: symbols per token, int64 (n,), sum T.
        weight: accent fidelity; 1 is what the voice was trained with, 0 ignores the text's meaning.
        assist: features of the assist text, (m, 1024); their mean colours every token.
        assist_weight: share of the assist text, 0..1.
    """
    tokens = tokens.astype(np.float32)
    if assist is not None and assist_weight:
        tokens = tokens * np.float32(1 - assist_weight) + assist.mean(axis=0, dtype=np.float32) * np.float32(assist_weight)
    if weight != 1.0:
        tokens = tokens * np.float32(weight)
    return np.repeat(tokens.T, word2ph, axis=1)
