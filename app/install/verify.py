"""Proves a prepared voice before it counts as one: it speaks sensibly, and just as the file it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.ort.session import GraphSession, open_as_it_is
from app.adapters.ort.synthesizer import OrtOpaqueSynthesizer
from app.core.durations import LONGEST_SYMBOL_FRAMES
from app.core.ports import Prosody, WholeInput
from app.core.types import Float32, Int64
from app.errors import BackendError, VoiceError
from app.install.proof_inputs import ProofInput, clear_of_ties, proof_inputs
from app.language import localized
from app.parity import Case, PreparedRunner, duration_noise, prior_noise
from app.progress import Report
from app.voices.voice import Voice

TOLERANCE = 1e-3  # of full scale; right graphs differ by 1e-5 at most
SILENCE = 1e-4  # peak below which nothing is heard, and nothing is proved by comparing
LOUD, MOST_LOUD = 0.99, 0.5  # a sample is clipped; this share of them is noise at full scale
MOST_FRAMES = 100.0  # a symbol on average: more than a second for each
CALMEST = 0.2  # noise in durations that any voice bears


@dataclass(frozen=True, slots=True)
class SourceGraph:
    """The graph a voice was cut from, on disk, with its noise made inputs (`app.voices.prepare.noise.noisy_copy`)."""

    path: Path
    baked_scales: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Spoken:
    given: ProofInput
    samples: Float32
    frames: Int64
    channels: int


def verify_prepared(voice: Voice, source: SourceGraph | None, report: Report) -> float | None:
    """Lets the three graphs of a voice speak, and their source say the same.

    The two are open one after the other, never together: a real voice takes half a gigabyte while it speaks.

    Returns:
        The largest difference of a sample; None without a source.

    Raises:
        VoiceError: it makes no sense, or not what the source makes.
    """
    with _runnable():
        spoken = _let_speak(voice, source, report)
    _check_sound([item.samples for item in spoken])
    return None if source is None else _compare(source, spoken, report)


def verify_whole(voice: Voice, report: Report) -> None:
    """Lets a voice of one graph speak; VoiceError where it makes no sense."""
    _check_sound(speak_whole(voice, report))


def speak_whole(voice: Voice, report: Report) -> list[Float32]:
    """What a voice of one graph says; VoiceError where it fails."""
    results, sentences = [], proof_inputs(voice, {})[:2]
    with _runnable():
        synthesizer = OrtOpaqueSynthesizer(open_as_it_is(voice.graphs["whole"], voice.manifest.name))
        for index, given in enumerate(sentences):
            report("checking", index / len(sentences))
            results.append(_whole(synthesizer, given.case))
    return results


def _whole(synthesizer: OrtOpaqueSynthesizer, case: Case) -> Float32:
    samples, _ = synthesizer.synthesize(
        WholeInput(
            case["x_tst"].reshape(-1), case["tones"].reshape(-1), case["language"].reshape(-1), case.get("ja_bert", case["bert"])[0],
            case["style_vec"].reshape(-1), int(case["sid"][0]), float(case["length_scale"]), float(case["sdp_ratio"]), 0.6, 0.8,
        )
    )  # fmt: skip
    return samples


def _let_speak(voice: Voice, source: SourceGraph | None, report: Report) -> list[_Spoken]:
    runner, spoken = PreparedRunner(voice), []
    sentences = proof_inputs(voice, source.baked_scales if source else {})
    fixed_noise = source is not None and "noise_scale_w" in source.baked_scales
    total = sum(given.symbols for given in sentences) * (1 if source is None else 2)
    done = 0
    for planned in sentences:
        report("checking", done / total)
        done += planned.symbols
        given, prosody = _settled(runner, planned, fixed_noise)
        samples, frames = runner.speak(given.case, prosody, given.seed)
        spoken.append(_Spoken(given, samples, frames, len(prosody.mean)))
    return spoken


def _settled(runner: PreparedRunner, given: ProofInput, fixed_noise: bool) -> tuple[ProofInput, Prosody]:
    """Inputs whose results can be compared, and their prosody."""
    prosody = runner.prosody(given.case, given.seed)
    while _absurd(prosody, given) and given.seed is not None and not fixed_noise and given.case["noise_scale_w"] > CALMEST:
        given = given.calmer()  # so much noise may be too much for a voice that is sound
        prosody = runner.prosody(given.case, given.seed)
    _check_prosody(prosody, given)
    return clear_of_ties(given, prosody), prosody


def _absurd(prosody: Prosody, given: ProofInput) -> bool:
    """Whether sounds last longer than anybody speaks."""
    lengths = np.exp(np.minimum(prosody.logw, 20).astype(np.float64)) * float(given.case["length_scale"])
    return bool(lengths.max() >= LONGEST_SYMBOL_FRAMES or lengths.mean() > MOST_FRAMES)


def _check_prosody(prosody: Prosody, given: ProofInput) -> None:
    values = (prosody.logw, prosody.mean, prosody.log_scale)
    if not all(np.isfinite(item).all() for item in values) or not all(item.shape[-1] == given.symbols for item in values):
        raise _nonsense(localized("無効な値（NaN など）が出力されます", "it outputs invalid values"))
    if _absurd(prosody, given):
        raise _nonsense(localized("音声の長さが異常です", "its audio is unreasonably long"))


def _check_sound(results: list[Float32]) -> None:
    samples = np.abs(np.concatenate(results)) if results else np.zeros(0, np.float32)
    if not np.isfinite(samples).all():
        raise _nonsense(localized("無効な値（NaN など）が出力されます", "it outputs invalid values"))
    if samples.max(initial=0) < SILENCE:
        raise _nonsense(localized("無音になります", "it is silent"))
    if (samples >= LOUD).mean() > MOST_LOUD:
        raise _nonsense(localized("音割れした雑音になります", "it is only clipped noise"))


def _compare(source: SourceGraph, spoken: list[_Spoken], report: Report) -> float:
    total, done, worst = sum(item.given.symbols for item in spoken), 0, 0.0
    session = open_as_it_is(source.path, "source")
    for item in spoken:
        report("checking", 0.5 + 0.5 * done / total)
        done += item.given.symbols
        samples, frames = _original(session, item)
        if not np.array_equal(frames, item.frames) or len(samples) != len(item.samples):
            raise _mismatch(localized("音声の長さが異なります", "the audio differs in length"))
        difference = float(np.abs(samples - item.samples).max())
        if not difference <= TOLERANCE:  # also when it is no number
            raise _mismatch(localized(f"波形の差が {difference:.2g} あります", f"samples differ by {difference:.2g}"))
        worst = max(worst, difference)
    return worst


def _original(session: GraphSession, item: _Spoken) -> tuple[Float32, Float32]:
    """What the source makes of given inputs: samples and frames per symbol."""
    try:
        samples, frames = session.run(dict(item.given.case) | _noise(item), session.outputs)
    except BackendError as exc:  # such as noise that does not fit because its durations are others
        raise _mismatch(localized("元のグラフは同じ入力を計算できません", "the original cannot process the same input")) from exc
    return samples.reshape(-1), frames.reshape(-1)


def _noise(item: _Spoken) -> dict[str, np.ndarray]:
    from app.voices.prepare.noise import DURATION_NOISE, PRIOR_NOISE  # onnx is slow to import

    given, frames = item.given, int(item.frames.sum())
    duration, prior = np.zeros((2, given.symbols), np.float32), np.zeros((item.channels, frames), np.float32)
    if given.seed is not None:
        duration, prior = duration_noise(given.case, given.seed), prior_noise(item.channels, frames, given.seed)
    return {DURATION_NOISE: duration[np.newaxis], PRIOR_NOISE: prior[np.newaxis]}


@contextmanager
def _runnable() -> Iterator[None]:
    """A graph that fails while it runs is a fault of the voice, not of the machine: it ran on the CPU."""
    try:
        yield
    except BackendError as exc:
        raise VoiceError(
            localized("この声の計算に失敗しました。", "This voice failed to run."),
            localized(
                "文の長さを固定して書き出されたか、ファイルが壊れている可能性があります。同じ声の別の形式（.safetensors など）をお試しください。",
                "It may have been exported for texts of one fixed length, or the file may be damaged. "
                "Try another format of the same voice, such as .safetensors. ",
            )
            + exc.hint,
        ) from exc


def _nonsense(what: str) -> VoiceError:
    return VoiceError(
        localized(f"この声では正しく合成できません: {what}。", f"This voice does not work correctly: {what}."),
        localized(
            "ファイルが壊れていないか確認するか、別の声でお試しください。", "Check that the file is not damaged, or try another voice."
        ),
    )


def _mismatch(what: str) -> VoiceError:
    return VoiceError(
        localized(f"変換した声が元の声と一致しません: {what}。", f"The converted voice does not match the original: {what}."),
        localized(
            "声は追加していません。この声のファイル名を添えて開発者にお知らせください。",
            "Nothing was added. Please report this with the name of the voice.",
        ),
    )
