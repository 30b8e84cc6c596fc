"""Proves a prepared voice before it counts as one: it speaks sensibly, and just as the file it was made from."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import open_unoptimized
from app.adapters.ort.ort_synthesizer import OrtSingleGraphSynthesizer
from app.common.errors import BackendError, VoiceError
from app.common.language import localize
from app.common.progress import Report
from app.compose.graph_runner import SYMBOL_TYPES_INPUT, PreparedRunner
from app.core.sound.acoustic import NoiseStreams
from app.core.sound.durations import MAX_PREDICTED_SYMBOL_FRAMES, expand_to_phones
from app.core.sound.ports import Prosody, SingleGraphInput
from app.core.sound.result_metrics import compute_max_difference
from app.core.sound.voice_traits import compute_style_vector
from app.core.symbols import EDGE_SYMBOL, NANAIRO_EMOJI
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones
from app.core.text.phone_ids import convert_phones_to_ids
from app.core.text.pronunciation import PHONES_BY_MORA
from app.voices.prepared_voice import Voice

VOICE_TOLERANCE = 1e-3  # right graphs differ by 1e-5 of full scale at most
SILENT_AMPLITUDE = 1e-4  # a peak below this is inaudible, so comparing such samples proves nothing
LOUD, MOST_LOUD = 0.99, 0.5  # a sample above the first is clipped; the second is the share of clipped samples that is noise at full scale
MAX_FRAMES_PER_SYMBOL = 100.0  # on average over the symbols, this is more than a second for each
MIN_NOISE_FACTOR = 0.2  # noise in durations that any voice tolerates

MAX_TIE_ATTEMPTS = (
    # Speeds to choose from; the best keeps hundreds of durations a thousand times farther from a tie than right graphs differ.
    32
)
MAX_VERIFICATION_FRAMES = 1000  # what is spoken faster than planned when it would last longer: enough for every window size


@dataclass(frozen=True, slots=True)
class SourceGraph:
    """The graph a voice was cut from, on disk, with its noise made inputs (`app.voices.prepare.source_graphs.expose_noise_inputs`)."""

    path: Path
    baked_scales: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class VerificationInput:
    """One sentence: inputs of the public graph by name, as `app.compose.graph_runner` takes them, and the seed of the noise, or None."""

    case: Mapping[str, np.ndarray]
    seed: int | None

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
    """Build the sentences for a voice, or those of QUICK_PLANS; `baked_scales` are noise scales that the source does not take as inputs."""
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


@dataclass(frozen=True, slots=True)
class _VerifiedRun:
    inputs: VerificationInput
    samples: Float32
    frames: Int64
    channels: int


def verify_prepared_voice(voice: Voice, source: SourceGraph | None, report: Report, *, is_quick: bool = False) -> float | None:
    """Return the largest difference of a sample between a voice's three graphs and their source; None without a source.

    The two are open one after the other, never together: a real voice takes half a gigabyte while it speaks. With `is_quick`, two short
    lines are enough for now. Raise VoiceError if the voice makes no sense, or not what the source makes.
    """
    with _convert_run_errors():
        spoken = _speak_inputs(voice, source, report, is_quick=is_quick)
    _check_sound([item.samples for item in spoken])
    return None if source is None else _compare_with_source(source, spoken, report)


def verify_single_graph_voice(voice: Voice, report: Report) -> None:
    """Let a single-graph voice speak; raise VoiceError if the sound makes no sense."""
    _check_sound(speak_single_graph(voice, report))


def speak_single_graph(voice: Voice, report: Report) -> list[Float32]:
    """Return the speech of a single-graph voice; raises VoiceError where it fails."""
    results, sentences = [], build_verification_inputs(voice, {})[:2]
    with _convert_run_errors():
        synthesizer = OrtSingleGraphSynthesizer(open_unoptimized(voice.graphs["whole"], voice.manifest.name))
        for index, sentence in enumerate(sentences):
            report("checking", index / len(sentences))
            case = sentence.case
            values = SingleGraphInput(
                case["x_tst"].reshape(-1), case["tones"].reshape(-1), case["language"].reshape(-1), case.get("ja_bert", case["bert"])[0],
                case["style_vec"].reshape(-1), int(case["sid"][0]), float(case["length_scale"]), float(case["sdp_ratio"]), 0.6, 0.8,
            )  # fmt: skip
            results.append(synthesizer.synthesize(values)[0])
    return results


def _speak_inputs(voice: Voice, source: SourceGraph | None, report: Report, *, is_quick: bool) -> list[_VerifiedRun]:
    runner, spoken = PreparedRunner(voice), []
    sentences = build_verification_inputs(voice, source.baked_scales if source else {}, is_quick=is_quick)
    fixed_noise = source is not None and "noise_scale_w" in source.baked_scales
    total = sum(given.symbol_count for given in sentences) * (1 if source is None else 2)
    symbols_before = 0
    for planned in sentences:
        report("checking", symbols_before / total)
        symbols_before += planned.symbol_count
        given, prosody = _find_comparable_inputs(runner, planned, fixed_noise)
        samples, frames = runner.speak_case(given.case, prosody, given.seed)
        spoken.append(_VerifiedRun(given, samples, frames, len(prosody.mean)))
    return spoken


def _find_comparable_inputs(runner: PreparedRunner, inputs: VerificationInput, has_fixed_noise: bool) -> tuple[VerificationInput, Prosody]:
    prosody = runner.run_prosody(inputs.case, inputs.seed)
    while (
        _is_implausibly_long(prosody, inputs)
        and inputs.seed is not None
        and not has_fixed_noise
        and inputs.case["noise_scale_w"] > MIN_NOISE_FACTOR
    ):
        # A sound voice may still fail with this much noise in its durations.
        less_noise = np.asarray(inputs.case["noise_scale_w"] * 0.5, np.float32)
        inputs = VerificationInput({**inputs.case, "noise_scale_w": less_noise}, inputs.seed)
        prosody = runner.run_prosody(inputs.case, inputs.seed)
    _check_prosody(prosody, inputs)
    return adjust_to_avoid_ties(inputs, prosody), prosody


def _is_implausibly_long(prosody: Prosody, inputs: VerificationInput) -> bool:
    """Return whether sounds last longer than in any human speech."""
    lengths = np.exp(np.minimum(prosody.logw, 20).astype(np.float64)) * float(inputs.case["length_scale"])
    return bool(lengths.max() >= MAX_PREDICTED_SYMBOL_FRAMES or lengths.mean() > MAX_FRAMES_PER_SYMBOL)


def _check_prosody(prosody: Prosody, inputs: VerificationInput) -> None:
    values = (prosody.logw, prosody.mean, prosody.log_scale)
    if not all(np.isfinite(item).all() for item in values) or not all(item.shape[-1] == inputs.symbol_count for item in values):
        raise _build_nonsense_error(localize("無効な値（NaN など）が出力されます", "it outputs invalid values"))
    if _is_implausibly_long(prosody, inputs):
        raise _build_nonsense_error(localize("音声の長さが異常です", "its audio is unreasonably long"))


def _check_sound(results: list[Float32]) -> None:
    samples = np.abs(np.concatenate(results)) if results else np.zeros(0, np.float32)
    if not np.isfinite(samples).all():
        raise _build_nonsense_error(localize("無効な値（NaN など）が出力されます", "it outputs invalid values"))
    if samples.max(initial=0) < SILENT_AMPLITUDE:
        raise _build_nonsense_error(localize("無音になります", "it is silent"))
    if (samples >= LOUD).mean() > MOST_LOUD:
        raise _build_nonsense_error(localize("音割れした雑音になります", "it is only clipped noise"))


def _compare_with_source(source: SourceGraph, spoken: list[_VerifiedRun], report: Report) -> float:
    total, symbols_before, worst = sum(item.inputs.symbol_count for item in spoken), 0, 0.0
    session = open_unoptimized(source.path, "source")
    for item in spoken:
        report("checking", 0.5 + 0.5 * symbols_before / total)
        symbols_before += item.inputs.symbol_count
        try:
            sound, frames = session.run_graph(dict(item.inputs.case) | _collect_noise(item), session.outputs)
        except BackendError as exc:
            # Noise does not fit, for example, where the durations of the source are others.
            raise _build_mismatch_error(
                localize("元のグラフは同じ入力を計算できません", "the original cannot process the same input")
            ) from exc
        samples = sound.reshape(-1)
        if not np.array_equal(frames.reshape(-1), item.frames) or len(samples) != len(item.samples):
            raise _build_mismatch_error(localize("音声の長さが異なります", "the audio differs in length"))
        difference = compute_max_difference(item.samples, samples)
        # The negated comparison also catches NaN.
        if not difference <= VOICE_TOLERANCE:
            raise _build_mismatch_error(localize(f"波形の差が {difference:.2g} あります", f"samples differ by {difference:.2g}"))
        worst = max(worst, difference)
    return worst


def _collect_noise(item: _VerifiedRun) -> dict[str, np.ndarray]:
    # Onnx is slow to import.
    from app.voices.prepare.source_graphs import DURATION_NOISE, PRIOR_NOISE

    inputs, frames = item.inputs, int(item.frames.sum())
    duration, prior = np.zeros((2, inputs.symbol_count), np.float32), np.zeros((item.channels, frames), np.float32)
    if inputs.seed is not None:
        noise = NoiseStreams((inputs.seed,))
        duration, prior = noise.draw_duration_noise(inputs.symbol_count), noise.draw_prior_noise(item.channels, frames)
    return {DURATION_NOISE: duration[np.newaxis], PRIOR_NOISE: prior[np.newaxis]}


@contextmanager
def _convert_run_errors() -> Iterator[None]:
    """Turn errors of running graphs into VoiceError: they ran on the CPU, so the fault is the voice's, not the machine's."""
    try:
        yield
    except BackendError as exc:
        raise VoiceError(
            localize("この声の計算に失敗しました。", "This voice failed to run."),
            localize(
                "文の長さを固定して書き出されたか、ファイルが壊れている可能性があります。同じ声の別の形式（.safetensors など）をお試しください。",
                "It may have been exported for texts of one fixed length, or the file may be damaged. "
                "Try another format of the same voice, such as .safetensors. ",
            )
            + exc.hint,
        ) from exc


def _build_nonsense_error(fault: str) -> VoiceError:
    return VoiceError(
        localize(f"この声では正しく合成できません: {fault}。", f"This voice does not work correctly: {fault}."),
        localize(
            "ファイルが壊れていないか確認するか、別の声でお試しください。", "Check that the file is not damaged, or try another voice."
        ),
    )


def _build_mismatch_error(difference: str) -> VoiceError:
    return VoiceError(
        localize(f"変換した声が元の声と一致しません: {difference}。", f"The converted voice does not match the original: {difference}."),
        localize(
            "声は追加していません。この声のファイル名を添えて開発者にお知らせください。",
            "Nothing was added. Please report this with the name of the voice.",
        ),
    )
