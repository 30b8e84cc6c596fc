"""The kinds of voices, what differs between them a row each, and the facts of one voice that the pipeline needs; the rest of its description stays in `app.voices`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

import numpy as np

from app.common.errors import InputError, VoiceError
from app.common.language import localize
from app.common.user_notices import show_notice
from app.core.delivery import ENGLISH, Delivery
from app.core.sound.manners import MANNERS, USUAL_MANNER, Manner
from app.core.synthesis_types import BOUNDS, STYLE_WIDTH, Float32, Phones, SynthesisRequest
from app.core.text.english_phones import has_latin_letters
from app.core.text.phone_ids import PhoneIds, convert_phones_to_ids, convert_phones_to_tokens

DurationRule = Literal["ceil", "carry", "round"]
DEFAULT_DELIVERY = Delivery()


def compute_style_vector(vectors: Float32, style: int, weight: float) -> Float32:
    """Return float32 (256,) from the mean (row 0) towards a style: weight 0 is the mean, 1 the style, more exaggerates."""
    mean: Float32 = vectors[0]
    return np.asarray(mean + (vectors[style] - mean) * np.float32(weight), np.float32)


@dataclass(frozen=True, slots=True)
class SpeakerBlend:
    """A style between two speakers of a voice, who are given by name; `share` is the second one's, 0 to 1. It replaces a blend of its name."""

    name: str
    first: str
    second: str
    share: float


@dataclass(frozen=True, slots=True)
class StyleRows:
    """The styles of a voice whose rows belong to speakers: float32 (rows, 256), the median pitch of each row in Hz, and the names of the blends, which have the last rows."""

    blends: tuple[str, ...]
    vectors: Float32
    pitches: tuple[float, ...]

    def insert_blend(self, blend: SpeakerBlend, speakers: Sequence[str]) -> StyleRows:
        """Return the rows with a blend, in the place of one of its name; raise ValueError for a speaker who is not among `speakers`."""
        first, second = (1 + speakers.index(name) for name in (blend.first, blend.second))
        row = (1 - blend.share) * self.vectors[first] + blend.share * self.vectors[second]
        # People hear ratios of pitch: halfway is the geometric mean.
        pitch = round(self.pitches[first] ** (1 - blend.share) * self.pitches[second] ** blend.share, 1)
        place = len(self.vectors) - len(self.blends)
        blends = tuple(dict.fromkeys((*self.blends, blend.name)))
        place += blends.index(blend.name)
        vectors = np.concatenate((self.vectors[:place], row[None], self.vectors[place + 1 :])).astype(np.float32)
        return StyleRows(blends, vectors, (*self.pitches[:place], pitch, *self.pitches[place + 1 :]))


@dataclass(frozen=True, slots=True)
class VoiceArchitecture:
    """One kind of voice."""

    name: str
    # Turns `Phones` into the symbols of the voice; takes the options of an SBV2 voice, see `VoiceTraits`.
    encode_phones: Callable[..., PhoneIds]
    unused_numbers: frozenset[str] = frozenset()  # numbers of a line that change nothing here
    styles_by_speaker: bool = False  # rows of the style vectors belong to speakers, see `VoiceTraits.find_style_row`
    takes_melody: bool = False  # the flow graph takes the pitch as an input
    speaks_english: bool = False  # it has symbols for English sounds; others read English words as katakana
    # How long it still sounds after the last phone of a sentence; what follows is silence and need not be decoded. None: the mark at the
    # end may sound as long as it lasts, as a breath.
    mark_release_s: float | None = None
    # How much of the leading `_` is heard. The flow gets as much of it as the voice predicts, whatever the speed: this one stays silent for
    # the first third of a second of whatever it speaks. None: all of it, a symbol as any other.
    heard_opening_frames: int | None = None
    # How long the last phone before a mark or the end sounds at most, at speed 1; what the voice gives it beyond that is silence, which
    # counts as the pause's. None: the voice gives silence to its marks alone.
    longest_ending_frames: float | None = None
    sound_lead_s: float = 0.0  # how far a phone sounds ahead of the frames that it was given; timings and melody are moved by it
    pitch_smear_s: float = 0.0  # how far to either side its sound smears a change of the pitch that the flow was given
    draws_noise: bool = True  # so that another seed is another rendering, whatever the variation
    manners: tuple[Manner, ...] = ()  # styles that every speaker has, in voices with styles by speaker
    recipe: int = 1  # the number of the way in which this version prepares such voices; one of a lower number is prepared again
    is_renewed_from_itself: bool = True  # that takes the prepared voice alone; else what it was made of

    @property
    def manner_names(self) -> list[str]:
        """Return the names of the manners, in the order of their rows."""
        return [manner.name for manner in self.manners]

    def list_blends(self, styles: Sequence[str]) -> list[str]:
        """Return those styles of a voice that are between its speakers, so that who speaks in them is none of these."""
        return [style for style in styles[1:] if style not in self.manner_names] if self.styles_by_speaker else []

    def assign_style_ids(self, styles: Sequence[str]) -> dict[int, str]:
        """Return the styles of a voice with styles by speaker by their ids: blends count from 1, past those of the manners."""
        manner_ids = {manner.name: manner.style_id for manner in self.manners}
        free_ids = (number for number in count(1) if number not in manner_ids.values())
        return {0: styles[0]} | {manner_ids[name] if name in manner_ids else next(free_ids): name for name in styles[1:]}

    def should_use_seed(self, delivery: Delivery) -> bool:
        """Return whether another seed makes another sound of a line."""
        return self.draws_noise or delivery.variation > 0

    def should_read_english(self, delivery: Delivery) -> bool:
        """Return whether words in Latin letters are spoken in English, which a line asks for and not every voice does."""
        return self.speaks_english and delivery.latin == ENGLISH


