"""Plans what an export of what changed does with each planned file and each file of an earlier export.

Files that a manifest names are still ours or changed by somebody; they are renamed and removed only while they are ours.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from app.adapters.files.part_file import build_write_error
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import move_path, move_to_free_name, open_regular_file
from app.export.export_plan import PlannedFile
from app.export.manifest_store import FileContent, ManifestEntry
from app.export.render_keys import DIGEST_BYTES
from app.export.safe_file_names import NO_SOURCES, SourceFiles, fold_file_name

OwnedState = Literal["whole", "partial", "gone", "edited"]
"""All files are as we wrote them; some are missing and the others are so; all are missing; one is another file now."""

FindState = Callable[[ManifestEntry], OwnedState]


@dataclass(frozen=True, slots=True)
class ScriptScope:
    """The lines that there are, and those of them that are exported."""

    project: str  # its name; empty for a script without a name, to which no entries belong but those of its lines
    script_ids: frozenset[str]  # of all lines of the script, exported or not
    planned_ids: frozenset[str]  # of the lines of the plan
    other_places: frozenset[str] = frozenset()  # of other scripts that have the same name

    def is_orphan(self, entry: ManifestEntry) -> bool:
        """Return whether the entry was written for this project and its lines are gone."""
        return bool(self.project) and self._is_of_project(entry) and self.script_ids.isdisjoint(entry.lines)

    def _is_of_project(self, entry: ManifestEntry) -> bool:
        return entry.project == self.project and entry.place not in self.other_places

    def may_replace(self, entry: ManifestEntry) -> bool:
        """Return whether files of the plan may replace those of the entry: these hold lines of the plan, or lines that are gone."""
        # Its lines may have been exported before the project had a name.
        is_of_script = self._is_of_project(entry) or (not entry.project and not self.script_ids.isdisjoint(entry.lines))
        return is_of_script and (not self.planned_ids.isdisjoint(entry.lines) or self.is_orphan(entry))


@dataclass(frozen=True, slots=True)
class KeyedFile:
    """A planned file, its path as the manifest writes it, and its keys."""

    item: PlannedFile
    path: str
    sound_key: str
    file_key: str

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(line.id for line in self.item.lines)


@dataclass(frozen=True, slots=True)
class ExportChanges:
    """The work of an export of what changed."""

    rendered: list[KeyedFile] = field(default_factory=list)  # files to be made
    # The entry of an earlier export that a rendered file stands in for, by the path of the new file.
    replaced: dict[Path, ManifestEntry] = field(default_factory=dict)
    # Files that are kept under another name, each with its entry.
    renamed: list[tuple[KeyedFile, ManifestEntry]] = field(default_factory=list)
    unchanged: list[tuple[KeyedFile, ManifestEntry]] = field(default_factory=list)  # files that stay as they are, each with its entry
    # Files that are neither made nor renamed, as another file has their name, or they were edited by hand.
    skipped: list[PlannedFile] = field(default_factory=list)
    # Entries of this project whose lines are gone and whose files are still ours.
    orphans: list[ManifestEntry] = field(default_factory=list)
    vanished: list[ManifestEntry] = field(default_factory=list)  # entries of which neither lines nor files are there any longer


def list_replaceable(entries: Iterable[ManifestEntry], scope: ScriptScope, find_state: FindState) -> list[ManifestEntry]:
    """Return the entries whose names are free for the plan: ours to replace, and not edited since."""
    return [entry for entry in entries if scope.may_replace(entry) and find_state(entry) != "edited"]


def plan_changes(
    files: Sequence[KeyedFile], entries: Mapping[str, ManifestEntry], scope: ScriptScope, find_state: FindState, *, may_overwrite: bool
) -> ExportChanges:
    """Plan what happens to every planned file and every orphan.

    Args:
        files: planned with the names of `list_replaceable` taken as free, so that `already_exists` means somebody else's file.
        may_overwrite: the user lets files that are not ours be replaced.
    """
    claims = _EntryClaims(entries.values(), scope, find_state)
    claims.match_entries(files)
    changes = ExportChanges()
    for file in files:
        _plan_file(file, claims.claimed.get(file.path), find_state, changes, may_overwrite=may_overwrite)
    used_paths = {entry.path for entry in claims.claimed.values()} | {file.path for file in files}
    for entry in entries.values():
        if scope.is_orphan(entry) and entry.path not in used_paths and (state := find_state(entry)) != "edited":
            (changes.vanished if state == "gone" else changes.orphans).append(entry)
    return changes


def _plan_file(file: KeyedFile, entry: ManifestEntry | None, find_state: FindState, changes: ExportChanges, *, may_overwrite: bool) -> None:
    is_same = entry is not None and entry.file_key == file.file_key and find_state(entry) == "whole"
    if entry is not None and is_same and entry.path == file.path:
        changes.unchanged.append((file, entry))
    elif file.item.already_exists and not may_overwrite:
        changes.skipped.append(file.item)
    elif entry is not None and is_same:
        changes.renamed.append((file, entry))
    else:
        changes.rendered.append(file)
        if entry is not None:
            changes.replaced[file.item.file] = entry


class _EntryClaims:
    """The matches between planned files and entries of an earlier export, each for one at most."""

    def __init__(self, entries: Iterable[ManifestEntry], scope: ScriptScope, find_state: FindState) -> None:
        self.claimed: dict[str, ManifestEntry] = {}  # the entry by the path of the planned file
        self._find_state = find_state
        self._free = {entry.path: entry for entry in entries if scope.may_replace(entry)}
        self._scope = scope

    def match_entries(self, files: Sequence[KeyedFile]) -> None:
        """Find the entry of each file: by its lines; else, as tables without ids get others each time, by what is spoken, or by its name."""
        by_lines = self._group_entries(lambda entry: (*entry.lines, entry.suffix))
        # What agrees in everything comes first: two takes of one line have its id.
        for needs_key in (True, False):
            self._match_by_key(files, by_lines, lambda file: (*file.lines, file.item.file.suffix), needs_key=needs_key)
        by_key = self._group_entries(lambda entry: (entry.file_key,), only_orphans=True)
        self._match_by_key(files, by_key, lambda file: (file.file_key,), needs_key=True)
        for file in files:
            entry = self._free.get(file.path)
            if file.path not in self.claimed and entry is not None:
                self._match_entry(file, entry)

    def _group_entries(
        self, find_key: Callable[[ManifestEntry], tuple[str, ...]], *, only_orphans: bool = False
    ) -> dict[tuple[str, ...], dict[str, ManifestEntry]]:
        index = defaultdict[tuple[str, ...], dict[str, ManifestEntry]](dict)
        for entry in self._free.values():
            if not only_orphans or self._scope.is_orphan(entry):
                index[find_key(entry)][entry.path] = entry
        return index

    def _match_by_key(
        self,
        files: Sequence[KeyedFile],
        index: Mapping[tuple[str, ...], dict[str, ManifestEntry]],
        find_key: Callable[[KeyedFile], tuple[str, ...]],
        *,
        needs_key: bool,
    ) -> None:
        # Those that are in their place already come first, so that equal lines keep their files.
        for needs_place in (True, False):
            for file in files:
                free = index.get(find_key(file), {})
                if file.path in self.claimed or (needs_place and file.path not in free):
                    continue
                for entry in (free[file.path],) if needs_place else free.values():
                    if not needs_key or (entry.file_key == file.file_key and self._find_state(entry) == "whole"):
                        self._match_entry(file, entry)
                        # A thousand lines may say the same, so that nobody goes through those that are taken.
                        del free[entry.path]
                        break

    def _match_entry(self, file: KeyedFile, entry: ManifestEntry) -> None:
        self.claimed[file.path] = entry
        del self._free[entry.path]


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
            state: OwnedState = "whole" if None not in are_whole else "partial" if True in are_whole else "gone"
            self._states[entry.path] = entry, "edited" if False in are_whole else state
        return self._states[entry.path][1]

    def remove_files(self, entry: ManifestEntry, spared_paths: Iterable[str] = ()) -> None:
        """Remove those files of an entry that are still ours, but for `spared_paths`; then the folder, if it is empty. Raise OutputFileError."""
        spared = frozenset(spared_paths)
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
        """Rename the files of an entry, the sound last, unless a file that may not be replaced is in the way; raise OutputFileError."""
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
        """Return whether a file has this content, None if it is missing. One behind a link, or that the export reads, is not ours."""
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


def is_same_name(path: Path, other_path: Path) -> bool:
    """Return whether two names differ in nothing but case and mean one file here."""
    try:
        return fold_file_name(str(path)) == fold_file_name(str(other_path)) and path.samefile(other_path)
    except OSError:
        return False


class OwnParts:
    """Knows which files of a folder exports wrote, sounds and their sidecars; the entries are read for the first question."""

    def __init__(self, root: Path, read_entries: Callable[[], Iterable[ManifestEntry]], sources: SourceFiles = NO_SOURCES) -> None:
        self._root, self._read_entries = root, read_entries
        self._owned_files = OwnedFiles(root, sources)
        self._contents: dict[Path, tuple[str, FileContent]] | None = None

    def is_own(self, file: Path) -> bool:
        """Return whether a file is as we wrote it."""
        if self._contents is None:
            parts = (part for entry in self._read_entries() for part in entry.list_parts())
            self._contents = {self._root / path: (path, content) for path, content in parts}
        return file in self._contents and self._owned_files.has_content(*self._contents[file]) is True
