"""The directory of a zip is bounded wherever its records say that it lies, and is the one that zipfile itself reads."""

import io
import random
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import VoiceError
from app.voices.containers.voice_sources import find_checkpoints
from app.voices.containers.voice_zip import open_bounded_zip
from app.voices.untrusted import voice_limits
from app.voices.untrusted.voice_limits import MAX_UNPACKED_FILES, MAX_ZIP_DIRECTORY_BYTES, MAX_ZIP_ENTRIES, UnpackBudget
from tests.voices.fuzz.small_voices import zipped

END, LOCATOR, END_64 = b"PK\5\6", b"PK\6\7", b"PK\6\6"
DAMAGED = (zipfile.BadZipFile, ValueError, OSError, struct.error, EOFError, NotImplementedError)


def entry(name: bytes = b"", extra: bytes = b"") -> bytes:
    """What a directory says of an empty file."""
    return struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, *[0] * 7, len(name), len(extra), 0, 0, 0, 0, 0) + name + extra


def end_record(entries: int, length: int, offset: int, comment: bytes = b"") -> bytes:
    """The record at the end of a zip."""
    return struct.pack("<4s4H2LH", END, 0, 0, entries, entries, length, offset, len(comment)) + comment


def end_records_64(length: int, offset: int) -> bytes:
    """The two records that large zips have before it."""
    record = struct.pack("<4sQ2H2L4Q", END_64, 44, 45, 45, 0, 0, 1, 1, length, offset)
    return record + struct.pack("<4sLQL", LOCATOR, 0, offset + length, 1)


def end_in_an_offset(entries: int) -> bytes:
    """The last record holds the mark of such a record where its offset should be; a search from the end finds that one first."""
    directory = entry() * entries
    padding = int.from_bytes(END, "little") - len(directory)
    return directory + end_record(0xFFFF & entries, len(directory), padding + len(directory))


def hidden_in_zip64(entries: int) -> bytes:
    """The usual record tells of a small directory, those of zip64 of the true one."""
    directory = entry() * entries
    return directory + end_records_64(len(directory), 0) + end_record(1, 46, 0xFFFFFFFF)


def after_a_comment(entries: int) -> bytes:
    """A record inside the comment of another."""
    directory = entry() * entries
    return directory + end_record(1, len(directory), 0, end_record(1, 46, 0) + b"!")


TRICKS = {"plain": lambda entries: entry() * entries + end_record(0xFFFF & entries, 46 * entries, 0)} | {
    made.__name__: made for made in (end_in_an_offset, hidden_in_zip64, after_a_comment)
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_directory_too_long_is_refused_before_it_is_in_memory(tmp_path: Path, trick: str) -> None:
    content = TRICKS[trick](40 * MAX_ZIP_ENTRIES)  # 37 MB of directory, 800,000 entries
    (tmp_path / "voice.zip").write_bytes(content)
    (tmp_path / "scratch").mkdir()
    tracemalloc.start()
    try:
        with pytest.raises(VoiceError) as caught:
            find_checkpoints(tmp_path / "voice.zip", tmp_path / "scratch")
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_ZIP_DIRECTORY_BYTES
    finally:
        tracemalloc.stop()
    assert caught.value.hint
    assert not list((tmp_path / "scratch").iterdir())


def test_many_entries_in_few_bytes_are_refused() -> None:
    content = TRICKS["plain"](MAX_UNPACKED_FILES + 1)
    assert len(content) < MAX_ZIP_DIRECTORY_BYTES
    with pytest.raises(VoiceError, match="too many entries"), open_bounded_zip(io.BytesIO(content), UnpackBudget("x", len(content))):
        pass
    with open_bounded_zip(io.BytesIO(TRICKS["plain"](MAX_UNPACKED_FILES)), UnpackBudget("x", 0)) as archive:
        assert len(archive.infolist()) == MAX_UNPACKED_FILES


def test_zips_inside_a_zip_share_what_they_may_list(tmp_path: Path) -> None:
    inner = zipped({f"{number}.wav": b"RIFF" for number in range(MAX_UNPACKED_FILES // 10)})
    (tmp_path / "voice.zip").write_bytes(zipped({f"{number}.zip": inner for number in range(11)}))
    (tmp_path / "scratch").mkdir()
    with pytest.raises(VoiceError, match="too many entries"):
        find_checkpoints(tmp_path / "voice.zip", tmp_path / "scratch")
    assert not list((tmp_path / "scratch").iterdir())


@st.composite
def endings(draw: st.DrawFn) -> bytes:
    """A zip of some entries whose end was written by somebody who wants to confuse."""
    directory = b"".join(entry(b"%d" % number, draw(st.sampled_from([b"", b"\1\0\0\0"]))) for number in range(draw(st.integers(0, 60))))
    number = st.sampled_from([0, 46, len(directory), len(directory) + 1, 0xFFFF, int.from_bytes(END, "little"), 0xFFFFFFFF])
    pieces = [
        st.builds(end_record, st.sampled_from([0, 1, 0xFFFF]), number, number, st.sampled_from([b"", b"hello", END, end_record(1, 46, 0)])),
        st.builds(end_records_64, number, number),
        st.sampled_from([END, LOCATOR, END_64, b"", bytes(22), b"\0", entry(), directory]),
        st.binary(max_size=40),
    ]
    return directory + b"".join(draw(st.lists(st.one_of(pieces), max_size=5)))


class Watched(io.BytesIO):
    """Counts what is read."""

    taken = entries = 0

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        self.taken += len(content)
        self.entries += content.count(b"PK\1\2")
        return content


@given(endings(), st.integers(0, 6000), st.integers(0, 60))
def test_what_zipfile_reads_is_read_or_refused(content: bytes, most_bytes: int, most_entries: int) -> None:
    """Whatever the records say, the entries are zipfile's own, unless reading them takes more than they may."""
    plain = Watched(content)
    try:
        with zipfile.ZipFile(plain) as archive:
            expected: object = [item.orig_filename for item in archive.infolist()]
    except DAMAGED as exc:
        expected = type(exc)
    affordable = plain.taken <= most_bytes and plain.entries <= most_entries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voice_limits, "MAX_ZIP_DIRECTORY_BYTES", most_bytes)
        patch.setattr(voice_limits, "MAX_UNPACKED_FILES", most_entries)
        try:
            with open_bounded_zip(io.BytesIO(content), UnpackBudget("x", 0)) as archive:
                found: object = [item.orig_filename for item in archive.infolist()]
        except DAMAGED as exc:
            found = type(exc)
        except VoiceError:
            found = None
    assert found == (expected if affordable else None)


def test_after_the_directory_nothing_is_counted() -> None:
    content = random.Random(0).randbytes(2 * MAX_ZIP_DIRECTORY_BYTES)
    budget = UnpackBudget("x", 0)
    with open_bounded_zip(io.BytesIO(zipped({"a": content})), budget) as archive:
        left = budget.directory_bytes_left
        assert archive.read("a") == content
    assert budget.directory_bytes_left == left > MAX_ZIP_DIRECTORY_BYTES // 2
