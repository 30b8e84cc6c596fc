"""Zips and `.sbv2` archives that want to write elsewhere, to grow without end, or to confuse: refused, with nothing left behind."""

import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from app.common.errors import VoiceError
from app.voices.containers import voice_zip
from app.voices.containers.voice_sources import find_checkpoints, read_voice_source
from app.voices.containers.voice_zip import is_outside_path, make_safe_name
from app.voices.untrusted.voice_limits import FREE_UNPACKED_BYTES, MAX_ZIP_DIRECTORY_BYTES
from tests.voices.fuzz import small_voices
from tests.voices.fuzz.small_voices import graph, metadata, zipped

AIVMX = graph(metadata())
ZEROS = bytes(FREE_UNPACKED_BYTES + (8 << 20))


def zip_of(name: str, mode: int = stat.S_IFREG | 0o644, method: int = zipfile.ZIP_DEFLATED, content: bytes = AIVMX) -> bytes:
    """A zip of one entry, with any name and kind."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        info = zipfile.ZipInfo("x")
        info.filename, info.external_attr, info.compress_type = name, mode << 16, method
        archive.writestr(info, content)
    return buffer.getvalue()


def with_password() -> bytes:
    """The flag that says a zip is encrypted, in both places."""
    raw = bytearray(zip_of("voice.aivmx"))
    raw[6] |= 1
    raw[raw.rfind(b"PK\1\2") + 8] |= 1
    return bytes(raw)


def twice() -> bytes:
    """Two entries whose names differ in case only."""
    return zipped({"voice.aivmx": AIVMX, "VOICE.aivmx": AIVMX})


def lying_size() -> bytes:
    """An entry that says it unpacks to 5 bytes."""
    raw = bytearray(zip_of("voice.aivmx"))
    raw[22:26] = struct.pack("<I", 5)
    place = raw.rfind(b"PK\1\2")
    raw[place + 24 : place + 28] = struct.pack("<I", 5)
    return bytes(raw)


def huge_directory() -> bytes:
    """A list of entries that would take gigabytes in memory; here it only says so."""
    raw = bytearray(zip_of("voice.aivmx"))
    raw[-10:-6] = struct.pack("<I", MAX_ZIP_DIRECTORY_BYTES + 1)
    return bytes(raw)


ZIPS: dict[str, tuple[Callable[[], bytes], str]] = {
    "parent": (lambda: zip_of("../voice.aivmx"), "points outside"),
    "parent inside": (lambda: zip_of("a/../../voice.aivmx"), "points outside"),
    "absolute": (lambda: zip_of("/tmp/voice.aivmx"), "points outside"),
    "drive": (lambda: zip_of("C:\\voice.aivmx"), "points outside"),
    "drive without a separator": (lambda: zip_of("C:voice.aivmx"), "points outside"),
    "backslashes": (lambda: zip_of("..\\voice.aivmx"), "points outside"),
    "server": (lambda: zip_of("\\\\server\\voice.aivmx"), "points outside"),
    "link": (lambda: zip_of("voice.aivmx", stat.S_IFLNK | 0o777, content=b"/etc/passwd"), "points outside"),
    "pipe": (lambda: zip_of("voice.aivmx", stat.S_IFIFO), "points outside"),
    "device": (lambda: zip_of("voice.aivmx", stat.S_IFCHR), "points outside"),
    "bomb": (lambda: zip_of("voice.aivmx", content=b"\x08" + ZEROS), "far too large when unpacked"),
    "bomb in a zip": (lambda: zipped({"inner.zip": zip_of("voice.aivmx", content=b"\x08" + ZEROS)}), "far too large when unpacked"),
    "password": (with_password, "password-protected"),
    "bzip2": (lambda: zip_of("voice.aivmx", method=zipfile.ZIP_BZIP2), "unsupported compression"),
    "LZMA": (lambda: zip_of("voice.aivmx", method=zipfile.ZIP_LZMA), "unsupported compression"),
    "a name twice": (twice, "cannot be unpacked"),
    "lying size": (lying_size, "cannot be unpacked"),
    "huge directory": (huge_directory, "cannot be unpacked"),
    "cut": (lambda: zip_of("voice.aivmx")[:-30], "cannot be unpacked"),
    "no directory": (lambda: b"PK\x03\x04" + bytes(100), "cannot be unpacked"),
    "nothing in it": (lambda: zipped({}), "No Style-Bert-VITS2 voice"),
    "no voice in it": (lambda: zipped({"a.txt": b"hello", "b.wav": b"RIFF"}), "No Style-Bert-VITS2 voice"),
}


@pytest.mark.parametrize("case", ZIPS)
def test_a_hostile_zip_is_refused_and_leaves_nothing(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, says = ZIPS[case]
    scratch = tmp_path / "a" / "scratch"
    scratch.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "voice.zip").write_bytes(make())
    for action in (lambda: find_checkpoints(tmp_path / "voice.zip", scratch), lambda: read_voice_source(tmp_path / "voice.zip")):
        with pytest.raises(VoiceError, match=says) as caught:
            action()
        assert caught.value.hint
        assert sorted(item.name for item in tmp_path.rglob("*")) == ["a", "scratch", "voice.zip"]


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(voice_zip, "_write_entry", full)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "voice.zip").write_bytes(zipped({"voice.aivmx": AIVMX}))
    with pytest.raises(VoiceError) as caught:
        find_checkpoints(tmp_path / "voice.zip", tmp_path / "scratch")
    assert "disk" in caught.value.hint
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("声.aivmx", "声.aivmx"),
        ("con.onnx", "_con.onnx"),
        ("NUL", "_NUL"),
        ("a:b?.onnx", "a_b_.onnx"),
        ("x. ", "x"),
        ("", "_"),
        ("x" * 300 + ".onnx", "x" * 80 + ".onnx"),
        ("x." + "y" * 300, ("x." + "y" * 300)[:80]),
        ("control.onnx", "control.onnx"),
    ],
)
def test_names_fit_every_system(name: str, safe: str) -> None:
    assert make_safe_name(name) == safe
    assert not is_outside_path(safe)


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A compressed tar of any members, before the two that a voice has."""
    buffer = io.BytesIO(small_voices.tar())
    front = io.BytesIO()
    with tarfile.open(fileobj=front, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        front_bytes = front.getvalue()[: archive.offset]
    return zstandard.compress(front_bytes + buffer.getvalue())


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


SBV2_GOOD = {
    "a link": ((member("model.onnx", tarfile.SYMTYPE, "/etc/passwd"), b""),),
    "a hard link": ((member("model.onnx", tarfile.LNKTYPE, "x"), b""),),
    "a device": ((member("model.onnx", tarfile.CHRTYPE), b""),),
    "a file outside": ((member("../../model.onnx"), b"x"), (member("/model.onnx"), b"x")),
    "a long name": ((member("x" * 300), b"hello"),),
}
SBV2_BAD = {
    "bomb beside": lambda: tar((member("x"), ZEROS)),
    "bomb": lambda: small_voices.sbv2({"model.onnx": ZEROS, "style_vectors.json": b"{}"}),
    "endless name": lambda: tar((member("x" * (2 << 20)), b"hello")),
    "twice": lambda: tar((member("model.onnx"), b"x")),
    "cut": lambda: small_voices.sbv2()[:-20],
    "cut inside": lambda: zstandard.compress(small_voices.tar()[:3000]),
    "no tar": lambda: zstandard.compress(b"hello" * 1000),
    "no end": lambda: zstandard.compress(small_voices.tar().rstrip(b"\0")),
    "no graph": lambda: small_voices.sbv2({"style_vectors.json": b"{}"}),
    "vectors of nothing": lambda: small_voices.sbv2({"model.onnx": graph(), "style_vectors.json": b'{"data": [], "shape": [0, 256]}'}),
    "vectors of a text": lambda: small_voices.sbv2({"model.onnx": graph(), "style_vectors.json": b'{"data": [["1"]], "shape": [1, 1]}'}),
    "huge window": lambda: bytes.fromhex("28b52ffd00f8010000"),
}


@pytest.mark.parametrize("case", SBV2_GOOD)
def test_members_that_are_no_files_of_the_voice_are_passed_over(tmp_path: Path, case: str) -> None:
    (tmp_path / "voice.sbv2").write_bytes(tar(*SBV2_GOOD[case]))
    assert read_voice_source(tmp_path / "voice.sbv2").graphs == {"whole": graph()}
    assert [item.name for item in tmp_path.iterdir()] == ["voice.sbv2"]


@pytest.mark.parametrize("case", SBV2_BAD)
def test_a_hostile_archive_is_refused(tmp_path: Path, case: str) -> None:
    (tmp_path / "voice.sbv2").write_bytes(SBV2_BAD[case]())
    with pytest.raises(VoiceError) as caught:
        read_voice_source(tmp_path / "voice.sbv2")
    assert caught.value.hint
    assert [item.name for item in tmp_path.iterdir()] == ["voice.sbv2"]
