"""What a voice has to say before it counts as prepared: seeded nonsense of real morae, several lengths, speakers, styles and speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.core.features import phone_features
from app.core.moras import MORAS
from app.core.phones import phones_to_ids
from app.core.ports import Prosody
from app.core.style import style_vector
from app.core.symbols import EDGE, EMOJI
from app.core.types import BERT_WIDTH, Phones
from app.parity import KINDS
from app.voices.voice import Voice

ATTEMPTS = 32  # speeds to choose from; the best keeps hundreds of durations a thousand times farther from a tie than right graphs differ
LONGEST_FRAMES = 1000  # what is spoken faster than planned when it would last longer: enough for every window size


@dataclass(frozen=True, slots=True)
class ProofInput:
    """One sentence.

    Attributes:
        case: inputs of the public graph by name, as `app.parity` takes them.
        seed: of the noise; None turns it off.
    """

    case: Mapping[str, np.ndarray]
    seed: int | None

    def calmer(self) -> ProofInput:
        """With half the noise in its durations."""
        return ProofInput({**self.case, "noise_scale_w": np.asarray(self.case["noise_scale_w"] * 0.5, np.float32)}, self.seed)

    @property
    def symbols(self) -> int:
        """Length of the text with blanks."""
        return int(self.case["x_tst"].size)


@dataclass(frozen=True, slots=True)
class _Plan:
    moras: int
    noise: float
    noise_w: float
    sdp_ratio: float
    length_scale: float
    style_weight: float


PLANS = (
    _Plan(moras=2, noise=0.0, noise_w=0.0, sdp_ratio=0.0, length_scale=1.0, style_weight=1.0),
    _Plan(moras=15, noise=0.6, noise_w=2.0, sdp_ratio=1.0, length_scale=0.8, style_weight=2.0),
    _Plan(moras=50, noise=1.0, noise_w=0.8, sdp_ratio=0.4, length_scale=1.0, style_weight=0.5),
    _Plan(moras=15, noise=0.0, noise_w=0.0, sdp_ratio=0.7, length_scale=1.25, style_weight=1.0),
)


def proof_inputs(voice: Voice, baked_scales: Mapping[str, float]) -> list[ProofInput]:
    """The sentences for a voice.

    Args:
        baked_scales: noise scales that the source does not take as inputs.
    """
    return [_proof_input(voice, plan, index, baked_scales) for index, plan in enumerate(PLANS)]


def _proof_input(voice: Voice, plan: _Plan, index: int, baked_scales: Mapping[str, float]) -> ProofInput:
    info, rng = voice.manifest, np.random.default_rng(index)
    spoken = _nonsense(plan.moras, rng, info.emoji)
    ids = phones_to_ids(spoken, multilingual=info.multilingual, add_blank=info.add_blank, emoji=info.emoji)
    tokens = rng.standard_normal((len(ids.word2ph), BERT_WIDTH), dtype=np.float32)
    features = phone_features(tokens, ids.word2ph)[np.newaxis]
    speakers, styles = sorted(item.id for item in info.speakers), sorted(item.id for item in info.styles)
    numbers = {"noise_scale": plan.noise, "noise_scale_w": plan.noise_w, **baked_scales}
    numbers |= {"length_scale": plan.length_scale, "sdp_ratio": plan.sdp_ratio}
    case: dict[str, np.ndarray] = {
        "x_tst": ids.phones[np.newaxis],
        "x_tst_lengths": np.array([len(ids.phones)]),
        "sid": np.array([_spread(speakers, index)]),
        "tones": ids.tones[np.newaxis],
        "language": ids.language[np.newaxis],
        "bert": features,
        "style_vec": style_vector(voice.style_vectors, _spread(styles, index), plan.style_weight)[np.newaxis],
        KINDS: ids.kinds[np.newaxis],
        **{name: np.asarray(value, np.float32) for name, value in numbers.items()},
    }
    if info.multilingual:
        case |= {"ja_bert": features, "bert": np.zeros_like(features), "en_bert": np.zeros_like(features)}
    return ProofInput(case, index if plan.noise else None)


def _nonsense(moras: int, rng: np.random.Generator, emoji: bool) -> Phones:
    table = [*MORAS.values(), *((symbol,) for symbol in EMOJI if emoji)]
    phones = (EDGE, *(phone for index in rng.integers(len(table), size=moras) for phone in table[index]), ".", EDGE)
    tones = tuple(int(tone) for tone in rng.integers(2, size=len(phones)))
    return Phones("あ" * (len(phones) - 2), "", phones, tones, (1,) * len(phones))


def _spread(ids: list[int], index: int) -> int:
    """The highest id first, which a table too short would lack, then from the lowest up."""
    return ids[(index - 1) % len(ids)]


def clear_of_ties(given: ProofInput, prosody: Prosody) -> ProofInput:
    """The inputs at a speed where no duration is nearly a whole number of frames.

    There the last digit decides whether it is rounded up, so two right graphs may differ by a frame. Speeds close by are tried and the
    one that keeps farthest from such ties is taken; the prior and the log durations do not depend on it.
    """
    lengths = np.exp(np.minimum(prosody.logw, 20).astype(np.float64))
    scale = float(given.case["length_scale"])
    scale = min(scale, scale * LONGEST_FRAMES / max(1.0, float(np.ceil(lengths * scale).sum())))
    candidates = [scale * (1 - 0.0037 * attempt) for attempt in range(ATTEMPTS)]
    best = max(candidates, key=lambda item: _distance_to_tie(lengths * item))
    return ProofInput({**given.case, "length_scale": np.asarray(best, np.float32)}, given.seed)


def _distance_to_tie(lengths: np.ndarray) -> float:
    """How near any length is to a whole number above zero, relative to the length."""
    above = np.ceil(lengths) - lengths
    below = np.where(lengths >= 1, lengths - np.floor(lengths), 1.0)
    return float((np.minimum(above, below) / np.maximum(lengths, 1.0)).min())
