"""Runs the graphs of a voice on given inputs, as the pipeline would, so that what they compute can be compared.

A case maps input names of the public SBV2 graph to arrays. Noise is off, or drawn from a seed so that the graph a voice was cut from
can be given the same.
"""

from collections.abc import Mapping

import numpy as np

from app.adapters.ort.graph_session import open_cpu_session, open_unoptimized
from app.common.errors import VoiceError
from app.common.language import localize
from app.compose.graph_sessions import build_acoustic_model
from app.core.sound.acoustic import NoiseStreams
from app.core.sound.ports import STEPS_PER_FRAME, Melody, Prosody, ProsodyInput
from app.core.synthesis_types import Float32, Int64
from app.voices.expected_outputs import CaseRunner
from app.voices.prepare.input_roles import PUBLIC_INPUT_NAMES
from app.voices.prepared_voice import Voice

Case = Mapping[str, np.ndarray]

SYMBOL_TYPES_INPUT = "duration_symbol_type_ids"
FIXED_FRAMES, IS_FIXED = "durations_frames_override", "durations_frames_override_mask"


def create_graph_runner(voice: Voice) -> CaseRunner:
    """Return a runner that gives samples (N,) and frames per symbol (T,) of a case without noise."""
    return _SingleGraphRunner(voice) if voice.manifest.is_single_graph else PreparedRunner(voice)


class _SingleGraphRunner:
    def __init__(self, voice: Voice) -> None:
        # Onnx, which speaking does not need, is slow to import.
        from app.voices.prepare.source_graphs import DURATIONS_OUTPUT, build_noiseless_graph

        model, shows_durations = build_noiseless_graph(voice.graphs["whole"])
        self._session = open_unoptimized(model, voice.manifest.name)
        self._outputs = self._session.outputs[:1] + ([DURATIONS_OUTPUT] if shows_durations else [])

    @property
    def used_inputs(self) -> frozenset[str]:
        """Return the inputs that count; see `CaseRunner`."""
        return PUBLIC_INPUT_NAMES | self._session.inputs.keys()

    def __call__(self, case: Case) -> tuple[np.ndarray, np.ndarray | None]:
        samples, *durations = self._session.run_graph(dict(case), self._outputs)
        return samples.reshape(-1), durations[0].reshape(-1) if durations else None


