"""〱 and 〲 (in print also ／＼ and ／″＼): the word before them once more, 〲 with its first sound voiced."""

from __future__ import annotations

import re
import unicodedata

from app.core.normalise.latin_words import Lookup

_REPEAT_MARK = re.compile("〳〵|〴〵|〱|〲|／″?＼")
_SINGLE_REPEAT_MARKS = {"〳〵": "〱", "／＼": "〱", "〴〵": "〲", "／″＼": "〲"}
_REPEATED = re.compile("([ぁ-ゖァ-ヺー一-龠々]{1,5})([〱〲])")
_KANA_WORD = re.compile("[ぁ-ゖァ-ヺー]+")
_NEVER_FIRST_KANA = "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮーんン"  # begins no word
_USUAL_REPEAT_LENGTH = 2  # characters of such a word: いろ〱
_VOICED_MARK = "\u3099"


def speak_repeats(text: str, lookup: Lookup) -> str:
    """Return the text with repeat marks written out; of several possible words, the one whose repetition is in the dictionary."""
    if not _REPEAT_MARK.search(text):
        return text
    text = _REPEAT_MARK.sub(lambda match: _SINGLE_REPEAT_MARKS.get(match[0], match[0]), text)
    return _REPEATED.sub(lambda match: match[1] + _repeat_word(match[1], lookup, is_voiced=match[2] == "〲"), text)


def _repeat_word(before: str, lookup: Lookup, *, is_voiced: bool) -> str:
    candidates = [before[-size:] for size in range(1, len(before) + 1) if before[-size] not in _NEVER_FIRST_KANA]
    if not candidates:
        return before
    usual = next((word for word in candidates if len(word) >= _USUAL_REPEAT_LENGTH), candidates[-1])
    if not _KANA_WORD.search(before[-1]):
        usual = candidates[0]  # 人〱
    known = [word for word in candidates if lookup(word + (_apply_voicing(word) if is_voiced else word))]
    word = known[-1] if known else usual
    return _apply_voicing(word) if is_voiced else word


def _apply_voicing(word: str) -> str:
    changed = unicodedata.normalize("NFC", word[0] + _VOICED_MARK)
    return (changed if len(changed) == 1 else word[0]) + word[1:]
