"""The starter BERT's vocabulary: one token a character, special tokens first."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
CLS, SEP, UNK, MASK = 1, 2, 3, 4


def _jis_x_0208() -> Iterable[str]:
    for row in range(0x21, 0x7F):
        for cell in range(0x21, 0x7F):
            try:
                yield bytes([row | 0x80, cell | 0x80]).decode("euc_jp")
            except UnicodeDecodeError:
                continue


def make_vocabulary(texts: Iterable[str]) -> list[str]:
    """ASCII, JIS X 0208 and whatever else the texts hold, after NFKC, without whitespace, in code point order."""
    characters = {chr(code) for code in range(0x21, 0x7F)}
    for source in (_jis_x_0208(), texts):
        for text in source:
            characters.update(unicodedata.normalize("NFKC", text))
    return [*SPECIAL, *sorted(c for c in characters if not c.isspace())]


def write_vocabulary(tokens: list[str], path: Path) -> None:
    """One token a line."""
    path.write_text("".join(f"{token}\n" for token in tokens), "utf-8", newline="\n")


def encode(text: str, index: dict[str, int]) -> list[int]:
    """[CLS], one id a character, [SEP]; `text` is already normalised."""
    return [CLS, *(index.get(c, UNK) for c in text), SEP]
