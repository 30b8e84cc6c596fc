"""The sounds of takes: a folder in which every file is called after its content, and a bounded part of it in memory.

The folder lies beside a project and may come with it from a stranger: no other name is ever opened, no link is followed, and what does not
hash to its name is no sound. Nothing is removed but by `sweep` and `drop`, so a take that was deleted can be brought back until then; when
they are called, see `app.audition.sound_upkeep`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.adapters.sound.kept import Int16, as_float, decode_kept, encode_kept, sixteen_bits
from app.core.cache import LRUCache
from app.core.takes import is_sound_name
from app.core.types import Float32
from app.data_file import PRIVATE, drop, sync_folder, write_whole
from app.errors import InputError, OutputFileError
from app.language import localized
from app.own_folder import OWNER_ONLY, make_folder
from app.paths import data_dir
from app.small_file import read_small
from app.system_errors import reason_of

SUFFIX = ".d"
LARGEST_BYTES = 64 << 20  # of one file: noise of ten minutes, which no code makes smaller
MEMORY_BYTES = 64 << 20  # four minutes at 44.1 kHz are 21 MB: the cells around which somebody listens
MOST_TAKES, MOST_BYTES = 2_000, 1 << 30
"""Of the takes of one script that are no longer starred; see `app.core.takes.pruned`."""


@dataclass(frozen=True, slots=True)
class KeptSound:
    """What a take says of its sound: name, bytes of the file, seconds."""

    name: str
    size: int
    length_s: float


def folder_of(project: Path | None) -> Path:
    """Where the sounds of a project lie; of a script without a name in the data folder."""
    return data_dir() / "takes" if project is None else project.with_name(project.name + SUFFIX)


class TakeStore:
    """For one thread at a time, and not the window's: files are read, hashed and written here.

    Args:
        folder: made when the first sound is kept.
    """

    def __init__(self, folder: Path, memory_bytes: int = MEMORY_BYTES) -> None:
        self.folder = folder
        self._memory: LRUCache[tuple[Int16, int]] = LRUCache(1 << 16, memory_bytes)

    def keep(self, samples: Float32, rate: int) -> KeptSound:
        """Keeps a sound; one that is there already is not written again. Raises OutputFileError; ValueError for more than ten minutes."""
        kept = sixteen_bits(samples)
        content = encode_kept(kept, rate)
        name = hashlib.sha256(content).hexdigest()
        self.put(name, content)
        self._memory.put(name, (kept, rate), kept.nbytes)
        return KeptSound(name, len(content), len(kept) / rate)

    def read(self, name: str) -> tuple[Float32, int]:
        """Samples and rate. Raises InputError where the sound is gone, or is not what its name says."""
        found = self._memory.get(name)
        if found is None:
            found = decode_checked(self.content(name))
            self._memory.put(name, found, found[0].nbytes)
        return as_float(found[0]), found[1]

    def has(self, name: str) -> bool:
        """Whether there is such a file; what is in it shows when it is read."""
        return is_sound_name(name) and not self.folder.is_symlink() and _is_plain(self.folder / name)

    def adopt(self, other: TakeStore, names: Iterable[str]) -> None:
        """Takes over what another folder has of these sounds, as when a script gets a name. Raises OutputFileError."""
        for name in filter(other.has, names):
            with suppress(InputError):  # gone, or damaged: so it stays
                self.put(name, other.content(name))

    def content(self, name: str) -> bytes:
        """The bytes of a file that are what its name says. Raises InputError."""
        missing = localized("このテイクの音声が見つかりません。", "The sound of this take is missing.")
        hint = localized("もう一度再生すると作成されます。", "Play the line again to create it.")
        if not self.has(name):
            raise InputError(missing, hint)
        try:
            content = read_small(self.folder / name, LARGEST_BYTES)
        except OSError as exc:
            raise InputError(missing, f"{hint} ({reason_of(exc)})") from exc
        if hashlib.sha256(content).hexdigest() != name:
            raise _damaged()
        return content

    def put(self, name: str, content: bytes) -> None:
        """Keeps a file whose content is known to hash to its name, in place of one that is damaged. Raises OutputFileError."""
        if not self._holds(name, content):
            self._write(name, content)

    def sweep(self, needed: Collection[str]) -> int:
        """Removes the sounds that no take needs any more, and returns how many; other files stay."""
        gone = [name for name in self.names() if name not in needed]
        self.drop(gone)
        return len(gone)

    def names(self) -> list[str]:
        """The sounds that there are."""
        try:
            names = [] if self.folder.is_symlink() else [item.name for item in self.folder.iterdir()]
        except OSError:
            return []
        return [name for name in names if self.has(name)]

    def drop(self, names: Iterable[str]) -> None:
        """Removes sounds; what cannot be removed now stays."""
        for name in names:
            drop(self.folder / name)

    def age_s(self, name: str) -> float:
        """Seconds since a sound was kept; 0 where it is gone."""
        try:
            return time.time() - (self.folder / name).stat().st_mtime
        except OSError:
            return 0.0

    def sync(self) -> None:
        """Waits until the names of the sounds are on the disk, for a file that is to rely on them. Raises OutputFileError."""
        try:
            if self.folder.is_dir():
                sync_folder(self.folder)
        except OSError as exc:
            raise self._failed(exc) from exc

    def is_as_in(self, other: TakeStore, name: str) -> bool:
        """Whether another folder has the very bytes of a sound."""
        try:
            return self.has(name) and other._holds(name, read_small(self.folder / name, LARGEST_BYTES))
        except OSError:
            return False

    def _holds(self, name: str, content: bytes) -> bool:
        try:
            return self.has(name) and read_small(self.folder / name, LARGEST_BYTES) == content
        except OSError:
            return False

    def _write(self, name: str, content: bytes) -> None:
        try:
            if self.folder.is_symlink():
                raise NotADirectoryError(localized("リンクです", "it is a link"))
            if not self.folder.exists():
                make_folder(self.folder.parent)
                self.folder.mkdir(OWNER_ONLY)
            path = self.folder / name
            if path.is_symlink():  # or the sound would be written to where it leads
                path.unlink()
            write_whole(path, content, PRIVATE)
        except OSError as exc:
            raise self._failed(exc) from exc

    def _failed(self, cause: OSError) -> OutputFileError:
        message = localized(f"テイクを保存できません: {self.folder}", f"The take could not be kept: {self.folder}")
        reason = reason_of(cause)
        return OutputFileError(
            message, localized(f"空き容量とフォルダーを確認してください。（{reason}）", f"Check the folder and free space. ({reason})")
        )


def decode_checked(content: bytes) -> tuple[Int16, int]:
    """As `decode_kept`; an InputError for what is no sound."""
    try:
        return decode_kept(content)
    except ValueError as exc:
        raise _damaged() from exc


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _damaged() -> InputError:
    return InputError(
        localized("このテイクの音声は壊れています。", "The sound of this take is damaged."),
        localized("もう一度再生すると作成されます。", "Play the line again to create it."),
    )
