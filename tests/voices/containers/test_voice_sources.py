"""Voices opened as they come: recognised by content, with what each container tells of them."""

import io
import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
import zstandard

from app.common.errors import VoiceError
from app.voices.containers.onnx_metadata import read_onnx_metadata
from app.voices.containers.voice_sources import open_voice_source, read_source_facts, read_voice_source
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted.safetensors_file import SafetensorsFile
from tests.voices.safetensors_file import header_of, write_raw, write_safetensors

CONTAINERS = ("aivmx", "onnx", "aivm", "safetensors", "sbv2")


@pytest.fixture(scope="session")
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.mark.parametrize("kind", ["aivmx", "onnx"])
def test_speakers_and_styles_of_a_container(reference: Path, kind: str) -> None:
    voice = read_voice_source(reference / "jp-extra-tiny-2spk" / f"model.{kind}")
    assert [item.id for item in voice.manifest.speakers] == [0, 1]
    neutral = "ノーマル" if kind == "aivmx" else "Neutral"
    assert [item.name for item in voice.manifest.styles] == [neutral, "Happy", "Sad", "Angry", "Whisper"]
    assert voice.manifest.format == kind
    assert voice.manifest.is_single_graph
    assert voice.manifest.bert == SBV2_BERT_ID
    assert voice.style_vectors.shape == (5, 256)
    assert not voice.manifest.multilingual


