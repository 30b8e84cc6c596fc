"""Words that the analyser takes for others: proper names that swallow a particle, いい as the verb 言う, the cry う as an auxiliary; 行かう, 彼女らしい, 目と目.

Cries that it takes for particles are here as well: a stutter (は、はい), a question (は？, え、は？), the letter itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.moras import split_moras
from app.core.readings.morphs import Correction, Morph, MorphPart

# A particle follows a word. What begins a bracket is known before the brackets become one mark (`app.core.normalise.punctuation`).

_KANA_BY_PARTICLE_SOUND = {"ワ": "ハ", "エ": "ヘ"}
_CRY_LETTERS = frozenset("はへハヘ")
_CRY_ENDS = frozenset("'’-−")  # of a quotation, or of a remark between dashes
_CRY_STOPS = frozenset("!?")
_TAKES_PARTICLE = frozenset(("名詞", "副詞", "格助詞", "副助詞", "並立助詞", "接続助詞", "連用テ接続"))


def find_cries(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield corrections for cries in a sentence, with the sound that the letter has by itself."""
    before: Morph | None = None  # the last word that is no mark and no cry
    for at, morph in enumerate(morphs):
        if _is_mark(morph):
            continue
        if morph.surface in _CRY_LETTERS and morph.reading in _KANA_BY_PARTICLE_SOUND and _is_cry(morphs, at, before):
            kind = "フィラー" if at + 1 == len(morphs) or _is_mark(morphs[at + 1]) else "名詞,一般"
            yield Correction(
                at, at + 1, (MorphPart(morph.surface, _KANA_BY_PARTICLE_SOUND[morph.reading], kind=kind),), "rule", morph.surface
            )
            before = None
        else:
            before = morph


def _is_cry(morphs: Sequence[Morph], index: int, before: Morph | None) -> bool:
    """Return whether the letter at a place is no particle of the word before it."""
    if before is None:
        return True
    following = morphs[index + 1] if index + 1 < len(morphs) else None
    if not _is_mark(morphs[index - 1]) or (following is not None and not _is_mark(following)):
        return False
    letter = morphs[index].surface
    if morphs[index - 1].surface[-1] in _CRY_ENDS:
        return letter in "ハヘ"  # within the quotes, where the normalised text has it in katakana
    if following is None or following.surface in _CRY_STOPS or not _may_take_particle(before):
        return True
    repeated = next((morph.surface for morph in morphs[index + 1 :] if not _is_mark(morph)), "")
    return morphs[index - 1].surface == "," and repeated.startswith(letter)


def _is_mark(morph: Morph) -> bool:
    return not any(map(str.isalnum, morph.surface))  # whatever its kind: the analyser takes some commas for numbers


def _may_take_particle(word: Morph) -> bool:
    is_one_kana = "名詞" in word.kinds and len(word.surface) == 1 and word.surface <= "ヺ"  # い、いえ: no word either
    return not is_one_kana and not _TAKES_PARTICLE.isdisjoint(word.kinds)


_SWALLOWED_PARTICLE = "の"
_SWALLOWED_WHOLE_LENGTH = 3  # 家の上 as a place
_NOUN, _PARTICLE = "名詞,一般", "助詞,連体化"
_NOUN_READINGS = {
    "下": "シタ",
    "上": "ウエ",
    "中": "ナカ",
    "前": "マエ",
    "人": "ヒト",
    "家": "イエ",
    "花": "ハナ",
    "木": "キ",
    "方": "ホー",
    "後": "アト",
}
_BEFORE_U = dict(zip("カガサタナバマラワ", "コゴソトノボモロオ", strict=True))
_CUT_SHORT_ENDS = ("ッ", "ン")
_BEHIND_VERBS = frozenset(("ます", "たい", "動詞", "接続助詞", "接尾", "た", "て"))


def find_misparses(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield what such words are instead."""
    for at, morph in enumerate(morphs):
        following = morphs[at + 1] if at + 1 < len(morphs) else None
        if morph.surface == "いい" and morph.base == "いう" and "連用形" in morph.kinds:
            if following is None or _BEHIND_VERBS.isdisjoint((following.base, *following.kinds[:2])):
                yield Correction(at, at + 1, (MorphPart("いい", "イイ", 1, "adjective"),), "rule", "いい")
        elif morph.surface == "彼" and following is not None and following.base == "女らしい":
            rest = MorphPart(following.surface.removeprefix("女"), kind="助動詞")
            yield Correction(at, at + 2, (MorphPart("彼女", "カノジョ", kind="名詞,代名詞"), rest), "rule", "彼女")
        elif morph.surface == "目と" and morph.reading == "モクト":
            yield Correction(at, at + 1, (MorphPart("目", "メ", kind=_NOUN), MorphPart("と", kind="助詞,並立助詞")), "rule", "目と")
        elif morph.surface == "う" and "助動詞" in morph.kinds and at and morphs[at - 1].reading.endswith(_CUT_SHORT_ENDS):
            yield Correction(at, at + 1, (MorphPart("う", "ウ", kind="感動詞"),), "rule", "う")  # as an auxiliary it would become ー
        elif following is not None and following.surface == "う" and "未然形" in morph.kinds and morph.reading[-1:] in _BEFORE_U:
            reading = morph.reading[:-1] + _BEFORE_U[morph.reading[-1]]  # 行かう is 行こう
            yield Correction(at, at + 1, (MorphPart(morph.surface, reading, len(split_moras(reading))),), "rule", "う")
        elif (
            "固有名詞" in morph.kinds
            and len(morph.surface) == _SWALLOWED_WHOLE_LENGTH
            and morph.surface[1] == _SWALLOWED_PARTICLE
            and morph.surface[2] in _NOUN_READINGS
        ):
            noun = morph.surface[2]
            parts = (
                MorphPart(morph.surface[0], kind=_NOUN),
                MorphPart(_SWALLOWED_PARTICLE, kind=_PARTICLE),
                MorphPart(noun, _NOUN_READINGS[noun], kind=_NOUN),
            )
            yield Correction(at, at + 1, parts, "rule", _SWALLOWED_PARTICLE)
        elif "固有名詞" in morph.kinds and len(morph.surface) > 1 and morph.surface.endswith(_SWALLOWED_PARTICLE) and following is not None:
            yield from _split_name(at, morph, following)


def _split_name(index: int, name: Morph, following: Morph) -> Iterator[Correction]:
    """Yield the correction of 桜の and 家の before a noun: a noun and its particle."""
    if "名詞" not in following.kinds or not name.reading.endswith("ノ"):
        return
    stem = name.surface.removesuffix(_SWALLOWED_PARTICLE)
    yield Correction(
        index,
        index + 1,
        (MorphPart(stem, name.reading.removesuffix("ノ"), kind=_NOUN), MorphPart(_SWALLOWED_PARTICLE, kind=_PARTICLE)),
        "rule",
        _SWALLOWED_PARTICLE,
    )
    if noun := _NOUN_READINGS.get(following.surface):
        yield Correction(index + 1, index + 2, (MorphPart(following.surface, noun, kind=_NOUN),), "rule", _SWALLOWED_PARTICLE)
