"""The facts of a voice that the pipeline needs; the rest of a voice's description stays in `app.voices`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.synthesis_types import STYLE_WIDTH, Float32

DurationRule = Literal["ceil", "carry"]


@dataclass(frozen=True, slots=True)
class VoiceTraits:
    """Numbers and tables of one voice.

    Attributes:
        style_vectors: float32 (styles, 256); row 0 is the mean that a style weight moves away from.
        speakers, styles: name by id; style id k is row k of `style_vectors`.
        durations: rule for rounding log durations to frames, see `app.core.durations`.
        margin_frames: context that the decoder needs on each side of a window.
        windows: frames per decoder window, in order; the last one repeats.
        multilingual: an older SBV2 model, whose table writes the Japanese N as n.
        add_blank: the voice was trained with blanks between phones.
        emoji: the voice speaks emoji, as symbols of their own.
        decoder_noise: the decoder takes noise from us.
        fixed_windows: the decoder runs where every width of a window costs time once, see `app.core.decode_windows`.
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
    fixed_windows: bool = False

    def __post_init__(self) -> None:
        if self.style_vectors.ndim != 2 or self.style_vectors.shape[1] != STYLE_WIDTH:
            raise ValueError(f"style vectors have shape {self.style_vectors.shape}, expected (styles, {STYLE_WIDTH})")
        if self.styles and max(self.styles) >= len(self.style_vectors):
            raise ValueError("more styles than style vectors")
        if self.sampling_rate <= 0 or self.hop_length <= 0 or not self.windows or min(self.windows) <= 0:
            raise ValueError("sampling rate, hop length and windows must be positive")
