"""Projects of VOICEVOX (`.vvproj`) and AivisSpeech (`.aisp`), of every version."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.limits import PAUSE_BOUNDS
from app.core.moras import hiragana_to_katakana
from app.core.script import LineSettings
from app.core.text_lines import LONGEST_LINE
from app.errors import InputError
from app.interchange.gathered import Gathered
from app.interchange.imported import Imported, SpokenPhrase
from app.interchange.limits import LONGEST_MORA, LONGEST_PHRASE, MOST_MORAS_OF_LINE, MOST_PHRASES_OF_LINE, Allowance, check_count
from app.interchange.vvproj_fields import settings_of
from app.interchange.vvproj_versions import AIVISSPEECH, ENGINES, VOICEVOX, has_song, talk_of, voice_of
from app.json_text import finite, long_text, parse_json
from app.language import localized

MOST_VALUES = 4_000_000  # a line of 30 morae has some 250
USUAL_ENGINE = {".vvproj": VOICEVOX, ".aisp": AIVISSPEECH}
_KANA = re.compile("[ァ-ヺー]+")  # AivisSpeech has marks among the morae
FAULTS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


def read_vvproj(name: str, suffix: str, data: bytes) -> Imported:
    """What cannot be used costs its value or its line, and is named. Raises InputError for what is no such project, or far too much."""
    gathered = Gathered(name)
    try:
        project = parse_json(data, most_values=MOST_VALUES, forgiving=True)
        if not isinstance(project, dict):
            raise ValueError("no object")
        keys, items = talk_of(project)
    except FAULTS as exc:
        raise InputError(
            localized(f"「{name}」を開けません。", f"“{name}” cannot be opened."),
            localized(
                "VOICEVOX や AivisSpeech のプロジェクトではないか、壊れています。",
                "It is not a VOICEVOX or AivisSpeech project, or it is damaged.",
            ),
        ) from exc
    check_count(name, len(keys))
    taken = set[str]()
    for number, key in enumerate(keys, 1):
        item = items.get(key) if isinstance(key, str) else None
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            gathered.losses.add_at(number, "壊れた行", "damaged lines")
        elif key in taken:  # which neither program writes: a small file could ask for one line without end
            gathered.losses.add_at(number, "同じ行の繰り返し", "repetitions of a line")
        else:
            taken.add(key)
            _add(_Line(gathered, number), key, item, USUAL_ENGINE.get(suffix, VOICEVOX))
    if has_song(project):
        gathered.losses.note(localized("ソングは読み込みませんでした。", "Not imported: songs."))
    return gathered.imported()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is read; `number` is its place in the file, from 1."""

    gathered: Gathered
    number: int

    def lose(self, ja: str, en: str) -> None:
        """Notes something of this line that cannot be used."""
        self.gathered.losses.add_at(self.number, ja, en)


def _add(line: _Line, key: str, item: Mapping[str, Any], usual_engine: str) -> None:
    text = " ".join(long_text(item["text"]).split("\n"))
    if not text:
        return
    voice = None
    try:
        voice = voice_of(item, usual_engine)
    except ValueError:
        line.lose("正しくない声の指定", "voices that are not valid")
    engine = voice[0] if voice else usual_engine
    named = line.gathered.name_voice(_key(*voice), _shown(*voice)) if voice else ""
    values: dict[str, Any] = {}
    spoken: tuple[SpokenPhrase, ...] = ()
    query = item.get("query")
    if isinstance(query, dict):
        values = settings_of(query, engine, line.gathered.losses, line.lose)
        spoken = _phrases(query, engine, values.get("speed", 1.0), line) if len(text) <= LONGEST_LINE else ()
    elif query is not None:
        line.lose("正しくない話し方の設定", "settings that are not valid")
    if item.get("morphingInfo"):
        line.gathered.losses.add("モーフィング", "morphing")
    line.gathered.add(text, LineSettings(voice=named, memos=True, **values), key, spoken)


def _key(engine: str, style: int) -> str:
    return f"{ENGINES.get(engine, engine[:8])}:{style}"


def _shown(engine: str, style: int) -> str:
    maker = {VOICEVOX: "VOICEVOX", AIVISSPEECH: "AivisSpeech"}.get(engine, "")
    return localized(f"{maker or 'ほかのエンジン'}のスタイル {style}", f"{maker or 'other engine'} style {style}")


def _phrases(query: Mapping[str, Any], engine: str, speed: float, line: _Line) -> tuple[SpokenPhrase, ...]:
    """AivisSpeech knows no lengths: what stands there is made up after the sound."""
    has_lengths = engine != AIVISSPEECH
    given = query.get("accentPhrases") or ()
    try:
        _count(given, line.gathered.allowance)
        factor = _scale(query) / speed if has_lengths else 0.0
        phrases = tuple(_phrase(phrase, factor) for phrase in given)
        is_tuned = has_lengths and any(mora.get("vowelLength") or mora.get("pitch") for phrase in given for mora in phrase["moras"])
    except FAULTS:
        line.lose("正しくない読みとアクセント", "readings and accents that are not valid")
        return ()
    if is_tuned:
        line.gathered.losses.add("モーラごとの音高と長さ（声が決めます）", "pitch and length of single morae (the voice decides)")
    return tuple(phrase for phrase in phrases if phrase.moras)


def _count(phrases: Sequence[Mapping[str, Any]], allowance: Allowance) -> None:
    """Raises ValueError for more than a line can have, InputError for more than a script can have: before any of it is made."""
    moras = sum(len(phrase["moras"]) for phrase in phrases)
    if len(phrases) > MOST_PHRASES_OF_LINE or moras > MOST_MORAS_OF_LINE:
        raise ValueError("phrases")
    allowance.take_phrases(len(phrases), moras)


def _scale(query: Mapping[str, Any]) -> float:
    scale = query.get("pauseLengthScale")
    return 1.0 if scale is None else finite(scale)


def _phrase(phrase: Mapping[str, Any], pause_factor: float) -> SpokenPhrase:
    moras = phrase["moras"]
    if not isinstance(moras, list) or len(moras) > LONGEST_PHRASE:
        raise ValueError("moras")
    if any(len(mora["text"]) > LONGEST_MORA for mora in moras):
        raise ValueError("a mora")
    kana = tuple(text for mora in moras if _KANA.fullmatch(text := hiragana_to_katakana(long_text(mora["text"]))))
    accent = finite(phrase["accent"])
    pause = phrase.get("pauseMora")
    length = None if pause is None else finite(pause.get("vowelLength", 0.0)) * pause_factor
    if length is not None:
        length = min(PAUSE_BOUNDS.high, max(PAUSE_BOUNDS.low, length))
    return SpokenPhrase(kana, min(len(kana), max(0, int(accent))), length)
