"""The characters a BERT knows, in the order of their ids. They show what it was trained on better than any name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.errors import VoiceError
from app.json_text import parse_object, whole
from app.language import localized
from app.small_file import read_small
from app.voices.untrusted.limits import LARGEST_VOCABULARY_BYTES

VOCABULARY_NAME = "vocab.txt"
TOKENIZER_NAME = "tokenizer.json"
NEEDED = {"[UNK]", "[CLS]", "[SEP]"}


def read_vocabulary(folder: Path) -> list[str]:
    """Tokens by id from `vocab.txt` or `tokenizer.json`.

    Raises:
        VoiceError: neither is there, or it is none of a character BERT.
    """
    for name, read in ((VOCABULARY_NAME, _lines), (TOKENIZER_NAME, _tokens)):
        path = folder / name
        if not path.is_file():
            continue
        try:
            tokens = read(read_small(path, LARGEST_VOCABULARY_BYTES).decode("utf-8"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
            raise _unusable(path) from exc
        if not set(tokens) >= NEEDED or any("\n" in token for token in tokens):
            raise _unusable(path)
        return tokens
    raise VoiceError(
        localized(f"BERT の語彙がありません: {folder}", f"The vocabulary of this BERT is missing: {folder}"),
        localized(
            f"モデルと同じフォルダーに {TOKENIZER_NAME} または {VOCABULARY_NAME} を置いてください。",
            f"Put {TOKENIZER_NAME} or {VOCABULARY_NAME} beside the model.",
        ),
    )


def vocabulary_text(tokens: Sequence[str]) -> str:
    """The content of a `vocab.txt`: a token a line."""
    return "\n".join(tokens) + "\n"


def vocabulary_sha256(tokens: Sequence[str]) -> str:
    """Hexadecimal SHA-256 of the `vocab.txt` with these tokens."""
    import hashlib  # here, for it delays the window by 3 ms, which needs the names above

    return hashlib.sha256(vocabulary_text(tokens).encode("utf-8", "surrogatepass")).hexdigest()


def _lines(text: str) -> list[str]:
    """A file with other line ends means the same."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _tokens(text: str) -> list[str]:
    ids = parse_object(text)["model"]["vocab"]
    if sorted(whole(number, 0, len(ids) - 1) for number in ids.values()) != list(range(len(ids))):
        raise ValueError("ids have gaps")
    return sorted(ids, key=ids.__getitem__)


def _unusable(path: Path) -> VoiceError:
    return VoiceError(
        localized(f"BERT の語彙ファイルを読み込めません: {path}", f"The BERT vocabulary cannot be read: {path}"),
        localized("モデルと同じ配布元からもう一度ダウンロードしてください。", "Download it again from the source of the model."),
    )
