"""Words with their pronunciation, and how they become the phones of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from app.core.moras import mora_phones, split_moras
from app.core.symbols import EDGE, MORA_ENDS, PUNCTUATION, VOWELS
from app.core.types import Phones

ReadBy = Literal["user", "ruby", "rule", "dictionary", "second", "front_end", "analyser", "normalisation", "english"]
EMOJI_KIND = ("絵文字", "")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence.

    Attributes:
        surface: as written, after normalisation; what BERT reads.
        pronunciation: katakana with long vowels as ー; empty for punctuation and whatever is not spoken.
        accent: mora after which the pitch falls, 0 = never; it counts for the accent phrase, so the phrase's first word decides.
        joined: the word continues the accent phrase of the word before it.
        kind: part of speech and its first subdivision, as the dictionary names them.
        read_by: what gave the reading: the user; ruby in the text; a rule, the dictionary or the white list for the second analyser (`app.core.readings`);
            the front end's own corrections; the analyser; `app.core.normalise`; the English converter.
        name: which rule, entry or word of the list, or the ruby.
        other: what the second analyser reads, where the two differ and nothing has settled it; empty otherwise.
    """

    surface: str
    pronunciation: str
    accent: int = 0
    joined: bool = False
    kind: tuple[str, str] = ("", "")
    read_by: ReadBy = field(default="analyser", compare=False)
    name: str = field(default="", compare=False)
    other: str = field(default="", compare=False)

    @property
    def is_mark(self) -> bool:
        """The word is a punctuation mark."""
        return not self.pronunciation and self.surface in PUNCTUATION

    @property
    def is_emoji(self) -> bool:
        """The word is an emoji that is spoken as a symbol of its own."""
        return self.kind == EMOJI_KIND


def words_to_phones(words: Iterable[Word], notation: tuple[tuple[int, int], ...] = ()) -> Phones:
    """Phones of a sentence: `_`, the words accent phrase by accent phrase, `_`. Words without any phone are left out.

    Args:
        notation: as `Phones` has it.
    """
    text, reading = "", ""
    sizes, others, begins, moras = [], [], [], 0
    phones, tones, word2ph = [EDGE], [0], [1]
    vowel = ""
    for word, heights, is_first in _with_heights(words):
        begins += [moras] if is_first else []
        symbols: list[tuple[str, int]] = []
        if word.is_mark or word.is_emoji:
            symbols, vowel = [(word.surface, 0)], ""
        for mora, height in zip(split_moras(word.pronunciation), heights, strict=True):
            mora_symbols = mora_phones(mora, vowel)
            symbols += [(phone, height) for phone in mora_symbols]
            vowel = next((phone for phone in reversed(mora_symbols) if phone in VOWELS or phone == "N"), vowel)
        if symbols:
            text += word.surface
            reading += word.pronunciation
            phones += [phone for phone, _ in symbols]
            tones += [tone for _, tone in symbols]
            word2ph += _spread(len(symbols), len(word.surface))
            sizes.append(len(word.surface))
            others.append(word.other)
            moras += sum(phone in MORA_ENDS for phone, _ in symbols)
    return Phones(text, reading, (*phones, EDGE), (*tones, 0), (*word2ph, 1), tuple(sizes), tuple(begins), tuple(others), notation)


def _with_heights(words: Iterable[Word]) -> Iterator[tuple[Word, list[int], bool]]:
    """Each word with the pitch of its morae, 0 low or 1 high, and whether an accent phrase begins with it."""
    for phrase in _accent_phrases(words):
        sizes = [len(split_moras(word.pronunciation)) for word in phrase]
        accent = next((word.accent for word in phrase if not word.is_mark), 0)
        heights = phrase_heights(sum(sizes), accent)
        start = 0
        for is_mark, group in groupby(zip(phrase, sizes, strict=True), key=lambda pair: pair[0].is_mark):
            members = list(group)
            end = start + sum(size for _, size in members)
            # SBV2 knows only rises and falls within a breath, so what stays level counts as low; voices were trained so.
            level = not is_mark and all(heights[start:end])
            for word, size in members:
                yield word, [0] * size if level else heights[start : start + size], word is phrase[0]
                start += size


def _accent_phrases(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Words by accent phrase. A mark does not end one: a joined word continues after it. An emoji is one by itself."""
    phrase: list[Word] = []
    for word in words:
        starts = not word.joined and not word.is_mark and not word.pronunciation.startswith("ー")
        if phrase and (word.is_emoji or phrase[-1].is_emoji or (starts and any(not earlier.is_mark for earlier in phrase))):
            yield phrase
            phrase = []
        phrase.append(word)
    if phrase:
        yield phrase


def phrase_heights(moras: int, accent: int) -> list[int]:
    """Standard Japanese: low, then high up to the accent, then low; accent 1 starts high. One mora alone stays low."""
    if moras > 1 and accent == 1:
        return [1] + [0] * (moras - 1)
    last_high = accent or moras
    return [int(1 < position <= last_high) for position in range(1, moras + 1)]


def _spread(phones: int, characters: int) -> list[int]:
    """Phones of a word shared out over its characters, evenly, the earlier ones first."""
    share, rest = divmod(phones, characters)
    return [share + (index < rest) for index in range(characters)]
