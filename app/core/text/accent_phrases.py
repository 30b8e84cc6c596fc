"""Words with their pronunciation, and their conversion to the phones of a sentence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from app.core.symbols import EDGE_SYMBOL, MORA_ENDS, PUNCTUATION, VOWEL_PHONES
from app.core.synthesis_types import Phones
from app.core.text.moras import find_mora_phones, split_moras

ReadBy = Literal["user", "ruby", "rule", "dictionary", "second", "front_end", "analyser", "normalisation", "english"]
EMOJI_KIND = ("絵文字", "")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence."""

    surface: str  # as written, after normalisation; what BERT reads
    pronunciation: str  # katakana with long vowels as ー; empty for punctuation and unspoken characters
    accent: int = 0  # mora after which the pitch falls, 0 = never; it counts for the accent phrase, so the phrase's first word decides
    is_joined: bool = False  # the word continues the accent phrase of the word before it
    kind: tuple[str, str] = ("", "")  # part of speech and its first subdivision, as the dictionary names them
    # Source of the reading: the user; ruby in the text; a rule, the dictionary or the white list for the second analyser
    # (`app.core.text.readings`); the front end's own corrections; the analyser; `app.core.text.normalise`; the English converter.
    read_by: ReadBy = field(default="analyser", compare=False)
    name: str = field(default="", compare=False)  # name of that rule, entry or word of the list, or the ruby
    # Reading of the second analyser where the two differ and nothing has decided between them; else empty.
    other_reading: str = field(default="", compare=False)

    @property
    def is_mark(self) -> bool:
        """Return True if the word is a punctuation mark."""
        return not self.pronunciation and self.surface in PUNCTUATION

    @property
    def is_emoji(self) -> bool:
        """Return True if the word is an emoji that is spoken as a symbol of its own."""
        return self.kind == EMOJI_KIND


def convert_words_to_phones(words: Iterable[Word], notation: tuple[tuple[int, int], ...] = ()) -> Phones:
    """Return the phones of a sentence: `_`, the words accent phrase by accent phrase, `_`. Words without any phone are left out.

    Args:
        notation: as `Phones` has it.
    """
    text, reading = "", ""
    sizes, other_readings, begins, moras = [], [], [], 0
    phones, tones, word2ph = [EDGE_SYMBOL], [0], [1]
    vowel = ""
    for word, heights, is_first in _compute_heights(words):
        begins += [moras] if is_first else []
        symbols: list[tuple[str, int]] = []
        if word.is_mark or word.is_emoji:
            symbols, vowel = [(word.surface, 0)], ""
        for mora, height in zip(split_moras(word.pronunciation), heights, strict=True):
            mora_symbols = find_mora_phones(mora, vowel)
            symbols += [(phone, height) for phone in mora_symbols]
            vowel = next((phone for phone in reversed(mora_symbols) if phone in VOWEL_PHONES or phone == "N"), vowel)
        if symbols:
            text += word.surface
            reading += word.pronunciation
            phones += [phone for phone, _ in symbols]
            tones += [tone for _, tone in symbols]
            # Divided evenly among the characters of the word; the earlier ones get the remainder.
            share, remainder = divmod(len(symbols), len(word.surface))
            word2ph += [share + (index < remainder) for index in range(len(word.surface))]
            sizes.append(len(word.surface))
            other_readings.append(word.other_reading)
            moras += sum(phone in MORA_ENDS for phone, _ in symbols)
    return Phones(
        text, reading, (*phones, EDGE_SYMBOL), (*tones, 0), (*word2ph, 1), tuple(sizes), tuple(begins), tuple(other_readings), notation
    )


def _compute_heights(words: Iterable[Word]) -> Iterator[tuple[Word, list[int], bool]]:
    """Yield each word with the pitch of its morae (0 low, 1 high) and True if an accent phrase begins with the word."""
    for phrase in _group_accent_phrases(words):
        sizes = [len(split_moras(word.pronunciation)) for word in phrase]
        accent = next((word.accent for word in phrase if not word.is_mark), 0)
        heights = compute_phrase_heights(sum(sizes), accent)
        start = 0
        for is_mark, group in groupby(zip(phrase, sizes, strict=True), key=lambda pair: pair[0].is_mark):
            members = list(group)
            end = start + sum(size for _, size in members)
            # SBV2 knows only rises and falls within a breath, so what stays level counts as low; voices were trained so.
            level = not is_mark and all(heights[start:end])
            for word, size in members:
                yield word, [0] * size if level else heights[start : start + size], word is phrase[0]
                start += size


def _group_accent_phrases(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Yield words by accent phrase. A mark does not end a phrase: a joined word continues after it. An emoji is a phrase by itself."""
    phrase: list[Word] = []
    for word in words:
        starts = not word.is_joined and not word.is_mark and not word.pronunciation.startswith("ー")
        if phrase and (word.is_emoji or phrase[-1].is_emoji or (starts and any(not earlier.is_mark for earlier in phrase))):
            yield phrase
            phrase = []
        phrase.append(word)
    if phrase:
        yield phrase


def compute_phrase_heights(moras: int, accent: int) -> list[int]:
    """Return 0 (low) or 1 (high) for each mora as in standard Japanese: low, then high up to the accent, then low.

    Accent 1 starts high. A phrase of one mora stays low.
    """
    if moras > 1 and accent == 1:
        return [1] + [0] * (moras - 1)
    last_high = accent or moras
    return [int(1 < position <= last_high) for position in range(1, moras + 1)]
