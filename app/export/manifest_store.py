"""The manifest of an export folder: which files we wrote for which lines. It may be a stranger's, so everything read is checked.

It is read once, a row is appended for each file that is done, and at the end it is made one whole file again. The place of a script is its
path from the folder that it is exported to: a project that is moved or cloned together with the folder keeps it.
"""

import contextlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from app.adapters.files.part_file import build_write_error
from app.common.errors import OutputFileError
from app.common.files.untrusted_json import MAX_INT64, parse_json, parse_object_lines, require_int
from app.common.files.whole_files import PARSE_FAULTS, encode_readable_json, read_bounded, remove_path, write_file_atomically
from app.common.language import localize
from app.export.export_plan import GAME_LIST_NAMES
from app.export.export_settings import EXPORT_SOUND_FORMATS
from app.export.loudness import LoudnessMeasurement, convert_loudness_to_data, parse_loudness
from app.export.render_keys import DIGEST_BYTES
from app.export.safe_file_names import FORBIDDEN_FILE_NAME_CHARS
from app.export.sidecar_formats import SIDECAR_FORMATS

MANIFEST_NAME = ".koebako-export.json"  # the manifest's name in an export folder

JOURNAL_NAME = ".koebako-export.journal"
"""What was done since the manifest was written; it is there while an export runs, and after one that was killed."""

MAX_MANIFEST_BYTES = 128 << 20  # 100,000 lines take a tenth of it, measured ones a third
MAX_MANIFEST_VALUES = 5_000_000

MANIFEST_FORMAT, MANIFEST_VERSION = "koebako-export", 1
NAMES_VERSION = 2  # of the names that files have where nobody chose others; entries of version 1 do not say so
MAX_PATH_PARTS, MAX_PATH_CHARS = 4, 1_000  # a folder for each speaker is the deepest that we write
MAX_LINE_IDS, MAX_ID_CHARS, MAX_PROJECT_CHARS = 200_000, 1_000, 1_000
PARKED_PREFIX = ".koebako-export-"
"""Begins the name of a file while another has its name: of two that exchange theirs, and of one that is still to be made again."""
_SOUND_SUFFIXES = frozenset(f".{name}" for name in EXPORT_SOUND_FORMATS)
_SIDECAR_SUFFIXES = frozenset(form.suffix for form in SIDECAR_FORMATS.values())
_LIST_SUFFIXES = frozenset(PurePosixPath(name).suffix for name in GAME_LIST_NAMES.values())
_HEX_DIGEST = re.compile(f"[0-9a-f]{{{2 * DIGEST_BYTES}}}")

MAX_PLACE_CHARS = 4_000


class NewerManifestError(ValueError):
    """A manifest of a later version, or a file of another program by that name: it is not ours to replace."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file on the disk: its bytes counted, and their BLAKE2b."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A sound file that we wrote, with its sidecars."""

    path: str  # relative to the export folder, with forward slashes
    sound: FileContent
    sidecars: Mapping[str, FileContent]  # content by suffix; their names differ from the sound's in nothing else
    lines: tuple[str, ...]  # ids of the lines that it holds, in order
    project: str  # name of the project; empty for a script that had none
    sound_key: str  # sound_key, file_key: see `app.export.render_keys`
    file_key: str
    loudness: LoudnessMeasurement | None = None  # of the sound before its gain, where it was measured
    place: str = ""  # of the script, see `app.export.manifest_store`; empty where it is not known
    # Whether names that nobody chose are those of a version that named all files by number, speaker and text.
    has_earlier_name: bool = False

    @property
    def suffix(self) -> str:
        """Return the suffix of the sound file, with the dot."""
        return PurePosixPath(self.path).suffix

    def list_parts(self) -> list[tuple[str, FileContent]]:
        """Return the path and content of every file, the sound last."""
        beside = [(str(PurePosixPath(self.path).with_suffix(suffix)), content) for suffix, content in self.sidecars.items()]
        return [*beside, (self.path, self.sound)]


@dataclass(frozen=True, slots=True)
class ManifestData:
    """The parts of a manifest."""

    entries: dict[str, ManifestEntry] = field(default_factory=dict)  # by path
    # Content of the lists for games, by name; earlier versions know none, and lose them.
    lists: dict[str, FileContent] = field(default_factory=dict)


def convert_entry_to_data(entry: ManifestEntry) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": entry.path,
        "content": list(astuple(entry.sound)),
        "sidecars": {suffix: list(astuple(content)) for suffix, content in entry.sidecars.items()},
        "lines": list(entry.lines),
        "project": entry.project,
        "sound": entry.sound_key,
        "key": entry.file_key,
    }
    if entry.place:
        data["place"] = entry.place
    if not entry.has_earlier_name:
        data["names"] = NAMES_VERSION
    if entry.loudness is not None:
        data["loudness"] = convert_loudness_to_data(entry.loudness)
    return data


def parse_manifest(data: object) -> ManifestData:
    """Return what the data say. Raise NewerManifestError for what another version or program wrote, ValueError for what nobody could have."""
    if not isinstance(data, dict):
        raise ValueError("no manifest")
    if data.get("format") != MANIFEST_FORMAT or data.get("version") != MANIFEST_VERSION:
        raise NewerManifestError("another format or version")
    if not isinstance(data.get("files"), list):
        raise ValueError("no files")
    entries = {entry.path: entry for entry in map(parse_entry, data["files"])}
    if len(entries) != len(data["files"]):
        raise ValueError("a path occurs twice")
    lists = data.get("lists", {})
    if not isinstance(lists, dict):
        raise ValueError("no lists")
    return ManifestData(entries, {_parse_list_name(name): _parse_content(content) for name, content in lists.items()})


