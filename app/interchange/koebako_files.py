"""Our own project files, `.koebako`: JSON, whole at every moment, with the sounds of takes as base64 by the name that is also their hash."""

import base64
import hashlib
import math
import stat
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from app.common.errors import InputError
from app.common.files.untrusted_json import parse_json
from app.common.files.whole_files import PARSE_FAULTS, PRIVATE, encode_readable_json, read_with_retry, save_bytes
from app.common.language import localize
from app.core.script.project import Project, is_sound_name, sanitise_project
from app.core.script.project_data import VERSION, convert_project_to_data, parse_project
from app.core.script.script import LineSettings
from app.interchange.imported_script import (
    LARGEST_PROJECT_BYTES,
    NOT_OPENED,
    ImportAllowance,
    LossReport,
    build_too_large_error,
    read_file_bytes,
)
from app.interchange.script_tables import SETTING_BY_COLUMN, format_field_name

_LINE_LOSS_LABELS = {
    "lines": ("壊れた行", "damaged lines"),
    "id": ("正しくない ID", "IDs that are not valid"),
    "settings": ("正しくない話し方の設定", "settings that are not valid"),
    "seed_locked": ("シードの固定", "seed locks"),
    "overrides": ("正しくない読み・アクセント・長さの調整", "edits of reading, accent and lengths that are not valid"),
}
_PROJECT_LOSS_LABELS = {
    "title": ("題名", "title"),
    "current": ("選択していた行", "selected line"),
    "voices": ("声の情報", "voices"),
    "cast": ("登場人物", "characters"),
    "id": ("登場人物の ID", "IDs of characters"),
    "aliases": ("登場人物の別名", "other names of characters"),
    "colour": ("登場人物の色", "colours of characters"),
    "note": ("登場人物のメモ", "notes on characters"),
    "portrait": ("登場人物の画像", "portraits of characters"),
    "dictionary": ("辞書の単語", "words in the dictionary"),
    "export": ("書き出しの設定", "export settings"),
    "takes": ("テイク", "takes"),
    "presets": ("プリセット", "presets"),
    "tests": ("ブラインドテスト", "blind tests"),
    "sounds": ("ファイルに含まれる音声", "sounds in the file"),
}
_FIELD_BY_SETTING = {setting: field for field, setting in SETTING_BY_COLUMN.items()} | {"assist_text": "assist", "pauses": "pause"}
_LINE_SETTING_NAMES = {item.name for item in fields(LineSettings)}

MAX_EMBEDDED_SOUND_BYTES = 48 << 20
"""Of all sounds of a file; a voice takes 20 minutes to fill that. A file is read whole, and its text takes up to four times as much memory."""

MAX_ENCODED_SOUND_BYTES = MAX_EMBEDDED_SOUND_BYTES * 4 // 3  # the same as base64


class ProjectLossReport:
    """Is called with each part that cannot be read, as `parse_project` does."""

    def __init__(self) -> None:
        self._lines = LossReport(NOT_OPENED)
        self._part_counts: Counter[str] = Counter()

    def add_loss(self, part: str, line: int) -> None:
        """Record a lost part of the line with this number, or of the project if 0."""
        if not line:
            self._part_counts[part] += 1
        elif part in _LINE_LOSS_LABELS:
            self._lines.add_line(line, *_LINE_LOSS_LABELS[part])
        else:
            name = format_field_name(_FIELD_BY_SETTING.get(part, part)) if part in _LINE_SETTING_NAMES else part
            self._lines.add_line(line, f"使用できない値（{name}）", f"values that cannot be used ({name})")

    def build_sentences(self) -> tuple[str, ...]:
        """Return a sentence for each kind of loss."""
        parts = ((*_PROJECT_LOSS_LABELS.get(part, (part, part)), count) for part, count in self._part_counts.items())
        return (
            *self._lines.build_sentences(),
            *(localize(f"{ja}は{NOT_OPENED[0]}（{count:,} 件）。", f"{NOT_OPENED[1]}: {en} ({count:,}).") for ja, en, count in parts),
        )


def encode_sounds(sounds: Mapping[str, bytes]) -> dict[str, str]:
    """Return the data that `decode_sounds` reads."""
    return {name: base64.b64encode(content).decode("ascii") for name, content in sounds.items()}


