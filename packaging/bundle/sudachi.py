"""Makes Sudachi's dictionary smaller without changing how sentences are read.

Most of the small dictionary is its table of connection costs: 5,981 classes of words to the right of 5,981 to the left. Less than half
of them are ever met in 310,000 lines of literature and speech; the others are forms of a language long gone. What is met keeps its costs;
what is not shares them (`sudachi_groups`). Classes are also named in SudachiPy's rules for unknown words, which are therefore rewritten
as well.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bundle.sudachi_groups import merged
from bundle.sudachi_trim import trim

MAGIC = b"SudachiBinaryDic" + struct.pack("<Q", 1)
TIMES_BYTES = 16  # of creation, and flags
BLOCK_ALIGNMENT = 4096
FIRST_ENTRY = 32
WORD_ALIGNMENT = 8
COUNTS = slice(26, 32)  # in an entry: how many ids of parts follow, by kind; below 0: shared with the kind before
ENTRY_BYTES = 32
EDGE = 0  # begin and end of a sentence; stays 0, being the first class that is often used
REFERENCES = "ReferenceIdTable"  # for building users' dictionaries only
REMARK = " with connection classes merged, and only what readings are asked of"


@dataclass(frozen=True, slots=True)
class Often:
    """Classes that texts really use.

    Attributes:
        signature: of the dictionary they were counted with.
    """

    signature: str
    lefts: list[int]
    rights: list[int]

    @classmethod
    def read(cls, path: Path) -> Often:
        """What `sudachi_often.py` has written."""
        value = json.loads(path.read_text(encoding="utf-8"))
        return cls(value["signature"], value["lefts"], value["rights"])


@dataclass(slots=True)
class Dictionary:
    """A dictionary file taken apart.

    Attributes:
        times: creation and flags, as they are stored.
        texts: comment, signature, reference.
        words: how many are indexed, how many there are.
    """

    times: bytes
    texts: list[bytes]
    words: list[int]
    blocks: dict[str, bytes]

    @classmethod
    def read(cls, path: Path) -> Dictionary:
        """Takes a file of format 1 apart; ValueError for anything else."""
        raw = path.read_bytes()
        if not raw.startswith(MAGIC):
            raise ValueError(f"{path} is no Sudachi dictionary of format 1")
        place = len(MAGIC) + TIMES_BYTES
        texts = []
        for _ in range(3):
            size, place = _number(raw, place)
            texts.append(raw[place : place + size])
            place += size
        indexed, place = _number(raw, place)
        total, place = _number(raw, place)
        count, place = _number(raw, place)
        blocks = {}
        for _ in range(count):
            size, place = _number(raw, place)
            name, place = raw[place : place + size].decode(), place + size
            start, place = _number(raw, place)
            size, place = _number(raw, place)
            blocks[name] = raw[start : start + size]
        return cls(raw[len(MAGIC) : len(MAGIC) + TIMES_BYTES], texts, [indexed, total], blocks)

    def write(self, path: Path) -> None:
        """Puts it together again."""
        head = MAGIC + self.times + b"".join(varint(len(text)) + text for text in self.texts) + b"".join(map(varint, self.words))
        head += varint(len(self.blocks))
        start = BLOCK_ALIGNMENT
        body = b""
        for name, block in self.blocks.items():
            head += varint(len(name)) + name.encode() + varint(start) + varint(len(block))
            body += block + bytes(-len(block) % BLOCK_ALIGNMENT)
            start = BLOCK_ALIGNMENT + len(body)
        path.write_bytes(head.ljust(BLOCK_ALIGNMENT, b"\0") + body)

    def costs(self) -> np.ndarray:
        """Connection costs (classes to the right of a seam, classes to the left)."""
        block = self.blocks["ConnMatrix"]
        left, right = struct.unpack_from("<hh", block)
        return np.frombuffer(block, "<i2", left * right, 4).reshape(right, left)

    def entries(self) -> np.ndarray:
        """Offsets of all words in the block of entries, in steps of two bytes."""
        block = self.blocks["Entries"]
        offsets, offset = [], FIRST_ENTRY
        while offset < len(block):
            offsets.append(offset // 2)
            *counts, has_data = struct.unpack("6b", block[offset : offset + ENTRY_BYTES][COUNTS])
            size = ENTRY_BYTES + 4 * sum(max(0, count) for count in counts)
            if has_data:
                size += 2 + 2 * int(struct.unpack_from("<h", block, offset + size)[0])
            offset += -(-size // WORD_ALIGNMENT) * WORD_ALIGNMENT
        return np.array(offsets)


def merge_classes(source: Path, resources: Path, target: Path, often: Often) -> None:
    """Writes a smaller `system.dic`, and `unk.def` and `sudachi.json` that fit it, into the folder `target`.

    Args:
        source: Sudachi's dictionary.
        resources: SudachiPy's folder of rules.
        often: classes that keep their costs.
    """
    dictionary = Dictionary.read(source)
    if dictionary.texts[1] != often.signature.encode():
        raise ValueError(f"{source} is not the dictionary whose classes were counted; run packaging/bundle/sudachi_often.py again")
    costs, offsets = dictionary.costs(), dictionary.entries()
    entries = np.frombuffer(dictionary.blocks["Entries"], "<i2").copy()
    unknown = [line.split(",") for line in (resources / "unk.def").read_text(encoding="utf-8").splitlines()]
    rules = json.loads((resources / "sudachi.json").read_text(encoding="utf-8"))
    named = [(int(line[1]), int(line[2])) for line in unknown if _names_classes(line)] + [pair for _, pair in _plugins(rules)]
    named.append((EDGE, EDGE))
    lefts = _used(entries[offsets], [pair[0] for pair in named])
    rights = _used(entries[offsets + 1], [pair[1] for pair in named])
    smaller, left_group, right_group = merged(
        costs[np.ix_(lefts, rights)], np.isin(lefts, [*often.lefts, *(pair[0] for pair in named)]),
        np.isin(rights, [*often.rights, *(pair[1] for pair in named)]),
    )  # fmt: skip
    left_number, right_number = _numbers(lefts, left_group, costs.shape[0]), _numbers(rights, right_group, costs.shape[1])

    entries[offsets] = left_number[entries[offsets]]
    entries[offsets + 1] = right_number[entries[offsets + 1]]
    side = max(smaller.shape)  # Sudachi's own checks take the table for a square
    square = np.zeros((side, side), "<i2")
    square[: smaller.shape[0], : smaller.shape[1]] = smaller
    dictionary.blocks["Entries"] = entries.tobytes()
    dictionary.blocks["ConnMatrix"] = struct.pack("<hh", side, side) + square.tobytes()
    dictionary.blocks.pop(REFERENCES, None)
    trim(dictionary)
    dictionary.texts[0] += REMARK.encode()
    dictionary.write(target / "system.dic")

    for line in filter(_names_classes, unknown):
        line[1:3] = [str(left_number[int(line[1])]), str(right_number[int(line[2])])]
    (target / "unk.def").write_text("".join(",".join(line) + "\n" for line in unknown), encoding="utf-8", newline="\n")
    for plugin, (left, right) in _plugins(rules):
        plugin |= {"leftId": int(left_number[left]), "rightId": int(right_number[right])}
    (target / "sudachi.json").write_text(json.dumps(rules, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def _names_classes(line: list[str]) -> bool:
    return len(line) > 3 and not line[0].startswith("#")


def _plugins(rules: dict[str, Any]) -> list[tuple[dict[str, Any], tuple[int, int]]]:
    """Rules that name classes."""
    plugins = [plugin for value in rules.values() if isinstance(value, list) for plugin in value]
    return [(plugin, (plugin["leftId"], plugin["rightId"])) for plugin in plugins if "leftId" in plugin]


def _used(of_words: np.ndarray, named: list[int]) -> np.ndarray:
    """Classes that can occur; words that are only parts of others have none (-1)."""
    return np.unique(np.concatenate([of_words[of_words >= 0], np.array(named, of_words.dtype)]))


def _numbers(classes: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """The new number of every old class; -1 where it cannot occur, and at -1."""
    number = np.full(count + 1, -1, np.int16)  # the one more is what -1 points to
    number[classes] = groups
    return number


def _number(raw: bytes, place: int) -> tuple[int, int]:
    """A number in steps of seven bits, and where the next thing begins."""
    value = shift = 0
    while True:
        byte = raw[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def varint(value: int) -> bytes:
    """A number in steps of seven bits."""
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
