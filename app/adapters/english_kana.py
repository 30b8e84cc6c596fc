"""English words to katakana by a network trained for it (kanalizer: MIT, VOICEVOX project; 4 MB, no further dependencies)."""

from functools import lru_cache

from app.core.text.normalise.english_words import convert_spelling

# As most Japanese say and write them.
_COMMON_KANA_SPELLINGS = (("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴュ", "ビュ"), ("ヴ", "ブ"), ("ケイション", "ケーション"), ("レイション", "レーション"),
          ("テイション", "テーション"), ("メイション", "メーション"), ("ネイション", "ネーション"), ("セイション", "セーション"), ("デイション", "デーション"))  # fmt: skip
MAX_ENGLISH_WORD_CHARS = 32  # letters; the network invents more than it reads beyond that


@lru_cache(maxsize=4096)
def convert_english_to_kana(word: str) -> str:
    """Return the katakana of a word of small letters, in 5 ms; by rules of spelling if kanalizer is missing (Windows on ARM) or fails."""
    try:
        import kanalizer
    except ImportError:
        return convert_spelling(word)
    if len(word) > MAX_ENGLISH_WORD_CHARS or not word.isascii() or not word.isalpha():
        return convert_spelling(word)
    try:
        kana = str(kanalizer.convert(word, on_incomplete="error"))
    except (ValueError, kanalizer.IncompleteConversionError):
        return convert_spelling(word)
    for written, spoken in _COMMON_KANA_SPELLINGS:
        kana = kana.replace(written, spoken)
    return kana
