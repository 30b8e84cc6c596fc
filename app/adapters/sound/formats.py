"""Which sound files can be written and played, and what a suffix, a subtype and a rate come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, get_args

from app.errors import InputError, OutputFileError
from app.language import localized

LOWEST_RATE, HIGHEST_RATE = 8_000, 192_000
Quality = Literal["small", "standard", "high"]
QUALITIES: tuple[Quality, ...] = get_args(Quality)
_OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
_MP3_RATES = (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


@dataclass(frozen=True, slots=True)
class SoundFormat:
    """A kind of file.

    Attributes:
        container, subtypes: libsndfile's names; subtypes by the word a user writes, the first is the default.
        rates: the only rates its encoder takes; empty where any will do.
        levels: libsndfile's compression by quality, where sound is lost; `standard` is what its encoder does unasked.
    """

    container: str
    subtypes: Mapping[str, str]
    rates: tuple[int, ...] = ()
    levels: Mapping[Quality, float] = field(default_factory=dict)


FORMATS: Mapping[str, SoundFormat] = {
    ".wav": SoundFormat("WAV", {"16": "PCM_16", "24": "PCM_24", "float": "FLOAT"}),
    ".flac": SoundFormat("FLAC", {"16": "PCM_16", "24": "PCM_24"}),
    ".ogg": SoundFormat("OGG", {"vorbis": "VORBIS"}, levels={"small": 0.8, "high": 0.2}),
    ".opus": SoundFormat("OGG", {"opus": "OPUS"}, _OPUS_RATES, {"small": 0.85, "high": 0.5}),
    ".mp3": SoundFormat("MP3", {"mp3": "MPEG_LAYER_III"}, _MP3_RATES, {"small": 0.8, "high": 0.0}),
}

PLAYABLE = tuple(FORMATS)
"""libsndfile reads what it writes."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """What goes to libsndfile."""

    container: str
    subtype: str
    rate: int
    channels: int
    level: float | None = None


def choose_encoding(
    name: str, sampling_rate: int, subtype: str | None, channels: int, rate: int | None, quality: Quality = "standard"
) -> Encoding:
    """The encoding of the file `name` for a voice of `sampling_rate` Hz.

    Without `rate` it is the voice's, or the nearest above it that the format has. Raises OutputFileError for an
    unknown suffix, InputError for a subtype, rate or number of channels that the format does not have.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in FORMATS:
        raise OutputFileError(
            localized(f"「{name}」の拡張子から音声形式を判断できません。", f"The extension of “{name}” is not a supported audio format."),
            localized("使用できる拡張子: ", "Supported extensions: ") + " ".join(FORMATS),
        )
    sound = FORMATS[suffix]
    if channels not in (1, 2):
        raise InputError(localized("チャンネル数は 1 または 2 です。", "The number of channels must be 1 or 2."))
    chosen = _subtype(sound, suffix, subtype)
    return Encoding(sound.container, chosen, _rate(sound, suffix, sampling_rate, rate), channels, sound.levels.get(quality))


def _subtype(sound: SoundFormat, suffix: str, wanted: str | None) -> str:
    if wanted is None:
        return next(iter(sound.subtypes.values()))
    if wanted not in sound.subtypes:
        raise InputError(
            localized(f"{suffix} では --subtype {wanted} を使えません。", f"--subtype {wanted} is not available for {suffix}."),
            localized("使用できるもの: ", "Available: ") + " ".join(sound.subtypes)
            if len(sound.subtypes) > 1
            else localized("--subtype を付けずに実行してください。", "Omit --subtype."),
        )
    return sound.subtypes[wanted]


def _rate(sound: SoundFormat, suffix: str, voice: int, wanted: int | None) -> int:
    if wanted is None:
        return voice if not sound.rates else next((rate for rate in sound.rates if rate >= voice), sound.rates[-1])
    if sound.rates and wanted not in sound.rates:
        raise InputError(
            localized(
                f"{suffix} ではサンプリング周波数 {wanted} Hz を使えません。", f"{suffix} files cannot have a sampling rate of {wanted} Hz."
            ),
            localized("使用できるもの: ", "Available: ") + " ".join(map(str, sound.rates)),
        )
    if not LOWEST_RATE <= wanted <= HIGHEST_RATE:
        raise InputError(
            localized(f"サンプリング周波数 {wanted} Hz は範囲外です。", f"A sampling rate of {wanted} Hz is out of range."),
            localized(
                f"{LOWEST_RATE} から {HIGHEST_RATE} までの値を指定してください。", f"Choose a rate from {LOWEST_RATE} to {HIGHEST_RATE}."
            ),
        )
    return wanted