def decode_sounds(data: Mapping[str, object]) -> dict[str, bytes]:
    """Decode the sounds that match their names, as far as they fit; takes without a sound say so when played."""
    sounds: dict[str, bytes] = {}
    room = MAX_EMBEDDED_SOUND_BYTES
    for name, text in data.items():
        if is_sound_name(name) and isinstance(text, str) and len(text) * 3 // 4 <= room + 2:
            content = b""
            with suppress(ValueError):  # what is no base64 matches no name
                content = base64.b64decode(text, validate=True)
            if len(content) <= room and hashlib.sha256(content).hexdigest() == name:
                sounds[name] = content
                room -= len(content)
    return sounds


MAX_PROJECT_FILE_BYTES = LARGEST_PROJECT_BYTES + MAX_ENCODED_SOUND_BYTES  # the second for sounds alone
MAX_PROJECT_VALUES = 3_000_000  # 30,000 lines with edits take a fifth of that


@dataclass(frozen=True, slots=True)
class ProjectFileContent:
    """A project as its file holds it."""

    project: Project
    digest: str  # of the very bytes that said so
    losses: tuple[str, ...] = ()  # what could not be read, a sentence each


def read_project(path: Path) -> Project:
    """Read the readable part of a project. Raises InputError as `open_project`."""
    return open_project(path).project


def open_project(path: Path) -> ProjectFileContent:
    """Open a project; drop unreadable values, alone or with their line. Raises InputError for no file, an unknown format or version."""
    content = read_file_bytes(path, MAX_PROJECT_FILE_BYTES)
    try:
        text = content.decode("utf-8-sig", "surrogatepass")
        try:
            data = parse_json(text, most_values=MAX_PROJECT_VALUES)
        except ValueError:
            data = _replace_non_finite(parse_json(text, most_values=MAX_PROJECT_VALUES, is_lenient=True))
    except PARSE_FAULTS as exc:
        raise _build_damaged_error(path) from exc
    losses = ProjectLossReport()
    project = _parse_project(path, data, losses)
    sounds = data["sounds"] if project.embeds else {}
    if len(content) - sum(len(sound) for sound in sounds.values() if isinstance(sound, str)) > LARGEST_PROJECT_BYTES:
        raise build_too_large_error(path, LARGEST_PROJECT_BYTES)
    return ProjectFileContent(replace(project, sounds=decode_sounds(sounds)), _compute_digest(content), losses.build_sentences())


def write_project(path: Path, project: Project) -> str:
    """Write the project at once and return the digest of the file; the old file stays until the new one is complete. Raise OutputFileError if that fails."""
    data = convert_project_to_data(project)
    content = encode_readable_json(data | {"sounds": encode_sounds(project.sounds)} if project.embeds else data)
    mode = PRIVATE  # of a new file; else that of the file that is replaced
    with suppress(OSError, ValueError):
        mode = stat.S_IMODE(path.stat().st_mode) & 0o666
    save_bytes(path, content, localize("プロジェクトを保存できません", "The project could not be saved"), mode)
    return _compute_digest(content)


def compute_file_digest(path: Path) -> str:
    """Return the digest of the file's present content; empty if there is no file, a special word for one that cannot be read."""
    try:
        return _compute_digest(read_with_retry(path, MAX_PROJECT_FILE_BYTES))
    except FileNotFoundError:
        return ""
    except OSError:
        return "unreadable"


def _compute_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _replace_non_finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_non_finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_replace_non_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _parse_project(path: Path, data: object, losses: ProjectLossReport) -> Project:
    if isinstance(data, dict) and isinstance(version := data.get("version"), int) and version > VERSION:
        raise _build_unusable_error(
            path, localize("新しいバージョンの Koebako で開いてください。", "Open it with a newer version of Koebako.")
        )
    _check_size(path.name, data)
    try:
        project = parse_project(data, losses.add_loss)
    except PARSE_FAULTS as exc:
        raise _build_damaged_error(path) from exc
    return sanitise_project(project)


def _check_size(name: str, data: object) -> None:
    """Raise InputError for more than a script can have, before lines are made of it."""
    script = data.get("script") if isinstance(data, dict) else None
    lines = script.get("lines") if isinstance(script, dict) else None
    allowance = ImportAllowance(name)
    for line in lines if isinstance(lines, list) else ():
        text = line.get("text") if isinstance(line, dict) else None
        allowance.take_lines(1)
        allowance.take_text(len(text) if isinstance(text, str) else 0)


def _build_damaged_error(path: Path) -> InputError:
    return _build_unusable_error(
        path, localize("Koebako のプロジェクトではないか、壊れています。", "It is not a Koebako project, or it is damaged.")
    )


def _build_unusable_error(path: Path, hint: str) -> InputError:
    return InputError(localize(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."), hint)
