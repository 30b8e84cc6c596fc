"""The notation in kana that VOICEVOX shares with AquesTalk.

' follows the mora after which the pitch falls, / parts phrases, 、 parts them by a pause, _ precedes a devoiced mora, ？ ends a question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from app.core.moras import MORAS
from app.language import localized
from app.service.phrases import PAUSE
from app.service.query import LONGEST_TEXT, AccentPhrase, Mora
from app.service.refused import Refused

KanaError = Literal[
    "UNKNOWN_TEXT", "ACCENT_TOP", "ACCENT_TWICE", "ACCENT_NOTFOUND", "EMPTY_PHRASE", "INTERROGATION_MARK_NOT_AT_END", "INFINITE_LOOP"
]
_WORDS: dict[KanaError, tuple[str, str]] = {
    "UNKNOWN_TEXT": ("判別できない読み仮名があります: {text}", "Not a reading in kana: {text}"),
    "ACCENT_TOP": ("句頭にアクセントは置けません: {text}", "A phrase cannot begin with an accent: {text}"),
    "ACCENT_TWICE": ("1つのアクセント句に二つ以上のアクセントは置けません: {text}", "A phrase has more than one accent: {text}"),
    "ACCENT_NOTFOUND": ("アクセントを指定していないアクセント句があります: {text}", "A phrase has no accent: {text}"),
    "EMPTY_PHRASE": ("{position}番目のアクセント句が空白です", "Phrase {position} is empty"),
    "INTERROGATION_MARK_NOT_AT_END": ("アクセント句末以外に「？」は置けません: {text}", "？ may only end a phrase: {text}"),
}
_FALL, _DEVOICED, _BREAK, _PAUSE, _ASKS = "'", "_", "/", "、", "？"
_LONGEST_MORA = 2
_DEVOICEABLE = {"a": "A", "i": "I", "u": "U", "e": "E", "o": "O"}


def parse_kana(text: str) -> tuple[AccentPhrase, ...]:
    """Accent phrases without lengths. Raises Refused with the error's name, as VOICEVOX names it."""
    found = []
    for position, (phrase, end) in enumerate(_cut(text[: 4 * LONGEST_TEXT]), 1):
        asks = phrase.endswith(_ASKS)
        body = phrase[: -len(_ASKS)] if asks else phrase
        if not body:
            raise _wrong("EMPTY_PHRASE", position=str(position))
        if _ASKS in body:
            raise _wrong("INTERROGATION_MARK_NOT_AT_END", text=phrase)
        moras, accent = _moras(body)
        found.append(AccentPhrase(moras, accent, PAUSE if end == _PAUSE else None, asks))
    return tuple(found)


def _cut(text: str) -> Iterator[tuple[str, str]]:
    start = 0
    for place, char in enumerate(text):
        if char in (_BREAK, _PAUSE):
            yield text[start:place], char
            start = place + 1
    yield text[start:], ""


def _moras(phrase: str) -> tuple[tuple[Mora, ...], int]:
    """Morae of a phrase, and its accent."""
    moras: list[Mora] = []
    accent, place = 0, 0
    while place < len(phrase):
        if phrase[place] == _FALL:
            if not moras:
                raise _wrong("ACCENT_TOP", text=phrase)
            if accent:
                raise _wrong("ACCENT_TWICE", text=phrase)
            accent, place = len(moras), place + 1
            continue
        devoiced = phrase[place] == _DEVOICED
        place += devoiced
        kana = next((phrase[place : place + size] for size in (_LONGEST_MORA, 1) if phrase[place : place + size] in MORAS), "")
        if not kana:
            raise _wrong("UNKNOWN_TEXT", text=phrase[place - devoiced :] or phrase)
        moras.append(_mora(kana, devoiced))
        place += len(kana)
    if not accent:
        raise _wrong("ACCENT_NOTFOUND", text=phrase)
    return tuple(moras), accent


def _mora(kana: str, devoiced: bool) -> Mora:
    *before, vowel = MORAS[kana]
    vowel = {"q": "cl"}.get(vowel, vowel)
    return Mora(kana, _DEVOICEABLE.get(vowel, vowel) if devoiced else vowel, 0.0, 0.0, "".join(before) or None, 0.0 if before else None)


def _wrong(name: KanaError, **place: str) -> Refused:
    return Refused(400, {"detail": {"text": localized(*_WORDS[name]).format(**place), "error_name": name, "error_args": place}})
