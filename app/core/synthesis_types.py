"""Values that cross a boundary between stages. They are frozen, and each checks itself once, so no later stage does.

Axes used in shapes: n = BERT tokens, T = phone symbols with blanks, C = channels, F = frames, N = samples.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from app.core.delivery import Delivery
from app.core.symbols import EMOJI_IDS

Float16 = NDArray[np.float16]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

BERT_WIDTH = 1024
STYLE_WIDTH = 256


@dataclass(frozen=True, slots=True)
class ReadingOverride:
    """The reading a user gave to a word of the line."""

    surface: str
    reading: str
    accent: int | None = None  # mora after which the pitch falls (0 = flat); None keeps the front end's guess
    occurrence: int | None = None  # index of the appearance of `surface` in the line, from 0; None means every one
    # Fields of a later version as JSON, kept unchanged; empty where there are none. It makes no other edit, nor another sound.
    unknown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class MoraOverride:
    """Pitch or length of one mora, counted from 0 over the whole line, punctuation not counted."""

    mora: int
    tone: int | None = None  # 0 low, 1 high, None as predicted
    length_s: float | None = None  # length of the mora in the result in seconds, None as predicted
    pitch: float | None = None  # semitones up or down from the pitch that the voice would have there, None as predicted
    unknown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PauseOverride:
    """Length in seconds of one punctuation mark, counted from 0 over the phones of the whole line."""

    mark: int
    length_s: float
    unknown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PhraseOverride:
    """A user's decision that an accent phrase begins with a mora or does not, counted as in `MoraOverride`.

    The decision shapes no sound by itself: the tones do.
    """

    mora: int
    begins: bool
    unknown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Overrides:
    """Everything a user edited by hand in one line."""

    readings: tuple[ReadingOverride, ...] = ()
    moras: tuple[MoraOverride, ...] = ()
    pauses: tuple[PauseOverride, ...] = ()
    phrases: tuple[PhraseOverride, ...] = ()
    # The line's text when morae, marks and occurrences were counted; empty means the present text. See `app.core.sound.line_edits`.
    text: str = ""
    emoji: bool = False  # emoji were counted as morae, which they are for voices that speak them
    memos: bool = False  # text in square brackets was not counted


@dataclass(frozen=True, slots=True)
class LineSentence:
    """A piece of a line that is synthesised in one go."""

    index: int  # position in the request, from 0
    text: str  # raw characters, as typed
    start: int  # offset of `text` in the request's text


@dataclass(frozen=True, slots=True)
class Phones:
    """Phones of one sentence by SBV2's conventions, without blanks, with `_` at both ends.

    `words`, `others` and `notation` do not shape the sound, and `phrases` only that of a voice that reads spaces between them.
    """

    text: str  # normalised text, the joined surfaces; what BERT reads, one token a character
    reading: str  # katakana, long vowels as ー, は as ワ; emoji are not in it
    phones: tuple[str, ...]  # phones, tones: equally long; tones are 0 or 1, without the offset of 6
    tones: tuple[int, ...]
    word2ph: tuple[int, ...]  # phones per character of `text`, with 1 at both ends; sums to len(phones)
    words: tuple[int, ...] = field(default=(), compare=False)  # characters of `text` that each word has
    phrases: tuple[int, ...] = field(default=(), compare=False)  # morae an accent phrase begins with
    others: tuple[str, ...] = field(default=(), compare=False)  # for each word another reading that a second analyser gives, or ""
    # Stretches [start, end) of the raw text that belong to no word: ruby, notes
    notation: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if len(self.phones) != len(self.tones):
            raise ValueError("phones and tones differ in length")
        if sum(self.word2ph) != len(self.phones) or len(self.word2ph) != len(self.text) + 2:
            raise ValueError("word2ph does not fit the text and phones")

    @property
    def is_spoken(self) -> bool:
        """Return True if the sentence has a sound, False if it has only marks."""
        return bool(self.reading) or not EMOJI_IDS.keys().isdisjoint(self.phones)

    @property
    def size(self) -> int:
        """Return the bytes held, roughly."""
        return 100 + 60 * len(self.phones)


@dataclass(frozen=True, slots=True)
class SynthesisRequest(Delivery):
    """One line to speak, with everything that shapes its sound. `app.core.request_limits` holds the bounds.

    `pauses` maps a punctuation phone (`, . ! ? ' -`) to its length in seconds at speed 1; marks that are not in it keep the length
    that the voice predicts.
    """

    text: str
    id: str = ""
    speaker: int = 0
    style: int = 0
    pauses: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    memos: bool = False  # text in square brackets is not spoken
    overrides: Overrides = Overrides()


@dataclass(frozen=True, slots=True)
class PhoneTiming:
    """The time at which a phone sounds, in seconds of the sentence's audio, [start, end). Blanks belong to the phone before them."""

    phone: str
    tone: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A piece of sound, mono float32 in [-1, 1]; `samples` may be a view, which stays valid permanently."""

    samples: Float32
    sampling_rate: int
    request_id: str  # request_id, sentence: request and sentence of the chunk; silence before the first sentence has sentence 0
    sentence: int
    silence: bool = False  # true for the pauses the request asks for before and after the line
    # Timings of the sentence, with its first chunk only (empty otherwise, and for voices that do not report them).
    phones: tuple[PhoneTiming, ...] = ()
    last: bool = False  # true for the final chunk of the request
    may_wait: bool = False  # a pause of the sentence ends with it, so that what follows may come late and breaks no word
    delay_s: float = 0.0  # seconds of silence that a player puts before it, where nothing else waits to be heard


@dataclass(frozen=True, slots=True)
class StageTiming:
    """The time that one stage took for one sentence; `decode`, `pitch` and `audio` have one timing per piece."""

    request_id: str
    sentence: int
    stage: str  # one of `app.core.sound.stage_clock.ALL_STAGES`
    ms: float  # wall time in milliseconds
    cold: bool = False  # first run of this stage since its session was made
    cache_hit: bool = False  # the result came from a cache and nothing ran
    tokens: int = 0  # tokens, phones, frames, samples: sizes known at that stage, else 0
    phones: int = 0
    frames: int = 0
    samples: int = 0
    backend: str = ""  # the device that computed the stage; empty where no graph ran or the backend was not recorded
    new_size: bool = False  # a device computed something of this size for the first time, for which most compile or search first
    waited: bool = False  # the CPU computed it, as the device is not ready for this size
