"""What is no file, and style vectors that lie: refused in one sentence, without waiting and without believing a header."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.voices.untrusted.style_vectors import read_style_vectors
from tests.voices.fuzz import small_voices
from tests.voices.fuzz.small_voices import npy
from tests.voices.hostile_voice import refused, voice


@pytest.mark.parametrize("name", ["model.onnx", "config.json", "style_vectors.npy"])
def test_a_pipe_does_not_make_us_wait(tmp_path: Path, name: str) -> None:
    if sys.platform == "win32":
        pytest.skip("no pipes with names on this system")
    path = voice(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    refused(path, "not a file")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/dev/null/x"])
def test_devices_are_no_voices(name: str) -> None:
    if os.name == "nt" or not Path("/dev/zero").exists():  # Wine shows them, as files of Windows
        pytest.skip("no devices in files on this system")
    refused(Path(name))


def test_links_in_a_circle_and_odd_names_are_one_sentence(tmp_path: Path) -> None:
    try:
        (tmp_path / "circle").symlink_to("circle")
    except OSError as exc:
        pytest.skip(f"no links here: {exc}")
    for name in ("circle", "circle/x", "x" * 300, "x\0y", "missing"):
        refused(tmp_path / name)


def test_a_locked_file_is_said_to_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(path: object, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    path = voice(tmp_path)
    monkeypatch.setattr(os, "open", locked)
    refused(path, "No permission to read")


def npy_file(header: str, data: bytes = bytes(1024), version: int = 1) -> bytes:
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes((version, 0)) + length + header.encode() + data


VECTORS = {
    "pickled": npy_file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"cposix\nsystem\n(S'true'\ntR."),
    "endless": npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 256), }"),
    "endless and nothing": npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 99999999999999999999999), }", b""),
    "negative": npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -256), }"),
    "integers": npy(np.zeros((1, 256), np.int32)),
    "one axis": npy(np.zeros(256, np.float32)),
    "wide": npy(np.zeros((1, 257), np.float32)),
    "none": npy(np.zeros((0, 256), np.float32)),
    "too many": npy(np.zeros((2000, 256), np.float32)),
    "not numbers": npy(np.full((1, 256), np.nan, np.float32)),
    "more than float32 holds": npy(np.full((1, 256), 1e300)),
    "a program as header": npy_file("__import__('os').system('true')"),
    "nested header": npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 5000),
    "cut": npy()[:-1],
    "header longer than the file": npy()[:8] + b"\xff\xff" + npy()[10:],
    "a zip": b"PK\x03\x04" + bytes(50),
    "JSON of texts": b'{"data": [["a"]], "shape": [1, 256]}',
    "JSON of another shape": b'{"data": [[1.0]], "shape": [1, 256]}',
    "JSON with an endless number": b'{"data": [[1' + b"0" * 400 + b']], "shape": [1, 1]}',
    "JSON with rows of two lengths": b'{"data": [[1.0], [1.0, 2.0]], "shape": [1, 256]}',
    "empty": b"",
}


@pytest.mark.parametrize("case", VECTORS)
def test_style_vectors_that_lie_are_refused(tmp_path: Path, case: str) -> None:
    refused(voice(tmp_path, style_vectors__npy=VECTORS[case]), "style vectors|style_vectors.npy")


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("integers", "their type is int32"),
        ("one axis", r"their shape is \(256,\)"),
        ("not numbers", "not finite, such as NaN"),
        ("a zip", "“style_vectors.npy” is a zip, such as .npz"),
        ("empty", "“style_vectors.npy” is an empty file"),
    ],
)
def test_style_vectors_are_refused_with_what_is_wrong(tmp_path: Path, case: str, says: str) -> None:
    refused(voice(tmp_path, style_vectors__npy=VECTORS[case]), says)


@pytest.mark.parametrize("stored", [np.float16, np.float64, np.dtype(">f4")], ids=str)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
def test_style_vectors_are_read_however_they_are_stored(tmp_path: Path, stored: Any, version: int, order: Any) -> None:
    values = np.arange(768).reshape(3, 256).astype(stored, order=order)
    with (tmp_path / "v.npy").open("wb") as file:
        np.lib.format.write_array(file, values, (version, 0))
    read = read_style_vectors(tmp_path / "v.npy")
    assert read.dtype == np.float32
    assert np.array_equal(read, np.arange(768, dtype=np.float32).reshape(3, 256))


def test_a_voice_with_weights_needs_its_settings(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(small_voices.weights())
    (tmp_path / "style_vectors.npy").write_bytes(npy())
    refused(tmp_path / "m.safetensors", "no config.json beside")
