"""Every voice in a file, folder or zip is found, whatever the files are called, and nothing is left when there is none."""

import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.common.files import paths
from app.voices.containers.voice_sources import Checkpoint, find_checkpoints, open_voice_source, read_source_facts, read_voice_source
from app.voices.untrusted import voice_limits
from app.voices.untrusted.voice_limits import MAX_FOLDER_DEPTH
from tests.voices.fuzz import small_voices
from tests.voices.fuzz.small_voices import CONFIG, graph, metadata, npy, weights, zipped

AIVMX = graph(metadata())


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def labels(found: list[Checkpoint]) -> list[tuple[str, str]]:
    return [(item.label, item.format) for item in found]


def test_checkpoints_of_a_folder_come_in_natural_order(tmp_path: Path) -> None:
    names = ("m_e100.safetensors", "m_e9.safetensors", "M_E20.SAFETENSORS", "m_e1000.safetensors")
    write(tmp_path, dict(small_voices.folder()) | dict.fromkeys(names, weights()) | {"readme.txt": b"hello", "icon.png": b"\x89PNG"})
    found = [item.label for item in find_checkpoints(tmp_path, None)]
    assert found == [
        "M_E20.SAFETENSORS",
        "m_e9.safetensors",
        "m_e100.safetensors",
        "m_e1000.safetensors",
        "model.onnx",
        "model_e1.safetensors",
    ]


def test_every_format_is_read_by_content_alone(tmp_path: Path) -> None:
    contents = {"aivmx": AIVMX, "aivm": weights(metadata()), "onnx": graph(), "safetensors": weights(), "sbv2": small_voices.sbv2()}
    write(tmp_path, {f"{name}.bin": content for name, content in contents.items()})
    assert labels(find_checkpoints(tmp_path, None)) == [(f"{name}.bin", name) for name in sorted(contents)]


def test_folders_inside_are_looked_into_but_not_without_end(tmp_path: Path) -> None:
    deep = "/".join("d" * MAX_FOLDER_DEPTH)
    write(tmp_path, {f"{deep}/voice.aivmx": AIVMX, f"{deep}/e/voice.aivmx": AIVMX})
    assert labels(find_checkpoints(tmp_path, None)) == [(f"{deep}/voice.aivmx", "aivmx")]


def test_links_in_a_circle_end_and_links_to_files_count(tmp_path: Path) -> None:
    write(tmp_path, {"store/blob": AIVMX})
    (tmp_path / "voice").mkdir()
    try:
        (tmp_path / "voice" / "circle").symlink_to(tmp_path)
        (tmp_path / "voice" / "self").symlink_to("self")
        (tmp_path / "voice" / "voice.aivmx").symlink_to("../store/blob")
    except OSError as exc:
        pytest.skip(f"no links here: {exc}")
    if not (tmp_path / "voice" / "voice.aivmx").is_file():  # Wine makes links of Windows, and does not follow them
        pytest.skip("links lead nowhere here")
    assert labels(find_checkpoints(tmp_path / "voice", None)) == [("voice.aivmx", "aivmx")]


def test_a_folder_with_far_too_many_files_is_refused_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice_limits, "MAX_ZIP_ENTRIES", 50)
    write(tmp_path, {f"{number}.txt": b"x" for number in range(60)})
    with pytest.raises(VoiceError, match="too many files"):
        find_checkpoints(tmp_path, None)


