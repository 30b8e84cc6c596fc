"""Protocols for everything the pipeline needs from outside; `app/adapters` holds the implementations.

The axes of shapes are those of `app.core.synthesis_types`. Every method may raise an `AppError` and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.synthesis_types import AudioChunk, Float16, Float32, Float64, Int64, Phones, ReadingOverride
from app.core.text.pronunciation import Word


class G2P(Protocol):
    """Converts text to phones."""

    @property
    def should_skip_memos(self) -> bool:
        """Return True if the user wants text in square brackets left out as a memo in every text."""

    def split_words(self, text: str) -> list[str]:
        """Cut raw text at word boundaries; the pieces joined are `text`."""

    def convert_sentence(
        self,
        text: str,
        readings: Sequence[ReadingOverride] = (),
        *,
        emoji: bool = False,
        doubts: bool = False,
        memos: bool = False,
        english: bool = False,
    ) -> Phones:
        """Normalise one sentence and return its phones; unreadable text gives phones `_ _` and an empty reading.

        `emoji` turns the emoji that Nanairo voices speak into symbols; without it they are left out as all others are.
        `doubts` also runs a second analyser, whose other readings shape no sound. `memos` leaves out text in square brackets.
        `english` gives English words English syllables in place of katakana.
        """

    def explain_readings(self, text: str) -> Sequence[Word]:
        """Return the words of one sentence, each with the source of its reading."""


class Tokenizer(Protocol):
    """Converts text to BERT token ids, one a character."""

    def encode(self, text: str) -> Int64:
        """Return [CLS], a token per character, [SEP]: int64 (n,)."""


class BertRunner(Protocol):
    """Computes features from token ids."""

    def run_graph(self, token_ids: Int64) -> Float32:
        """Return the features, float32 (n, 1024), of token ids, int64 (n,)."""


class FeatureStore(Protocol):
    """A store of text features that outlives the program. It never fails and never waits for long: the program also runs without it."""

    def get(self, bert_id: str, text: str) -> Float16 | None:
        """Return the features (n, 1024) exactly as they were put, or None."""

    def put(self, bert_id: str, text: str, features: Float16) -> None:
        """Keep features; the call returns before they are written."""


@dataclass(frozen=True, slots=True)
class ProsodyInput:
    """Input of a voice's first graph. Integers int64 (T,), with blanks; features (1024, T), None without a BERT; style vector (256,)."""

    phones: Int64
    tones: Int64
    language: Int64
    features: Float32 | None
    style_vector: Float32
    speaker: int
    sdp_ratio: float
    sdp_noise: Float32  # (2, T), already scaled by noise_w
    kinds: Int64  # (T,), the kinds of the symbols, for voices whose duration predictors take them


@dataclass(frozen=True, slots=True)
class Prosody:
    """Log durations in frames (T,), prior mean (C, T) and its log scale, which is empty in a voice that adds no noise."""

    logw: Float32
    mean: Float32
    log_scale: Float32

    @property
    def size(self) -> int:
        """Return the bytes held."""
        return self.logw.nbytes + self.mean.nbytes + self.log_scale.nbytes


STEPS_PER_FRAME = 2  # values of a melody in each frame


@dataclass(frozen=True, slots=True)
class Melody:
    """The pitch that is asked for, and the energy."""

    f0: Float32  # in Hz, float32 (STEPS_PER_FRAME · F,); it has a value everywhere, also where nothing is voiced
    # Float32 (Q, STEPS_PER_FRAME · F), a row a question: 1 where its end rises, 0 elsewhere; one row of zeros without any.
    questions: Float32
    weight: float = 1.0  # 1 gives the voice its accents, 0 leaves the voice's own
    intonation: float = 1.0  # scales how far the voice's own pitch leaves its mean; that of `f0` is scaled already
    energy: float = 0.0  # is added to the voice's own, in the units of its network


@dataclass(frozen=True, slots=True)
class FrameInput:
    """Input of the second graph: the expanded prior, and the place of each frame in its phone."""

    z_p: Float32  # (C, F)
    frame_position: Float32  # (F,) centre of the frame within its phone, 0..1
    phone_frames: Float32  # (F,) frames of that phone
    length_scale: float
    speaker: int
    style_vector: Float32
    melody: Melody | None = None
    pitch_offset: Float32 | None = None  # (STEPS_PER_FRAME, F), semitones that are added to the pitch, for flows that take them


class Synthesizer(Protocol):
    """The three graphs of a prepared voice."""

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        """Run the prosody graph."""

    def run_flow(self, values: FrameInput) -> Float32:
        """Run the flow graph, or pass z_p through when the voice has none: float32 (D, F)."""

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        """Turn a window of z (D, W) into the samples of its frames [first, last) = `wanted`, ((last − first)·hop,).

        The style vector is for decoders that declare it, and `noise` (W·hop,) is for the whole window, where the voice declares it.
        """


class MelodicSynthesizer(Synthesizer, Protocol):
    """The graphs of a voice that takes a melody."""

    def find_pitch(self, values: FrameInput) -> Float32 | None:
        """Return the pitch in Hz that `run_flow` would speak with, float32 (STEPS_PER_FRAME, F); None where the graph does not say."""


@dataclass(frozen=True, slots=True)
class SingleGraphInput:
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


class SingleGraphSynthesizer(Protocol):
    """A voice that is one graph."""

    def synthesize(self, values: SingleGraphInput) -> tuple[Float32, Int64 | None]:
        """Return samples (N,), and frames per symbol (T,) where the graph outputs them."""


PITCH_FRAME_S = 0.005  # seconds between two values of a pitch tracker


class PitchTracker(Protocol):
    """Finds the pitch of speech."""

    def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
        """Return the pitch in Hz every PITCH_FRAME_S from the first sample on, 0 where nothing is voiced."""


class AudioSink(Protocol):
    """A destination for sound: a player or a file."""

    def write_chunk(self, chunk: AudioChunk) -> None:
        """Take a chunk; the call may wait while the queue is full."""

    def close(self) -> None:
        """Play or write what is left, then release the device or file."""

    def abort_output(self) -> None:
        """Stop at once and leave nothing half done."""