@pytest.mark.parametrize("kind", CONTAINERS)
def test_multilingual_is_read_by_what_the_model_takes(reference: Path, kind: str) -> None:
    """Not by its settings, which an `.sbv2` does not even have."""
    assert read_voice_source(reference / "multilingual-tiny" / f"model.{kind}").manifest.multilingual
    assert not read_voice_source(reference / "jp-extra-tiny-2spk" / f"model.{kind}").manifest.multilingual


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_zip_gives_the_same_voice(reference: Path, tmp_path: Path, kind: str) -> None:
    source = reference / "jp-extra-tiny-2spk" / f"model.{kind}"
    with zipfile.ZipFile(tmp_path / "voice.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in (source, source.parent / "config.json", source.parent / "style_vectors.npy"):
            archive.write(path, f"声/{path.name}")
    direct, zipped = read_voice_source(source), read_voice_source(tmp_path / "voice.zip")
    assert zipped.manifest == direct.manifest
    assert np.array_equal(zipped.style_vectors, direct.style_vectors)
    assert {name: as_bytes(graph) for name, graph in zipped.graphs.items()} == {
        name: as_bytes(graph) for name, graph in direct.graphs.items()
    }


def as_bytes(graph: Path | bytes) -> bytes:
    return graph if isinstance(graph, bytes) else graph.read_bytes()


@pytest.mark.parametrize("kind", CONTAINERS)
def test_facts_agree_with_the_voice(reference: Path, kind: str) -> None:
    path = reference / "jp-extra-tiny-2spk" / f"model.{kind}"
    facts, voice = read_source_facts(path), read_voice_source(path)
    assert facts.kind == voice.manifest.format == kind
    assert np.array_equal(facts.style_vectors, voice.style_vectors)
    assert bool(facts.aivm_manifest) == (kind in ("aivm", "aivmx"))
    assert voice.manifest.id == (facts.aivm_manifest["uuid"] if facts.aivm_manifest else open_voice_source(path).compute_digest()[:16])


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_weights_of_half_the_size_are_a_voice_too(reference: Path, tmp_path: Path, dtype: str) -> None:
    """Rounded before and after: equal."""
    file = SafetensorsFile(reference / "jp-extra-tiny-2spk" / "model.safetensors")
    tensors = {name: file[name] for name in file if name != "iteration"}  # an integer that training left
    for name in ("config.json", "style_vectors.npy"):
        shutil.copy(reference / "jp-extra-tiny-2spk" / name, tmp_path)
    stored, rounded = {}, {}
    for name, values in tensors.items():
        stored[name] = (
            values.astype(np.float16) if dtype == "F16" else (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16)
        )
        rounded[name] = stored[name].astype(np.float32) if dtype == "F16" else (stored[name].astype(np.uint32) << 16).view(np.float32)
    header, data = (
        header_of({name: values.view(np.float16) for name, values in stored.items()}),
        b"".join(map(np.ndarray.tobytes, stored.values())),
    )
    write_raw(tmp_path / "half.safetensors", json.dumps({name: entry | {"dtype": dtype} for name, entry in header.items()}).encode(), data)
    write_safetensors(tmp_path / "full.safetensors", rounded)
    assert read_voice_source(tmp_path / "half.safetensors").graphs == read_voice_source(tmp_path / "full.safetensors").graphs


def test_ids_are_names_of_files_and_follow_content(reference: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("config.json", "style_vectors.npy", "model.onnx"):
            shutil.copy(reference / "jp-extra-tiny-2spk" / name, tmp_path / folder)
    ids = [read_voice_source(tmp_path / folder).manifest.id for folder in ("one", "two")]
    assert ids[0] == ids[1]
    assert re.fullmatch(r"[0-9a-f]{16}", ids[0])


def test_an_sbv2_archive_has_numbered_styles(reference: Path) -> None:
    voice = read_voice_source(reference / "jp-extra-tiny-2spk" / "model.sbv2")
    assert [item.name for item in voice.manifest.styles] == [f"Style {number}" for number in range(5)]
    assert voice.manifest.sampling_rate == 44100


def test_content_decides_not_the_name(reference: Path, tmp_path: Path) -> None:
    shutil.copy(reference / "jp-extra-tiny-2spk" / "model.aivmx", tmp_path / "声.bin")
    assert read_voice_source(tmp_path / "声.bin").manifest.format == "aivmx"
    shutil.copy(reference / "jp-extra-tiny-2spk" / "model.sbv2", tmp_path / "voice.onnx")
    assert read_voice_source(tmp_path / "voice.onnx").manifest.format == "sbv2"


def test_metadata_equals_what_onnx_reads(reference: Path) -> None:
    path = reference / "jp-extra-tiny-2spk" / "model.aivmx"
    expected = {item.key: item.value for item in onnx.load(path).metadata_props}
    assert read_onnx_metadata(path) == expected


def test_a_folder_with_one_graph(reference: Path, tmp_path: Path) -> None:
    for name in ("config.json", "style_vectors.npy", "model.onnx"):
        shutil.copy(reference / "jp-extra-tiny-2spk" / name, tmp_path)
    assert read_voice_source(tmp_path).manifest.name == "jp-extra-tiny-2spk"
    shutil.copy(tmp_path / "model.onnx", tmp_path / "other.onnx")
    with pytest.raises(VoiceError, match="2 voice files") as caught:
        read_voice_source(tmp_path)
    assert "other.onnx" in caught.value.hint


@pytest.mark.parametrize("kind", ["safetensors", "aivm"])
def test_weights_become_three_graphs(reference: Path, kind: str) -> None:
    voice = read_voice_source(reference / "jp-extra-tiny-2spk" / f"model.{kind}")
    assert not voice.manifest.is_single_graph
    assert voice.manifest.format == kind
    assert set(voice.graphs) == {"prosody", "flow", "decoder"}
    assert [item.id for item in voice.manifest.speakers] == [0, 1]
    assert 12 <= voice.manifest.margin_frames <= 16


def test_other_weights_are_refused(tmp_path: Path) -> None:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "other.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    np.save(tmp_path / "style_vectors.npy", np.zeros((1, 256), np.float32))
    with pytest.raises(VoiceError) as caught:
        read_voice_source(tmp_path / "other.safetensors")
    assert caught.value.hint


@pytest.mark.parametrize(
    "content", [b"", b"x", b"\x08", b"\x3a\xff\xff\xff\xff\x7f", b"\x00" * 100, b"\xff" * 100, b"PK\x03\x04" + b"\x00" * 50]
)
def test_what_is_no_voice_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "voice.onnx").write_bytes(content)
    with pytest.raises(VoiceError) as caught:
        read_voice_source(tmp_path / "voice.onnx")
    assert caught.value.hint


def test_truncated_containers_are_refused(reference: Path, tmp_path: Path) -> None:
    for name in ("model.aivmx", "model.sbv2"):
        content = (reference / "jp-extra-tiny-2spk" / name).read_bytes()
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        with pytest.raises(VoiceError):
            read_voice_source(tmp_path / name)


@pytest.mark.parametrize(
    "config", ["", "[]", '{"data": 5}', '{"data": {"spk2id": {"a": "x"}}}', '{"data": {"style2id": {"a": 99}}}', "[" * 100_000]
)
def test_a_broken_config_is_refused(reference: Path, tmp_path: Path, config: str) -> None:
    for name in ("style_vectors.npy", "model.onnx"):
        shutil.copy(reference / "jp-extra-tiny-2spk" / name, tmp_path)
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(VoiceError):
        read_voice_source(tmp_path)


def archive(vectors: object, *, name: str = "model.onnx") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member, content in ((name, b"graph"), ("style_vectors.json", json.dumps(vectors).encode())):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return zstandard.compress(buffer.getvalue())


GOOD = {"data": [[0.0] * 256], "shape": [1, 256]}


@pytest.mark.parametrize(
    "content",
    [
        archive(GOOD, name="../model.onnx"),
        archive({"data": [[0.0] * 5], "shape": [1, 256]}),
        archive({"data": [["x"] * 256], "shape": [1, 256]}),
        archive({"shape": [1, 256]}),
        archive([]),
        zstandard.compress(b"no tar"),
        archive(GOOD)[:40],
    ],
)
def test_a_broken_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "voice.sbv2").write_bytes(content)
    with pytest.raises(VoiceError):
        read_voice_source(tmp_path / "voice.sbv2")
    assert [item.name for item in tmp_path.iterdir()] == ["voice.sbv2"]
