"""The sounds of takes: a folder in which every file is called after its content, and a bounded part of it in memory.

The folder is next to a project and may come with it from a stranger: no other name is ever opened, no link is followed, and what does not
hash to its name is no sound. Nothing is removed but by `sweep` and `drop`, so a take that was deleted can be brought back until then; when
they are called, see `app.audition.sound_cleanup`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.adapters.sound.sound_codec import Int16, convert_to_float, convert_to_int16, decode_take, encode_take
from app.common.errors import InputError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import OWNER_ONLY_MODE, make_private_folder
from app.common.files.whole_files import PRIVATE, read_bounded, remove_path, sync_folder, write_file_atomically
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.lru_cache import LRUCache
from app.core.script.project import is_sound_name
from app.core.synthesis_types import Float32

SOUND_FOLDER_SUFFIX = ".d"
MAX_TAKE_BYTES = 64 << 20  # of one file: noise of ten minutes, which no code makes smaller
MAX_CACHED_TAKE_BYTES = 64 << 20  # four minutes at 44.1 kHz are 21 MB: the cells around which somebody listens
MOST_TAKES, MOST_BYTES = 2_000, 1 << 30  # of the takes of one script that are no longer starred; see `app.core.script.project.prune_takes`


@dataclass(frozen=True, slots=True)
class KeptSound:
    """The entry of a take about its sound: name, bytes of the file, seconds."""

    name: str
    size: int
    length_s: float


def find_sound_folder(project: Path | None) -> Path:
    """Return the folder that holds the sounds of a project; for a script without a name, it is in the data folder."""
    return find_data_dir() / "takes" if project is None else project.with_name(project.name + SOUND_FOLDER_SUFFIX)


class TakeStore:
    """For one thread at a time, and not the window's: files are read, hashed and written here.

    Args:
        folder: made when the first sound is kept.
    """

    def __init__(self, folder: Path, memory_bytes: int = MAX_CACHED_TAKE_BYTES) -> None:
        self.folder = folder
        self.memory: LRUCache[tuple[Int16, int]] = LRUCache(1 << 16, memory_bytes)  # the sounds used last, by name

    def keep_sound(self, samples: Float32, rate: int) -> KeptSound:
        """Keep a sound; an existing one is not written again.

        Raise OutputFileError if the disk refuses it, ValueError for more than ten minutes.
        """
        pcm = convert_to_int16(samples)
        content = encode_take(pcm, rate)
        name = hashlib.sha256(content).hexdigest()
        self.write_content(name, content)
        self.memory.put(name, (pcm, rate), pcm.nbytes)
        return KeptSound(name, len(content), len(pcm) / rate)

    def read_sound(self, name: str) -> tuple[Float32, int]:
        """Return samples and rate; raise InputError if the sound is gone, or does not match its name."""
        sound = self.memory.get(name)
        if sound is None:
            try:
                sound = decode_take(self.read_content(name))
            except ValueError as exc:
                raise _create_damaged_error() from exc
            self.memory.put(name, sound, sound[0].nbytes)
        return convert_to_float(sound[0]), sound[1]

    def has_sound(self, name: str) -> bool:
        """Return whether the file exists; its content is checked only when it is read."""
        file = self.folder / name
        return is_sound_name(name) and not self.folder.is_symlink() and file.is_file() and not file.is_symlink()

    def take_over_sounds(self, other: TakeStore, names: Iterable[str]) -> None:
        """Take over another folder's files of these sounds, as when a script gets a name; raise OutputFileError if the disk refuses it."""
        for name in filter(other.has_sound, names):
            # Gone, or damaged: so it stays.
            with suppress(InputError):
                self.write_content(name, other.read_content(name))

    def read_content(self, name: str) -> bytes:
        """Return the bytes of a file that match its name; raise InputError if they do not."""
        missing = localize("このテイクの音声が見つかりません。", "The sound of this take is missing.")
        hint = localize("もう一度再生すると作成されます。", "Play the line again to create it.")
        if not self.has_sound(name):
            raise InputError(missing, hint)
        try:
            content = read_bounded(self.folder / name, MAX_TAKE_BYTES)
        except OSError as exc:
            raise InputError(missing, f"{hint} ({describe_reason(exc)})") from exc
        if hashlib.sha256(content).hexdigest() != name:
            raise _create_damaged_error()
        return content

    def write_content(self, name: str, content: bytes) -> None:
        """Keep a file whose content hashes to its name, in place of a damaged one; raise OutputFileError if the disk refuses it."""
        if self._has_content(name, content):
            return
        try:
            if self.folder.is_symlink():
                raise NotADirectoryError(localize("リンクです", "it is a link"))
            if not self.folder.exists():
                make_private_folder(self.folder.parent)
                self.folder.mkdir(OWNER_ONLY_MODE)
            path = self.folder / name
            # Or the sound would be written to where it leads.
            if path.is_symlink():
                path.unlink()
            write_file_atomically(path, content, PRIVATE)
        except OSError as exc:
            raise self._create_write_error(exc) from exc

    def remove_unneeded_sounds(self, needed: Collection[str]) -> int:
        """Remove the sounds that no take needs any more and return their number; other files stay."""
        gone = [name for name in self.list_names() if name not in needed]
        self.remove_sounds(gone)
        return len(gone)

    def list_names(self) -> list[str]:
        try:
            names = [] if self.folder.is_symlink() else [item.name for item in self.folder.iterdir()]
        except OSError:
            return []
        return [name for name in names if self.has_sound(name)]

    def remove_sounds(self, names: Iterable[str]) -> None:
        """Remove sounds; those that cannot be removed now stay."""
        for name in names:
            remove_path(self.folder / name)

    def compute_age_s(self, name: str) -> float:
        """Return the seconds since a sound was kept; 0 if it is gone."""
        try:
            return time.time() - (self.folder / name).stat().st_mtime
        except OSError:
            return 0.0

    def sync_folder(self) -> None:
        """Wait until the names of the sounds are on the disk, for a file that is to rely on them; raise OutputFileError if that fails."""
        try:
            if self.folder.is_dir():
                sync_folder(self.folder)
        except OSError as exc:
            raise self._create_write_error(exc) from exc

    def is_same_in(self, other: TakeStore, name: str) -> bool:
        """Return whether another folder has the very bytes of a sound."""
        try:
            return self.has_sound(name) and other._has_content(name, read_bounded(self.folder / name, MAX_TAKE_BYTES))
        except OSError:
            return False

    def _has_content(self, name: str, content: bytes) -> bool:
        try:
            return self.has_sound(name) and read_bounded(self.folder / name, MAX_TAKE_BYTES) == content
        except OSError:
            return False

    def _create_write_error(self, cause: OSError) -> OutputFileError:
        message = localize(f"テイクを保存できません: {self.folder}", f"The take could not be kept: {self.folder}")
        reason = describe_reason(cause)
        return OutputFileError(
            message, localize(f"空き容量とフォルダーを確認してください。（{reason}）", f"Check the folder and free space. ({reason})")
        )


def _create_damaged_error() -> InputError:
    return InputError(
        localize("このテイクの音声は壊れています。", "The sound of this take is damaged."),
        localize("もう一度再生すると作成されます。", "Play the line again to create it."),
    )
