"""Runs prepared graphs through ONNX Runtime, fed and expanded as the pipeline does it, for comparison with a reference."""

from collections.abc import Mapping

import numpy as np
import onnx

from app.adapters.ort.graph_session import GraphSession, open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtSynthesizer
from app.core.sound.acoustic import plan_windows
from app.core.sound.durations import compute_symbol_frames, expand_prior
from app.core.sound.ports import FrameInput, Prosody, ProsodyInput
from app.voices.prepare.graph_store import PreparedGraphs

WINDOWS = (16, 32, 64, 128)


def session(model: onnx.ModelProto, name: str) -> GraphSession:
    """A session on the CPU."""
    return open_cpu_session(model.SerializeToString(), name)


class PreparedVoice:
    """The three graphs of a voice, ready to run cases of an `expected.npz`."""

    def __init__(self, graphs: PreparedGraphs) -> None:
        self.margin = graphs.margin_frames
        self.prosody_session = session(graphs.prosody, "prosody")
        self._synthesizer = OrtSynthesizer(
            self.prosody_session,
            session(graphs.flow, "flow"),
            session(graphs.decoder, "decoder"),
            multilingual="ja_bert" in self.prosody_session.inputs,
        )

    def prosody(self, case: Mapping[str, np.ndarray], noise: np.ndarray | None = None) -> Prosody:
        """Log durations and prior; `noise` (2, T) is already scaled, none by default."""
        symbols = case["x_tst"].shape[-1]
        return self._synthesizer.run_prosody(
            ProsodyInput(
                phones=case["x_tst"].reshape(-1),
                tones=case["tones"].reshape(-1),
                language=case["language"].reshape(-1),
                features=case.get("ja_bert", case["bert"])[0],
                style_vector=case["style_vec"].reshape(-1),
                speaker=int(case["sid"].reshape(-1)[0]),
                sdp_ratio=float(case["sdp_ratio"].reshape(-1)[0]),
                sdp_noise=np.zeros((2, symbols), np.float32) if noise is None else noise,
                kinds=np.zeros(symbols, np.int64),
            )
        )

    def frames(self, case: Mapping[str, np.ndarray], prosody: Prosody) -> tuple[FrameInput, np.ndarray]:
        """The expanded prior without noise, and frames per symbol."""
        length_scale = float(case["length_scale"].reshape(-1)[0])
        frames = compute_symbol_frames(prosody.logw, length_scale, "ceil")
        style, speaker = case["style_vec"].reshape(-1), int(case["sid"].reshape(-1)[0])
        return expand_prior(prosody, frames, None, 0.0, length_scale, speaker, style), frames

    def z(self, frame_input: FrameInput) -> np.ndarray:
        """Runs the flow."""
        return self._synthesizer.run_flow(frame_input)

    def whole(self, z: np.ndarray, speaker: int) -> np.ndarray:
        """Decodes all frames at once."""
        return self._synthesizer.decode_window(z, None, speaker, (0, z.shape[1]))

    def in_windows(self, z: np.ndarray, speaker: int, margin: int | None = None) -> np.ndarray:
        """Decodes window by window, as the pipeline does; another margin on demand."""
        parts = []
        for window in plan_windows(z.shape[1], WINDOWS, self.margin if margin is None else margin):
            wanted = (window.first - window.start, window.last - window.start)
            parts.append(self._synthesizer.decode_window(z[:, window.start : window.end], None, speaker, wanted))
        return np.concatenate(parts)

    def speak(self, case: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Samples and frames per symbol, without noise."""
        frame_input, frames = self.frames(case, self.prosody(case))
        return self.whole(self.z(frame_input), frame_input.speaker), frames
