"""The user's dictionary: words with the reading and the accent that they have in every text, and what an import would change of it.

MeCab and Open JTalk list words in columns: spelling, two classes, cost, part of speech, … reading, pronunciation, accent.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.common.errors import InputError
from app.common.language import localize
from app.core.text.pronunciation import fold_width, parse_user_reading, split_moras

EntryKind = Literal["proper_noun", "noun", "suffix", "verb", "adjective"]
DICTIONARY_ENTRY_KINDS: tuple[EntryKind, ...] = get_args(EntryKind)
USUAL_PRIORITY, HIGHEST_PRIORITY = 5, 10
LONGEST_SURFACE, LONGEST_READING = 100, 200

COST_OF_PRIORITY = 2_000
"""Cost that one step of priority stands for. A word of usual priority has cost 0, which wins against most splits of its letters;
dictionaries give their words 3,000 to 9,000."""

_MECAB_PARTS_OF_SPEECH = frozenset((
    "名詞", "動詞", "形容詞", "形容動詞", "副詞", "連体詞", "接続詞", "感動詞", "助詞", "助動詞", "接頭詞", "接頭辞", "接尾辞", "代名詞", "形状詞", "記号",
    "補助記号", "フィラー", "その他",
))  # fmt: skip
_UNSET = re.compile("[*]?|[+-]?[0-9]+")  # matches a class or a cost, also an empty one
_KANA_READING = re.compile("[ぁ-ゖァ-ヺー’':・]*[ぁ-ゖァ-ヺ][ぁ-ゖァ-ヺー’':・]*")
_ACCENT_FIELD = re.compile("([0-9]+|[*])/([0-9]+|[*])(:([0-9]+|[*])/([0-9]+|[*]))*")
_SILENT_MARKS = str.maketrans("", "", "’'・")  # apostrophes mark morae whose vowel is devoiced, middle dots separate words
_MAX_PART_OF_SPEECH_COLUMN = 5  # the part of speech is in column 4 (from 0) of a complete row


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """A word of the dictionary; `make_entry` checks its values."""

    surface: str  # as it is written, of one width (`fold_surface`)
    reading: str  # katakana
    accent: int = 0  # mora after which the pitch falls, 0 = never
    kind: EntryKind = "proper_noun"  # part of speech, which decides the words that the analyser expects next to this one
    priority: int = USUAL_PRIORITY  # 0 to 10; the higher, the more often this word wins over others with the same letters


def make_entry(surface: str, reading: str, accent: int = 0, kind: str = "proper_noun", priority: int = USUAL_PRIORITY) -> DictionaryEntry:
    """Return a checked, usable entry. Raises InputError, which says what is wrong with the values."""
    surface = fold_surface(surface)
    if not surface or len(surface) > LONGEST_SURFACE or any(unicodedata.category(char).startswith("C") for char in surface):
        raise InputError(
            localize(f"「{surface[:20]}」は単語として登録できません。", f"“{surface[:20]}” cannot be added to the dictionary."),
            localize(f"1 文字から {LONGEST_SURFACE} 文字の単語にしてください。", f"Enter a word of 1 to {LONGEST_SURFACE} characters."),
        )
    kana = parse_user_reading(surface, reading[: LONGEST_READING + 1])
    moras = len(split_moras(kana))
    if len(kana) > LONGEST_READING or not 0 <= accent <= moras:
        raise InputError(
            localize(
                f"「{surface}」のアクセント位置または読みの長さが範囲外です。", f"The accent or reading of “{surface}” is out of range."
            ),
            localize(
                f"アクセントは 0 から {moras}、読みは {LONGEST_READING} 文字までです。",
                f"The accent must be from 0 to {moras}; a reading has up to {LONGEST_READING} kana.",
            ),
        )
    if kind not in DICTIONARY_ENTRY_KINDS or not 0 <= priority <= HIGHEST_PRIORITY:
        raise InputError(
            localize(
                f"「{surface}」の品詞または優先度が正しくありません。", f"The part of speech or priority of “{surface}” is not valid."
            ),
            localize(
                f"品詞は {'、'.join(DICTIONARY_ENTRY_KINDS)}、優先度は 0 から {HIGHEST_PRIORITY} です。",
                f"Use one of {', '.join(DICTIONARY_ENTRY_KINDS)}, and a priority from 0 to {HIGHEST_PRIORITY}.",
            ),
        )
    return DictionaryEntry(surface, kana, accent, kind, priority)


def fold_surface(text: str) -> str:
    """Return the text as the dictionary spells it: wide letters become narrow."""
    # Full NFKC would also turn ② into 2, and an entry for ② would then change the reading of every 2.
    return fold_width(text).strip()


def merge_entries(entries: Iterable[DictionaryEntry], added: Iterable[DictionaryEntry]) -> tuple[DictionaryEntry, ...]:
    """Return the entries with others added; of entries with the same surface only the last stays."""
    return tuple(({entry.surface: entry for entry in entries} | {entry.surface: entry for entry in added}).values())


@dataclass(frozen=True, slots=True)
class EntryConflict:
    """Two entries of the same word that differ: the one that is there, and the one of the file."""

    present: DictionaryEntry
    imported: DictionaryEntry


@dataclass(frozen=True, slots=True)
class DictionaryComparison:
    """The entries of a file compared with those of the dictionary."""

    found: tuple[DictionaryEntry, ...]  # all usable entries of the file, in their order
    added: tuple[DictionaryEntry, ...]
    unchanged: tuple[DictionaryEntry, ...]
    conflicts: tuple[EntryConflict, ...]  # words that the dictionary has with another reading, accent, part of speech or priority
    # Words that the file has more than once, differently: the first two that differ; the last one in the file counts.
    duplicates: tuple[EntryConflict, ...]
    rejected: tuple[InputError, ...]  # errors of lines that are no word

    def merge_into(self, entries: Iterable[DictionaryEntry], *, keep: bool) -> tuple[DictionaryEntry, ...]:
        """Return the entries with those of the file; with `keep`, words that are there stay as they are."""
        own_entries = tuple(entries)
        return merge_entries(merge_entries(own_entries, self.found), own_entries if keep else ())


def compare_import(
    entries: Iterable[DictionaryEntry], found: Sequence[DictionaryEntry], rejected: Sequence[InputError]
) -> DictionaryComparison:
    own_entries = {entry.surface: entry for entry in entries}
    last: dict[str, DictionaryEntry] = {}
    duplicates: dict[str, EntryConflict] = {}
    for entry in found:
        last_entry = last.get(entry.surface)
        if last_entry is not None and last_entry != entry:
            duplicates.setdefault(entry.surface, EntryConflict(last_entry, entry))
        last[entry.surface] = entry
    return DictionaryComparison(
        tuple(found),
        tuple(entry for entry in last.values() if entry.surface not in own_entries),
        tuple(entry for entry in last.values() if own_entries.get(entry.surface) == entry),
        tuple(
            EntryConflict(own_entries[entry.surface], entry)
            for entry in last.values()
            if entry.surface in own_entries and own_entries[entry.surface] != entry
        ),
        tuple(duplicates.values()),
        tuple(rejected),
    )


def parse_mecab_row(cells: Sequence[str]) -> dict[str, Any] | None:
    """Return the word as VOICEVOX would write it; None for a row of another form. Raises ValueError where the row has no reading.

    Columns after the part of speech may be missing: reading and accent are known by what they are.
    """
    column = next((column for column, cell in enumerate(cells[1:_MAX_PART_OF_SPEECH_COLUMN], 1) if cell in _MECAB_PARTS_OF_SPEECH), None)
    if column is None or not all(map(_UNSET.fullmatch, cells[1:column])):
        return None
    features = cells[column:]
    end = next((index for index, cell in enumerate(features) if _ACCENT_FIELD.fullmatch(cell)), len(features))
    # The pronunciation is the last one; the dictionary form and the reading come before it.
    kana = next((cell for cell in (*reversed(features[1:end]), cells[0]) if _KANA_READING.fullmatch(cell)), None)
    if kana is None:
        raise ValueError("no reading")
    # Only negative costs change the priority: a cost below other words' makes a word win more often; high costs are a dictionary's own and would
    # bury a word that the user wants.
    cost = cells[column - 1] if column > 1 else ""
    gain = round(int(cost[:9]) / COST_OF_PRIORITY) if re.fullmatch("-[0-9]+", cost) else 0
    accent = features[end] if end < len(features) else "*/*"
    return {
        "surface": cells[0],
        "pronunciation": kana.translate(_SILENT_MARKS).split(":"),
        "accent_type": [0 if phrase.startswith("*") else int(phrase.partition("/")[0][:9]) for phrase in accent.split(":")],
        "part_of_speech": features[0],
        "part_of_speech_detail_1": features[1] if len(features) > 1 else "*",
        "priority": min(HIGHEST_PRIORITY, USUAL_PRIORITY - gain),
    }
