"""What a query of VOICEVOX or AivisSpeech sets, and which setting of a line that is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.core.limits import BOUNDS
from app.interchange.imported import Losses
from app.interchange.vvproj_versions import AIVISSPEECH
from app.json_text import finite


@dataclass(frozen=True, slots=True)
class QueryField:
    """A number of a query that a line has, too.

    Attributes:
        name: in the query.
        setting: of `LineSettings`.
        convert: from their number to ours.
    """

    name: str
    setting: str
    convert: Callable[[float], float] = float

    @property
    def names(self) -> tuple[str, str]:
        """Its name for people, in Japanese and in English, without the unit."""
        bounds = BOUNDS[self.setting]
        return bounds.ja.partition("（")[0], bounds.en.partition(" (")[0]


def _semitones(scale: float) -> float:
    """Both count pitch in octaves."""
    return 12 * scale


def _strength(scale: float) -> float:
    """AivisSpeech's 0 … 1 … 2 is a style weight of 0 … 1 … 10."""
    return scale if scale <= 1 else 1 + 9 * (scale - 1)


def convert_tempo(tempo: float) -> float:
    """Return the ratio of 0 … 0.2 … 1 for AivisSpeech's tempo of 0 … 1 … 2."""
    return 0.2 * tempo if tempo <= 1 else 0.2 + 0.8 * (tempo - 1)


_BOTH = (
    QueryField("speedScale", "speed"),
    QueryField("volumeScale", "volume"),
    QueryField("prePhonemeLength", "pre_silence_s"),
    QueryField("postPhonemeLength", "post_silence_s"),
    QueryField("pitchScale", "pitch", _semitones),
)
_VOICEVOX = (*_BOTH, QueryField("intonationScale", "intonation"))
_AIVISSPEECH = (
    *_BOTH,
    QueryField("intonationScale", "style_weight", _strength),
    QueryField("tempoDynamicsScale", "sdp_ratio", convert_tempo),
)
_PAUSE_SCALE = ("文内無音の倍率", "pause length scale")  # of AivisSpeech; a line has no such number


def settings_of(query: Mapping[str, Any], engine: str, losses: Losses, lose: Callable[[str, str], None]) -> dict[str, float]:
    """Settings of a line by name. What has no place here, or no value within our bounds, is counted.

    Args:
        lose: called with the name of a value that is no number.
    """
    values: dict[str, float] = {}
    for field in _AIVISSPEECH if engine == AIVISSPEECH else _VOICEVOX:
        ja, en = field.names
        given = _read_number(query, field.name, (ja, en), lose)
        if given is not None:
            bounds, ours = BOUNDS[field.setting], round(field.convert(given), 4)
            values[field.setting] = min(bounds.high, max(bounds.low, ours))
            if values[field.setting] != ours:
                losses.add(f"範囲外の{ja}", f"{en} out of range")
    if engine == AIVISSPEECH and _read_number(query, "pauseLengthScale", _PAUSE_SCALE, lose) not in (None, 1.0):
        losses.add(*_PAUSE_SCALE)
    return values


def _read_number(query: Mapping[str, Any], name: str, names: tuple[str, str], lose: Callable[[str, str], None]) -> float | None:
    if (given := query.get(name)) is None:
        return None
    try:
        return finite(given)
    except ValueError:
        lose(f"使用できない値（{names[0]}）", f"values that cannot be used ({names[1]})")
        return None
