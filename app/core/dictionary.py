"""The user's dictionary: words with the reading and the accent that they have in every text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from app.core.letters import fold_width
from app.core.moras import katakana_of, split_moras
from app.errors import InputError
from app.language import localized

Kind = Literal["proper_noun", "noun", "suffix", "verb", "adjective"]
KINDS: tuple[Kind, ...] = get_args(Kind)
USUAL_PRIORITY, HIGHEST_PRIORITY = 5, 10
LONGEST_SURFACE, LONGEST_READING = 100, 200


@dataclass(frozen=True, slots=True)
class Entry:
    """A word; `make_entry` checks what it is made of.

    Attributes:
        surface: as it is written, of one width (`surface_of`).
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
            localized(f"「{surface[:20]}」は単語として登録できません。", f"“{surface[:20]}” cannot be added to the dictionary."),
            localized(f"1 文字から {LONGEST_SURFACE} 文字の単語にしてください。", f"Enter a word of 1 to {LONGEST_SURFACE} characters."),
        )
    kana = katakana_of(surface, reading[: LONGEST_READING + 1])
    moras = len(split_moras(kana))
    if len(kana) > LONGEST_READING or not 0 <= accent <= moras:
        raise InputError(
            localized(
                f"「{surface}」のアクセント位置または読みの長さが範囲外です。", f"The accent or reading of “{surface}” is out of range."
            ),
            localized(
                f"アクセントは 0 から {moras}、読みは {LONGEST_READING} 文字までです。",
                f"The accent must be from 0 to {moras}; a reading has up to {LONGEST_READING} kana.",
            ),
        )
    if kind not in KINDS or not 0 <= priority <= HIGHEST_PRIORITY:
        raise InputError(
            localized(
                f"「{surface}」の品詞または優先度が正しくありません。", f"The part of speech or priority of “{surface}” is not valid."
            ),
            localized(
                f"品詞は {'、'.join(KINDS)}、優先度は 0 から {HIGHEST_PRIORITY} です。",
                f"Use one of {', '.join(KINDS)}, and a priority from 0 to {HIGHEST_PRIORITY}.",
            ),
        )
    return Entry(surface, kana, accent, kind, priority)


def surface_of(text: str) -> str:
    """How the dictionary spells what a user writes: wide letters are narrow ones, and nothing else changes, or a word ② would read every 2."""
    return fold_width(text).strip()


def put(entries: Iterable[Entry], added: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries with others; of one surface there is one, the last."""
    return tuple(({entry.surface: entry for entry in entries} | {entry.surface: entry for entry in added}).values())
