"""The kinds of voices: what differs between them, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from app.core.synthesis_types import Phones
from app.core.text.kokoro_symbols import convert_phones_to_tokens
from app.core.text.phone_ids import PhoneIds, convert_phones_to_ids


class SymbolEncoder(Protocol):
    """Turns phones into the symbols of a voice; the options are those of an SBV2 voice, see `VoiceTraits`."""

    def __call__(self, phones: Phones, *, multilingual: bool, add_blank: bool, emoji: bool) -> PhoneIds:
        """Return the arrays of a sentence."""


@dataclass(frozen=True, slots=True)
class VoiceArchitecture:
    """One kind of voice.

    Attributes:
        name: what a manifest calls it.
        encode_phones: turns phones into the symbols of the voice.
        unused_numbers: numbers of a line that change nothing here.
        styles_by_speaker: rows of the style vectors belong to speakers, see `VoiceTraits.find_style_row`.
        takes_melody: the flow graph takes the pitch as an input.
        mark_release_s: how long it still sounds after the last phone of a sentence; what follows is silence and need not be decoded.
            None: the mark at the end may sound as long as it lasts, as a breath.
        heard_opening_frames: how much of the leading `_` is heard. The flow gets as much of it as the voice predicts, whatever the speed:
            this one stays silent for the first third of a second of whatever it speaks. None: all of it, a symbol as any other.
        longest_ending_frames: how long the last phone before a mark or the end sounds at most, at speed 1; what the voice gives it beyond
            that is silence, which counts as the pause's. None: the voice gives silence to its marks alone.
        sound_lead_s: how far a phone sounds ahead of the frames that it was given; timings and melody are moved by it.
        pitch_smear_s: how far to either side its sound smears a change of the pitch that the flow was given.
        is_seeded: it draws noise, so that another seed is another rendering.
        recipe: the number of the way in which this version prepares such voices; one of a lower number is prepared again.
        is_renewed_from_itself: that takes the prepared voice alone; else what it was made of.
    """

    name: str
    encode_phones: SymbolEncoder
    unused_numbers: frozenset[str] = frozenset()
    styles_by_speaker: bool = False
    takes_melody: bool = False
    mark_release_s: float | None = None
    heard_opening_frames: int | None = None
    longest_ending_frames: float | None = None
    sound_lead_s: float = 0.0
    pitch_smear_s: float = 0.0
    is_seeded: bool = True
    recipe: int = 1
    is_renewed_from_itself: bool = True


def _encode_for_kokoro(phones: Phones, *, multilingual: bool, add_blank: bool, emoji: bool) -> PhoneIds:
    return convert_phones_to_tokens(phones)


SBV2_ARCHITECTURE = VoiceArchitecture("sbv2", convert_phones_to_ids, frozenset({"accent_fidelity"}))
KOKORO_ARCHITECTURE = VoiceArchitecture(
    "kokoro",
    _encode_for_kokoro,
    frozenset({"sdp_ratio", "noise", "noise_w", "bert_weight", "assist_text", "assist_weight"}),
    styles_by_speaker=True,
    takes_melody=True,
    mark_release_s=0.2,
    heard_opening_frames=5,  # the sound leads its frames by half of them
    longest_ending_frames=8.0,  # where it is given half a second, it sounds for 0.04 to 0.2 s
    sound_lead_s=0.065,  # where vowels and loudness agree best, 65 to 70 ms for each of the five speakers
    pitch_smear_s=0.06,  # a step of four semitones begins 50 ms before its place and ends 50 ms behind it
    is_seeded=False,
    recipe=2,
    is_renewed_from_itself=False,
)
ARCHITECTURES = {item.name: item for item in (SBV2_ARCHITECTURE, KOKORO_ARCHITECTURE)}
