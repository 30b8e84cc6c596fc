"""Characters to token ids."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.adapters.char_tokenizer import CharTokenizer
from app.common.errors import VoiceError


@pytest.fixture
def vocab(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n[SEP]\n声\n箱\nA\n[CLS]\n", encoding="utf-8")
    return path


def test_ids_are_line_numbers_of_the_vocabulary(vocab: Path) -> None:
    ids = CharTokenizer(vocab).encode("声 箱Ａ\u3000🍣\n")
    assert ids.tolist() == [5, 2, 3, 4, 0, 1]
    assert ids.dtype == np.int64
    assert CharTokenizer(vocab).encode("").tolist() == [5, 1]


def test_special_names_in_the_text_are_only_characters(vocab: Path) -> None:
    assert CharTokenizer(vocab).encode("[SEP]").tolist() == [5, 0, 0, 0, 0, 0, 1]


def test_golden_ids(shared: Path) -> None:
    tokenizer = CharTokenizer(shared / "reference" / "deberta-char-wwm" / "vocab.txt")
    cases = json.loads((shared / "golden" / "deberta_tokenizer.json").read_text(encoding="utf-8"))
    assert cases
    for case in cases:
        assert tokenizer.encode(case["text"]).tolist() == case["ids"], case["text"]


@pytest.mark.parametrize("content", [None, b"[UNK]\n[CLS]\n", b"\xff\xfe\x00"])
def test_an_unusable_vocabulary_is_a_voice_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "vocab.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VoiceError) as caught:
        CharTokenizer(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
