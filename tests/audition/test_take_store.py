"""The folder of takes: what is kept comes back, and what a stranger puts there does nothing."""

import hashlib
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.sound import sound_codec
from app.adapters.sound.sound_codec import convert_to_float, convert_to_int16, decode_take, encode_take
from app.audition.take_store import TakeStore, find_sound_folder
from app.common.errors import InputError, OutputFileError
from app.core.script.project import LineTake, list_sounds
from app.core.synthesis_types import Float32

RATE = 44_100
unix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of Unix")


def sound(seed: int = 1, count: int = 5_000) -> Float32:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, count).astype(np.float32)


@pytest.fixture
def store(tmp_path: Path) -> TakeStore:
    return TakeStore(tmp_path / "a.koebako.d")


def fresh(store: TakeStore) -> TakeStore:
    """The same folder, with nothing in memory."""
    return TakeStore(store.folder)


@given(st.integers(1, 3_000), st.sampled_from((22_050, 44_100, 48_000)), st.floats(0, 2))
def test_sixteen_bits_come_back_exactly(count: int, rate: int, level: float) -> None:
    samples = convert_to_int16(sound(count, count) * np.float32(level))
    again, found = decode_take(encode_take(samples, rate))
    assert found == rate
    assert (again == samples).all()
    assert (
        np.abs(convert_to_float(samples) - np.clip(sound(count, count) * np.float32(level), -1, 1)).max()
        <= 1 / sound_codec.INT16_FULL_SCALE
    )


def test_what_is_kept_is_read_from_memory_and_from_the_disk(store: TakeStore) -> None:
    first = store.keep_sound(sound(), RATE)
    assert first.name == hashlib.sha256((store.folder / first.name).read_bytes()).hexdigest()
    assert (first.size, first.length_s) == ((store.folder / first.name).stat().st_size, 5_000 / RATE)
    for reader in (store, fresh(store)):
        samples, rate = reader.read_sound(first.name)
        assert rate == RATE
        assert np.abs(samples - sound()).max() <= 1 / sound_codec.INT16_FULL_SCALE
    assert store.keep_sound(sound(), RATE) == first
    assert len(list(store.folder.iterdir())) == 1


@unix
def test_only_the_owner_reads_it(store: TakeStore) -> None:
    before = os.umask(0)
    try:
        name = store.keep_sound(sound(), RATE).name
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((store.folder / name).stat().st_mode) == 0o600


def test_memory_is_bounded(tmp_path: Path) -> None:
    store = TakeStore(tmp_path / "s", memory_bytes=100_000)
    names = [store.keep_sound(sound(seed, 10_000), RATE).name for seed in range(12)]
    assert store.memory.bytes_held <= 100_000
    for name in names:
        assert len(store.read_sound(name)[0]) == 10_000
    assert store.memory.bytes_held <= 100_000


def test_a_sound_that_was_changed_is_no_sound(store: TakeStore) -> None:
    name = store.keep_sound(sound(), RATE).name
    content = (store.folder / name).read_bytes()
    for damaged in (
        content[:-1],
        content + b"\0",
        content[:100] + b"\xff" + content[101:],
        b"",
        encode_take(convert_to_int16(sound(2)), RATE),
    ):
        (store.folder / name).write_bytes(damaged)
        with pytest.raises(InputError, match="damaged"):
            fresh(store).read_sound(name)
    assert store.keep_sound(sound(), RATE).name == name  # and is mended by the next that is the same
    fresh(store).read_sound(name)
    (store.folder / name).unlink()
    with pytest.raises(InputError, match="missing"):
        fresh(store).read_sound(name)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "", ".", "..", "A" * 64, "a" * 63, "a" * 64 + "\n", "a" * 64 + "/../x", "CON", "\0" * 64]
)
def test_no_other_name_is_opened(store: TakeStore, name: str) -> None:
    store.keep_sound(sound(), RATE)
    (store.folder.parent / "secret").write_bytes(b"x")
    assert not store.has_sound(name)
    with pytest.raises(InputError, match="missing"):
        store.read_sound(name)


def put(store: TakeStore, content: bytes) -> str:
    """A file whose name is right, whatever is in it."""
    store.folder.mkdir(exist_ok=True)
    name = hashlib.sha256(content).hexdigest()
    (store.folder / name).write_bytes(content)
    return name


