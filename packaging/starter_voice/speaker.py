"""Speaks with the shipped graphs, the way the product does, for evaluation."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from cast import SPEAKERS, STYLES, Role
from contexts import TONE_OFFSET
from frontend import Line, feature_rows, ids_of
from numpy.typing import NDArray
from vocabulary import encode

from app.core.sound.durations import round_with_carry

HOP = 512
RATE = 44100


def _with_blanks(values: NDArray[np.generic]) -> NDArray[np.generic]:
    row = np.zeros(2 * len(values) + 1, values.dtype)
    row[1::2] = values
    return row


@dataclass(frozen=True)
class Who:
    """A speaker's id as the graphs take it, int64 (1,), and a style vector (256,)."""

    speaker: NDArray[np.int64]
    style: NDArray[np.float32]


class Speaker:
    """Sessions of `resources/voices/mei` and `resources/bert/starter`, one thread each."""

    def __init__(self, resources: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        voice, bert = resources / "voices" / "mei", resources / "bert" / "starter"
        files = {name: voice / f"{name}.onnx" for name in ("prosody", "flow", "decoder")} | {"bert": bert / "bert.onnx"}
        self._sessions = {name: onnxruntime.InferenceSession(str(path), options) for name, path in files.items()}
        tokens = (bert / "vocab.txt").read_text("utf-8").split("\n")
        self._index = {token: place for place, token in enumerate(tokens) if token}
        self.styles = np.load(voice / "style_vectors.npy")

    def who(self, role: Role) -> Who:
        """The ids of a role."""
        return Who(np.array([SPEAKERS.index(role.speaker)]), self.styles[STYLES.index(role.style)])

    def run(self, name: str, **values: NDArray[np.generic]) -> list[NDArray[np.float32]]:
        """Outputs of one graph."""
        return list(self._sessions[name].run(None, values))

    def features(self, line: Line) -> NDArray[np.float32]:
        """BERT features (n, 1024)."""
        return self.run("bert", input_ids=np.array(encode(line.text, self._index)))[0]

    def run_prosody(
        self, line: Line, who: Who, ratio: float = 0.0, noise: NDArray[np.float32] | None = None, bert: float = 1.0
    ) -> list[NDArray[np.float32]]:
        """logw, m_p and logs_p, blanks included."""
        phones = _with_blanks(ids_of(line))
        features = np.zeros((1024, len(phones)), np.float32)
        features[:, 1::2] = self.features(line)[feature_rows(line)].T * bert
        noise = np.zeros((2, len(phones)), np.float32) if noise is None else noise
        tones = _with_blanks(np.array(line.tones) + TONE_OFFSET)
        shared = {"x_tst": phones, "tones": tones, "bert": features, "style_vec": who.style, "sid": who.speaker}
        return self.run("prosody", **shared, sdp_ratio=np.array(ratio, np.float32), sdp_noise=noise)

    def run_flow(self, z_p: NDArray[np.float32], frames: NDArray[np.int64], who: Who, scale: float = 1.0) -> NDArray[np.float32]:
        """The z of a line whose symbols last `frames`."""
        length = np.repeat(frames, frames)
        starts = np.repeat(np.cumsum(frames) - frames, frames)
        position = ((np.arange(len(length)) - starts + 0.5) / length).astype(np.float32)
        values = {
            "z_p": z_p,
            "style_vec": who.style,
            "sid": who.speaker,
            "frame_position": position,
            "phone_frames": length.astype(np.float32),
            "pitch_offset": np.zeros((2, len(length)), np.float32),
        }
        return self.run("flow", **values, length_scale=np.array(scale, np.float32))[0]

    def decode_window(self, z: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
        """Sound of a whole line."""
        noise = np.random.default_rng(seed).standard_normal(z.shape[1] * HOP, dtype=np.float32)
        return self.run("decoder", z=z, noise=noise)[0]

    def speak(self, line: Line, who: Who, seed: int = 0, speed: float = 1.0) -> NDArray[np.float32]:
        """A line with the product's default settings."""
        dice = np.random.default_rng(seed)
        noise = dice.standard_normal((2, 2 * len(line.phones) + 1), dtype=np.float32) * np.float32(0.8)
        logw, mean, scale = self.run_prosody(line, who, 0.2, noise)
        frames = round_with_carry(np.exp(logw) / speed)
        z_p = np.repeat(mean, frames, 1)
        z_p += np.repeat(np.exp(scale), frames, 1) * dice.standard_normal(z_p.shape, dtype=np.float32) * np.float32(0.6)
        return self.decode_window(self.run_flow(z_p, frames, who, 1 / speed), seed)
