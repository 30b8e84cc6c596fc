"""The sounds of takes: a folder in which every file is called after its content, and a bounded part of it in memory.

The folder is next to a project and may come with it from a stranger: no other name is ever opened, no link is followed, and what does not
hash to its name is no sound. A take that was deleted can be brought back until its sound is removed.

A kept sound is stored in the data folder: there the program **holds** it, whatever is saved, moved or cleaned. Saving a project copies
its sounds **next to** its file first (`app.audition.embedded_sounds.copy_sounds_beside`), so no file ever names a sound that is not there.
Sounds are removed only after that and only here: `remove_unneeded_sounds` next to a file, `release_sounds` in the data folder. Both read
from the disk what the file and the script that is kept between starts (the recovery) name at that moment, and get what the program itself
still needs as an argument. So a sound stays as long as any of the three names it, and a kill at any moment costs space, but no sound.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.adapters.sound.sound_codec import Int16, convert_to_float, convert_to_int16, decode_take, encode_take
from app.common.errors import InputError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import OWNER_ONLY_MODE, make_private_folder
from app.common.files.whole_files import PRIVATE, open_regular_file, read_bounded, remove_path, sync_folder, write_file_atomically
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


FOREIGN_SOUND_AGE_S = (
    30 * 24 * 3600.0
)  # sounds in the data folder that this start knows nothing of: those of a killed program, or of another window
_SOUND_NAME_PATTERN = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_NAME_BYTES, _BLOCK_BYTES = 64, 1 << 20  # Python keeps its lock while it searches a block


def find_sound_names(file: Path) -> frozenset[str]:
    """Return the names of sounds anywhere in a project file or the recovery; none if there is no file. Raise OSError if it cannot be read."""
    names: set[bytes] = set()
    try:
        with open_regular_file(file) as source:
            overlap = b""
            while block := source.read(_BLOCK_BYTES):
                names.update(_SOUND_NAME_PATTERN.findall(overlap + block))
                overlap = (overlap + block)[-_NAME_BYTES - 1 :]
    except FileNotFoundError:
        return frozenset()
    return frozenset(name.decode("ascii") for name in names)


def remove_unneeded_sounds(path: Path, recovery: Path, needed: Collection[str]) -> int:
    """Remove sounds next to a project that no file names any more and return their number; remove none if a file cannot be read.

    Args:
        needed: what the program names: takes, what can be put back, tests.
    """
    try:
        file_names = find_sound_names(path) | find_sound_names(recovery)
    except OSError:
        return 0
    return TakeStore(find_sound_folder(path)).remove_unneeded_sounds(file_names | frozenset(needed)) if path.is_file() else 0


def release_sounds(
    path: Path | None,
    recovery: Path,
    needed: Collection[str],
    known: Collection[str],
    others: Iterable[Path] = (),
    *,
    unnamed_only: bool = False,
) -> int:
    """Remove held sounds that no file names, and without `unnamed_only` also those that are next to the files that name them; return their
    number.

    Args:
        path: the project that is open; None is a script without a name, whose sounds stay held.
        known: what this start has ever named; what it knows nothing of stays for FOREIGN_SOUND_AGE_S.
    """
    held_store = TakeStore(find_sound_folder(None))
    names = held_store.list_names()
    try:
        needed_names = frozenset(needed) | find_sound_names(recovery) if names else frozenset()
        files = {file: find_sound_names(file) for file in dict.fromkeys((*([path] if path else ()), *others))} if names else {}
    except OSError:
        return 0
    gone = []
    for name in names:
        homes = [file for file, file_names in files.items() if name in file_names]
        if not homes:
            is_free = name not in needed_names and (name in known or held_store.compute_age_s(name) > FOREIGN_SOUND_AGE_S)
        else:
            is_free = not unnamed_only and (name not in needed_names or path in homes)
            is_free = is_free and all(held_store.is_same_in(TakeStore(find_sound_folder(file)), name) for file in homes)
        if is_free:
            gone.append(name)
    held_store.remove_sounds(gone)
    return len(gone)
