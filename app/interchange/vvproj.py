"""Projects of VOICEVOX (`.vvproj`) and AivisSpeech (`.aisp`), of every version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.core.limits import PAUSE_BOUNDS
from app.core.moras import hiragana_to_katakana
from app.core.script import LineSettings
from app.errors import InputError
from app.interchange.gathered import Gathered
from app.interchange.imported import Imported, Losses, SpokenPhrase
from app.interchange.limits import check_count
from app.interchange.vvproj_fields import settings_of
from app.interchange.vvproj_versions import AIVISSPEECH, ENGINES, VOICEVOX, has_song, talk_of, voice_of
from app.json_text import finite, long_text, parse_json
from app.language import localized

MOST_VALUES = 4_000_000  # a line of 30 morae has some 250
LONGEST_PHRASE = 1_000  # morae
USUAL_ENGINE = {".vvproj": VOICEVOX, ".aisp": AIVISSPEECH}
_KANA = re.compile("[ァ-ヺー]+")  # AivisSpeech has marks among the morae
_FAULTS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


def read_vvproj(name: str, suffix: str, data: bytes) -> Imported:
    """Raises InputError where it is no such project."""
    gathered = Gathered(name)
    try:
        project = parse_json(data, most_values=MOST_VALUES)
        if not isinstance(project, dict):
            raise ValueError("no object")
        keys, items = talk_of(project)
        check_count(name, len(keys))
        for key in keys:
            _add(gathered, key, items[key], USUAL_ENGINE.get(suffix, VOICEVOX))
        if has_song(project):
            gathered.losses.note(localized("ソングは読み込みませんでした。", "Not imported: songs."))
    except _FAULTS as exc:
        raise InputError(
            localized(f"「{name}」を開けません。", f"“{name}” cannot be opened."),
            localized(
                "VOICEVOX や AivisSpeech のプロジェクトではないか、壊れています。",
                "It is not a VOICEVOX or AivisSpeech project, or it is damaged.",
            ),
        ) from exc
    return gathered.imported()


def _add(gathered: Gathered, key: Any, item: Any, usual_engine: str) -> None:
    text = " ".join(long_text(item["text"]).split("\n"))
    if not text:
        return
    voice = voice_of(item, usual_engine)
    engine = voice[0] if voice else usual_engine
    named = gathered.name_voice(_key(*voice), _shown(*voice)) if voice else ""
    values: dict[str, Any] = {}
    spoken: tuple[SpokenPhrase, ...] = ()
    query = item.get("query")
    if query is not None:
        values = settings_of(query, engine, gathered.losses)
        spoken = _phrases(query, engine, values.get("speed", 1.0), gathered.losses)
    if item.get("morphingInfo"):
        gathered.losses.add("モーフィング", "morphing")
    gathered.add(text, LineSettings(voice=named, **values), key if isinstance(key, str) else "", spoken)


def _key(engine: str, style: int) -> str:
    return f"{ENGINES.get(engine, engine[:8])}:{style}"


def _shown(engine: str, style: int) -> str:
    maker = {VOICEVOX: "VOICEVOX", AIVISSPEECH: "AivisSpeech"}.get(engine, "")
    return localized(f"{maker or 'ほかのエンジン'}のスタイル {style}", f"{maker or 'other engine'} style {style}")


def _phrases(query: Mapping[str, Any], engine: str, speed: float, losses: Losses) -> tuple[SpokenPhrase, ...]:
    """AivisSpeech knows no lengths: what stands there is made up after the sound."""
    has_lengths = engine != AIVISSPEECH
    phrases = tuple(_phrase(phrase, _scale(query) / speed if has_lengths else 0.0) for phrase in query.get("accentPhrases") or ())
    if has_lengths and any(
        mora.get("vowelLength") or mora.get("pitch") for phrase in query.get("accentPhrases") or () for mora in phrase["moras"]
    ):
        losses.add("1 音ごとの音高と長さ（声が決めます）", "pitch and length of single morae (the voice decides)")
    return tuple(phrase for phrase in phrases if phrase.moras)


def _scale(query: Mapping[str, Any]) -> float:
    scale = query.get("pauseLengthScale")
    return 1.0 if scale is None else finite(scale)


def _phrase(phrase: Mapping[str, Any], pause_factor: float) -> SpokenPhrase:
    moras = phrase["moras"]
    if not isinstance(moras, list) or len(moras) > LONGEST_PHRASE:
        raise ValueError("moras")
    kana = tuple(text for mora in moras if _KANA.fullmatch(text := hiragana_to_katakana(long_text(mora["text"]))))
    accent = finite(phrase["accent"])
    pause = phrase.get("pauseMora")
    length = None if pause is None else finite(pause.get("vowelLength", 0.0)) * pause_factor
    if length is not None:
        length = min(PAUSE_BOUNDS.high, max(PAUSE_BOUNDS.low, length))
    return SpokenPhrase(kana, min(len(kana), max(0, int(accent))), length)
