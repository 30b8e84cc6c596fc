"""The values that VOICEVOX's clients send and receive: morae, accent phrases, queries. Seconds, unless said otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

QUERY_SCALES = {
    "speedScale": "speed",
    "pitchScale": "pitch",
    "intonationScale": "intonation",
    "volumeScale": "volume",
    "prePhonemeLength": "pre_s",
    "postPhonemeLength": "post_s",
}
"""Numbers that queries and presets of VOICEVOX share, and the fields of `AudioQuery` that hold them."""
QUERY_PAUSES = {"pauseLength": "pause_s", "pauseLengthScale": "pause_scale"}
"""Those that older clients leave out."""
# Characters; half an hour of a chat, and short enough for a query string.
MAX_QUERY_TEXT = 3000


@dataclass(frozen=True, slots=True)
class QueryMora:
    """One mora; lengths of 0 leave it to the voice. `pitch` is the logarithm of Hz, or a picture of the accent; 0 for what has none."""

    text: str
    vowel: str
    vowel_length: float
    pitch: float
    consonant: str | None = None
    consonant_length: float | None = None

    def convert_to_json(self) -> dict[str, Any]:
        """Return the mora as JSON."""
        return {
            "text": self.text,
            "consonant": self.consonant,
            "consonant_length": self.consonant_length,
            "vowel": self.vowel,
            "vowel_length": self.vowel_length,
            "pitch": self.pitch,
        }


@dataclass(frozen=True, slots=True)
class AccentPhrase:
    """Morae that share an accent: the one after which the pitch falls, from 1; the last one where it never does."""

    moras: tuple[QueryMora, ...]
    accent: int
    pause_mora: QueryMora | None = None
    is_interrogative: bool = False

    def convert_to_json(self) -> dict[str, Any]:
        """Return the phrase as JSON."""
        return {
            "moras": [mora.convert_to_json() for mora in self.moras],
            "accent": self.accent,
            "pause_mora": None if self.pause_mora is None else self.pause_mora.convert_to_json(),
            "is_interrogative": self.is_interrogative,
        }


@dataclass(frozen=True, slots=True)
class AudioQuery:
    """A line as VOICEVOX's clients shape it.

    Attributes:
        kana: the text that it was made of.
        tempo: AivisSpeech's scale of the tempo; None is our own default.
        seed: of the noise. Clients drop it, as they do `tempo`; nothing rests on them.
    """

    accent_phrases: tuple[AccentPhrase, ...]
    speed: float = 1.0
    pitch: float = 0.0
    intonation: float = 1.0
    volume: float = 1.0
    pre_s: float = 0.1
    post_s: float = 0.1
    pause_s: float | None = None
    pause_scale: float = 1.0
    rate: int = 44100
    stereo: bool = False
    kana: str = ""
    tempo: float | None = None
    seed: int = 0

    def convert_to_json(self) -> dict[str, Any]:
        """Return the query as JSON, with all optional fields."""
        return {
            "accent_phrases": [phrase.convert_to_json() for phrase in self.accent_phrases],
            **self.scale_values,
            "outputSamplingRate": self.rate,
            "outputStereo": self.stereo,
            "kana": self.kana,
            "tempoDynamicsScale": 1.0 if self.tempo is None else self.tempo,
            "seed": self.seed,
        }

    @property
    def scale_values(self) -> dict[str, Any]:
        """Return the numbers that a preset holds, as JSON."""
        return {name: getattr(self, field) for name, field in (QUERY_SCALES | QUERY_PAUSES).items()}
