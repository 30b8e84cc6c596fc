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
    """A number of a query.

    Attributes:
        name: in the query.
        setting: of `LineSettings`; empty where there is none, and the field is reported unless it has its `plain` value.
        plain: what it has where nobody has changed it.
        convert: from their number to ours.
        ja, en: its name for people, where it is not taken over.
    """

    name: str
    setting: str
    plain: float
    ja: str
    en: str
    convert: Callable[[float], float] = float


def _semitones(scale: float) -> float:
    """Both count pitch in octaves."""
    return 12 * scale


def _strength(scale: float) -> float:
    """AivisSpeech's 0 … 1 … 2 is a style weight of 0 … 1 … 10."""
    return scale if scale <= 1 else 1 + 9 * (scale - 1)


def _tempo(scale: float) -> float:
    """AivisSpeech's 0 … 1 … 2 is a ratio of 0 … 0.2 … 1."""
    return 0.2 * scale if scale <= 1 else 0.2 + 0.8 * (scale - 1)


_BOTH = (
    QueryField("speedScale", "speed", 1.0, "話速", "speed"),
    QueryField("volumeScale", "volume", 1.0, "音量", "volume"),
    QueryField("prePhonemeLength", "pre_silence_s", 0.1, "開始無音", "silence before"),
    QueryField("postPhonemeLength", "post_silence_s", 0.1, "終了無音", "silence after"),
    QueryField("pitchScale", "pitch", 0.0, "音高", "pitch", _semitones),
)
_VOICEVOX = (*_BOTH, QueryField("intonationScale", "intonation", 1.0, "抑揚", "intonation"))
_AIVISSPEECH = (
    *_BOTH,
    QueryField("intonationScale", "style_weight", 1.0, "スタイルの強さ", "style weight", _strength),
    QueryField("tempoDynamicsScale", "sdp_ratio", 1.0, "テンポの緩急", "tempo variation", _tempo),
    QueryField("pauseLengthScale", "", 1.0, "文内無音の倍率", "pause length scale"),
)


def settings_of(query: Mapping[str, Any], engine: str, losses: Losses, lose: Callable[[str, str], None]) -> dict[str, float]:
    """Settings of a line by name. What has no place here, or no value within our bounds, is counted.

    Args:
        lose: called with the name of a value that is no number.
    """
    values: dict[str, float] = {}
    for field in _AIVISSPEECH if engine == AIVISSPEECH else _VOICEVOX:
        given = query.get(field.name)
        if given is None:
            continue
        try:
            value = finite(given)
        except ValueError:
            lose(f"使用できない値（{field.ja}）", f"values that cannot be used ({field.en})")
            continue
        if not field.setting:
            if value != field.plain:
                losses.add(field.ja, field.en)
            continue
        bounds = BOUNDS[field.setting]
        ours = round(field.convert(value), 4)
        values[field.setting] = min(bounds.high, max(bounds.low, ours))
        if values[field.setting] != ours:
            losses.add(f"範囲外の{field.ja}", f"{field.en} out of range")
    return values