def test_a_right_hash_makes_no_sound_of_other_bytes(store: TakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    import soundfile

    def written(samples: np.ndarray, rate: int, subtype: str, form: str) -> bytes:
        file = io.BytesIO()
        soundfile.write(file, samples, rate, subtype, format=form)
        return file.getvalue()

    mono, stereo = convert_to_int16(sound()), np.zeros((100, 2), np.int16)
    strange = [b"", b"fLaC", b"x" * 1_000, written(mono, RATE, "PCM_16", "WAV"), written(mono, RATE, "VORBIS", "OGG")]
    strange += [written(mono, RATE, "PCM_24", "FLAC"), written(stereo, RATE, "PCM_16", "FLAC"), written(mono, 1_000, "PCM_16", "FLAC")]
    for content in strange:
        with pytest.raises(InputError, match="damaged"):
            store.read_sound(put(store, content))
    monkeypatch.setattr(sound_codec, "MAX_TAKE_SAMPLES", 2_000_000)
    bomb = written(np.zeros(2_000_001, np.int16), RATE, "PCM_16", "FLAC")  # 4 MB of silence
    assert len(bomb) < 40_000
    with pytest.raises(InputError, match="damaged"):
        store.read_sound(put(store, bomb))
    with pytest.raises(ValueError, match="samples"):
        store.keep_sound(np.zeros(2_000_001, np.float32), RATE)


@unix
def test_links_are_not_followed(store: TakeStore, tmp_path: Path) -> None:
    name = store.keep_sound(sound(), RATE).name
    outside = tmp_path / "outside"
    (store.folder / name).rename(outside)
    (store.folder / name).symlink_to(outside)
    assert not store.has_sound(name)
    with pytest.raises(InputError, match="missing"):
        fresh(store).read_sound(name)
    before = outside.read_bytes()
    store.keep_sound(sound(), RATE)
    assert not (store.folder / name).is_symlink()
    assert outside.read_bytes() == before
    (store.folder / ("b" * 64)).symlink_to(outside)
    assert store.remove_unneeded_sounds(()) == 1
    assert outside.exists()
    (tmp_path / "linked").symlink_to(store.folder)
    linked = TakeStore(tmp_path / "linked")
    store.keep_sound(sound(), RATE)
    assert (linked.has_sound(name), linked.remove_unneeded_sounds(())) == (False, 0)
    with pytest.raises(OutputFileError, match="could not be kept"):
        linked.keep_sound(sound(3), RATE)


def test_what_is_too_large_or_no_file_is_refused(store: TakeStore) -> None:
    store.folder.mkdir()
    (store.folder / ("c" * 64)).mkdir()
    with (store.folder / ("d" * 64)).open("wb") as file:
        file.truncate(65 << 20)
    for name in ("c" * 64, "d" * 64):
        with pytest.raises(InputError, match="missing"):
            store.read_sound(name)
    assert store.remove_unneeded_sounds(()) == 1
    assert (store.folder / ("c" * 64)).is_dir()


def test_a_deleted_take_comes_back_until_the_store_is_swept(store: TakeStore) -> None:
    names = [store.keep_sound(sound(seed), RATE).name for seed in range(3)]
    (store.folder / "notes.txt").write_text("mine")
    takes = tuple(LineTake("a", sound=name) for name in names)
    fewer = takes[1:]
    assert fresh(store).read_sound(names[0])
    assert store.remove_unneeded_sounds(list_sounds(fewer)) == 1
    assert [store.has_sound(name) for name in names] == [False, True, True]
    assert (store.folder / "notes.txt").exists()
    assert TakeStore(store.folder / "none").remove_unneeded_sounds(()) == 0


def test_a_script_that_gets_a_name_takes_its_sounds_along(store: TakeStore, tmp_path: Path) -> None:
    names = [store.keep_sound(sound(seed), RATE).name for seed in range(3)]
    (store.folder / names[1]).write_bytes(b"damaged")
    named = TakeStore(find_sound_folder(tmp_path / "b.koebako"))
    assert named.folder.name == "b.koebako.d"
    named.take_over_sounds(fresh(store), (*names, "e" * 64))
    assert [named.has_sound(name) for name in names] == [True, False, True]
    assert named.read_sound(names[0])


def test_a_full_disk_is_said(store: TakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputFileError, match="could not be kept"):
        store.keep_sound(sound(), RATE)
    assert list(store.folder.iterdir()) == []
