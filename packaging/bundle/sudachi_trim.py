"""Leaves out of Sudachi's dictionary what nobody asks for: pyopenjtalk-plus wants the surface and the reading of the longest words only.

Out go how long words divide into shorter ones, written forms that only serve to look a word up, words that never win (another one of the
same spelling and the same classes costs less, or as much and comes first), and loan words with a "ー", which pyopenjtalk-plus takes out of
what it asks. What rules for numbers ask of numerals stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bundle.sudachi import Dictionary

# A word takes 16 places of two bytes, when no lists follow it: left and right class, cost, part of speech, four pointers, length, counts of lists.
WORD_PLACES = 16
LEFT, RIGHT, COST = 0, 1, 2
WRITTEN, READING, BASE, NORMAL = 4, 6, 8, 10
COUNTS = slice(13, 16)
POINTER_BYTES = 8  # a pointer to a word counts in steps of them
LENGTH_BIT = 27  # of a pointer to a string: above it the length, below it the place
LONGEST_PLAIN = 19
LONG_STRINGS_END = 4_096  # longer ones have another form of pointer; they come first, and stay where they are
NUMERALS = "0123456789０１２３４５６７８９〇零一二三四五六七八九十百千万億兆京.,．，"
PROLONGED = "ー"
KANJI = range(0x3400, 0xA000)
LEAF = 1 << 31  # in a unit of the index: the rest of it tells where the words of this spelling are listed


def trim(dictionary: Dictionary) -> None:
    """Makes the dictionary smaller; every text keeps its words and their readings."""
    places = dictionary.entries()
    table = np.frombuffer(dictionary.blocks["Entries"], "<u2")[places[:, None] + np.arange(WORD_PLACES)]
    strings = np.frombuffer(dictionary.blocks["Strings"], "<u2")
    number_at = np.full(int(places[-1]) * 2 // POINTER_BYTES + 1, -1)
    number_at[places * 2 // POINTER_BYTES] = np.arange(len(places))

    lists, starts, owner, pointers = _lists(dictionary.blocks["WordPointers"])
    leaves = np.frombuffer(dictionary.blocks["TrieIndex"], "<u4").copy()
    leaf = np.flatnonzero(leaves & LEAF)
    in_use = np.isin(starts, leaves[leaf] & (LEAF - 1))  # the last list is of words that are only parts of others
    words = number_at[pointers]
    written = _pointer(table, WRITTEN)
    loan = _has(written, strings, np.isin(strings, [ord(PROLONGED)])) & ~_has(written, strings, np.isin(strings, KANJI))
    winning = in_use[owner] & _winners(owner, table[words].astype("<i2")) & ~loan[words]

    numeral = _has(written, strings, np.isin(strings, [ord(letter) for letter in NUMERALS])) | (written >> LENGTH_BIT > LONGEST_PLAIN)
    kept = np.zeros(len(table), bool)
    kept[words[winning]] = True
    while True:  # what numerals point to stays, and what that points to
        named = [number_at[_pointer(table[kept & numeral], field)] for field in (BASE, NORMAL)]
        grown = kept.copy()
        grown[np.concatenate(named)] = True
        if np.array_equal(grown, kept):
            break
        numeral |= grown & ~kept
        kept = grown
    now_at = np.cumsum(kept) * (WORD_PLACES * 2 // POINTER_BYTES)  # the first word is one word after the beginning
    _set_pointers(table, numeral, number_at, now_at)
    table[:, COUNTS] = 0
    dictionary.blocks["Strings"] = _only_used(strings, table, kept)
    head = dictionary.blocks["Entries"][: WORD_PLACES * 2]
    dictionary.blocks["Entries"] = head + table[kept].tobytes()

    block, moved = _written(lists, in_use, owner[winning], now_at[words[winning]])
    leaves[leaf] = moved[np.searchsorted(starts, leaves[leaf] & (LEAF - 1))] | LEAF
    dictionary.blocks["WordPointers"], dictionary.blocks["TrieIndex"] = block, leaves.tobytes()
    dictionary.words = [int(winning.sum()), int(kept.sum())]


def _lists(block: bytes) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """How many lists of words of one spelling there are, where each begins, and for every word in them its list and its pointer."""
    values, begins = _varints(block)
    starts, owner, pointers, place = list[int](), list[int](), list[int](), 0
    while place < len(values):
        count, pointer = values[place], 0
        for step in values[place + 1 : place + 1 + count]:
            pointer += step
            owner.append(len(starts))
            pointers.append(pointer)
        starts.append(begins[place])
        place += 1 + count
    return len(starts), np.array(starts), np.array(owner), np.array(pointers)


def _varints(block: bytes) -> tuple[list[int], list[int]]:
    """Numbers in steps of seven bits, and where each begins."""
    raw = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(raw < 128)
    begins = np.concatenate([[0], ends[:-1] + 1])
    values = np.zeros(len(ends), np.int64)
    for step in range(int((ends - begins).max()) + 1):
        there = begins + step <= ends
        values[there] |= (raw[begins[there] + step].astype(np.int64) & 127) << (7 * step)
    return values.tolist(), begins.tolist()


def _winners(owner: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Which words can be chosen: of one spelling and the same classes the first of those that cost least."""
    order = np.lexsort((words[:, COST], words[:, RIGHT], words[:, LEFT], owner))
    alike = np.column_stack([owner, words[:, LEFT], words[:, RIGHT]])[order]
    winners = np.zeros(len(owner), bool)
    winners[order] = np.concatenate([[True], (alike[1:] != alike[:-1]).any(axis=1)])  # lexsort keeps the order of equals
    return winners


