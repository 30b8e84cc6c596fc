"""What the pipeline needs from outside, as Protocols; `app/adapters` holds the implementations.

The axes of shapes are those of `app.core.types`. Every method may raise an `AppError` and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.types import AudioChunk, Float16, Float32, Float64, Int64, Phones, ReadingOverride
from app.core.words import Word


class G2P(Protocol):
    """Text to phones."""

    @property
    def memos(self) -> bool:
        """Whether what stands in square brackets is a memo in every text, as the user may want it."""

    def words(self, text: str) -> list[str]:
        """Cuts raw text at word boundaries; the pieces joined are `text`."""

    def convert(
        self, text: str, readings: Sequence[ReadingOverride] = (), *, emoji: bool = False, doubts: bool = False, memos: bool = False
    ) -> Phones:
        """Normalises one sentence and gives its phones; unreadable text gives phones `_ _` and an empty reading.

        `emoji` makes symbols of those that Nanairo voices speak; without it they are left out as all others are.
        `doubts` also asks a second analyser, whose other readings nobody hears. `memos` leaves out what stands in square brackets.
        """

    def explain(self, text: str) -> Sequence[Word]:
        """The words of one sentence, each with what gave its reading."""


class Tokenizer(Protocol):
    """Text to BERT token ids, one a character."""

    def encode(self, text: str) -> Int64:
        """[CLS], a token per character, [SEP]: int64 (n,)."""


class BertRunner(Protocol):
    """Token ids to features."""

    def run(self, token_ids: Int64) -> Float32:
        """int64 (n,) to float32 (n, 1024)."""


class FeatureStore(Protocol):
    """Features of texts, kept beyond the end of the program. Never fails and never waits for long: without it all runs as well."""

    def get(self, bert_id: str, text: str) -> Float16 | None:
        """Features (n, 1024) as they were put, to the bit."""

    def put(self, bert_id: str, text: str, features: Float16) -> None:
        """Keeps features; returns before they are written."""


@dataclass(frozen=True, slots=True)
class ProsodyInput:
    """Input of a voice's first graph. Integers int64 (T,), with blanks; features (1024, T); style vector (256,)."""

    phones: Int64
    tones: Int64
    language: Int64
    features: Float32
    style_vector: Float32
    speaker: int
    sdp_ratio: float
    sdp_noise: Float32  # (2, T), already scaled by noise_w
    kinds: Int64  # (T,), of the symbols, for the voices whose durations look at them


@dataclass(frozen=True, slots=True)
class Prosody:
    """Log durations in frames (T,), prior mean and log scale (C, T)."""

    logw: Float32
    mean: Float32
    log_scale: Float32

    @property
    def size(self) -> int:
        """Bytes held."""
        return self.logw.nbytes + self.mean.nbytes + self.log_scale.nbytes


@dataclass(frozen=True, slots=True)
class FrameInput:
    """Input of the second graph: the expanded prior and what each frame knows of its phone."""

    z_p: Float32  # (C, F)
    frame_position: Float32  # (F,) centre of the frame within its phone, 0..1
    phone_frames: Float32  # (F,) frames of that phone
    length_scale: float
    speaker: int
    style_vector: Float32


class Synthesizer(Protocol):
    """The three graphs of a prepared voice."""

    def prosody(self, values: ProsodyInput) -> Prosody:
        """Runs the prosody graph."""

    def flow(self, values: FrameInput) -> Float32:
        """Runs the flow graph, or passes z_p through when the voice has none: (D, F)."""

    def decode(self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int]) -> Float32:
        """Turns a window of z (D, W) into the samples of its frames [first, last) = `wanted`, ((last − first)·hop,).

        `noise` (W·hop,) is for the whole window, where the voice declares it.
        """


@dataclass(frozen=True, slots=True)
class WholeInput:
    """Input of a one-graph ("opaque") voice, which makes its own noise and durations."""

    phones: Int64
    tones: Int64
    language: Int64
    features: Float32
    style_vector: Float32
    speaker: int
    length_scale: float
    sdp_ratio: float
    noise_scale: float
    noise_scale_w: float


class OpaqueSynthesizer(Protocol):
    """A voice that is one graph."""

    def synthesize(self, values: WholeInput) -> tuple[Float32, Int64 | None]:
        """Samples (N,), and frames per symbol (T,) where the graph outputs them."""


PITCH_FRAME_S = 0.005
"""Between two values of a pitch tracker."""


class PitchTracker(Protocol):
    """Finds the pitch of speech."""

    def f0(self, samples: Float32, sampling_rate: int) -> Float64:
        """Hz every PITCH_FRAME_S from the first sample on, 0 where nothing is voiced."""


class AudioSink(Protocol):
    """Where sound goes: a player or a file."""

    def write(self, chunk: AudioChunk) -> None:
        """Takes a chunk; may wait while the queue is full."""

    def close(self) -> None:
        """Plays or writes what is left, then lets go."""

    def abort(self) -> None:
        """Stops at once and leaves nothing half done."""
