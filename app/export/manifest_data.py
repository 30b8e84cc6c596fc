"""The manifest of an export folder: which files we wrote for which lines. It may be a stranger's, so everything read is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from app.common.files.untrusted_json import MAX_INT64, require_int
from app.export.export_settings import EXPORT_SOUND_FORMATS
from app.export.game_lists import GAME_LIST_NAMES
from app.export.loudness import LoudnessMeasurement
from app.export.loudness_data import convert_loudness_to_data, parse_loudness
from app.export.name_pattern import FORBIDDEN_FILE_NAME_CHARS
from app.export.render_keys import DIGEST_BYTES
from app.export.script_place import MAX_PLACE_CHARS, is_place
from app.export.sidecars.sidecar_formats import SIDECAR_FORMATS

MANIFEST_FORMAT, MANIFEST_VERSION = "koebako-export", 1
# A folder for each speaker is the deepest that we write.
MAX_PATH_PARTS, MAX_PATH_CHARS = 4, 1_000
MAX_LINE_IDS, MAX_ID_CHARS, MAX_PROJECT_CHARS = 200_000, 1_000, 1_000
PARKED_PREFIX = ".koebako-export-"
"""Begins the name of a file while another has its name: of two that exchange theirs, and of one that is still to be made again."""
_SOUND_SUFFIXES = frozenset(f".{name}" for name in EXPORT_SOUND_FORMATS)
_SIDECAR_SUFFIXES = frozenset(form.suffix for form in SIDECAR_FORMATS.values())
_LIST_SUFFIXES = frozenset(PurePosixPath(name).suffix for name in GAME_LIST_NAMES.values())
_HEX_DIGEST = re.compile(f"[0-9a-f]{{{2 * DIGEST_BYTES}}}")


class NewerManifestError(ValueError):
    """A manifest of a later version, or a file of another program by that name: it is not ours to replace."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file on the disk: its bytes counted, and their BLAKE2b."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A sound file that we wrote, with the files beside it.

    Attributes:
        path: relative to the export folder, with forward slashes.
        sidecars: content by suffix; their names differ from the sound's in nothing else.
        lines: ids of the lines that it holds, in order.
        project: name of the project; empty for a script that had none.
        sound_key, file_key: see `app.export.render_keys`.
        loudness: of the sound before its gain, where it was measured.
        place: of the script, see `app.export.script_place`; empty where it is not known.
    """

    path: str
    sound: FileContent
    sidecars: Mapping[str, FileContent]
    lines: tuple[str, ...]
    project: str
    sound_key: str
    file_key: str
    loudness: LoudnessMeasurement | None = None
    place: str = ""

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
    """The parts of a manifest.

    Attributes:
        entries: by path.
        lists: content of the lists for games, by name; earlier versions know none, and lose them.
    """

    entries: dict[str, ManifestEntry] = field(default_factory=dict)
    lists: dict[str, FileContent] = field(default_factory=dict)


def convert_manifest_to_data(manifest: ManifestData) -> dict[str, Any]:
    """Return the data that `parse_manifest` reads."""
    lists = {name: _convert_content_to_data(content) for name, content in manifest.lists.items()}
    files = list(map(convert_entry_to_data, manifest.entries.values()))
    return {"format": MANIFEST_FORMAT, "version": MANIFEST_VERSION, "files": files} | ({"lists": lists} if lists else {})


def convert_entry_to_data(entry: ManifestEntry) -> dict[str, Any]:
    """Return the data that `parse_entry` reads."""
    data: dict[str, Any] = {
        "path": entry.path,
        "content": _convert_content_to_data(entry.sound),
        "sidecars": {suffix: _convert_content_to_data(content) for suffix, content in entry.sidecars.items()},
        "lines": list(entry.lines),
        "project": entry.project,
        "sound": entry.sound_key,
        "key": entry.file_key,
    }
    if entry.place:
        data["place"] = entry.place
    if entry.loudness is not None:
        data["loudness"] = convert_loudness_to_data(entry.loudness)
    return data


def _convert_content_to_data(content: FileContent) -> list[Any]:
    return [content.size, content.digest]


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
    return ManifestEntry(
        _parse_path(data.get("path")),
        _parse_content(data.get("content")),
        {suffix: _parse_content(value) for suffix, value in data["sidecars"].items()},
        tuple(_parse_text(value, MAX_ID_CHARS) for value in data["lines"]),
        _parse_text(data.get("project"), MAX_PROJECT_CHARS),
        _parse_digest(data.get("sound")),
        _parse_digest(data.get("key")),
        _parse_known_loudness(data.get("loudness")),
        _parse_place(data.get("place", "")),
    )


def _parse_path(value: object) -> str:
    """Return a path that stays inside its folder, is not hidden and names a sound, on every system."""
    text = _parse_text(value, MAX_PATH_CHARS)
    parts = text.split("/")
    if len(parts) > MAX_PATH_PARTS or any(FORBIDDEN_FILE_NAME_CHARS.search(part) or part != part.strip() for part in parts):
        raise ValueError("no path of ours")
    if any(not part or part.startswith(".") for part in parts[:-1]) or not parts[-1]:
        raise ValueError("no path of ours")
    if parts[-1].startswith(".") and not parts[-1].startswith(PARKED_PREFIX):
        raise ValueError("no path of ours")
    if PurePosixPath(text).suffix not in _SOUND_SUFFIXES:
        raise ValueError("no sound")
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


def _parse_known_loudness(value: object) -> LoudnessMeasurement | None:
    """Return the loudness; None for that of a version before the limiter, which is measured again."""
    is_missing = value is None or (isinstance(value, dict) and "losses" not in value)
    return None if is_missing else parse_loudness(value)


def _parse_place(value: object) -> str:
    text = _parse_text(value, MAX_PLACE_CHARS)
    if text and not is_place(text):
        raise ValueError("no place")
    return text
