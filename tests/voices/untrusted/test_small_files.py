"""The small files of voices and BERTs: pipes, devices, bombs and odd values are refused in a sentence, or left out, at once."""

import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.adapters.char_tokenizer import CharTokenizer
from app.common.errors import VoiceError
from app.common.files.paths import find_resources_dir
from app.voices.bert_models import list_installed_berts, read_bert, read_vocabulary
from app.voices.prepare.bert.open_weights import _read_deberta_sizes
from app.voices.prepared_voice import read_manifest
from app.voices.untrusted.voice_limits import MAX_MANIFEST_BYTES, MAX_TERMS_LENGTH
from app.voices.voice_card_data import VoiceCardData, read_card

MANIFEST = json.loads((next((find_resources_dir() / "voices").iterdir()) / "voice.json").read_text(encoding="utf-8"))


def _voice(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "voice.json", lambda: read_manifest(folder)


def _bert(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "bert.json", lambda: read_bert(folder)


def _vocabulary(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "vocab.txt", lambda: read_vocabulary(folder)


def _tokenizer(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "tokenizer.json", lambda: read_vocabulary(folder)


def _characters(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "vocab.txt", lambda: CharTokenizer(folder / "vocab.txt")


def _config(folder: Path) -> tuple[Path, Callable[[], object]]:
    return folder / "config.json", lambda: _read_deberta_sizes(folder / "config.json")


FILES = pytest.mark.parametrize("file", [_voice, _bert, _vocabulary, _tokenizer, _characters, _config])


@FILES
@pytest.mark.parametrize("device", ["pipe", "/dev/zero", "folder"])
def test_what_is_no_file_is_refused_at_once(file: Callable[[Path], tuple[Path, Callable[[], object]]], device: str, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes and devices of Unix")
    path, read = file(tmp_path)
    if device == "pipe":
        os.mkfifo(path)
    elif device == "folder":
        path.mkdir()
    else:
        path.symlink_to(device)
    with pytest.raises(VoiceError):
        read()


@FILES
@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"[" + b"[]," * 3_000_000 + b"1]", b"9" * 1_000_000],
    ids=lambda content: repr(content[:8]),
)
def test_nonsense_is_refused_and_takes_no_memory(
    file: Callable[[Path], tuple[Path, Callable[[], object]]], content: bytes, tmp_path: Path
) -> None:
    path, read = file(tmp_path)
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(VoiceError):
            read()
        assert tracemalloc.get_traced_memory()[1] < 4 * len(content) + (32 << 20)
    finally:
        tracemalloc.stop()


@FILES
def test_a_file_of_gigabytes_is_not_read(file: Callable[[Path], tuple[Path, Callable[[], object]]], tmp_path: Path) -> None:
    path, read = file(tmp_path)
    with path.open("wb") as hole:
        hole.truncate(4 << 30)
    with pytest.raises(VoiceError):
        read()


def test_a_voice_speaks_without_its_card(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes and devices of Unix")
    path = tmp_path / "card.json"
    os.mkfifo(path)
    assert read_card(tmp_path) == VoiceCardData()
    path.unlink()
    path.symlink_to("/dev/zero")
    assert read_card(tmp_path) == VoiceCardData()
    path.unlink()
    for content in ("[" * 300_000, '{"source_bytes": 1e300}', '{"source_bytes": ' + "9" * 300 + "}", '{"max_abs_diff": 1e999}', "[]"):
        path.write_text(content, encoding="ascii")
        assert read_card(tmp_path) == VoiceCardData()
    with path.open("wb") as hole:
        hole.truncate(4 << 30)
    assert read_card(tmp_path) == VoiceCardData()


@pytest.mark.parametrize(
    "card",
    [
        {"training_steps": True},
        {"training_steps": "1"},
        {"prepared_bytes": -1},
        {"speakers": [{"id": 1.0, "uuid": "", "languages": [], "icon": "", "styles": []}]},
        {"speakers": [{"id": 1, "uuid": "", "languages": [], "icon": None, "styles": []}]},
        {"speakers": [{"id": 1, "uuid": "", "languages": [], "icon": "../a.png", "styles": []}]},
        {"notes": [1]},
        {"creators": 5},
    ],
)
def test_a_card_of_other_values_is_an_empty_one(card: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(json.dumps({"uuid": "x"} | card), encoding="utf-8")
    assert read_card(tmp_path) == VoiceCardData()


def test_the_shipped_voice_is_read(tmp_path: Path) -> None:
    (tmp_path / "voice.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    assert read_manifest(tmp_path).name == MANIFEST["name"]


@pytest.mark.parametrize(
    "values",
    [
        {"sampling_rate": 0},
        {"sampling_rate": 1e300},
        {"sampling_rate": "44100"},
        {"sampling_rate": True},
        {"hop_length": 1 << 40},
        {"margin_frames": -1},
        {"margin_frames": 1 << 40},
        {"windows": []},
        {"windows": [0]},
        {"windows": [1 << 40]},
        {"windows": [16] * 1000},
        {"windows": 5},
        {"speakers": []},
        {"speakers": [{"id": 1 << 40, "name": "a"}]},
        {"speakers": [{"id": -1, "name": "a"}]},
        {"speakers": {"id": 1}},
        {"styles": [{"id": 0.5, "name": "a"}]},
        {"styles": [{"id": 0, "name": 5}]},
        {"graphs": []},
        {"multilingual": "yes"},
        {"add_blank": 1},
        {"licence": "x" * (MAX_TERMS_LENGTH + 1)},
        {"licence": 5},
        {"decoder_int8": {"file": "a", "snr_db": "x", "lsd_db": 1}},
        {"decoder_int8": {"file": "a", "snr_db": 10**400, "lsd_db": 1}},
        {"decoder_int8": {"file": "あ" * 100, "snr_db": 1, "lsd_db": 1}},
        {"fast": {"graphs": {}, "snr_db": 40, "lsd_db": 1}},
        {"fast": {"graphs": {"whole": {"file": "a", "snr_db": 40, "lsd_db": 1}}, "snr_db": 40, "lsd_db": 1}},
        {"fast": {"graphs": {"flow": {"file": "../a", "snr_db": 40, "lsd_db": 1}}, "snr_db": 40, "lsd_db": 1}},
        {"fast": {"graphs": {"flow": {"file": "a", "snr_db": 40, "lsd_db": 1}}, "snr_db": None, "lsd_db": 1}},
        {"fast": []},
        {"graphs": {"whole": "あ" * 100}},
        {"graphs": {"whole": "x" * 3000}},
        {"graphs": {"whole": ".."}},
        {"unknown": 1},
    ],
)
def test_values_that_no_voice_has(values: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "voice.json").write_text(json.dumps(MANIFEST | values), encoding="utf-8")
    with pytest.raises(VoiceError, match="damaged"):
        read_manifest(tmp_path)


def test_the_largest_voice_of_all_is_read(tmp_path: Path) -> None:
    """As many speakers and styles, as long names and terms as any file may bring."""
    speakers = [{"id": index, "name": "声" * 200} for index in range(4096)]
    styles = [{"id": index, "name": "声" * 200} for index in range(1024)]
    terms = {"licence": "声" * MAX_TERMS_LENGTH, "description": "箱" * MAX_TERMS_LENGTH}
    text = json.dumps(MANIFEST | {"speakers": speakers, "styles": styles} | terms, ensure_ascii=False, indent=1)
    (tmp_path / "voice.json").write_text(text, encoding="utf-8")
    assert len(text.encode()) < MAX_MANIFEST_BYTES
    assert len(read_manifest(tmp_path).speakers) == 4096


@pytest.mark.parametrize(
    "values",
    [
        {"int8_cosine": "x"},
        {"int8_cosine": 1e999},
        {"id": 5},
        {"name": None},
        {"files": {"float32": "../a"}},
        {"files": []},
        {"files": {"float32": "x" * 3000}},
    ],
)
def test_values_that_no_bert_has(values: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    for name in ("bert.onnx", "vocab.txt"):
        (folder / name).write_bytes(b"")
    (folder / "bert.json").write_text(json.dumps({"id": "a", "name": "A"}), encoding="utf-8")
    assert [bert.id for bert in list_installed_berts([tmp_path])] == ["a"]
    (folder / "bert.json").write_text(json.dumps({"id": "a", "name": "A"} | values), encoding="utf-8")
    assert list_installed_berts([tmp_path]) == []
    with pytest.raises(VoiceError):
        read_bert(folder)


@pytest.mark.parametrize(
    "vocab", [[], {"[UNK]": 0, "[CLS]": 1, "[SEP]": 1}, {"[UNK]": 0, "[CLS]": 1, "[SEP]": 5}, {"[UNK]": 0, "[CLS]": 1, "[SEP]": "2"}]
)
def test_vocabularies_with_gaps(vocab: object, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocab}}), encoding="utf-8")
    with pytest.raises(VoiceError, match="vocabulary"):
        read_vocabulary(tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"[CLS]": 1, "[UNK]": 0, "[SEP]": 2}}}), encoding="utf-8")
    assert read_vocabulary(tmp_path) == ["[UNK]", "[CLS]", "[SEP]"]
