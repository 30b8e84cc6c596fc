"""The user's dictionary: words with the reading and the accent that they have in every text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from app.core.moras import split_moras
from app.core.normalise import normalise
from app.core.overrides import katakana_of
from app.core.types import ReadingOverride
from app.errors import InputError
from app.language import say

Kind = Literal["proper_noun", "noun", "suffix", "verb", "adjective"]
KINDS: tuple[Kind, ...] = get_args(Kind)
USUAL_PRIORITY, HIGHEST_PRIORITY = 5, 10
LONGEST_SURFACE, LONGEST_READING = 100, 200


@dataclass(frozen=True, slots=True)
class Entry:
    """A word; `make_entry` checks what it is made of.

    Attributes:
        surface: as it is written, NFKC.
        reading: katakana.
        accent: mora after which the pitch falls, 0 = never.
        kind: what it is, which decides what it stands well beside.
        priority: 0 to 10; the higher, the sooner it is this word where others could be meant.
    """

    surface: str
    reading: str
    accent: int = 0
    kind: Kind = "proper_noun"
    priority: int = USUAL_PRIORITY


def make_entry(surface: str, reading: str, accent: int = 0, kind: str = "proper_noun", priority: int = USUAL_PRIORITY) -> Entry:
    """An entry as it can be used; an InputError says what is wrong with it."""
    surface = surface_of(surface)
    if not surface or len(surface) > LONGEST_SURFACE or any(unicodedata.category(char).startswith("C") for char in surface):
        raise InputError(
            say(f"「{surface[:20]}」は単語として登録できません。", f"“{surface[:20]}” cannot be a word of the dictionary."),
            say(f"1 文字から {LONGEST_SURFACE} 文字の単語にしてください。", f"Give a word of 1 to {LONGEST_SURFACE} characters."),
        )
    kana = katakana_of(surface, reading[: LONGEST_READING + 1])
    moras = len(split_moras(kana))
    if len(kana) > LONGEST_READING or not 0 <= accent <= moras:
        raise InputError(
            say(f"「{surface}」のアクセント位置か読みの長さが範囲外です。", f"The accent or the reading of “{surface}” is out of range."),
            say(
                f"アクセントは 0 から {moras}、読みは {LONGEST_READING} 文字までです。",
                f"The accent is 0 to {moras}; a reading has up to {LONGEST_READING} kana.",
            ),
        )
    if kind not in KINDS or not 0 <= priority <= HIGHEST_PRIORITY:
        raise InputError(
            say(f"「{surface}」の品詞か優先度が正しくありません。", f"The kind or the priority of “{surface}” is not right."),
            say(
                f"品詞は {'、'.join(KINDS)}、優先度は 0 から {HIGHEST_PRIORITY} です。",
                f"Kinds are {', '.join(KINDS)}; priorities 0 to {HIGHEST_PRIORITY}.",
            ),
        )
    return Entry(surface, kana, accent, kind, priority)


def surface_of(text: str) -> str:
    """How the dictionary spells what a user writes: wide letters are narrow ones."""
    return unicodedata.normalize("NFKC", text).strip()


def put(entries: Iterable[Entry], added: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries with others; of one surface there is one, the last."""
    return tuple(({entry.surface: entry for entry in entries} | {entry.surface: entry for entry in added}).values())


def is_analysed(entry: Entry) -> bool:
    """Whether the analyser meets the word as it is written: letters, digits and signs are read before, or joined with their neighbours."""
    return not any(map(str.isascii, entry.surface)) and normalise(entry.surface, lambda _: None) == entry.surface


class WrittenWords:
    """Entries that are found in the text itself, whatever the width and the case of its letters; of two the longer one wins.

    Args:
        entries: those that `is_analysed` denies.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {_plain(entry.surface): entry for entry in entries}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_alone(surface) for surface in sorted(self._entries, key=len, reverse=True)))

    def find(self, text: str) -> list[tuple[int, int, ReadingOverride]]:
        """Where in the text they stand: (start, end, what is to be read), in order, none overlapping."""
        if not self._entries:
            return []
        found = ((match.start(), match.end(), self._entries[match[0]]) for match in self._pattern.finditer(_plain(text)))
        return [(start, end, ReadingOverride(text[start:end], entry.reading, entry.accent)) for start, end, entry in found]


def _plain(text: str) -> str:
    """As long as the text, so that places are the same in both."""
    return "".join(_plain_char(char) for char in text)


def _plain_char(char: str) -> str:
    narrow = unicodedata.normalize("NFKC", char).lower()
    return narrow if len(narrow) == 1 else char


def _alone(surface: str) -> str:
    """No part of a longer word: AI is not in AIR, nor 4K in 14K."""
    before = "(?<![0-9a-z])" if surface[0].isascii() and surface[0].isalnum() else ""
    after = "(?![0-9a-z])" if surface[-1].isascii() and surface[-1].isalnum() else ""
    return before + re.escape(surface) + after
