"""Writes Open JTalk's dictionary shorter: what follows from the rest of a word is left out, and equal features are stored once.

Of 790,298 words most are pronounced as they are read, many are read as they are written, and most base forms are the word but for its end.
`app/adapters/openjtalk/mecab_features.py` puts all of that back before anybody reads it, word by word, so nothing is read otherwise; that it does
is looked up here for every word. Without these columns the forms of verbs that end alike, and names that are read alike, have the same
features: 395,309 different ones remain, of 25 letters instead of 85.

What reads features earlier, in C, are MeCab's numerals, which ask for the first columns ("名詞,数,") and, of users' own words, for the
pronunciation (`mecab.cpp`); and the columns are counted, of which there are as many as before. Costs, classes and spellings stay as they are,
words that can never win too: some of them are asked for by spelling and reading where Sudachi reads otherwise.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from os.path import commonprefix
from pathlib import Path

import numpy as np

from app.adapters.openjtalk.mecab_features import BASE, HIRAGANA_TO_KATAKANA, PRONUNCIATION, READING, restore_feature

# MeCab's format: a head (size of the file xor a number, version, kind, number of words, classes on both sides, sizes of the three parts, nothing,
# name of the encoding), a double array of spellings, sixteen bytes a word, and the features, each ended by a zero.
HEAD = struct.Struct("<10I32s")
MAGIC = 0xEF718F77
VERSION, SIZES = 102, slice(6, 9)
UNIT = np.dtype([("base", "<i4"), ("check", "<u4")])
WORD = np.dtype([("left", "<u2"), ("right", "<u2"), ("kind", "<u2"), ("cost", "<i2"), ("feature", "<u4"), ("compound", "<u4")])
COLUMNS = 12  # with the word as it is written


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dictionary file taken apart.

    Attributes:
        head: its numbers, and the name of the encoding.
        units: the double array, (units,) of UNIT.
        words: (words,) of WORD, those of one spelling next to each other.
        features: text of every word that any word points into.
    """

    head: tuple[int | bytes, ...]
    units: np.ndarray
    words: np.ndarray
    features: bytes

    @classmethod
    def read(cls, path: Path) -> Dictionary:
        """Takes a file apart; ValueError for anything else than a dictionary of this format in UTF-8."""
        raw = path.read_bytes()
        if len(raw) < HEAD.size or int.from_bytes(raw[:4], "little") ^ MAGIC != len(raw):
            raise ValueError(f"{path} is no dictionary of MeCab")
        head = HEAD.unpack_from(raw)
        if head[1] != VERSION or head[-1].rstrip(b"\0").lower() not in (b"utf-8", b"utf8"):
            raise ValueError(f"{path} is of another version or encoding")
        units, words, _ = head[SIZES]
        start = HEAD.size + units
        return cls(
            head,
            np.frombuffer(raw, UNIT, units // UNIT.itemsize, HEAD.size),
            np.frombuffer(raw, WORD, words // WORD.itemsize, start),
            raw[start + words :],
        )

    def write(self, path: Path) -> None:
        """Puts it together again."""
        body = self.units.tobytes() + self.words.tobytes() + self.features
        sizes = (self.units.nbytes, self.words.nbytes, len(self.features))
        path.write_bytes(HEAD.pack((HEAD.size + len(body)) ^ MAGIC, *self.head[1:6], *sizes, *self.head[9:]) + body)

    def spellings(self) -> list[str]:
        """How every word is written."""
        used = np.flatnonzero(self.units["check"])
        base, check = self.units["base"].astype(np.int64), self.units["check"].astype(np.int64)
        ends = used[(base[used] < 0) & (check[used] == used)]
        parent = np.zeros(int(check.max()) + 1, np.int64)  # by the base of its children; no two units share one
        inner = used[base[used] >= 0]
        parent[base[inner]] = inner
        letters: list[bytearray] = [bytearray() for _ in ends]
        unit, open_ends = parent[check[ends]], np.arange(len(ends))
        while len(open_ends):
            for end, letter in zip(open_ends.tolist(), (unit - check[unit] - 1).tolist(), strict=True):
                letters[end].append(letter)
            unit = parent[check[unit]]
            open_ends, unit = open_ends[unit > 0], unit[unit > 0]
        spellings = [""] * len(self.words)
        for value, spelling in zip((-base[ends] - 1).tolist(), letters, strict=True):
            first, count = value >> 8, value & 0xFF
            spellings[first : first + count] = [spelling[::-1].decode()] * count
        return spellings

    def lines(self) -> list[str]:
        """The features of every word."""
        return [self.features[place : self.features.index(0, place)].decode() for place in self.words["feature"].tolist()]


def shortened(written: str, feature: str) -> str:
    """Features of a word without what `whole` puts back.

    Args:
        written: the word.
        feature: its columns after the first.
    """
    columns = [written, *feature.split(",")]
    if len(columns) != COLUMNS:
        return feature
    base, reading = columns[BASE], columns[READING]
    kept = len(commonprefix([written, base]))  # noqa: RUF071  letters are meant
    columns[BASE] = "" if base == written else f"{len(written) - kept}{base[kept:]}"
    columns[READING] = "" if reading == written.translate(HIRAGANA_TO_KATAKANA) else reading
    columns[PRONUNCIATION] = "" if columns[PRONUNCIATION] == reading else columns[PRONUNCIATION]
    return ",".join(columns[1:])


def shorten(source: Path, target: Path) -> None:
    """Writes the shorter dictionary; ValueError when a word would not come back as it was."""
    dictionary = Dictionary.read(source)
    words, features, place_of = dictionary.words.copy(), bytearray(), {}
    for index, (written, feature) in enumerate(zip(dictionary.spellings(), dictionary.lines(), strict=True)):
        short = shortened(written, feature)
        if (
            not written
            or restore_feature(f"{written},{short}") != f"{written},{feature}"
            or restore_feature(f"{written},{feature}") != f"{written},{feature}"
        ):
            raise ValueError(f"{source}: the features of {written!r} cannot be shortened: {feature}")
        if short not in place_of:
            place_of[short] = len(features)
            features += short.encode() + b"\0"
        words["feature"][index] = place_of[short]
    replace(dictionary, words=words, features=bytes(features)).write(target)