class PreparedRunner:
    """The acoustic model of a prepared voice, which speaks the cases of a public graph.

    A `seed` of None turns the noise off; otherwise the case says how much there is, by `noise_scale` and `noise_scale_w`.
    """

    def __init__(self, voice: Voice) -> None:
        graphs = {name: open_cpu_session(graph, f"{voice.manifest.name}: {name}") for name, graph in voice.graphs.items()}
        self._model, self._prosody_inputs = build_acoustic_model(voice, graphs), frozenset(graphs["prosody"].inputs)

    @property
    def used_inputs(self) -> frozenset[str]:
        """Return the inputs that count; see `CaseRunner`. Fixed frames are no input of a graph, but count as one."""
        return PUBLIC_INPUT_NAMES | self._prosody_inputs | {FIXED_FRAMES, IS_FIXED}

    def __call__(self, case: Case) -> tuple[np.ndarray, np.ndarray | None]:
        return self.speak_case(case, self.run_prosody(case))

    def run_prosody(self, case: Case, seed: int | None = None) -> Prosody:
        """Log durations and the prior of each symbol."""
        noise = np.zeros((2, case["x_tst"].size), np.float32)
        if seed is not None:
            noise = NoiseStreams((seed,)).draw_duration_noise(case["x_tst"].size) * np.float32(_convert_to_float(case["noise_scale_w"]))
        return self._model.predict_prosody(
            ProsodyInput(
                phones=case["x_tst"].reshape(-1),
                tones=case["tones"].reshape(-1),
                language=case["language"].reshape(-1),
                features=None if (features := case.get("ja_bert", case.get("bert"))) is None else features[0],
                style_vector=case["style_vec"].reshape(-1),
                speaker=int(_convert_to_float(case["sid"])),
                sdp_ratio=_convert_to_float(case["sdp_ratio"]),
                sdp_noise=noise,
                # Zeros are what the network takes when it is given none.
                kinds=case.get(SYMBOL_TYPES_INPUT, np.zeros(case["x_tst"].size, np.int64)).reshape(-1),
            )
        )

    def speak_case(self, case: Case, prosody: Prosody, seed: int | None = None) -> tuple[Float32, Int64]:
        """Return samples (N,) and frames per symbol (T,), decoded window by window."""
        style, speaker = case["style_vec"].reshape(-1), int(_convert_to_float(case["sid"]))
        length_scale = _convert_to_float(case["length_scale"])
        frames = _apply_fixed_frames(self._model.compute_frames(prosody, length_scale), case)
        noise = None if seed is None else NoiseStreams((seed,)).draw_prior_noise(len(prosody.mean), int(frames.sum()))
        # A broken voice's infinities are for the caller to judge.
        with np.errstate(over="ignore", invalid="ignore"):
            z = self._model.compute_flow(
                prosody,
                frames,
                noise=noise,
                noise_scale=0.0 if noise is None else _convert_to_float(case["noise_scale"]),
                length_scale=length_scale,
                speaker=speaker,
                style_vector=style,
                melody=self._leave_own_melody(int(frames.sum())),
            )
        return self._decode_checked(z, speaker, style), frames

    def _leave_own_melody(self, frames: int) -> Melody | None:
        """Return a melody that leaves the voice its own, for a voice that takes one: a case says nothing of the pitch."""
        voice = self._model.voice
        if not voice.architecture.takes_melody:
            return None
        level = np.full(STEPS_PER_FRAME * frames, voice.median_f0[0], np.float32)
        return Melody(level, np.zeros((1, len(level)), np.float32), weight=0.0)

    def _decode_checked(self, z: Float32, speaker: int, style: Float32) -> Float32:
        """Return the samples of all frames, decoded window by window; VoiceError where they are not as many as the manifest says."""
        hop, count, pieces_of_sound = self._model.voice.hop_length, z.shape[1], []
        noise = np.zeros(count * hop, np.float32) if self._model.voice.decoder_noise else None
        decoded = self._model.decode_windows(z, noise=noise, speaker=speaker, style_vector=style)
        for window, samples in zip(self._model.plan_windows(count), decoded, strict=True):
            if len(samples) != (window.last - window.first) * hop:
                raise VoiceError(
                    localize(
                        f"声の設定（config.json）の hop_length（{hop}）が、グラフの出力の長さと合いません。",
                        f"The settings of this voice (config.json) state a hop_length of {hop}, which is not that of its graph.",
                    ),
                    localize(
                        "その項目を修正するか、声をもう一度ダウンロードしてください。", "Correct that field, or download the voice again."
                    ),
                )
            pieces_of_sound.append(samples)
        return np.concatenate(pieces_of_sound)


def _apply_fixed_frames(frames: Int64, case: Case) -> Int64:
    """Return frames per symbol, with those that a case fixes; NaN, in whole numbers anything below 1, and a mask leave some to the voice."""
    if FIXED_FRAMES not in case:
        return frames
    case_frames = case[FIXED_FRAMES].reshape(-1)
    is_fixed = ~np.isnan(case_frames) if case_frames.dtype.kind == "f" else case_frames > 0
    is_fixed = is_fixed & case.get(IS_FIXED, np.ones(case_frames.size, bool)).reshape(-1).astype(bool)
    result = np.where(is_fixed, np.maximum(np.nan_to_num(case_frames), 0), frames).astype(np.int64)
    if not result.any():
        result[len(result) // 2] = 1
    return result


def _convert_to_float(value: np.ndarray) -> float:
    return float(np.asarray(value).reshape(-1)[0])
