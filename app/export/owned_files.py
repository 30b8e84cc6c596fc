"""The files that a manifest names, as they are on the disk: still ours, or changed by somebody; renamed and removed only while they are ours."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Literal

from app.adapters.files.part_file import build_write_error
from app.common.files.atomic_write import move_path, move_to_free_name
from app.common.files.bounded_read import open_regular_file
from app.common.files.private_data_dir import make_private_folder
from app.export.manifest_store import FileContent, ManifestEntry
from app.export.render_keys import DIGEST_BYTES
from app.export.safe_file_names import NO_SOURCES, SourceFiles, fold_file_name

OwnedState = Literal["whole", "partial", "gone", "edited"]
"""All files are as we wrote them; some are missing and the others are so; all are missing; one is another file now."""


def read_content(path: Path) -> FileContent:
    """Return the content of a regular file; raise OSError."""
    with open_regular_file(path) as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=DIGEST_BYTES))
        return FileContent(file.tell(), digest.hexdigest())


class OwnedFiles:
    """The files below one export folder, but for `sources`, which are never ours; `is_quick` compares sizes only, for what is only shown."""

    def __init__(self, root: Path, sources: SourceFiles = NO_SOURCES, *, is_quick: bool = False) -> None:
        self._root, self._sources, self._is_quick = root, sources, is_quick
        self._states: dict[str, tuple[ManifestEntry, OwnedState]] = {}

    def find_state(self, entry: ManifestEntry) -> OwnedState:
        """Return the state of an entry's files, read once."""
        if self._states.get(entry.path, (None, None))[0] is not entry:
            are_whole = [self.has_content(path, content) for path, content in entry.list_parts()]
            there: OwnedState = "whole" if None not in are_whole else "partial" if True in are_whole else "gone"
            self._states[entry.path] = entry, "edited" if False in are_whole else there
        return self._states[entry.path][1]

    def remove_files(self, entry: ManifestEntry, kept: Iterable[str] = ()) -> None:
        """Remove those files of an entry that are still ours, but for the paths in `kept`; then the folder, if it is empty. Raise OutputFileError."""
        spared = frozenset(kept)
        for path, content in entry.list_parts():
            if path not in spared and self.has_content(path, content) is True:
                try:
                    (self._root / path).unlink(missing_ok=True)
                except OSError as exc:
                    raise build_write_error(self._root / path, exc) from exc
        self._remove_empty_folder(entry)

    def _remove_empty_folder(self, entry: ManifestEntry) -> None:
        folder = (self._root / entry.path).parent
        with contextlib.suppress(OSError):
            if folder != self._root:
                folder.rmdir()

    def move_files(self, entry: ManifestEntry, path: str, may_replace: Callable[[Path], bool]) -> None:
        """Rename the files of an entry, the sound last, unless one is in the way and does not give way; raise OutputFileError."""
        old_paths = [PurePosixPath(old) for old, _ in entry.list_parts()]
        moves = [(self._root / old, self._root / PurePosixPath(path).with_suffix(old.suffix)) for old in old_paths]
        is_there = {target: os.path.lexists(target) for _, target in moves}
        for source, target in moves:
            is_taken = is_there[target] and not is_same_name(source, target)
            if target in self._sources or (is_taken and not may_replace(target)):
                raise build_write_error(target, FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)))
        for source, target in moves:
            try:
                make_private_folder(target.parent)
                (move_path if is_there[target] else move_to_free_name)(source, target)
            except OSError as exc:
                raise build_write_error(target, exc) from exc
        self._remove_empty_folder(entry)

    def has_content(self, path: str, content: FileContent) -> bool | None:
        """Return whether a file has this content; None where there is no file. What lies behind a link is not ours, nor what the export reads."""
        file = self._root / path
        if file in self._sources:
            return False
        try:
            for folder in list(PurePosixPath(path).parents)[:-1]:
                if (self._root / folder).is_symlink():
                    return False
            status = file.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size != content.size:
                return False
            return self._is_quick or read_content(file) == content
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return False


def is_same_name(one: Path, other: Path) -> bool:
    """Return whether two names differ in nothing but case and mean one file here."""
    try:
        return fold_file_name(str(one)) == fold_file_name(str(other)) and one.samefile(other)
    except OSError:
        return False


class OwnParts:
    """Knows which files of a folder exports wrote, sounds and what lies beside them; the entries are read for the first question."""

    def __init__(self, root: Path, read_entries: Callable[[], Iterable[ManifestEntry]], sources: SourceFiles = NO_SOURCES) -> None:
        self._root, self._read_entries = root, read_entries
        self._owned = OwnedFiles(root, sources)
        self._contents: dict[Path, tuple[str, FileContent]] | None = None

    def is_own(self, file: Path) -> bool:
        """Return whether a file is as we wrote it."""
        if self._contents is None:
            parts = (part for entry in self._read_entries() for part in entry.list_parts())
            self._contents = {self._root / path: (path, content) for path, content in parts}
        return file in self._contents and self._owned.has_content(*self._contents[file]) is True
