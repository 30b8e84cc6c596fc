"""Files that belong together, such as a sound and its subtitles: they take the place of those that were there as one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from app.adapters.files.part_file import PartFile, build_write_error
from app.common.files.atomic_write import move_path, prepare_part_path, remove_path


class FileSet:
    """All of them get their names, or everything stays as it was. No link is followed: one in the way gives way itself.

    Before the first gets its name, all of them are complete on the disk, and those that give way have a second name in a hidden folder:
    from then on only renames follow, which need no room, and one that fails takes back those before it.

    A program that is killed between two renames leaves whole files, some new and some as they were; writing the set again makes it one, and
    what is left in hidden names is swept by the first write into the folder a day later.

    Args:
        replaced_names: of the set, those whose files give way. If anything has one of the others by then, the set is not written.
    """

    def __init__(self, replaced_names: Collection[str]) -> None:
        self._replaced_names = replaced_names
        self._parts: list[PartFile] = []
        self._aside: Path | None = None

    def write_file(self, path: Path, content: bytes) -> None:
        """Add a file, complete on the disk but for its name; raise OutputFileError if the disk refuses it."""
        part = PartFile(path, follows_link=False)
        self._parts.append(part)
        part.write(content)
        part.raise_write_error()
        part.finish_writing()

    def add_part(self, part: PartFile) -> None:
        """Add a file that is written already."""
        self._parts.append(part)

    def commit(self) -> None:
        """Give all files their names, in the order in which they were added; if OutputFileError is raised, nothing has changed."""
        try:
            for part in self._parts:
                part.finish_writing()
            # A single file needs no link to be restored from, for its rename is the last step.
            self._rename_parts([self._link_old_file(part.target) if len(self._parts) > 1 else None for part in self._parts])
        except BaseException:
            self.discard()
            raise
        finally:
            if self._aside is not None:
                remove_path(self._aside)

    def discard(self) -> None:
        """Remove the files that have no name yet."""
        for part in self._parts:
            part.discard()

    def _link_old_file(self, target: Path) -> Path | None:
        if target.name not in self._replaced_names or not os.path.lexists(target):
            return None
        try:
            if self._aside is None:
                aside = prepare_part_path(target)
                aside.mkdir()
                self._aside = aside
            second = self._aside / target.name
            if target.is_symlink():
                second.symlink_to(target.readlink())
                return second
            try:
                second.hardlink_to(target)
            except OSError:  # a disk that gives a file one name only
                with target.open("rb") as old, second.open("xb") as new:
                    shutil.copyfileobj(old, new)
                    new.flush()
                    os.fsync(new.fileno())
                shutil.copystat(target, second)
        except OSError as exc:
            raise build_write_error(target, exc) from exc
        return second

    def _rename_parts(self, backups: list[Path | None]) -> None:
        named: list[tuple[Path, Path | None]] = []
        try:
            for part, old in zip(self._parts, backups, strict=True):
                if part.target.name in self._replaced_names:
                    part.put_in_place()
                elif not part.take_free_name():
                    raise build_write_error(part.target, FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)))
                named.append((part.target, old))
        except BaseException:
            for target, old in reversed(named):
                with contextlib.suppress(OSError):
                    target.unlink() if old is None else move_path(old, target)
            raise
