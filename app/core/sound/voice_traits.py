"""The facts of a voice that the pipeline needs; the rest of a voice's description stays in `app.voices`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from app.common.errors import InputError
from app.common.language import localize
from app.common.user_notices import show_notice
from app.core.delivery import Delivery
from app.core.request_limits import BOUNDS
from app.core.sound.style_blending import compute_style_vector
from app.core.sound.voice_architecture import SBV2_ARCHITECTURE, VoiceArchitecture
from app.core.synthesis_types import STYLE_WIDTH, Float32, Phones, SynthesisRequest
from app.core.text.phone_ids import PhoneIds

DurationRule = Literal["ceil", "carry", "round"]
DEFAULT_DELIVERY = Delivery()


@dataclass(frozen=True, slots=True)
class VoiceTraits:
    """Numbers and tables of one voice.

    Attributes:
        style_vectors: float32 (rows, 256); row 0 is the mean that a style weight moves away from.
        speakers, styles: name by id; `find_style_row` says which row of `style_vectors` they are.
        durations: rule for rounding log durations to frames, see `app.core.sound.durations`.
        margin_frames: context that the decoder needs on each side of a window.
        windows: frames per decoder window, in order; the last one repeats.
        multilingual: an older SBV2 model, whose table writes the Japanese N as n.
        add_blank: the voice was trained with blanks between phones.
        emoji: the voice speaks emoji, as symbols of their own.
        decoder_noise: the decoder takes noise from us.
        flow_pitch_offset: the flow takes semitones from us that it adds to its pitch.
        architecture: the kind of voice.
        median_f0: the median pitch of each row of `style_vectors` in Hz, for voices that take a melody.
        max_style_weight: a style has a sound up to this weight; beyond it the network may compute no numbers.
        fixed_windows: the decoder runs where every width of a window costs time once, see `app.core.sound.decode_windows`.
    """

    id: str
    name: str
    bert: str
    sampling_rate: int
    hop_length: int
    speakers: dict[int, str]
    styles: dict[int, str]
    style_vectors: Float32
    durations: DurationRule = "ceil"
    margin_frames: int = 16
    # Each window is decoded before the one before it has sounded, as long as decoding takes a third of real time;
    # 24, 48, 112 made the first sound 17 ms later, and 256 frames delayed the next sound.
    windows: tuple[int, ...] = (16, 40, 104, 128)
    multilingual: bool = False
    add_blank: bool = True
    emoji: bool = False
    decoder_noise: bool = False
    flow_pitch_offset: bool = False
    fixed_windows: bool = False
    architecture: VoiceArchitecture = SBV2_ARCHITECTURE
    median_f0: tuple[float, ...] = ()
    max_style_weight: float = BOUNDS["style_weight"].high

    def __post_init__(self) -> None:
        if self.style_vectors.ndim != 2 or self.style_vectors.shape[1] != STYLE_WIDTH:
            raise ValueError(f"style vectors have shape {self.style_vectors.shape}, expected (styles, {STYLE_WIDTH})")
        if self.styles and self.find_last_style_row() >= len(self.style_vectors):
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
        a notice says so.
        """
        defaults: dict[str, Any] = {name: getattr(DEFAULT_DELIVERY, name) for name in self.architecture.unused_numbers}
        if not self.architecture.is_seeded:
            defaults["seed"] = 0
        if request.style_weight > self.max_style_weight:
            show_notice(self._build_weight_notice(request.style_weight))
            defaults["style_weight"] = self.max_style_weight
        return replace(request, **defaults)

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

        Style k is row k; of a voice with styles by speaker, style 0 is the speaker's own row, and the others, which are blends of
        speakers, follow after the speakers.
        """
        if not self.architecture.styles_by_speaker:
            return style
        return 1 + speaker if style == 0 else len(self.speakers) + style

    def build_style_vector(self, speaker: int, style: int, weight: float) -> Float32:
        """Return the weighted style vector of a speaker's style, float32 (256,)."""
        return compute_style_vector(self.style_vectors, self.find_style_row(speaker, style), weight)

    def find_last_style_row(self) -> int:
        """Return the highest row of the style vectors that any speaker and style need."""
        ends = (min(self.styles, default=0), max(self.styles, default=0))
        return max(self.find_style_row(max(self.speakers, default=0), style) for style in ends)
