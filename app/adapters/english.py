"""English words to katakana by a network trained for it (kanalizer: MIT, VOICEVOX project; 4 MB, no further dependencies)."""

from __future__ import annotations

from functools import lru_cache

from app.core.normalise.spelling import spelled_kana

# As most Japanese say and write them.
_USUAL = (("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴュ", "ビュ"), ("ヴ", "ブ"), ("ケイション", "ケーション"), ("レイション", "レーション"),
          ("テイション", "テーション"), ("メイション", "メーション"), ("ネイション", "ネーション"), ("セイション", "セーション"), ("デイション", "デーション"))  # fmt: skip
LONGEST = 32  # letters; the network invents more than it reads beyond that


@lru_cache(maxsize=4096)
def english_kana(word: str) -> str:
    """Katakana of a word of small letters; by rules of spelling where kanalizer is missing (Windows on ARM) or fails. 5 ms, once a word."""
    try:
        import kanalizer
    except ImportError:
        return spelled_kana(word)
    if len(word) > LONGEST or not word.isascii() or not word.isalpha():
        return spelled_kana(word)
    try:
        kana = str(kanalizer.convert(word, on_incomplete="error"))
    except (ValueError, kanalizer.IncompleteConversionError):
        return spelled_kana(word)
    for written, spoken in _USUAL:
        kana = kana.replace(written, spoken)
    return kana
