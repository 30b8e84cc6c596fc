"""Projects of VOICEVOX and AivisSpeech in all their versions, as the newest would say them. An item says what it is by what it has.

Lines at the root: VOICEVOX before 0.17, AivisSpeech before 1.1. Who speaks: `voice` since 0.15, `styleId` (with `engineId` since 0.14) since
0.8, `speaker` since 0.7, `characterIndex` since 0.4, `charactorIndex` before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VOICEVOX, AIVISSPEECH = "074fc39e-678b-4c13-8916-ffca8d505d1d", "1b4a5014-d9fd-11ee-b97d-83c170a68ed3"
ENGINE_NAMES = {VOICEVOX: "voicevox", AIVISSPEECH: "aivisspeech"}
_OLDER_STYLE_KEYS = (
    "styleId",
    "speaker",
    "characterIndex",
    "charactorIndex",
)  # the first two characters had the numbers of their first styles


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
    found = tracks.values() if isinstance(tracks, dict) else tracks if isinstance(tracks, list) else ()
    return any(isinstance(track, dict) and track.get("notes") for track in found)
