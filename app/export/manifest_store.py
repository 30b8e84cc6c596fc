"""The manifest in an export folder: read once, a row appended for each file that is done, made one whole file again at the end."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from app.adapters.files.part_file import build_write_error
from app.common.errors import OutputFileError
from app.common.files.atomic_write import PARSE_FAULTS, encode_readable_json, remove_path, write_file_atomically
from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_json, parse_object_lines
from app.common.language import localize
from app.export.manifest_data import (
    FileContent,
    ManifestData,
    ManifestEntry,
    NewerManifestError,
    convert_entry_to_data,
    convert_manifest_to_data,
    parse_entry,
    parse_manifest,
)

MANIFEST_NAME = ".koebako-export.json"
"""The manifest's name in an export folder."""

JOURNAL_NAME = ".koebako-export.journal"
"""What was done since the manifest was written; it is there while an export runs, and after one that was killed."""

# 100,000 lines take a tenth of it, measured ones a third.
MAX_MANIFEST_BYTES = 128 << 20
MAX_MANIFEST_VALUES = 5_000_000


class ManifestStore:
    """The entries of one folder, in memory and on the disk.

    Attributes:
        entries: by path.
        lists: content of the lists for games, by name.
        problem: a sentence on why the manifest cannot be used; empty where it can, or there is none.
        error: why it could not be written; None so far.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changes: dict[str, ManifestEntry | None] = {}
        self._new_lists: dict[str, FileContent] = {}
        self.entries: dict[str, ManifestEntry] = {}
        self.lists: dict[str, FileContent] = {}
        self.problem = ""
        self.error: OutputFileError | None = None
        self._is_foreign = False
        self._load_entries()

    def set_entry(self, entry: ManifestEntry) -> None:
        """Keep an entry whose files are complete, in place of another for the same path; the disk has it when this returns."""
        self.entries[entry.path] = self._changes[entry.path] = entry
        self._append_row({"file": convert_entry_to_data(entry)})

    def move_entry(self, path: str, entry: ManifestEntry) -> None:
        """Replace the entry at a path by one at another, as its files were renamed."""
        self.remove_entry(path)
        self.set_entry(entry)

    def remove_entry(self, path: str) -> None:
        """Forget the entry at a path, whose files are gone or no longer ours."""
        self.entries.pop(path, None)
        self._changes[path] = None
        self._append_row({"gone": path})

    def set_list(self, name: str, content: FileContent) -> None:
        """Keep a list that is complete; `close` writes it down, and until then the list counts as somebody else's."""
        self.lists[name] = self._new_lists[name] = content

    def close(self) -> None:
        """Write the manifest with all changes as one whole file; what another export into the folder added meanwhile stays."""
        if self._is_foreign or not (self._changes or self._new_lists):
            return
        with contextlib.suppress(*PARSE_FAULTS):
            manifest = _read_manifest(self._folder)
            self.entries, self.lists = manifest.entries, manifest.lists | self._new_lists
            for path, entry in self._changes.items():
                self.entries.pop(path, None)
                if entry is not None:
                    self.entries[path] = entry
        target = self._folder / MANIFEST_NAME
        try:
            write_file_atomically(target, encode_readable_json(convert_manifest_to_data(ManifestData(self.entries, self.lists))))
        except OSError as exc:
            self._keep_error(target, exc)
            return
        self._changes.clear()
        self._new_lists.clear()
        remove_path(self._folder / JOURNAL_NAME)

    def _load_entries(self) -> None:
        try:
            manifest = _read_manifest(self._folder)
            self.entries, self.lists = manifest.entries, manifest.lists
        except NewerManifestError:
            self._is_foreign = True
            self.problem = localize(
                f"{MANIFEST_NAME} は新しいバージョンの Koebako か、別のソフトのファイルです。すべて既存のファイルとして扱います。",
                f"{MANIFEST_NAME} is from a newer Koebako or another program; all files count as existing files.",
            )
        except PARSE_FAULTS:
            self.problem = localize(
                f"{MANIFEST_NAME} が壊れています。すべて既存のファイルとして扱います。",
                f"{MANIFEST_NAME} is damaged; all files count as existing files.",
            )

    def _append_row(self, row: dict[str, Any]) -> None:
        if self._is_foreign or self.error is not None:
            return
        path = self._folder / JOURNAL_NAME
        try:
            # One write a row, which begins with a new line: a row that a kill cut short is no JSON, and spoils none behind it.
            with path.open("ab", buffering=0) as file:
                file.write(b"\n" + json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
        except OSError as exc:
            self._keep_error(path, exc)

    def _keep_error(self, path: Path, exc: OSError) -> None:
        self.error = self.error or build_write_error(path, exc)


def _read_manifest(folder: Path) -> ManifestData:
    """Read the manifest and what was done since; raise NewerManifestError, or what else `PARSE_FAULTS` names for a damaged one."""
    if any((folder / name).is_symlink() for name in (MANIFEST_NAME, JOURNAL_NAME)):
        # A link here would make us write into another file.
        raise NewerManifestError("a link")
    manifest = ManifestData()
    with contextlib.suppress(FileNotFoundError):
        manifest = parse_manifest(parse_json(read_bounded(folder / MANIFEST_NAME, MAX_MANIFEST_BYTES), most_values=MAX_MANIFEST_VALUES))
    entries = manifest.entries
    with contextlib.suppress(FileNotFoundError):
        rows = read_bounded(folder / JOURNAL_NAME, MAX_MANIFEST_BYTES).decode("utf-8", "replace")
        for row in parse_object_lines(rows):
            if "gone" in row:
                entries.pop(str(row["gone"]), None)
            else:
                entry = parse_entry(row.get("file"))
                entries.pop(entry.path, None)
                entries[entry.path] = entry
    return manifest
