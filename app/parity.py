"""Runs the graphs of a voice on given inputs, with the noise off, so that they can be compared with expected outputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.adapters.ort_session import open_session
from app.adapters.ort_synthesizer import OrtSynthesizer
from app.compose import synthesizer_of
from app.core.durations import expand, symbol_frames
from app.core.ports import ProsodyInput
from app.core.windows import plan_windows
from app.voices.check import RunGraph
from app.voices.voice import Voice

Case = Mapping[str, np.ndarray]


def runner_of(voice: Voice) -> RunGraph:
    """Samples (N,) and frames per symbol (T,) of a case, computed as the pipeline would."""
    return _Whole(voice) if voice.manifest.opaque else _Prepared(voice)


class _Whole:
    """One graph, its random nodes silenced."""

    def __init__(self, voice: Voice) -> None:
        from app.voices.prepare.quiet import DURATIONS, quiet_copy  # onnx, which speaking does not need, is slow to import

        model, shows_durations = quiet_copy(voice.graphs["whole"])
        self._session = open_session(model, "cpu", voice.manifest.name).session
        self._outputs = self._session.outputs[:1] + ([DURATIONS] if shows_durations else [])

    def __call__(self, case: Case) -> tuple[np.ndarray, np.ndarray | None]:
        samples, *durations = self._session.run(dict(case), self._outputs)
        return samples.reshape(-1), durations[0].reshape(-1) if durations else None


class _Prepared:
    """Three graphs; durations and windows are ours."""

    def __init__(self, voice: Voice) -> None:
        graphs = {name: open_session(graph, "cpu", f"{voice.manifest.name}: {name}") for name, graph in voice.graphs.items()}
        synthesizer = synthesizer_of(voice, graphs)
        assert isinstance(synthesizer, OrtSynthesizer)
        self._synthesizer = synthesizer
        self._info = voice.manifest

    def __call__(self, case: Case) -> tuple[np.ndarray, np.ndarray | None]:
        style, speaker, length_scale = case["style_vec"].reshape(-1), int(_number(case["sid"])), _number(case["length_scale"])
        prosody = self._synthesizer.prosody(
            ProsodyInput(
                phones=case["x_tst"].reshape(-1),
                tones=case["tones"].reshape(-1),
                language=case["language"].reshape(-1),
                features=case.get("ja_bert", case["bert"])[0],
                style_vector=style,
                speaker=speaker,
                sdp_ratio=_number(case["sdp_ratio"]),
                sdp_noise=np.zeros((2, case["x_tst"].size), np.float32),
            )
        )
        frames = symbol_frames(prosody.logw, length_scale, self._info.durations)
        z = self._synthesizer.flow(expand(prosody, frames, np.random.default_rng(0), 0.0, length_scale, speaker, style))
        hop, count = self._info.hop_length, z.shape[1]
        noise = np.zeros(count * hop, np.float32) if self._synthesizer.decoder_noise else None
        parts = []
        for window in plan_windows(count, self._info.windows, self._info.margin_frames):
            part = None if noise is None else noise[window.start * hop : window.end * hop]
            samples = self._synthesizer.decode(z[:, window.start : window.end], part, speaker)
            parts.append(samples[(window.first - window.start) * hop : (window.last - window.start) * hop])
        return np.concatenate(parts), frames


def _number(value: np.ndarray) -> float:
    return float(np.asarray(value).reshape(-1)[0])
