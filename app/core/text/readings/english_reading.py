"""Finds what of a sentence is spoken in English, and how: words of the pronouncing dictionary, and in a sentence without Japanese letters also letters and numbers.

What the dictionary lacks is read as `app.core.text.normalise.latin_words` reads it, and so is what Japanese people spell: abbreviations in capitals and single letters.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from app.core.text.english_phones import convert_arpabet, drop_stress, has_latin_letters, reduce_stress
from app.core.text.normalise.latin_words import NUMBER_BEHIND_NAME

FindPronunciation = Callable[[str], str]
"""Returns the ARPABET of a word in small letters, empty where it is not known."""


@dataclass(frozen=True, slots=True)
class EnglishWord:
    """Letters [start, end) of a text and the syllables that they are spoken as."""

    start: int
    end: int
    syllables: tuple[str, ...]


_JAPANESE_LETTER = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ一-龠々〇]")
# One letter for each, so that places stay.
_TO_ASCII = {code: code - 0xFEE0 for code in range(ord("！"), ord("～") + 1)} | {ord("’"): "'"}
_NOT_IN_ADDRESS, _NO_ADDRESS_FOLLOWS = r"(?<![0-9A-Za-z][.@_/])(?<![0-9A-Za-z@#_])", r"(?![A-Za-z_]|[.@][0-9A-Za-z]|://|\d+[A-Za-z])"
_WRITTEN_WORD = re.compile(rf"{_NOT_IN_ADDRESS}[A-Za-z]++(?:'[A-Za-z]++)?+(?:-[A-Za-z]++(?:'[A-Za-z]++)?+){{0,6}}{_NO_ADDRESS_FOLLOWS}")
_TITLE_STOP = re.compile(r"(?<=\bMr|\bMs|\bDr|\bSt|\bvs)\.|(?<=\bMrs)\.|(?<=\bProf)\.")
_SPELLED = re.compile(
    rf"{_NOT_IN_ADDRESS}(?:[A-Za-z]\.){{1,9}}[A-Za-z](?:\.(?!\s*$))?(?![A-Za-z])"
)  # U.S., p.m.; the last stop of a sentence is its own
_NUMBER = re.compile(
    r"(?<![0-9.,:/-])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{1,6})|:(\d\d))?(%|st\b|nd\b|rd\b|th\b)?(?![0-9A-Za-z])(?![.,:/-]\d)"
)
_BEHIND_NAME = re.compile(NUMBER_BEHIND_NAME)
_WORD_OF_CAMEL_CASE = re.compile("[A-Z]?[a-z']+|[A-Z]+(?![a-z])")
_LONGEST_SPELLED, _SHORTEST_SPELLED_WORD = 5, 4  # capitals; one of three is spelled even where it looks like a word: USA, but NASA

_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_SCALES = ((1_000_000, "million"), (1000, "thousand"), (100, "hundred"))
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth"}
# Where another word follows, some have no stress, and pronouns half of it: without any, those at the beginning were not heard.
_UNSTRESSED_WORDS = frozenset(
    "a an the of to for from in on at by with as and or but if than is are was were be been am can could will would should must do does did have has had".split()  # noqa: SIM905
)
_PRONOUNS = frozenset("i you he she it we they me him her us them my your his its our their this that there".split())  # noqa: SIM905
_WEAK_PRONUNCIATIONS = {"of": "AH0 V", "to": "T AH0", "from": "F R AH0 M", "was": "W AH0 Z", "a": "AH0", "an": "AH0 N", "than": "DH AH0 N"}
_BEFORE_VOWELS = {"the": "DH IY0", "to": "T UW0"}
_FIRST_VOWEL = re.compile("[ˈˌ]?[ɑæʌɔʊɪɛɜəiueoa]")


def find_english_words(text: str, find_pronunciation: FindPronunciation) -> list[EnglishWord]:
    """Return what of a sentence is spoken in English, in order."""
    return _SentenceReader(text, find_pronunciation).find_words() if has_latin_letters(text) else []


class _SentenceReader:
    def __init__(self, text: str, find_pronunciation: FindPronunciation) -> None:
        self._text = text.translate(_TO_ASCII)
        self._find_pronunciation = find_pronunciation
        self._is_english = _JAPANESE_LETTER.search(text) is None
        self._is_loud = self._text.isupper()  # where all is in capitals, none of it is an abbreviation

    def find_words(self) -> list[EnglishWord]:
        found = list(self._iterate_words())
        words = [EnglishWord(start, end, self._speak(names)) for start, end, names in found]
        for at, ((_, end, names), (next_start, *_)) in enumerate(pairwise(found)):
            if len(names) == 1 and self._text[end:next_start].isspace():
                words[at] = EnglishWord(words[at].start, end, self._reduce_word(names[0], words[at], words[at + 1]))
        return [word for word in words if word.syllables]

    def _iterate_words(self) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield the places of what may be English, and the words of the dictionary that are spoken there."""
        position = 0
        matches = [*_WRITTEN_WORD.finditer(self._text)]
        if self._is_english:
            matches = sorted(
                [*matches, *_SPELLED.finditer(self._text), *_NUMBER.finditer(self._text)], key=lambda match: (match.start(), -match.end())
            )
        for match in matches:
            if match.start() < position:
                continue
            names, end = self._find_names(match), match.end()
            if names and match.re is _WRITTEN_WORD:
                names, end = self._add_what_follows(names, end)
            if names:
                yield match.start(), end, names
                position = end

    def _find_names(self, match: re.Match[str]) -> tuple[str, ...]:
        if match.re is _SPELLED:
            return tuple(_name_letter(letter) for letter in match[0] if letter != ".")
        if match.re is _NUMBER:
            return tuple(_spell_number(match))
        return self._find_written_word(match[0]) if self._is_english or self._may_be_english(match) else ()

    def _add_what_follows(self, names: tuple[str, ...], end: int) -> tuple[tuple[str, ...], int]:
        """Take the stop of Mr. along, and in a Japanese sentence a small number: iPhone 5."""
        if stop := _TITLE_STOP.match(self._text, end):
            return names, stop.end()
        if not self._is_english and (number := _BEHIND_NAME.match(self._text, end)):
            return (*names, _SMALL_NUMBERS[int(number[1])]), number.end()
        return names, end

    def _may_be_english(self, match: re.Match[str]) -> bool:
        """Return whether a word in a Japanese sentence is English: abbreviations, letters and units of numbers are not."""
        word = match[0]
        if self._text[max(0, match.start() - 2) : match.start()].rstrip()[-1:].isdigit():
            return False
        if len(word) == 1:
            return word in "aAI" and re.match(" [a-z]{2}", self._text[match.end() : match.end() + 3]) is not None
        return not (word.isupper() and len(word) <= _LONGEST_SPELLED)

    def _find_written_word(self, written: str) -> tuple[str, ...]:
        """Return the words of the dictionary that are written there; none where a part of it is not known."""
        if "-" in written and self._is_known(joined := written.replace("-", "").lower()):
            return (joined,)
        names: list[str] = []
        for part in written.split("-"):
            found = self._find_part(part)
            if not found:
                return ()
            names += found
        return tuple(names)

    def _find_part(self, word: str) -> tuple[str, ...]:
        lower = word.lower()
        if len(word) == 1:
            return (lower,) if word in "aAI" else (_name_letter(lower),)
        is_capitals = word.isupper() and not self._is_loud
        if is_capitals and len(word) < _SHORTEST_SPELLED_WORD:
            return tuple(map(_name_letter, lower)) if lower.isalpha() else ()
        if self._is_known(lower):
            return (lower,)
        if is_capitals and len(word) <= _LONGEST_SPELLED and lower.isalpha():
            return tuple(map(_name_letter, lower))
        pieces = tuple(piece.lower() for piece in _WORD_OF_CAMEL_CASE.findall(word))
        return pieces if len(pieces) > 1 and "".join(pieces) == lower and all(map(self._is_known, pieces)) else ()

    def _is_known(self, word: str) -> bool:
        return bool(convert_arpabet(self._find_pronunciation(word)))

    def _speak(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            syllable for name in names for syllable in convert_arpabet(_LETTER_A if name == _NAME_OF_A else self._find_pronunciation(name))
        )

    def _reduce_word(self, name: str, word: EnglishWord, following: EnglishWord) -> tuple[str, ...]:
        """Return a word as it is said before another one."""
        if name in _BEFORE_VOWELS and following.syllables and _FIRST_VOWEL.match(following.syllables[0]):
            return convert_arpabet(_BEFORE_VOWELS[name])
        if name in _WEAK_PRONUNCIATIONS:
            return convert_arpabet(_WEAK_PRONUNCIATIONS[name])
        if name in _PRONOUNS:
            return tuple(map(reduce_stress, word.syllables))
        return tuple(map(drop_stress, word.syllables)) if name in _UNSTRESSED_WORDS else word.syllables


