"""A voice in plain numpy that obeys the ports: its sound tells which frame, phone and style it was made of.

Its decoder looks at neighbouring frames, so that windows cut without margin would be heard.
"""

from collections.abc import Sequence

import numpy as np

from app.core.sound.ports import PITCH_FRAME_S, FrameInput, Prosody, ProsodyInput, SingleGraphInput
from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import Float32, Float64, Int64, Phones, ReadingOverride
from app.core.text.pronunciation import Word

HOP = 8
RATE = 800
REACH = 2  # frames the decoder looks to each side


def traits(**changes: object) -> VoiceTraits:
    """Two styles, two speakers, windows of a few frames."""
    vectors = np.stack([np.zeros(256), np.ones(256)]).astype(np.float32)
    values: dict[str, object] = {
        "id": "numpy",
        "name": "Numpy",
        "bert": "numpy",
        "sampling_rate": RATE,
        "hop_length": HOP,
        "speakers": {0: "A", 1: "B"},
        "styles": {0: "Neutral", 1: "Happy"},
        "style_vectors": vectors,
        "margin_frames": REACH,
        "windows": (4, 8, 16),
        "decoder_noise": True,
    }
    return VoiceTraits(**(values | changes))  # type: ignore[arg-type]


class NumpyVoice:
    """Three graphs and one graph, and the front end with its BERT; counts how often each runs."""

    should_skip_memos = False

    def __init__(self) -> None:
        self.runs: dict[str, int] = {}
        self.frame_inputs: list[FrameInput] = []
        self.prosody_inputs: list[ProsodyInput] = []

    def _count(self, name: str) -> None:
        self.runs[name] = self.runs.get(name, 0) + 1

    def split_words(self, text: str) -> list[str]:
        """Every character is a word."""
        return list(text)

    def convert_sentence(self, text: str, readings: Sequence[ReadingOverride] = (), **how: bool) -> Phones:
        """Every letter is the mora `k a`, marks are themselves, everything else is unreadable."""
        self._count("g2p")
        kept = [char for char in text.replace("。", ".").replace("、", ",") if char.isalpha() or char in ".,!?"]
        phones, tones, word2ph = ["_"], [0], [1]
        for char in kept:
            new = [char] if char in ".,!?" else ["k", "a"]
            phones += new
            tones += [0] * len(new)
            word2ph.append(len(new))
        reading = "カ" * sum(char not in ".,!?" for char in kept)
        return Phones("".join(kept), reading, (*phones, "_"), (*tones, 0), (*word2ph, 1))

    def explain_readings(self, text: str) -> list[Word]:
        """Nothing is looked up, and so nothing can be explained."""
        return []

    def encode(self, text: str) -> Int64:
        """Code points between a start and an end."""
        return np.array([1, *map(ord, text), 2], np.int64)

    def run_graph(self, token_ids: Int64) -> Float32:
        """Features that tell the token."""
        self._count("bert")
        return np.repeat(token_ids[:, None] / np.float32(1000), 1024, axis=1).astype(np.float32)

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        """Three frames a symbol (a little more with duration noise); the prior tells the symbol's place, tone and features."""
        self._count("prosody")
        self.prosody_inputs.append(values)
        symbols = len(values.phones)
        logw = np.log(np.full(symbols, 2.5, np.float32)) + values.sdp_noise[0] * np.float32(0.1 * values.sdp_ratio)
        mean = np.stack([np.arange(symbols), values.tones, values.features[0] + values.style_vector[0]]).astype(np.float32)
        return Prosody(logw, mean, np.full_like(mean, -3))

    def run_flow(self, values: FrameInput) -> Float32:
        """Passes the frames through."""
        self._count("flow")
        self.frame_inputs.append(values)
        return values.z_p

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        """A moving average over frames, plus a little noise."""
        self._count("decode")
        assert noise is not None
        padded = np.pad(z.sum(axis=0), REACH)
        frames = np.convolve(padded, np.ones(2 * REACH + 1) / (2 * REACH + 1), "valid")
        samples = np.repeat(frames, HOP) / 500 + noise * 0.01 + 0.1
        return samples[wanted[0] * HOP : wanted[1] * HOP].astype(np.float32)

    def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
        """A pitch that rises slowly wherever something sounds."""
        self._count("pitch")
        count = int(len(samples) / sampling_rate / PITCH_FRAME_S) + 1
        return np.linspace(60.0, 80.0, count)

    def synthesize(self, values: SingleGraphInput) -> tuple[Float32, Int64 | None]:
        """One graph: three frames a symbol."""
        self._count("synthesis")
        frames = np.full(len(values.phones), 3, np.int64)
        return np.full(int(frames.sum()) * HOP, 0.2, np.float32), frames
