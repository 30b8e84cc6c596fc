"""The sound files that can be written and played, and the encoding that a suffix, a subtype and a rate result in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, get_args

from app.common.errors import InputError, OutputFileError
from app.common.language import localize

LOWEST_RATE, HIGHEST_RATE = 8_000, 192_000
SoundQuality = Literal["small", "standard", "high"]
SOUND_QUALITIES: tuple[SoundQuality, ...] = get_args(SoundQuality)
_OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
_MP3_RATES = (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


@dataclass(frozen=True, slots=True)
class SoundFormat:
    """A kind of file."""

    container: str  # container, subtypes: libsndfile's names; subtypes by the word a user writes, the first is the default
    subtypes: Mapping[str, str]
    rates: tuple[int, ...] = ()  # the only rates its encoder takes; empty where any will do
    # libsndfile's compression by quality, where sound is lost; `standard` is what its encoder does unasked.
    levels: Mapping[SoundQuality, float] = field(default_factory=dict)


SOUND_FORMATS: Mapping[str, SoundFormat] = {
    ".wav": SoundFormat("WAV", {"16": "PCM_16", "24": "PCM_24", "float": "FLOAT"}),
    ".flac": SoundFormat("FLAC", {"16": "PCM_16", "24": "PCM_24"}),
    ".ogg": SoundFormat("OGG", {"vorbis": "VORBIS"}, levels={"small": 0.8, "high": 0.2}),
    ".opus": SoundFormat("OGG", {"opus": "OPUS"}, _OPUS_RATES, {"small": 0.85, "high": 0.5}),
    ".mp3": SoundFormat("MP3", {"mp3": "MPEG_LAYER_III"}, _MP3_RATES, {"small": 0.8, "high": 0.0}),
}

PLAYABLE_SUFFIXES = tuple(SOUND_FORMATS)  # libsndfile reads what it writes


@dataclass(frozen=True, slots=True)
class SoundEncoding:
    """The parameters for libsndfile."""

    container: str
    subtype: str
    rate: int
    channels: int
    level: float | None = None


def choose_encoding(
    name: str, sampling_rate: int, subtype: str | None, channels: int, rate: int | None, quality: SoundQuality = "standard"
) -> SoundEncoding:
    """Return the encoding of the file `name`; without `rate` it is the voice's, or the nearest above it that the format has.

    Raises OutputFileError for an unknown suffix, InputError for a subtype, rate or number of channels that the format does not have.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in SOUND_FORMATS:
        raise OutputFileError(
            localize(f"「{name}」の拡張子から音声形式を判断できません。", f"The extension of “{name}” is not a supported audio format."),
            localize("使用できる拡張子: ", "Supported extensions: ") + " ".join(SOUND_FORMATS),
        )
    sound = SOUND_FORMATS[suffix]
    if channels not in (1, 2):
        raise InputError(localize("チャンネル数は 1 または 2 です。", "The number of channels must be 1 or 2."))
    chosen = _choose_subtype(sound, suffix, subtype)
    return SoundEncoding(sound.container, chosen, _choose_rate(sound, suffix, sampling_rate, rate), channels, sound.levels.get(quality))


def _choose_subtype(sound: SoundFormat, suffix: str, requested: str | None) -> str:
    if requested is None:
        return next(iter(sound.subtypes.values()))
    if requested not in sound.subtypes:
        raise InputError(
            localize(f"{suffix} では --subtype {requested} を使えません。", f"--subtype {requested} is not available for {suffix}."),
            localize("使用できるもの: ", "Available: ") + " ".join(sound.subtypes)
            if len(sound.subtypes) > 1
            else localize("--subtype を付けずに実行してください。", "Omit --subtype."),
        )
    return sound.subtypes[requested]


def _choose_rate(sound: SoundFormat, suffix: str, voice_rate: int, requested: int | None) -> int:
    if requested is None:
        return voice_rate if not sound.rates else next((rate for rate in sound.rates if rate >= voice_rate), sound.rates[-1])
    if sound.rates and requested not in sound.rates:
        raise InputError(
            localize(
                f"{suffix} ではサンプリング周波数 {requested} Hz を使えません。",
                f"{suffix} files cannot have a sampling rate of {requested} Hz.",
            ),
            localize("使用できるもの: ", "Available: ") + " ".join(map(str, sound.rates)),
        )
    if not LOWEST_RATE <= requested <= HIGHEST_RATE:
        raise InputError(
            localize(f"サンプリング周波数 {requested} Hz は範囲外です。", f"A sampling rate of {requested} Hz is out of range."),
            localize(
                f"{LOWEST_RATE} から {HIGHEST_RATE} までの値を指定してください。", f"Choose a rate from {LOWEST_RATE} to {HIGHEST_RATE}."
            ),
        )
    return requested
