"""Projects of VOICEVOX and AivisSpeech in all their versions, as the newest would say them, and their queries as settings of a line. An item says what it is by what it has.

Lines at the root: VOICEVOX before 0.17, AivisSpeech before 1.1. Who speaks: `voice` since 0.15, `styleId` (with `engineId` since 0.14) since
0.8, `speaker` since 0.7, `characterIndex` since 0.4, `charactorIndex` before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.common.files.untrusted_json import require_number
from app.core.synthesis_types import BOUNDS
from app.interchange.imported_script import LossReport

VOICEVOX, AIVISSPEECH = "074fc39e-678b-4c13-8916-ffca8d505d1d", "1b4a5014-d9fd-11ee-b97d-83c170a68ed3"
ENGINE_NAMES = {VOICEVOX: "voicevox", AIVISSPEECH: "aivisspeech"}
# The first two characters had the numbers of their first styles.
_OLDER_STYLE_KEYS = ("styleId", "speaker", "characterIndex", "charactorIndex")


@dataclass(frozen=True, slots=True)
class QueryField:
    """A number of a query that a line has, too, as a setting; `convert` turns their number into ours."""

    name: str
    setting: str
    convert: Callable[[float], float] = float

    @property
    def labels(self) -> tuple[str, str]:
        """Return the name for people, in Japanese and in English, without the unit."""
        bounds = BOUNDS[self.setting]
        return bounds.ja.partition("（")[0], bounds.en.partition(" (")[0]


def _convert_to_style_weight(scale: float) -> float:
    """Convert AivisSpeech's 0 … 1 … 2 to a style weight of 0 … 1 … 10."""
    return scale if scale <= 1 else 1 + 9 * (scale - 1)


def convert_tempo(tempo: float) -> float:
    """Return the ratio of 0 … 0.2 … 1 for AivisSpeech's tempo of 0 … 1 … 2."""
    return 0.2 * tempo if tempo <= 1 else 0.2 + 0.8 * (tempo - 1)


_SHARED_FIELDS = (
    QueryField("speedScale", "speed"),
    QueryField("volumeScale", "volume"),
    QueryField("prePhonemeLength", "pre_silence_s"),
    QueryField("postPhonemeLength", "post_silence_s"),
    QueryField("pitchScale", "pitch", lambda scale: 12 * scale),  # of an octave
)
_VOICEVOX_FIELDS = (*_SHARED_FIELDS, QueryField("intonationScale", "intonation"))
_AIVISSPEECH_FIELDS = (
    *_SHARED_FIELDS,
    QueryField("intonationScale", "style_weight", _convert_to_style_weight),
    QueryField("tempoDynamicsScale", "sdp_ratio", convert_tempo),
)
_PAUSE_SCALE_LABELS = ("文内無音の倍率", "pause length scale")  # of AivisSpeech; a line has no such number


def find_talk_items(data: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the keys in order, and the items by key; raise ValueError if there are none."""
    talk = data.get("talk", data)
    if not isinstance(talk, dict):
        raise ValueError("talk")
    keys, items = talk.get("audioKeys"), talk.get("audioItems")
    if not isinstance(keys, list) or not isinstance(items, dict):
        raise ValueError("audioKeys")
    return keys, items


def find_item_voice(item: Mapping[str, Any], default_engine: str) -> tuple[str, int] | None:
    """Return engine and style id of an item, or None if it has no voice; raise ValueError for values that no version writes."""
    voice = item.get("voice")
    if voice is None:
        style = next((item[name] for name in _OLDER_STYLE_KEYS if item.get(name) is not None), None)
        engine = item.get("engineId") or default_engine
    elif isinstance(voice, dict):
        style, engine = voice.get("styleId"), voice.get("engineId") or default_engine
    else:
        raise ValueError("voice")
    if style is None:
        return None
    if type(style) is not int or not 0 <= style < 1 << 32 or not isinstance(engine, str):
        raise ValueError("styleId")
    return engine, style


def has_song(data: Mapping[str, Any]) -> bool:
    """Return whether the project has anything to sing."""
    song = data.get("song")
    tracks = song.get("tracks") if isinstance(song, dict) else None
    track_list = tracks.values() if isinstance(tracks, dict) else tracks if isinstance(tracks, list) else ()
    return any(isinstance(track, dict) and track.get("notes") for track in track_list)


def parse_query_settings(
    query: Mapping[str, Any], engine: str, losses: LossReport, add_loss: Callable[[str, str], None]
) -> dict[str, float]:
    """Return the settings of a line by name. Values without a setting, or outside our bounds, are counted as losses.

    Args:
        add_loss: called with the name of a value that is no number.
    """
    values: dict[str, float] = {}
    for field in _AIVISSPEECH_FIELDS if engine == AIVISSPEECH else _VOICEVOX_FIELDS:
        ja, en = field.labels
        number = _read_number(query, field.name, (ja, en), add_loss)
        if number is not None:
            bounds, ours = BOUNDS[field.setting], round(field.convert(number), 4)
            values[field.setting] = min(bounds.high, max(bounds.low, ours))
            if values[field.setting] != ours:
                losses.add_lines(f"範囲外の{ja}", f"{en} out of range")
    if engine == AIVISSPEECH and _read_number(query, "pauseLengthScale", _PAUSE_SCALE_LABELS, add_loss) not in (None, 1.0):
        losses.add_lines(*_PAUSE_SCALE_LABELS)
    return values


def _read_number(query: Mapping[str, Any], name: str, labels: tuple[str, str], add_loss: Callable[[str, str], None]) -> float | None:
    if (value := query.get(name)) is None:
        return None
    try:
        return require_number(value)
    except ValueError:
        add_loss(f"使用できない値（{labels[0]}）", f"values that cannot be used ({labels[1]})")
        return None