_NAME_OF_A, _LETTER_A = "letter a", "EY1"  # the dictionary has the article


def _name_letter(letter: str) -> str:
    return _NAME_OF_A if letter.lower() == "a" else letter.lower()


def _spell_number(match: re.Match[str]) -> Iterator[str]:
    """Yield the words of a number: 2,500, 3.5, 10:30, 21st, 50%; years are read in pairs."""
    digits, decimals, minutes, ending = match.groups()
    words = list(_spell_cardinal(int(digits.replace(",", "")), is_year=len(digits) == 4 and not (decimals or ending)))
    if decimals:
        words += ["point", *(_SMALL_NUMBERS[int(digit)] for digit in decimals)]
    if minutes and int(minutes):
        words += [*(["oh"] if minutes[0] == "0" else []), *_spell_cardinal(int(minutes))]
    if ending == "%":
        words.append("percent")
    elif ending:
        words[-1] = _ORDINALS.get(words[-1]) or f"{words[-1].removesuffix('y')}{'ie' if words[-1].endswith('y') else ''}th"
    return iter(words)


def _spell_cardinal(number: int, *, is_year: bool = False) -> Iterator[str]:
    if is_year and 1100 <= number < 2100 and number % 1000 >= 10:
        yield from _spell_cardinal(number // 100)
        rest = number % 100
        yield from (["hundred"] if not rest else [*(["oh"] if rest < 10 else []), *_spell_cardinal(rest)])
        return
    for size, name in _SCALES:
        if number >= size:
            yield from (*_spell_cardinal(number // size), name)
            number %= size
            if not number:
                return
    if number < len(_SMALL_NUMBERS):
        yield _SMALL_NUMBERS[number]
    else:
        yield _TENS[number // 10 - 2]
        if number % 10:
            yield _SMALL_NUMBERS[number % 10]
