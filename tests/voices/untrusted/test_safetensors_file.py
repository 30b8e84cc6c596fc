"""The safetensors reader: what it gives for good files, and that it refuses files that lie."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.common.errors import VoiceError
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.untrusted.voice_limits import MAX_SAFETENSORS_HEADER_BYTES
from tests.voices.safetensors_file import header_of, write_raw, write_safetensors

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([1.5, -2.25], np.float16)
TENSORS: dict[str, np.ndarray] = {"a": A, "b": B}
DATA = A.tobytes() + B.tobytes()


def test_tensors_come_as_float32_whatever_they_are_stored_as(tmp_path: Path) -> None:
    numbers: dict[str, np.ndarray] = {
        "one": A,
        "half": B,
        "double": np.array([[0.1]]),
        "scalar": np.array(3.5, np.float32),
        "none": np.zeros((0, 4), np.float32),
    }
    file = SafetensorsFile(write_safetensors(tmp_path / "a.safetensors", numbers, {"key": "値"}))
    assert list(file) == list(numbers)
    assert file.metadata == {"key": "値"}
    for name, values in numbers.items():
        assert file[name].dtype == np.float32
        assert file[name].shape == values.shape
        assert np.array_equal(file[name], values.astype(np.float32))


def test_bfloat16_is_the_upper_half_of_a_float32(tmp_path: Path) -> None:
    stored = np.array([0x3F80, 0xC000, 0x3EAB], np.uint16)  # 1, −2, about a third
    header = {"x": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6]}}
    file = SafetensorsFile(write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), stored.tobytes()))
    assert file["x"].tolist() == [1.0, -2.0, 0.333984375]


def test_a_header_may_be_padded_with_spaces_and_leave_data_unaligned(tmp_path: Path) -> None:
    for spaces in range(9):
        header = json.dumps(header_of(TENSORS)).encode() + b" " * spaces
        assert np.array_equal(SafetensorsFile(write_raw(tmp_path / f"{spaces}", header, DATA))["a"], A)


def test_integers_may_be_there_but_are_not_given_as_weights(tmp_path: Path) -> None:
    file = SafetensorsFile(write_safetensors(tmp_path / "a.safetensors", {"iteration": np.array([1000]), "a": A}))
    assert np.array_equal(file["a"], A)
    with pytest.raises(VoiceError) as caught:
        file["iteration"]
    assert "I64" in caught.value.message
    with pytest.raises(KeyError):
        file["b"]


def _changed(**changes: Any) -> bytes:
    header = header_of(TENSORS)
    header["a"] |= changes
    return json.dumps(header).encode()


GOOD = json.dumps(header_of(TENSORS)).encode()
LIES = {
    "empty": (b"", b"", 0),
    "header longer than the file": (GOOD, DATA, 10_000),
    "header of 2^60 bytes": (GOOD, DATA, 1 << 60),
    "header of 2^64 - 1 bytes": (GOOD, DATA, (1 << 64) - 1),
    "no JSON": (b"{'a': 1}", DATA, None),
    "no object": (b"[]", DATA, None),
    "not UTF-8": (b'{"\xff": 1}', DATA, None),
    "nested without end": (b'{"a":' + b"[" * 100_000, DATA, None),
    "a name twice": (GOOD[:-1] + b"," + GOOD[1:], DATA, None),
    "data cut short": (GOOD, DATA[:-1], None),
    "data left over": (GOOD, DATA + b"\0", None),
    "offsets past the end": (_changed(shape=[2, 300], data_offsets=[0, 2400]), DATA, None),
    "offsets backwards": (_changed(data_offsets=[24, 0]), DATA, None),
    "negative offset": (_changed(data_offsets=[-24, 0]), DATA, None),
    "offsets of 2^60": (_changed(shape=[1 << 60], data_offsets=[0, 1 << 62]), DATA, None),
    "shape that overflows 64 bits": (_changed(shape=[1 << 32, 1 << 32, 6]), DATA, None),
    "negative sizes that multiply to the right one": (_changed(shape=[-2, -3]), DATA, None),
    "fractional size": (_changed(shape=[2.0, 3]), DATA, None),
    "truth as a size": (_changed(shape=[True, 6]), DATA, None),
    "shape as text": (_changed(shape="23"), DATA, None),
    "no shape": (json.dumps({"a": {"dtype": "F32", "data_offsets": [0, 24]}}).encode(), DATA, None),
    "shape and offsets disagree": (_changed(shape=[2, 2]), DATA, None),
    "far too many axes": (_changed(shape=[1] * 5000 + [6]), DATA, None),
    "unknown type": (_changed(dtype="F33"), DATA, None),
    "type that is no text": (_changed(dtype=["F32"]), DATA, None),
    "overlap": (json.dumps(header_of({"a": A}) | {"b": {"dtype": "F16", "shape": [4], "data_offsets": [20, 28]}}).encode(), DATA, None),
    "gap": (json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [24, 28]}}).encode(), DATA, None),
    "entry that is no object": (b'{"a": 5}', b"", None),
    "metadata that is no text": (GOOD[:-1] + b', "__metadata__": {"k": 1}}', DATA, None),
    "metadata that is no object": (GOOD[:-1] + b', "__metadata__": "k"}', DATA, None),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_lies_is_refused_in_one_sentence(tmp_path: Path, lie: str) -> None:
    header, data, length = LIES[lie]
    path = write_raw(tmp_path / "a.safetensors", header, data, length)
    with pytest.raises(VoiceError) as caught:
        SafetensorsFile(path)
    assert caught.value.message == "This safetensors file cannot be read: a.safetensors"
    assert caught.value.hint


def test_a_header_above_the_limit_of_the_format_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with path.open("wb") as file:
        file.write((MAX_SAFETENSORS_HEADER_BYTES + 1).to_bytes(8, "little") + b"{}")
        file.truncate(MAX_SAFETENSORS_HEADER_BYTES + 100)  # sparse: no disk is used
    with pytest.raises(VoiceError):
        SafetensorsFile(path)


def test_cutting_a_file_anywhere_is_noticed(tmp_path: Path) -> None:
    whole = write_safetensors(tmp_path / "whole", TENSORS).read_bytes()
    for size in range(len(whole)):
        (tmp_path / "part").write_bytes(whole[:size])
        with pytest.raises(VoiceError):
            SafetensorsFile(tmp_path / "part")


def test_a_missing_file_and_a_folder_are_voice_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(VoiceError):
            SafetensorsFile(path)


def test_an_aivm_carries_its_three_texts(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny" / "model.aivm"
    metadata = SafetensorsFile(path).metadata
    assert {"aivm_manifest", "aivm_hyper_parameters", "aivm_style_vectors"} <= metadata.keys()
    assert json.loads(metadata["aivm_manifest"])["model_format"] == "Safetensors"
