"""Counts classes of words in texts: python3 packaging/bundle/sudachi_often.py DICTIONARY TEXT...  writes sudachi_often.json next to it.

Run again when sudachidict-small is raised. Texts are UTF-8, a sentence a line; `.gz` is unpacked.
"""

import gzip
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import sudachipy

RESULT = Path(__file__).with_suffix(".json")
LONGEST = 4_000  # Sudachi refuses lines of more than 48 kB
SYSTEM_WORDS = 1 << 28  # ids of words that are in no dictionary are above


def words_of(source: Path, resources: Path, lines: Iterable[str]) -> set[int]:
    """Ids of all words that the best reading of a line consists of, before rules join some of them.

    Args:
        source: Sudachi's dictionary.
        resources: SudachiPy's folder of rules.
    """
    rules = json.loads((resources / "sudachi.json").read_text(encoding="utf-8")) | {"pathRewritePlugin": []}
    with tempfile.TemporaryDirectory() as folder:
        unjoined = Path(folder) / "sudachi.json"
        unjoined.write_text(json.dumps(rules), encoding="utf-8")
        tokenizer = sudachipy.Dictionary(config_path=str(unjoined), resource_dir=str(resources), dict=str(source)).create()
        found: set[int] = set()
        for line in lines:
            found.update(word.word_id() for word in tokenizer.tokenize(line.replace("ー", "")[:LONGEST]))  # as pyopenjtalk-plus asks
    return {word for word in found if 0 <= word < SYSTEM_WORDS}


def lines_of(texts: Iterable[Path]) -> Iterator[str]:
    """Lines of all texts."""
    for path in texts:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            yield from file


def main() -> None:
    """Counts, and writes."""
    from bundle.sudachi import WORD_ALIGNMENT, Dictionary

    source, *texts = map(Path, sys.argv[1:])
    dictionary = Dictionary.read(source)
    entries = np.frombuffer(dictionary.blocks["Entries"], "<i2")
    rules = Path(sudachipy.__file__).parent / "resources"
    offsets = np.array(sorted(words_of(source, rules, lines_of(texts)))) * (WORD_ALIGNMENT // 2)
    lefts, rights = (np.unique(entries[offsets + side]).tolist() for side in (0, 1))
    value = {"signature": dictionary.texts[1].decode(), "lefts": lefts, "rights": rights}
    RESULT.write_text(json.dumps(value) + "\n", encoding="utf-8")
    print(f"{len(lefts)} and {len(rights)} classes", flush=True)


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))
    main()
