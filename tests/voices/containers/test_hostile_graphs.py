"""Graphs that want other files, have no end, or lie about their sizes: refused, in bounded time and memory."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from app.voices.containers.onnx_metadata import read_onnx_metadata
from app.voices.containers.voice_sources import open_voice_source, read_voice_source
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES, MAX_PROTOBUF_FIELDS
from tests.voices.fuzz import small_voices
from tests.voices.fuzz.small_voices import MANIFEST, graph, metadata
from tests.voices.hostile_voice import refused, voice


def external(location: str, offset: str = "0", length: str = "24", where: Callable[[onnx.ModelProto], Any] | None = None) -> bytes:
    """A graph with a tensor that lies in another file."""
    model = small_voices.model()
    tensor = (where or (lambda made: made.graph.initializer[0]))(model)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return model.SerializeToString()


HIDDEN: dict[str, Callable[[onnx.ModelProto], Any]] = {
    "initializer": lambda made: made.graph.initializer[0],
    "constant": lambda made: made.graph.node[0].attribute[0].t,
    "constant in a branch": lambda made: made.graph.node[1].attribute[0].g.node[0].attribute[0].t,
    "sparse tensor": lambda made: made.graph.sparse_initializer.add().values,
    "tensor of a list": lambda made: made.graph.node[2].attribute.add().tensors.add(),
    "training": lambda made: made.training_info.add().initialization.initializer.add(),
    "function": lambda made: made.functions.add().node.add().attribute.add().t,
}
OUTSIDE = ("/etc/passwd", "../weights.bin", "a/weights.bin", "C:\\weights.bin", "..\\weights.bin", "..", ".", "", "x" * 300, "link.bin")


@pytest.mark.parametrize("place", HIDDEN)
def test_a_tensor_outside_is_found_wherever_it_hides(tmp_path: Path, place: str) -> None:
    refused(voice(tmp_path, model__onnx=external("/etc/passwd", where=HIDDEN[place])), "a file in another location")


@pytest.mark.parametrize("location", OUTSIDE)
def test_tensors_in_other_places_are_refused(tmp_path: Path, location: str) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(100))
    try:
        (tmp_path / "link.bin").symlink_to("weights.bin")
        if not (tmp_path / "link.bin").exists():  # Wine makes links of Windows, and does not follow them
            pytest.skip("links lead nowhere here")
    except OSError:
        (tmp_path / "link.bin").mkdir()
    refused(voice(tmp_path, model__onnx=external(location)), "a file in another location")


def test_tensors_in_a_file_beside_are_taken_when_they_are_all_there(tmp_path: Path) -> None:
    path = voice(tmp_path, model__onnx=external("model.onnx.data", "76"))
    refused(path, "is missing")
    (tmp_path / "model.onnx.data").write_bytes(bytes(99))
    refused(path, "too short")
    (tmp_path / "model.onnx.data").write_bytes(bytes(100))
    assert read_voice_source(path).graphs == {"whole": path}
    assert tmp_path / "model.onnx.data" in open_voice_source(path).list_files()
    for offset, length in (("-1", "4"), ("x", "4"), ("9" * 40, "4"), ("0", str(2**62))):
        path.write_bytes(external("model.onnx.data", offset, length))
        refused(path, "too short")


def test_many_tensors_in_the_same_bytes_are_refused(tmp_path: Path) -> None:
    """One gigabyte on the disk would be a hundred in memory."""
    model = small_voices.model()
    for number in range(3):
        tensor = model.graph.initializer.add()
        tensor.name, tensor.data_location = f"copy{number}", onnx.TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "model.onnx.data"  # without a length: all of it
    path = voice(tmp_path, model__onnx=model.SerializeToString())
    with (tmp_path / "model.onnx.data").open("wb") as file:
        file.truncate(MAX_GRAPH_BYTES // 2)  # sparse: no disk is used
    refused(path, "too large")


def test_an_archive_with_tensors_outside_is_refused(tmp_path: Path) -> None:
    style = json.dumps({"data": small_voices.vectors().tolist(), "shape": [3, 256]}).encode()
    (tmp_path / "v.sbv2").write_bytes(small_voices.sbv2({"model.onnx": external("weights.bin"), "style_vectors.json": style}))
    refused(tmp_path / "v.sbv2", "a file in another location")


GRAPHS: dict[str, Callable[[], bytes]] = {
    "more parts than a voice has": lambda: graph() + b"\x3a\x02\x0a\x00" * (MAX_PROTOBUF_FIELDS // 2 + 1),
    "a dimension of endless numbers": lambda: (
        graph() + b"\x3a" + _message(b"\x2a" + _message(b"\x0a" + _message(bytes(MAX_PROTOBUF_FIELDS + 1))))
    ),
    "metadata of 2^60 bytes": lambda: graph() + b"\x72" + b"\xff" * 8 + b"\x0f",
    "metadata twice": lambda: graph(metadata()) + _message(b"\x0a\x0daivm_manifest\x12\x02{}", b"\x72"),
    "metadata that are no text": lambda: graph() + _message(b"\x0a\x02\xff\xfe", b"\x72"),
    "a number where the graph should be": lambda: b"\x08\x09\x38\x05",
    "a group": lambda: graph() + b"\x0b\x0c",
    "field 0": lambda: graph() + b"\x02\x00",
    "a number of 11 bytes": lambda: graph() + b"\x08" + b"\xff" * 10 + b"\x01",
}


def _message(content: bytes, tag: bytes = b"") -> bytes:
    length, number = len(content), bytearray()
    while length > 0x7F:
        number.append(length & 0x7F | 0x80)
        length >>= 7
    return tag + bytes((*number, length)) + content


@pytest.mark.parametrize("case", GRAPHS)
def test_graphs_that_lie_are_refused(tmp_path: Path, case: str) -> None:
    refused(voice(tmp_path, model__onnx=GRAPHS[case]()), "not a valid ONNX model")


def test_graphs_inside_graphs_end(tmp_path: Path) -> None:
    inner = b""
    for _ in range(2000):
        for tag in (b"\x32", b"\x2a", b"\x0a"):  # the graph of an attribute of a node
            inner = _message(inner, tag)
    refused(voice(tmp_path, model__onnx=graph() + _message(inner, b"\x3a")), "not a valid ONNX model")


def test_a_file_of_more_than_2_gb_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "voice.onnx").open("wb") as file:
        file.write(graph())
        file.truncate(MAX_GRAPH_BYTES + 1)  # sparse: no disk is used
    refused(tmp_path / "voice.onnx", "too large")


def test_samples_of_many_megabytes_take_no_more_memory_than_a_few_times_that(tmp_path: Path) -> None:
    size = 30 << 20
    speakers = [MANIFEST["speakers"][0] | {"icon": "data:image/png;base64," + "A" * size}]
    (tmp_path / "voice.aivmx").write_bytes(graph(metadata(MANIFEST | {"speakers": speakers})))
    tracemalloc.start()
    try:
        assert read_onnx_metadata(tmp_path / "voice.aivmx").keys() == metadata().keys()
        assert read_voice_source(tmp_path / "voice.aivmx").manifest.name == MANIFEST["name"]
        assert tracemalloc.get_traced_memory()[1] < 5 * size
    finally:
        tracemalloc.stop()
