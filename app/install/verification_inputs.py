"""Builds the inputs that verify a voice: seeded nonsense of real morae in several lengths, speakers, styles and speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.compose.graph_runner import SYMBOL_TYPES_INPUT
from app.core.sound.durations import expand_to_phones
from app.core.sound.ports import Prosody
from app.core.sound.voice_traits import compute_style_vector
from app.core.symbols import EDGE_SYMBOL, NANAIRO_EMOJI
from app.core.synthesis_types import BERT_WIDTH, Phones
from app.core.text.moras import PHONES_BY_MORA
from app.core.text.phone_ids import convert_phones_to_ids
from app.voices.prepared_voice import Voice

MAX_TIE_ATTEMPTS = (
    # Speeds to choose from; the best keeps hundreds of durations a thousand times farther from a tie than right graphs differ.
    32
)
# What is spoken faster than planned when it would last longer: enough for every window size.
MAX_VERIFICATION_FRAMES = 1000


@dataclass(frozen=True, slots=True)
class VerificationInput:
    """One sentence.

    Attributes:
        case: inputs of the public graph by name, as `app.compose.graph_runner` takes them.
        seed: of the noise; None turns it off.
    """

    case: Mapping[str, np.ndarray]
    seed: int | None

    def reduce_duration_noise(self) -> VerificationInput:
        """Return the input with half the noise in its durations."""
        return VerificationInput({**self.case, "noise_scale_w": np.asarray(self.case["noise_scale_w"] * 0.5, np.float32)}, self.seed)

    @property
    def symbol_count(self) -> int:
        """Return the length of the text with blanks."""
        return int(self.case["x_tst"].size)


@dataclass(frozen=True, slots=True)
class _InputPlan:
    moras: int
    noise: float
    noise_w: float
    sdp_ratio: float
    length_scale: float
    style_weight: float


VERIFICATION_PLANS = (
    _InputPlan(moras=2, noise=0.0, noise_w=0.0, sdp_ratio=0.0, length_scale=1.0, style_weight=1.0),
    _InputPlan(moras=15, noise=0.6, noise_w=2.0, sdp_ratio=1.0, length_scale=0.8, style_weight=2.0),
    _InputPlan(moras=50, noise=1.0, noise_w=0.8, sdp_ratio=0.4, length_scale=1.0, style_weight=0.5),
    _InputPlan(moras=15, noise=0.0, noise_w=0.0, sdp_ratio=0.7, length_scale=1.25, style_weight=1.0),
)


QUICK_PLANS = (
    VERIFICATION_PLANS[0],
    # Of another length, which a graph exported for one length refuses, and with noise.
    _InputPlan(moras=5, noise=0.6, noise_w=0.8, sdp_ratio=0.4, length_scale=0.8, style_weight=1.0),
)
"""Two short lines, which are compared before a voice may speak; the others are compared while it does."""


def build_verification_inputs(voice: Voice, baked_scales: Mapping[str, float], *, is_quick: bool = False) -> list[VerificationInput]:
    """Build the sentences for a voice.

    Args:
        baked_scales: noise scales that the source does not take as inputs.
        is_quick: those of QUICK_PLANS alone.
    """
    plans = QUICK_PLANS if is_quick else VERIFICATION_PLANS
    return [_build_input(voice, plan, index, baked_scales) for index, plan in enumerate(plans)]


def _build_input(voice: Voice, plan: _InputPlan, index: int, baked_scales: Mapping[str, float]) -> VerificationInput:
    info, rng = voice.manifest, np.random.default_rng(index)
    spoken = _generate_nonsense(plan.moras, rng, info.emoji)
    ids = convert_phones_to_ids(spoken, multilingual=info.multilingual, add_blank=info.add_blank, emoji=info.emoji)
    tokens = rng.standard_normal((len(ids.word2ph), BERT_WIDTH), dtype=np.float32)
    features = expand_to_phones(tokens, ids.word2ph)[np.newaxis]
    speakers, styles = sorted(item.id for item in info.speakers), sorted(item.id for item in info.styles)
    numbers = {"noise_scale": plan.noise, "noise_scale_w": plan.noise_w, **baked_scales}
    numbers |= {"length_scale": plan.length_scale, "sdp_ratio": plan.sdp_ratio}
    case: dict[str, np.ndarray] = {
        "x_tst": ids.phones[np.newaxis],
        "x_tst_lengths": np.array([len(ids.phones)]),
        "sid": np.array([_pick_spread_id(speakers, index)]),
        "tones": ids.tones[np.newaxis],
        "language": ids.language[np.newaxis],
        "bert": features,
        "style_vec": compute_style_vector(voice.style_vectors, _pick_spread_id(styles, index), plan.style_weight)[np.newaxis],
        SYMBOL_TYPES_INPUT: ids.kinds[np.newaxis],
        **{name: np.asarray(value, np.float32) for name, value in numbers.items()},
    }
    if info.multilingual:
        case |= {"ja_bert": features, "bert": np.zeros_like(features), "en_bert": np.zeros_like(features)}
    return VerificationInput(case, index if plan.noise else None)


def _generate_nonsense(moras: int, rng: np.random.Generator, emoji: bool) -> Phones:
    table = [*PHONES_BY_MORA.values(), *((symbol,) for symbol in NANAIRO_EMOJI if emoji)]
    phones = (EDGE_SYMBOL, *(phone for index in rng.integers(len(table), size=moras) for phone in table[index]), ".", EDGE_SYMBOL)
    tones = tuple(int(tone) for tone in rng.integers(2, size=len(phones)))
    return Phones("あ" * (len(phones) - 2), "", phones, tones, (1,) * len(phones))


def _pick_spread_id(ids: list[int], index: int) -> int:
    """Return the highest id first, which a table too short would lack, then the ids from the lowest up."""
    return ids[(index - 1) % len(ids)]


def adjust_to_avoid_ties(inputs: VerificationInput, prosody: Prosody) -> VerificationInput:
    """Return the inputs at a speed where no duration is nearly a whole number of frames.

    There the last digit decides whether it is rounded up, so two right graphs may differ by a frame. Speeds close by are tried and the
    one that keeps farthest from such ties is taken; the prior and the log durations do not depend on it.
    """
    lengths = np.exp(np.minimum(prosody.logw, 20).astype(np.float64))
    scale = float(inputs.case["length_scale"])
    scale = min(scale, scale * MAX_VERIFICATION_FRAMES / max(1.0, float(np.ceil(lengths * scale).sum())))
    candidates = [scale * (1 - 0.0037 * attempt) for attempt in range(MAX_TIE_ATTEMPTS)]
    best = max(candidates, key=lambda item: _compute_tie_distance(lengths * item))
    return VerificationInput({**inputs.case, "length_scale": np.asarray(best, np.float32)}, inputs.seed)


def _compute_tie_distance(lengths: np.ndarray) -> float:
    """Return the least distance of a length to a whole number above zero, relative to the length."""
    above = np.ceil(lengths) - lengths
    below = np.where(lengths >= 1, lengths - np.floor(lengths), 1.0)
    return float((np.minimum(above, below) / np.maximum(lengths, 1.0)).min())