def _pointer(table: np.ndarray, field: int) -> np.ndarray:
    return table[:, field].astype(np.int64) | table[:, field + 1].astype(np.int64) << 16


def _has(written: np.ndarray, strings: np.ndarray, sought: np.ndarray) -> np.ndarray:
    """Which words have one of the letters sought in them; not known for those with long names."""
    plain = written >> LENGTH_BIT <= LONGEST_PLAIN
    place = np.where(plain, written & ((1 << LENGTH_BIT) - 1), 0)
    before = np.concatenate([[0], np.cumsum(sought)])
    found: np.ndarray = before[place + np.where(plain, written >> LENGTH_BIT, 0)] > before[place]
    return found


def _set_pointers(table: np.ndarray, numeral: np.ndarray, number_at: np.ndarray, now_at: np.ndarray) -> None:
    """Numerals point to where words are now; all others to themselves, and to their reading for their written form."""
    for field in (BASE, NORMAL):
        target = np.where(numeral, now_at[number_at[_pointer(table, field)]], now_at)
        table[:, field], table[:, field + 1] = target & 0xFFFF, target >> 16
    table[~numeral, WRITTEN : WRITTEN + 2] = table[~numeral, READING : READING + 2]


def _only_used(strings: np.ndarray, table: np.ndarray, kept: np.ndarray) -> bytes:
    """The strings that words still point to, and pointers to where they are now."""
    edges = np.zeros(len(strings) + 1, np.int64)
    edges[0] += 1
    edges[LONG_STRINGS_END : LONG_STRINGS_END + 1] -= 1
    pointers = {field: _pointer(table, field) for field in (WRITTEN, READING)}
    for pointer in pointers.values():
        plain = pointer[kept & (pointer >> LENGTH_BIT <= LONGEST_PLAIN)]
        place = plain & ((1 << LENGTH_BIT) - 1)
        np.add.at(edges, place, 1)
        np.add.at(edges, place + (plain >> LENGTH_BIT), -1)
    used = np.cumsum(edges[:-1]) > 0
    now_at = np.concatenate([[0], np.cumsum(used)])
    for field, pointer in pointers.items():
        length, place = pointer >> LENGTH_BIT, pointer & ((1 << LENGTH_BIT) - 1)
        plain = length <= LONGEST_PLAIN
        moved = np.where(plain, length << LENGTH_BIT | now_at[np.where(plain, place, 0)], pointer)
        table[:, field], table[:, field + 1] = moved & 0xFFFF, moved >> 16
    return strings[used].tobytes()


def _written(lists: int, in_use: np.ndarray, owner: np.ndarray, pointers: np.ndarray) -> tuple[bytes, np.ndarray]:
    """The lists again, and where each begins."""
    from bundle.sudachi import varint

    block, moved = bytearray(), np.zeros(lists, np.uint32)
    bounds = np.searchsorted(owner, np.arange(lists + 1))
    for number in np.flatnonzero(in_use).tolist():
        moved[number] = len(block)
        members = pointers[bounds[number] : bounds[number + 1]]
        block += varint(len(members)) + b"".join(map(varint, np.diff(members, prepend=0).tolist()))
    return bytes(block), moved
