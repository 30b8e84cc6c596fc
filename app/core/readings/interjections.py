"""は and へ that are cries, not particles: a stutter (は、はい), a question (は？, え、は？), the letter itself.

A particle follows a word. What begins a bracket is known before the brackets become one mark (`app.core.normalise.punctuation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.readings.morphs import Correction, Morph, MorphPart

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
