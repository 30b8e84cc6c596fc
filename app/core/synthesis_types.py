"""Values that cross a boundary between stages, frozen; bounds of every number that a request carries (`app.core.delivery` declares those of a delivery), and the check against them.

Axes used in shapes: n = BERT tokens, T = phone symbols with blanks, C = channels, F = frames, N = samples.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import LATIN_READINGS, Bounds, Delivery, DeliveryBounds
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
    english: bool = False  # the syllables of English words were counted, not the morae of their katakana


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
    reading: str  # katakana, long vowels as ー, は as ワ, English words in IPA; emoji are not in it
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
    """One line to speak, with everything that shapes its sound. `check_request` checks it.

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


BOUNDS: dict[str, DeliveryBounds] = {item.name: item.metadata["bounds"] for item in fields(Delivery) if "bounds" in item.metadata}
"""Bounds of every number of a delivery, by the name that it has in projects, presets and bodies of `/v1`."""
PAUSE_BOUNDS = Bounds(0.0, 10.0, 0.3, "間の長さ（秒）", "pause (s)", 0.05)
# Between two lines that are heard one after the other, in place of the silences around them; as long as those may be.
LINE_PAUSE_BOUNDS = Bounds(0.0, 10.0, 0.2, "次の行までの間（秒）", "pause before the next line (s)", 0.05)
# Words, morae and marks are counted from 0 on.
INDEX_BOUNDS = Bounds(0, 2**31 - 1, 0, "単語・モーラ・記号の番号", "number of a word, mora or mark", 1)
MORA_PITCH_BOUNDS = Bounds(-12.0, 12.0, 0.0, "モーラの音高（半音）", "pitch of a mora (semitones)", 0.5)
TONE_BOUNDS = Bounds(0, 1, 0, "高低", "tone", 1)
MAX_SHOWN_DIGITS = 20
MAX_SENTENCE_PHONES = 3000
"""Phones of one sentence. The longest that can be written (120 characters, each read カブシキガイシャ) has some 1,700;
memory grows with the square: 0.5 GB at 3,000, 2 GB at 9,000."""
PAUSE_MARKS = (",", ".", "!", "?", "'", "-")
SEED_BOUNDS = Bounds(0, 2**31 - 1, 0, "シード", "seed", 1)  # the highest seed is the largest number that a number field of the window holds


def check_value(bounds: Bounds, value: float) -> None:
    """Raise InputError when `value` is not a number within `bounds`."""
    # NaN is never within bounds, because both comparisons are false for it.
    if not bounds.low <= value <= bounds.high:
        # A whole number may be too large for a float, so it is shown by its first digits.
        digits = f"{value:g}" if isinstance(value, float) else str(value)[:MAX_SHOWN_DIGITS]
        raise InputError(
            localize(f"{bounds.ja}の値 {digits} は範囲外です。", f"The value {digits} for {bounds.en} is out of range."),
            localize(
                f"{bounds.low:.10g} から {bounds.high:.10g} までの数を指定してください。",
                f"Use a number from {bounds.low:.10g} to {bounds.high:.10g}.",
            ),
        )


def check_request(request: SynthesisRequest) -> None:
    """Raise InputError for the first parameter of a request that is out of range."""
    for name, bounds in BOUNDS.items():
        check_value(bounds, getattr(request, name))
    check_value(SEED_BOUNDS, request.seed)
    if request.latin not in LATIN_READINGS:
        raise InputError(
            localize(
                f"英字の読み方「{request.latin[:MAX_SHOWN_DIGITS]}」はありません。",
                f"“{request.latin[:MAX_SHOWN_DIGITS]}” is no way to read Latin letters.",
            ),
            localize("使用できるもの: ", "Available: ") + ", ".join(LATIN_READINGS),
        )
    for mark, length_s in request.pauses.items():
        if mark not in PAUSE_MARKS:
            raise InputError(
                localize(f"記号「{mark}」の間の長さは変更できません。", f"The pause at “{mark}” cannot be set."),
                localize("使用できる記号: 、 。 ！ ？ ・ ' -", "Available marks: , . ! ? ' - (or 、 。 ！ ？ ・)"),
            )
        check_value(PAUSE_BOUNDS, length_s)
    _check_edits(request.overrides)


def check_phone_count(count: int) -> None:
    """Raise InputError for a sentence with more phones than any text has, because its words were given very long readings."""
    if count > MAX_SENTENCE_PHONES:
        raise InputError(
            localize(
                f"文の読みが長すぎます（{count:,} 音素）。", f"A sentence has {count:,} phones; the limit is {MAX_SENTENCE_PHONES:,}."
            ),
            localize("読みを短くするか、句点で文を分けてください。", "Shorten the readings of its words, or divide the sentence."),
        )


def _check_edits(edits: Overrides) -> None:
    """Check the indices and values of edits. A place that is missing in the line shows only when the line is read."""
    for reading in edits.readings:
        if not reading.surface:
            raise InputError(
                localize("読みを指定する単語が空です。", "A reading was given for an empty word."),
                localize("行の中の単語を指定してください。", "Use a word in the line."),
            )
    counted = [reading.occurrence for reading in edits.readings if reading.occurrence is not None]
    counted += [mora.mora for mora in edits.moras] + [phrase.mora for phrase in edits.phrases] + [pause.mark for pause in edits.pauses]
    for index in counted:
        check_value(INDEX_BOUNDS, index)
    values = [(TONE_BOUNDS, mora.tone) for mora in edits.moras] + [(MORA_PITCH_BOUNDS, mora.pitch) for mora in edits.moras]
    lengths_s = (*(mora.length_s for mora in edits.moras), *(pause.length_s for pause in edits.pauses))
    for bounds, value in (*values, *((PAUSE_BOUNDS, length_s) for length_s in lengths_s)):
        if value is not None:
            check_value(bounds, value)
