"""The characters a BERT knows, in the order of their ids. They show what it was trained on better than any name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.common.errors import VoiceError
from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object, require_int
from app.common.language import localize
from app.voices.untrusted.voice_limits import MAX_VOCABULARY_BYTES

VOCABULARY_NAME = "vocab.txt"
TOKENIZER_NAME = "tokenizer.json"
REQUIRED_TOKENS = {"[UNK]", "[CLS]", "[SEP]"}


def read_vocabulary(folder: Path) -> list[str]:
    """Return the tokens by id from `vocab.txt` or `tokenizer.json`.

    Raises:
        VoiceError: neither is there, or it is none of a character BERT.
    """
    for name, read in ((VOCABULARY_NAME, _split_lines), (TOKENIZER_NAME, _parse_tokenizer_json)):
        path = folder / name
        if not path.is_file():
            continue
        try:
            tokens = read(read_bounded(path, MAX_VOCABULARY_BYTES).decode("utf-8"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
            raise _build_unusable_vocabulary_error(path) from exc
        if not set(tokens) >= REQUIRED_TOKENS or any("\n" in token for token in tokens):
            raise _build_unusable_vocabulary_error(path)
        return tokens
    raise VoiceError(
        localize(f"BERT の語彙がありません: {folder}", f"The vocabulary of this BERT is missing: {folder}"),
        localize(
            f"モデルと同じフォルダーに {TOKENIZER_NAME} または {VOCABULARY_NAME} を置いてください。",
            f"Put {TOKENIZER_NAME} or {VOCABULARY_NAME} beside the model.",
        ),
    )


def format_vocabulary(tokens: Sequence[str]) -> str:
    """Return the content of a `vocab.txt`: a token a line."""
    return "\n".join(tokens) + "\n"


def compute_vocabulary_sha256(tokens: Sequence[str]) -> str:
    """Return the hexadecimal SHA-256 of the `vocab.txt` with these tokens."""
    # Imported here, as it takes 3 ms and the window needs only the names above.
    import hashlib

    return hashlib.sha256(format_vocabulary(tokens).encode("utf-8", "surrogatepass")).hexdigest()


def _split_lines(text: str) -> list[str]:
    """Split a vocabulary into lines; a file with other line ends means the same."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _parse_tokenizer_json(text: str) -> list[str]:
    ids = parse_object(text)["model"]["vocab"]
    if sorted(require_int(number, 0, len(ids) - 1) for number in ids.values()) != list(range(len(ids))):
        raise ValueError("ids have gaps")
    return sorted(ids, key=ids.__getitem__)


def _build_unusable_vocabulary_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"BERT の語彙ファイルを読み込めません: {path}", f"The BERT vocabulary cannot be read: {path}"),
        localize("モデルと同じ配布元からもう一度ダウンロードしてください。", "Download it again from the source of the model."),
    )