# Of Japanese sounds alone.
SBV2_ARCHITECTURE = VoiceArchitecture("sbv2", convert_phones_to_ids, frozenset({"accent_fidelity", "variation"}))
KOKORO_ARCHITECTURE = VoiceArchitecture(
    "kokoro",
    lambda phones, **_options: convert_phones_to_tokens(phones),
    frozenset({"sdp_ratio", "noise", "noise_w", "bert_weight", "assist_text", "assist_weight"}),
    styles_by_speaker=True,
    takes_melody=True,
    speaks_english=True,
    mark_release_s=0.2,
    heard_opening_frames=5,  # the sound leads its frames by half of them
    longest_ending_frames=8.0,  # where it is given half a second, it sounds for 0.04 to 0.2 s
    sound_lead_s=0.065,  # where vowels and loudness agree best, 65 to 70 ms for each of the first five speakers
    pitch_smear_s=0.06,  # a step of four semitones begins 50 ms before its place and ends 50 ms behind it
    draws_noise=False,
    manners=MANNERS,
    recipe=7,
    is_renewed_from_itself=False,
)
ARCHITECTURES = {item.name: item for item in (SBV2_ARCHITECTURE, KOKORO_ARCHITECTURE)}


@dataclass(frozen=True, slots=True)
class VoiceTraits:
    """Numbers and tables of one voice."""

    id: str
    name: str
    bert: str
    sampling_rate: int
    hop_length: int
    speakers: dict[int, str]  # speakers, styles: name by id; `find_style_row` says which row of `style_vectors` they are
    styles: dict[int, str]
    style_vectors: Float32  # float32 (rows, 256); row 0 is the mean that a style weight moves away from
    durations: DurationRule = "ceil"  # rule for rounding log durations to frames, see `app.core.sound.durations`
    margin_frames: int = 16  # context that the decoder needs on each side of a window
    # Each window is decoded before the one before it has sounded, as long as decoding takes a third of real time;
    # 24, 48, 112 made the first sound 17 ms later, and 256 frames delayed the next sound.
    windows: tuple[int, ...] = (16, 40, 104, 128)  # frames per decoder window, in order; the last one repeats
    multilingual: bool = False  # an older SBV2 model, whose table writes the Japanese N as n
    add_blank: bool = True  # the voice was trained with blanks between phones
    emoji: bool = False  # the voice speaks emoji, as symbols of their own
    decoder_noise: bool = False  # the decoder takes noise from us
    flow_pitch_offset: bool = False  # the flow takes semitones from us that it adds to its pitch
    fixed_windows: bool = False  # the decoder runs where every width of a window costs time once, see `app.core.sound.acoustic`
    architecture: VoiceArchitecture = SBV2_ARCHITECTURE
    median_f0: tuple[float, ...] = ()  # the median pitch of each row of `style_vectors` in Hz, for voices that take a melody
    # A style has a sound up to this weight; beyond it the network may compute no numbers.
    max_style_weight: float = BOUNDS["style_weight"].high

    def __post_init__(self) -> None:
        if self.style_vectors.ndim != 2 or self.style_vectors.shape[1] != STYLE_WIDTH:
            raise ValueError(f"style vectors have shape {self.style_vectors.shape}, expected (styles, {STYLE_WIDTH})")
        # The highest row that any speaker and style need.
        if max((self.find_style_row(max(self.speakers, default=0), style) for style in self.styles), default=0) >= len(self.style_vectors):
            raise ValueError("more styles than style vectors")
        if self.architecture.takes_melody and len(self.median_f0) != len(self.style_vectors):
            raise ValueError("a median pitch belongs to each style vector")
        if self.sampling_rate <= 0 or self.hop_length <= 0 or not self.windows or min(self.windows) <= 0:
            raise ValueError("sampling rate, hop length and windows must be positive")

    def encode_phones(self, phones: Phones) -> PhoneIds:
        """Return the symbols of a sentence as this voice takes them."""
        return self.architecture.encode_phones(phones, multilingual=self.multilingual, add_blank=self.add_blank, emoji=self.emoji)

    def limit_numbers(self, request: SynthesisRequest) -> SynthesisRequest:
        """Return the request with the numbers that this voice takes.

        Those that change nothing get their defaults, so that caches find its sound again; a style weight that is too high is lowered, and
        a notice says so, as it does of English that the voice does not speak. The numbers of a manner join them.
        """
        defaults: dict[str, Any] = {name: getattr(DEFAULT_DELIVERY, name) for name in self.architecture.unused_numbers}
        if not self.architecture.should_use_seed(request):
            defaults["seed"] = 0
        if request.latin == ENGLISH and not self.architecture.speaks_english and has_latin_letters(request.text):
            show_notice(self._build_english_notice())
        if request.style_weight > self.max_style_weight:
            show_notice(self._build_weight_notice(request.style_weight))
            defaults["style_weight"] = self.max_style_weight
        limited = replace(request, **defaults)
        return self.find_manner(limited).apply_to(limited)

    def find_manner(self, request: SynthesisRequest) -> Manner:
        """Return the manner in which a request is spoken, at its style weight; a request that `limit_numbers` gave has its numbers already."""
        manner = next((manner for manner in self.architecture.manners if manner.name == self.styles.get(request.style)), USUAL_MANNER)
        return manner.scale_numbers(request.style_weight)

    def _build_english_notice(self) -> InputError:
        return InputError(
            localize(
                f"声「{self.name}」は英語を話せないため、カタカナで読みます。",
                f"The voice “{self.name}” speaks no English and reads it as katakana.",
            ),
            localize("英語は、自然な声で話せます。", "The natural voice speaks English."),
        )

    def _build_weight_notice(self, weight: float) -> InputError:
        return InputError(
            localize(
                f"声「{self.name}」のスタイルの強さは {self.max_style_weight:g} までです。{weight:g} の行は {self.max_style_weight:g} で読み上げます。",
                f"The voice “{self.name}” takes a style weight of up to {self.max_style_weight:g}; a line with {weight:g} is spoken with that.",
            ),
            localize("これより強くすると、音が壊れます。", "Beyond it, its sound breaks."),
        )

    def find_style_row(self, speaker: int, style: int) -> int:
        """Return the row of the style vectors.

        Style k is row k. Of a voice with styles by speaker the rows are the mean, the speakers, manner by manner the speakers in it,
        and the blends.
        """
        kind = self.architecture
        if not kind.styles_by_speaker or style not in self.styles:
            return style
        names, name = tuple(self.styles.values()), self.styles[style]
        manners = [manner for manner in kind.manner_names if manner in names]
        if name in (blends := kind.list_blends(names)):
            return 1 + len(self.speakers) * (1 + len(manners)) + blends.index(name)
        return 1 + speaker + (len(self.speakers) * (1 + manners.index(name)) if name in manners else 0)

    def add_blend(self, blend: SpeakerBlend) -> VoiceTraits:
        """Return the voice with a blend as one of its styles, which is kept nowhere; raise VoiceError where it cannot have it."""
        kind, styles = self.architecture, tuple(self.styles.values())
        blends = kind.list_blends(styles)
        rows = StyleRows(tuple(blends), self.style_vectors, self.median_f0)
        try:
            if not kind.styles_by_speaker:
                raise ValueError("its styles do not belong to speakers")
            rows = rows.insert_blend(blend, tuple(self.speakers.values()))
        except ValueError as exc:
            raise VoiceError(
                localize(f"声「{self.name}」では、この 2 人を混ぜられません。", f"The voice “{self.name}” cannot blend these two speakers.")
            ) from exc
        others = tuple(style for style in styles if style not in blends)
        return replace(self, styles=kind.assign_style_ids(others + rows.blends), style_vectors=rows.vectors, median_f0=rows.pitches)

    def build_style_vector(self, speaker: int, style: int, weight: float) -> Float32:
        """Return the weighted style vector of a speaker's style, float32 (256,). A manner moves away from the speaker, the others from the mean."""
        row, vectors = self.find_style_row(speaker, style), self.style_vectors
        if self.styles.get(style) not in self.architecture.manner_names:
            return compute_style_vector(vectors, row, weight)
        usual = compute_style_vector(vectors, 1 + speaker, 1.0)
        return compute_style_vector(np.stack((usual, vectors[row])), 1, weight)
