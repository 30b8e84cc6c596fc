"""The files that a manifest names, as they are on the disk: still ours, or changed by somebody; renamed and removed only while they are ours."""

from __future__ import annotations

import contextlib
import hashlib
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Literal

from app.adapters.files.part_file import build_write_error
from app.common.files.atomic_write import move_path
from app.common.files.bounded_read import open_regular_file
from app.common.files.private_data_dir import make_private_folder
from app.export.manifest_data import FileContent, ManifestEntry
from app.export.render_keys import DIGEST_BYTES

OwnedState = Literal["whole", "partial", "gone", "edited"]
"""All files are as we wrote them; some are missing and the others are so; all are missing; one is another file now."""


def read_content(path: Path) -> FileContent:
    """Return the content of a regular file; raise OSError."""
    with open_regular_file(path) as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=DIGEST_BYTES))
        return FileContent(file.tell(), digest.hexdigest())


class OwnedFiles:
    """The files below one export folder.

    Args:
        is_quick: compare sizes only, for what is shown before anything is changed.
    """

    def __init__(self, root: Path, *, is_quick: bool = False) -> None:
        self._root, self._is_quick = root, is_quick
        self._states: dict[str, tuple[ManifestEntry, OwnedState]] = {}

    def find_state(self, entry: ManifestEntry) -> OwnedState:
        """Return the state of an entry's files, read once."""
        known, state = self._states.get(entry.path, (None, None))
        if known is not entry or state is None:
            state = self._read_state(entry)
            self._states[entry.path] = (entry, state)
        return state

    def remove_files(self, entry: ManifestEntry, kept: Iterable[str] = ()) -> None:
        """Remove those files of an entry that are still ours, but for the paths in `kept`; then the folder, if it is empty. Raise OutputFileError."""
        spared = frozenset(kept)
        for path, content in entry.list_parts():
            if path not in spared and self._has_content(path, content) is True:
                self._remove_file(self._root / path)
        folder = (self._root / entry.path).parent
        if folder != self._root:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def move_files(self, entry: ManifestEntry, path: str) -> None:
        """Rename the files of an entry, the sound last; raise OutputFileError. What is in the way gives way."""
        for old, _ in entry.list_parts():
            source, target = self._root / old, self._root / PurePosixPath(path).with_suffix(PurePosixPath(old).suffix)
            try:
                make_private_folder(target.parent)
                move_path(source, target)
            except OSError as exc:
                raise build_write_error(target, exc) from exc
        folder = (self._root / entry.path).parent
        if folder != self._root:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _read_state(self, entry: ManifestEntry) -> OwnedState:
        found = [self._has_content(path, content) for path, content in entry.list_parts()]
        if False in found:
            return "edited"
        return "whole" if None not in found else "partial" if True in found else "gone"

    def _has_content(self, path: str, content: FileContent) -> bool | None:
        """Return whether a file has this content; None where there is no file. What lies behind a link is not ours."""
        file = self._root / path
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

    @staticmethod
    def _remove_file(file: Path) -> None:
        try:
            file.unlink(missing_ok=True)
        except OSError as exc:
            raise build_write_error(file, exc) from exc
