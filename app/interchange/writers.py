"""The script as text, as VOICEVOX's text with who speaks each line, and as a table with all settings that differ.

None of them says that square brackets are memos, so memos are written as notes.
"""

from __future__ import annotations

import csv
import errno
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.notation.written import memos_as_notes
from app.core.script import CAST_FIELDS, Line, LineSettings, Script
from app.core.spreadsheets import harmless
from app.core.types import Overrides
from app.data_file import WRITABLE, write_whole
from app.errors import InputError, OutputFileError
from app.interchange.columns import NUMBERS
from app.interchange.imported import SAVED, Losses
from app.language import localized
from app.system_errors import reason_of

SUFFIXES = (".txt", ".csv", ".tsv")
Who = Callable[[LineSettings], tuple[str, str]]
"""Name of the speaker, and of the style, for people; both may be empty."""
_PLAIN = LineSettings()


def as_text(script: Script) -> str:
    """A line each."""
    return "".join(f"{_written(line)}\n" for line in script.lines)


def as_voicevox_text(script: Script, who: Who) -> str:
    """`キャラ（スタイル）,テキスト` each; a line whose speaker has no name has only its text."""
    return "".join(f"{_called(*who(line.settings))}{_written(line)}\n" for line in script.lines)


def as_table(script: Script, separator: str = ",") -> str:
    """A header, and a row each: id, text, voice, speaker, style, and the settings that any line has changed."""
    settings = [line.settings for line in script.lines]
    columns = {field: name for field, name in _SETTINGS.items() if any(getattr(item, name) != getattr(_PLAIN, name) for item in settings)}
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(("id", "text", *CAST_FIELDS, *columns))
    for line in script.lines:
        values = (_cell(getattr(line.settings, name), getattr(_PLAIN, name)) for name in columns.values())
        texts = (line.id, _written(line), *(getattr(line.settings, name) for name in CAST_FIELDS))
        writer.writerow((*map(harmless, texts), *values))
    return out.getvalue()


def write_script(file: Path, script: Script, who: Who | None = None) -> tuple[str, ...]:
    """Writes a file by its suffix, at once; with `who`, a .txt says who speaks. What it cannot hold comes back, a sentence each.

    Raises:
        InputError: of this suffix nothing can be written.
        OutputFileError.
    """
    suffix = file.suffix.lower()
    if suffix == ".txt":
        content = as_text(script) if who is None else as_voicevox_text(script, who)
    elif suffix in SUFFIXES:
        content = "\ufeff" + as_table(script, "," if suffix == ".csv" else "\t")  # with the mark spreadsheets read it as UTF-8
    else:
        raise InputError(
            localized(f"「{file.name}」の形式では書き出せません。", f"“{file.name}” is not a format that can be written."),
            localized("使用できる拡張子: ", "Available: ") + ", ".join((".koebako", *SUFFIXES)),
        )
    try:
        write_whole(file, content.encode("utf-8", "replace"))
    except OSError as exc:
        why = reason_of(exc)
        ja, en = ("ディスクの空き容量を増やしてください。", "Free some space.") if exc.errno in (errno.ENOSPC, errno.EDQUOT) else WRITABLE
        raise OutputFileError(
            localized(f"台本を保存できません: {file}", f"The script could not be saved: {file}"),
            localized(f"{ja}（{why}）", f"{en} ({why})"),
        ) from exc
    return _lost(script, has_settings=suffix != ".txt")


def _lost(script: Script, *, has_settings: bool) -> tuple[str, ...]:
    edited = sum(line.overrides != Overrides() for line in script.lines)
    losses = Losses(SAVED)
    losses.add("読み・アクセント・長さの調整", "edits of reading, accent and lengths", edited)
    if not has_settings:
        losses.add("話し方の設定", "settings of the voice", sum(_has_settings(line) for line in script.lines))
    return losses.sentences()


def _has_settings(line: Line) -> bool:
    return any(getattr(line.settings, name) != getattr(_PLAIN, name) for name in _SETTINGS.values())


def _called(name: str, style: str) -> str:
    """VOICEVOX ends the name at the first comma."""
    name, style = (part.replace(",", "，") for part in (name, style))
    return f"{name}（{style}）," if name and style else f"{name}," if name else ""


def _cell(value: Any, plain: Any) -> str:
    if value == plain:
        return ""
    if isinstance(value, tuple):
        value = " ".join(f"{mark}={seconds:.10g}" for mark, seconds in value)
    return str(harmless(value)) if isinstance(value, str) else f"{value:.10g}"


def _written(line: Line) -> str:
    text = memos_as_notes(line.text) if line.settings.memos else line.text
    return " ".join(text.splitlines())


_SETTINGS = NUMBERS | {"assist": "assist_text", "pause": "pauses", "seed": "seed"}