def shift_jis_zip(files: dict[str, bytes]) -> bytes:
    """A zip as Japanese Windows makes it: names in Shift_JIS, and no word of it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = name.encode("cp932").decode("cp437")
            archive.writestr(info, content)
    raw = buffer.getvalue()
    return _without_utf8_flag(raw)


def _without_utf8_flag(raw: bytes) -> bytes:
    """Python writes names that are no ASCII as UTF-8 and says so; both are undone."""
    archive = zipfile.ZipFile(io.BytesIO(raw))
    changed = bytearray(raw)
    for info in archive.infolist():
        written, wanted = info.orig_filename.encode(), info.orig_filename.encode("cp437")  # the other one has "/" for "\\" on Windows
        padded = wanted + b" " * (len(written) - len(wanted))
        assert info.flag_bits & 0x800
        for start, flag, name in ((info.header_offset, 6, 30), *((place, 8, 46) for place in _places(raw, b"PK\1\2", written, 46))):
            changed[start + flag + 1] &= ~0x08
            changed[start + name : start + name + len(written)] = padded
    return bytes(changed)


def _places(raw: bytes, magic: bytes, name: bytes, offset: int) -> list[int]:
    return [place for place in range(len(raw)) if raw.startswith(magic, place) and raw.startswith(name, place + offset)]


def test_names_in_shift_jis_are_read(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "voice.zip").write_bytes(shift_jis_zip({"表情ソ/声": AIVMX}))
    (found,) = find_checkpoints(tmp_path / "voice.zip", scratch)
    assert found.label.rstrip() == "表情ソ/声"
    assert found.path.read_bytes() == AIVMX


def test_a_zip_is_read_by_content_and_its_files_lie_below_the_scratch_folder(tmp_path: Path, scratch: Path) -> None:
    files = {f"声/{name}": content for name, content in small_voices.folder().items()}
    (tmp_path / "voice.AIVMX").write_bytes(zipped(files | {"声/sample.wav": b"RIFF" + bytes(50), "__MACOSX/声/._model.onnx": graph()}))
    found = find_checkpoints(tmp_path / "voice.AIVMX", scratch)
    assert labels(found) == [("声/model.onnx", "onnx"), ("声/model_e1.safetensors", "safetensors")]
    assert all(item.path.is_relative_to(scratch) for item in found)
    assert not list(scratch.rglob("*.wav"))
    assert read_voice_source(found[0].path).manifest.name == CONFIG["model_name"]


def test_a_zip_of_the_64_bit_kind_is_read(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    content = zipped({"readme.txt": b"x" * 500, "voice.aivmx": AIVMX})
    monkeypatch.undo()
    assert b"PK\6\7" in content
    (tmp_path / "voice.zip").write_bytes(content)
    assert labels(find_checkpoints(tmp_path / "voice.zip", scratch)) == [("voice.aivmx", "aivmx")]


def test_a_zip_in_a_zip_is_looked_into_once(tmp_path: Path, scratch: Path) -> None:
    inner = zipped({"voice.aivmx": AIVMX})
    (tmp_path / "voice.zip").write_bytes(zipped({"readme.txt": b"x", "inner.zip": inner}))
    assert labels(find_checkpoints(tmp_path / "voice.zip", scratch)) == [("inner.zip/voice.aivmx", "aivmx")]
    (tmp_path / "deep.zip").write_bytes(zipped({"deeper.zip": zipped({"inner.zip": inner})}))
    (tmp_path / "empty").mkdir()
    with pytest.raises(VoiceError, match=r"nested too deeply: inner\.zip"):
        find_checkpoints(tmp_path / "deep.zip", tmp_path / "empty")
    assert not list((tmp_path / "empty").iterdir())


NO_VOICE: dict[str, tuple[dict[str, bytes], str]] = {
    "an empty file": ({"model.safetensors": b"", "config.json": b"{}"}, "“model.safetensors” is an empty file"),
    "a web page": ({"model.onnx": b"<!DOCTYPE html><html>", "readme.txt": b"hello"}, "“model.onnx” is a saved web page"),
    "a damaged one beside a checkpoint": (
        {"G_0.pth": b"\x80\x02enc_p.style_proj.weight", "model.safetensors": weights()[:-1], "config.json": b"{}"},
        "This safetensors file cannot be read: model.safetensors",
    ),
}


@pytest.mark.parametrize("case", NO_VOICE)
@pytest.mark.parametrize("in_zip", [False, True], ids=["folder", "zip"])
def test_of_a_folder_without_a_voice_the_file_is_named_that_is_called_like_one(
    tmp_path: Path, scratch: Path, case: str, in_zip: bool
) -> None:
    files, says = NO_VOICE[case]
    source = write(tmp_path / "voice", files)
    if in_zip:
        source = tmp_path / "voice.zip"
        source.write_bytes(zipped(files))
    with pytest.raises(VoiceError, match=says) as caught:
        find_checkpoints(source, scratch)
    assert "ownload it again" in caught.value.hint


def test_a_zip_in_a_folder_counts_when_there_is_nothing_else(tmp_path: Path, scratch: Path) -> None:
    write(tmp_path / "download", {"voice.zip": zipped({"voice.aivmx": AIVMX})})
    assert labels(find_checkpoints(tmp_path / "download", scratch)) == [("voice.zip/voice.aivmx", "aivmx")]
    write(tmp_path / "download", {"other.aivmx": AIVMX})
    assert labels(find_checkpoints(tmp_path / "download", scratch)) == [("other.aivmx", "aivmx")]


def test_a_prepared_voice_in_a_zip_comes_whole(tmp_path: Path, scratch: Path) -> None:
    shipped = paths.find_resources_dir() / "voices" / "mei"
    copy = tmp_path / "mei"
    shutil.copytree(shipped, copy)
    write(copy, {"media/icon.png": b"\x89PNG\r\n\x1a\n", "media/sample.wav": b"RIFF"})
    shutil.make_archive(str(tmp_path / "voice"), "zip", tmp_path, "mei")
    (found,) = find_checkpoints(tmp_path / "voice.zip", scratch)
    assert (found.label, found.format) == ("mei", "prepared")
    assert {str(item.relative_to(found.path)) for item in found.path.rglob("*") if item.is_file()} == {
        str(item.relative_to(copy)) for item in copy.rglob("*") if item.is_file()
    }
    assert read_voice_source(tmp_path / "voice.zip").manifest == read_voice_source(shipped).manifest
    assert all(isinstance(model, bytes) for model in read_voice_source(tmp_path / "voice.zip").graphs.values())


def test_a_zip_is_opened_without_leaving_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "voice.zip").write_bytes(zipped({"声.aivmx": AIVMX}))
    voice = read_voice_source(tmp_path / "voice.zip")
    assert (voice.manifest.name, voice.path, voice.graphs["whole"]) == ("小さな声", tmp_path / "voice.zip", AIVMX)
    assert read_source_facts(tmp_path / "voice.zip").aivm_manifest["license"] == "CC0"
    assert not list((tmp_path / "temp").iterdir())


def test_only_two_voices_make_a_choice(tmp_path: Path) -> None:
    write(tmp_path, {"a.aivmx": AIVMX, "b.aivmx": AIVMX})
    with pytest.raises(VoiceError, match="2 voice files") as caught:
        read_voice_source(tmp_path)
    assert "a.aivmx, b.aivmx" in caught.value.hint


def test_what_a_voice_consists_of(tmp_path: Path) -> None:
    write(tmp_path, {"CONFIG.JSON": small_voices.folder()["config.json"], "Style_Vectors.npy": npy(), "a.onnx": graph(), "b.aivmx": AIVMX})
    assert [item.name for item in open_voice_source(tmp_path / "a.onnx").list_files()] == ["a.onnx", "CONFIG.JSON", "Style_Vectors.npy"]
    assert [item.name for item in open_voice_source(tmp_path / "b.aivmx").list_files()] == ["b.aivmx"]


def test_the_digest_knows_content_not_names(tmp_path: Path) -> None:
    write(tmp_path / "one", dict(small_voices.folder()))
    write(tmp_path / "two", {name.replace("model.onnx", "x.onnx"): data for name, data in small_voices.folder().items()})
    assert (
        open_voice_source(tmp_path / "one" / "model.onnx").compute_digest()
        == open_voice_source(tmp_path / "two" / "x.onnx").compute_digest()
    )
    write(tmp_path / "two", {"config.json": b'{"version": "2.5.0-JP-Extra"}'})
    assert (
        open_voice_source(tmp_path / "one" / "model.onnx").compute_digest()
        != open_voice_source(tmp_path / "two" / "x.onnx").compute_digest()
    )


@pytest.mark.parametrize(
    ("files", "used"),
    [
        ({"style_vectors.npy", "style_vectors_model.json"}, "style_vectors_model.json"),
        ({"style_vectors.npy", "style_vectors_old.npy"}, "style_vectors.npy"),
        ({"style_vectors_any.json"}, "style_vectors_any.json"),
        ({"style_vectors_a.npy", "style_vectors_b.npy"}, None),
        (set(), None),
    ],
)
def test_which_style_vectors_belong_to_a_model(tmp_path: Path, files: set[str], used: str | None) -> None:
    write(tmp_path, {"model.onnx": graph()} | {name: npy() for name in files})  # content tells npy from JSON
    if used is None:
        with pytest.raises(VoiceError, match="style vectors") as caught:
            read_voice_source(tmp_path / "model.onnx")
        assert "style_vectors.npy" in caught.value.hint
    else:
        assert [item.name for item in open_voice_source(tmp_path / "model.onnx").list_files()] == ["model.onnx", used]
        assert read_voice_source(tmp_path / "model.onnx").style_vectors.shape == (3, 256)


def test_a_folder_that_cannot_be_listed_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(path: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", locked)
    with pytest.raises(VoiceError, match="cannot be read") as caught:
        find_checkpoints(tmp_path, None)
    assert caught.value.hint
