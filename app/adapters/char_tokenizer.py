"""Text to BERT token ids with a character vocabulary, one token a character."""

import unicodedata
from pathlib import Path

import numpy as np

from app.common.errors import VoiceError
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.core.synthesis_types import Int64

MAX_VOCAB_BYTES = 32 << 20  # 22,000 characters take 110 KB
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"


class CharTokenizer:
    """Looks characters up one by one in a `vocab.txt`, whose line number is the id."""

    def __init__(self, vocab_path: Path) -> None:
        """Read the vocabulary; raise VoiceError with the reason if it cannot be used."""
        try:
            tokens = read_bounded(vocab_path, MAX_VOCAB_BYTES).decode("utf-8").split("\n")
        except (OSError, ValueError) as exc:
            raise _build_unusable_vocab_error(vocab_path) from exc
        self._ids = {token.removesuffix("\r"): index for index, token in enumerate(tokens) if token}
        if not {_UNKNOWN, _START, _END} <= self._ids.keys():
            raise _build_unusable_vocab_error(vocab_path)

    def encode(self, text: str) -> Int64:
        """Return [CLS], a token for each character after NFKC without whitespace, [SEP]: int64 (n,)."""
        unknown = self._ids[_UNKNOWN]
        characters = (char for char in unicodedata.normalize("NFKC", text) if not char.isspace())
        inner = (self._ids.get(char, unknown) for char in characters)
        return np.array([self._ids[_START], *inner, self._ids[_END]], dtype=np.int64)


def _build_unusable_vocab_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"BERT の語彙ファイルを読み込めません: {path}", f"The BERT vocabulary cannot be read: {path}"),
        localize("BERT をもう一度追加してください。", "Add the BERT again."),
    )
