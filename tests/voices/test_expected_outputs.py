"""Expected outputs, NPZ: what numpy writes is read, whatever else is refused without unpacking gigabytes."""

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.common.errors import InputError
from app.voices import expected_outputs
from app.voices.expected_outputs import read_cases
from app.voices.untrusted.style_vectors import parse_npy_array

NUMBERS = st.sampled_from(["<f2", "<f4", "<f8", ">f4", "<i8", "<i4", "u1", "i2", "?"])


def saved(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


@given(NUMBERS.flatmap(lambda kind: arrays(kind, array_shapes(min_dims=0, min_side=0, max_dims=4))), st.booleans())
def test_what_numpy_saves_is_read(values: np.ndarray, fortran: bool) -> None:
    values = np.asfortranarray(values) if fortran else values
    found = parse_npy_array(saved(values))
    assert found.dtype == values.dtype
    assert np.array_equal(found, values, equal_nan=values.dtype.kind == "f")


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([1j]), np.array(["2026"], "M8[Y]"), np.zeros(2, "f4,i4")])
def test_other_kinds_are_refused(values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="header"):
        parse_npy_array(saved(values))


@pytest.mark.parametrize("compressed", [False, True])
def test_cases_are_read_in_order(tmp_path: Path, compressed: bool) -> None:
    values: dict[str, Any] = {
        "case10.output": np.ones(3),
        "case2.output": np.zeros((1, 2), np.float32),
        "case2.x_tst": np.arange(5),
        "note": np.array("a"),
    }
    (np.savez_compressed if compressed else np.savez)(tmp_path / "a.npz", **values)
    first, second = read_cases(tmp_path / "a.npz")
    assert set(first) == {"output", "x_tst"}
    assert np.array_equal(first["x_tst"], np.arange(5))
    assert np.array_equal(second["output"], np.ones(3))


def zipped(path: Path, members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def refused(path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"cannot be read|contains no expected"):
            read_cases(path)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def claiming(size: int) -> bytes:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({size},), }}"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(64)


@pytest.mark.parametrize("content", [b"", b"PK", saved(np.zeros(3)), claiming(3), b"PK\5\6" + bytes(18), b"x" * 100_000])
def test_what_is_no_npz(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    refused(tmp_path / "a.npz")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("claim", [10**6, 10**12, 10**30])
def test_claims_of_headers_are_not_believed(claim: int, method: int, tmp_path: Path) -> None:
    refused(zipped(tmp_path / "a.npz", {"case0.output": claiming(claim)}, method))


def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected_outputs, "MAX_UNPACKED_CASE_BYTES", 8 << 20)
    refused(zipped(tmp_path / "a.npz", {f"case{index}.output": saved(np.zeros(1 << 20, np.int8)) for index in range(9)}))


def test_a_size_that_lies_about_a_bomb(tmp_path: Path) -> None:
    """The directory says 100 bytes; deflate would give 200 MB."""
    path = zipped(tmp_path / "a.npz", {"case0.output": bytes(200 << 20)})
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\1\2")
    content[at + 24 : at + 28] = struct.pack("<I", 100)
    path.write_bytes(content)
    refused(path)


def test_too_many_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected_outputs, "MAX_CASE_ARRAYS", 20)
    refused(zipped(tmp_path / "a.npz", {f"case{index}.output": saved(np.zeros(1)) for index in range(21)}))


@given(st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = zipped(tmp_path_factory.getbasetemp() / "damaged.npz", {"case0.output": saved(np.arange(4)), "case0.x": saved(np.zeros(2))})
    content = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=3)):
        content[at] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(1, len(content)))])
    try:
        read_cases(path)
    except InputError:
        return
