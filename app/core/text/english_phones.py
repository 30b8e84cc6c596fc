"""English words as phones: from ARPABET, as the CMU Pronouncing Dictionary writes it, to syllables in the letters of the IPA.

A syllable is one phone of a sentence, as a mora's vowel is: it has a tone, a length and a pitch that a user edits; `app.core.symbols.is_english` knows it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

ENGLISH_WORDS_FILE = "readings/english.zip"
STRESSES = {"0": "", "1": "ˈ", "2": "ˌ"}
_CONSONANT_LETTERS = {
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ",
    "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_VOWEL_LETTERS = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "aʊ", "AY": "aɪ", "EH": "ɛ", "ER": "ɜɹ", "EY": "eɪ", "IH": "ɪ", "IY": "iː", "OW": "oʊ", "OY": "ɔɪ",
    "UH": "ʊ", "UW": "uː",
}  # fmt: skip
_UNSTRESSED_VOWELS = {"AH": "ə", "ER": "əɹ"}
_SYMBOLS_BY_LETTERS = dict(
    sorted(  # aɪ before what it begins with
        ((letters, name) for sounds in (_VOWEL_LETTERS, _UNSTRESSED_VOWELS, _CONSONANT_LETTERS) for name, letters in sounds.items()),
        key=lambda item: -len(item[0]),
    )
)
_ONSETS = frozenset(
    ["", *_CONSONANT_LETTERS, *(f"{first} {second}" for first in ("P", "B", "K", "G", "F") for second in "LR"), "S L", "T R", "D R", "TH R", "SH R", "T W", "D W", "K W", "G W",
     "S W", "HH W", "S P", "S T", "S K", "S M", "S N", "S F", "S P L", "S P R", "S T R", "S K R", "S K W",
     *(f"{first} Y" for first in ("P", "B", "K", "F", "V", "M", "HH", "S P", "S K"))]
) - {"NG"}  # fmt: skip


_LATIN_LETTER = re.compile("[A-Za-zＡ-Ｚａ-ｚ]")


def has_latin_letters(text: str) -> bool:
    """Return whether anything of a text could be English."""
    return _LATIN_LETTER.search(text) is not None


def list_stress_tones(syllables: Sequence[str]) -> list[int]:
    """Return the tone of each syllable of a word: high from its first main stress to its last one; a word without any is low."""
    stressed = [at for at, syllable in enumerate(syllables) if syllable.startswith(STRESSES["1"])]
    return [int(bool(stressed) and stressed[0] <= at <= stressed[-1]) for at in range(len(syllables))]


@lru_cache(maxsize=4096)
def convert_arpabet(pronunciation: str) -> tuple[str, ...]:
    """Return the syllables of a word: `HH AH0 L OW1` is hə and ˈloʊ; a vowel without a number has no stress. Empty for what is no pronunciation."""
    sounds = [(symbol.rstrip("012"), symbol[-1:]) for symbol in pronunciation.split()]
    vowels = [at for at, (name, _) in enumerate(sounds) if name in _VOWEL_LETTERS]
    if not vowels or any(name not in _VOWEL_LETTERS and symbol_end in STRESSES for name, symbol_end in sounds):
        return ()
    if any(name not in _VOWEL_LETTERS and name not in _CONSONANT_LETTERS for name, _ in sounds):
        return ()
    names = [name for name, _ in sounds]
    starts = [0, *(_find_onset(names, before + 1, vowel) for before, vowel in pairwise(vowels)), len(names)]
    return tuple(_write_syllable(sounds[start:end]) for start, end in pairwise(starts))


def _find_onset(names: Sequence[str], start: int, vowel: int) -> int:
    """Return where the syllable of a vowel begins: as many of the consonants before it as English words begin with."""
    return next(at for at in range(start, vowel + 1) if " ".join(names[at:vowel]) in _ONSETS)


def _write_syllable(sounds: Sequence[tuple[str, str]]) -> str:
    stress = next((STRESSES.get(end, "") for name, end in sounds if name in _VOWEL_LETTERS), "")
    return stress + "".join(_write_sound(name, is_weak=not stress) for name, _ in sounds)


def _write_sound(name: str, *, is_weak: bool) -> str:
    if name in _CONSONANT_LETTERS:
        return _CONSONANT_LETTERS[name]
    return (_UNSTRESSED_VOWELS.get(name) if is_weak else None) or _VOWEL_LETTERS[name]


def write_arpabet(syllables: Sequence[str]) -> str:
    """Return syllables as `convert_arpabet` reads them."""
    return " ".join(symbol for syllable in syllables for symbol in _iterate_symbols(syllable))


def _iterate_symbols(syllable: str) -> Iterator[str]:
    stress = next((number for number, mark in STRESSES.items() if mark and syllable.startswith(mark)), "0")
    place = len(STRESSES[stress])
    while place < len(syllable):
        sound = next(sound for sound in _SYMBOLS_BY_LETTERS if syllable.startswith(sound, place))
        yield _SYMBOLS_BY_LETTERS[sound] + (stress if _SYMBOLS_BY_LETTERS[sound] in _VOWEL_LETTERS else "")
        place += len(sound)


def drop_stress(syllable: str) -> str:
    """Return a syllable without its stress; its vowel stays."""
    return syllable.lstrip("".join(STRESSES.values()))


def reduce_stress(syllable: str) -> str:
    """Return a syllable with the secondary stress in place of the main one."""
    return syllable.replace(STRESSES["1"], STRESSES["2"])


class PronouncingDictionary:
    """The words of the CMU Pronouncing Dictionary (packaging/english_words.py), of which a block at a time is unpacked.

    Args:
        first_words: the first word of each block, in order.
        read_block: returns lines of word and pronunciation, of the block that begins with a word.
    """

    def __init__(self, first_words: Sequence[str], read_block: Callable[[str], str]) -> None:
        self._first_words, self._read_block = first_words, read_block
        self._recall_pronunciation = lru_cache(maxsize=4096)(self._look_up)

    def find_pronunciation(self, word: str) -> str:
        """Return the ARPABET of a word in small letters, empty where it is not known."""
        return self._recall_pronunciation(word)

    def _look_up(self, word: str) -> str:
        block = bisect_right(self._first_words, word) - 1
        if block < 0:
            return ""
        _, found, rest = self._read_block(self._first_words[block]).partition(f"\n{word} ")
        return rest.partition("\n")[0] if found else ""
