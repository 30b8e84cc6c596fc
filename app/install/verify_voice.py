"""Proves a prepared voice before it counts as one: it speaks sensibly, and just as the file it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.adapters.ort.ort_synthesizer import OrtSingleGraphSynthesizer
from app.common.errors import BackendError, VoiceError
from app.common.language import localize
from app.common.progress import Report
from app.compose.graph_runner import Case, PreparedRunner
from app.core.sound.acoustic import NoiseStreams
from app.core.sound.durations import MAX_PREDICTED_SYMBOL_FRAMES
from app.core.sound.ports import Prosody, SingleGraphInput
from app.core.sound.result_metrics import compute_max_difference
from app.core.synthesis_types import Float32, Int64
from app.install.verification_inputs import VerificationInput, adjust_to_avoid_ties, build_verification_inputs
from app.voices.prepared_voice import Voice

# Right graphs differ by 1e-5 of full scale at most.
VOICE_TOLERANCE = 1e-3
# A peak below this is inaudible, so comparing such samples proves nothing.
SILENT_AMPLITUDE = 1e-4
# A sample above the first is clipped; the second is the share of clipped samples that is noise at full scale.
LOUD, MOST_LOUD = 0.99, 0.5
# On average over the symbols, this is more than a second for each.
MAX_FRAMES_PER_SYMBOL = 100.0
# Noise in durations that any voice bears.
MIN_NOISE_FACTOR = 0.2


@dataclass(frozen=True, slots=True)
class SourceGraph:
    """The graph a voice was cut from, on disk, with its noise made inputs (`app.voices.prepare.source_graphs.expose_noise_inputs`)."""

    path: Path
    baked_scales: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _VerifiedRun:
    inputs: VerificationInput
    samples: Float32
    frames: Int64
    channels: int


def verify_prepared_voice(voice: Voice, source: SourceGraph | None, report: Report, *, is_quick: bool = False) -> float | None:
    """Compare the speech of a voice's three graphs with that of their source.

    The two are open one after the other, never together: a real voice takes half a gigabyte while it speaks.

    Args:
        is_quick: two short lines are enough for now.

    Returns:
        The largest difference of a sample; None without a source.

    Raises:
        VoiceError: it makes no sense, or not what the source makes.
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
        for index, given in enumerate(sentences):
            report("checking", index / len(sentences))
            results.append(_run_single_graph(synthesizer, given.case))
    return results


def _run_single_graph(synthesizer: OrtSingleGraphSynthesizer, case: Case) -> Float32:
    samples, _ = synthesizer.synthesize(
        SingleGraphInput(
            case["x_tst"].reshape(-1), case["tones"].reshape(-1), case["language"].reshape(-1), case.get("ja_bert", case["bert"])[0],
            case["style_vec"].reshape(-1), int(case["sid"][0]), float(case["length_scale"]), float(case["sdp_ratio"]), 0.6, 0.8,
        )
    )  # fmt: skip
    return samples


def _speak_inputs(voice: Voice, source: SourceGraph | None, report: Report, *, is_quick: bool) -> list[_VerifiedRun]:
    runner, spoken = PreparedRunner(voice), []
    sentences = build_verification_inputs(voice, source.baked_scales if source else {}, is_quick=is_quick)
    fixed_noise = source is not None and "noise_scale_w" in source.baked_scales
    total = sum(given.symbol_count for given in sentences) * (1 if source is None else 2)
    done = 0
    for planned in sentences:
        report("checking", done / total)
        done += planned.symbol_count
        given, prosody = _find_comparable_inputs(runner, planned, fixed_noise)
        samples, frames = runner.speak_case(given.case, prosody, given.seed)
        spoken.append(_VerifiedRun(given, samples, frames, len(prosody.mean)))
    return spoken


def _find_comparable_inputs(runner: PreparedRunner, inputs: VerificationInput, has_fixed_noise: bool) -> tuple[VerificationInput, Prosody]:
    """Return inputs whose results can be compared, and their prosody."""
    prosody = runner.run_prosody(inputs.case, inputs.seed)
    while (
        _is_implausibly_long(prosody, inputs)
        and inputs.seed is not None
        and not has_fixed_noise
        and inputs.case["noise_scale_w"] > MIN_NOISE_FACTOR
    ):
        # A sound voice may still fail with this much noise in its durations.
        inputs = inputs.reduce_duration_noise()
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
    total, done, worst = sum(item.inputs.symbol_count for item in spoken), 0, 0.0
    session = open_unoptimized(source.path, "source")
    for item in spoken:
        report("checking", 0.5 + 0.5 * done / total)
        done += item.inputs.symbol_count
        samples, frames = _run_source(session, item)
        if not np.array_equal(frames, item.frames) or len(samples) != len(item.samples):
            raise _build_mismatch_error(localize("音声の長さが異なります", "the audio differs in length"))
        difference = compute_max_difference(item.samples, samples)
        # The negated comparison also catches NaN.
        if not difference <= VOICE_TOLERANCE:
            raise _build_mismatch_error(localize(f"波形の差が {difference:.2g} あります", f"samples differ by {difference:.2g}"))
        worst = max(worst, difference)
    return worst


def _run_source(session: GraphSession, item: _VerifiedRun) -> tuple[Float32, Float32]:
    """Run the source on given inputs and return samples and frames per symbol."""
    try:
        samples, frames = session.run_graph(dict(item.inputs.case) | _collect_noise(item), session.outputs)
    except BackendError as exc:
        # Noise does not fit, for example, where the durations of the source are others.
        raise _build_mismatch_error(localize("元のグラフは同じ入力を計算できません", "the original cannot process the same input")) from exc
    return samples.reshape(-1), frames.reshape(-1)


def _collect_noise(item: _VerifiedRun) -> dict[str, np.ndarray]:
    # Onnx is slow to import.
    from app.voices.prepare.source_graphs import DURATION_NOISE, PRIOR_NOISE

    given, frames = item.inputs, int(item.frames.sum())
    duration, prior = np.zeros((2, given.symbol_count), np.float32), np.zeros((item.channels, frames), np.float32)
    if given.seed is not None:
        noise = NoiseStreams((given.seed,))
        duration, prior = noise.draw_duration_noise(given.symbol_count), noise.draw_prior_noise(item.channels, frames)
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