def parse_entry(data: object) -> ManifestEntry:
    """Return the entry in the data; raise ValueError for one that leads elsewhere, or that nobody could have written."""
    if not isinstance(data, dict) or not isinstance(data.get("sidecars"), dict) or not isinstance(data.get("lines"), list):
        raise ValueError("no entry")
    if not set(data["sidecars"]) <= _SIDECAR_SUFFIXES or not 1 <= len(data["lines"]) <= MAX_LINE_IDS:
        raise ValueError("no entry")
    loudness = data.get("loudness")
    if isinstance(loudness, dict) and "losses" not in loudness:
        loudness = None  # of a version before the limiter: it is measured again
    return ManifestEntry(
        _parse_path(data.get("path")),
        _parse_content(data.get("content")),
        {suffix: _parse_content(value) for suffix, value in data["sidecars"].items()},
        tuple(_parse_text(value, MAX_ID_CHARS) for value in data["lines"]),
        _parse_text(data.get("project"), MAX_PROJECT_CHARS),
        _parse_digest(data.get("sound")),
        _parse_digest(data.get("key")),
        None if loudness is None else parse_loudness(loudness),
        _parse_place(data.get("place", "")),
        has_earlier_name=require_int(data.get("names", 1), 1, MAX_INT64) < NAMES_VERSION,
    )


def _parse_path(value: object) -> str:
    """Return a path that stays inside its folder, is not hidden and names a sound, on every system."""
    text = _parse_text(value, MAX_PATH_CHARS)
    path_names = text.split("/")
    is_outside = len(path_names) > MAX_PATH_PARTS or any(
        FORBIDDEN_FILE_NAME_CHARS.search(folder_or_name) or folder_or_name != folder_or_name.strip() for folder_or_name in path_names
    )
    names = path_names[:-1] if path_names[-1].startswith(PARKED_PREFIX) else path_names
    if (
        is_outside
        or any(name.startswith(".") for name in names)
        or not all(path_names)
        or PurePosixPath(text).suffix not in _SOUND_SUFFIXES
    ):
        raise ValueError("no path of ours")
    return text


def _parse_list_name(value: object) -> str:
    """Return a name that a list for a game may have, on every system."""
    text = _parse_text(value, MAX_PATH_CHARS)
    if FORBIDDEN_FILE_NAME_CHARS.search(text) or text.startswith(".") or PurePosixPath(text).suffix not in _LIST_SUFFIXES:
        raise ValueError("no list of ours")
    return text


def _parse_content(value: object) -> FileContent:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("no content")
    return FileContent(require_int(value[0], 0, MAX_INT64), _parse_digest(value[1]))


def _parse_digest(value: object) -> str:
    if not isinstance(value, str) or not _HEX_DIGEST.fullmatch(value):
        raise ValueError("no digest")
    return value


def _parse_text(value: object, most_chars: int) -> str:
    if not isinstance(value, str) or len(value) > most_chars:
        raise ValueError("no text")
    return value


def describe_place(script: Path | None, folder: Path) -> str:
    """Return the path of a script relative to the folder, with forward slashes; empty where there is none that holds on every system."""
    if script is None:
        return ""
    try:
        place = PurePath(os.path.relpath(os.path.realpath(script), os.path.realpath(folder))).as_posix()
    except (OSError, ValueError):  # on another drive, for example
        return ""
    return place if is_place(place) else ""


def is_place(text: str) -> bool:
    """Return whether a text can be a place: one that leads to another computer, as a manifest may come from a stranger, is none."""
    path_names = text.split("/")
    if len(text) > MAX_PLACE_CHARS or path_names[-1] in (".", "..") or any("\ud800" <= letter <= "\udfff" for letter in text):
        return False
    return not any(not name or FORBIDDEN_FILE_NAME_CHARS.search(name) for name in path_names)


def is_same_place(one: str, other: str) -> bool:
    """Return whether two places mean one script, which may have become a project since."""
    return bool(one and other) and PurePosixPath(one).with_suffix("") == PurePosixPath(other).with_suffix("")


def is_there(place: str, folder: Path) -> bool:
    """Return whether a script is still at this place."""
    try:
        return (Path(os.path.realpath(folder)) / place).is_file()
    except OSError:
        return False


def _parse_place(value: object) -> str:
    text = _parse_text(value, MAX_PLACE_CHARS)
    if text and not is_place(text):
        raise ValueError("no place")
    return text


class ManifestStore:
    """The entries of one folder, in memory and on the disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changes: dict[str, ManifestEntry | None] = {}
        self._new_lists: dict[str, FileContent] = {}
        self.entries: dict[str, ManifestEntry] = {}  # by path
        self.lists: dict[str, FileContent] = {}  # content of the lists for games, by name
        self.problem = ""  # a sentence on why the manifest cannot be used; empty where it can, or there is none
        self.error: OutputFileError | None = None  # why it could not be written; None so far
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
        files = list(map(convert_entry_to_data, self.entries.values()))
        lists = {name: list(astuple(content)) for name, content in self.lists.items()}
        data = {"format": MANIFEST_FORMAT, "version": MANIFEST_VERSION, "files": files} | ({"lists": lists} if lists else {})
        try:
            write_file_atomically(target, encode_readable_json(data))
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
