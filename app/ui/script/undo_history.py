"""The last steps of undo and redo between starts, in a file next to the autosaved script; they are dropped unless they are of that very script.

A step is written as what it changes: where lines go, how many, and which ones come; every line is written once, however many steps it is in.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import parse_json, require_int
from app.common.files.whole_files import PARSE_FAULTS, PRIVATE, read_with_retry, remove_path, write_file_atomically
from app.common.gil_yield import iterate_yielding_gil
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.script.script_data import convert_cast_to_data, convert_line_to_data, parse_cast, parse_line

MAX_KEPT_STEPS = 50  # to undo, and as many to redo
MAX_KEPT_BYTES = 1 << 20  # read in a fifth of a second, which the window waits for at its start
_FORMAT = "koebako-undo 1"
_MAX_AUTOSAVE_BYTES = 1 << 30
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class UndoStep:
    """One step: what it is called in the menu, and the scripts before and after it."""

    label: str
    former_script: Script
    script: Script


@dataclass(frozen=True, slots=True)
class UndoHistory:
    """The steps that lead to a script, and those that were taken back from it, the nearest first in both."""

    script: Script = field(default_factory=Script)
    done: tuple[UndoStep, ...] = ()
    undone: tuple[UndoStep, ...] = ()


def locate_undo_file() -> Path:
    """Return where the steps are kept between starts."""
    return find_data_dir() / "undo.json"


def write_undo_history(history: UndoHistory, autosave: bytes) -> None:
    """Write steps; without any, the file is removed. What fails is only logged.

    Args:
        autosave: the content of the file that the script was autosaved in, to which the steps belong.
    """
    path = locate_undo_file()
    try:
        body = _encode_history(history)
        if body is None:
            path.unlink(missing_ok=True)
        else:
            header = f"{_FORMAT} {_compute_digest(autosave)} {_compute_digest(body)}\n"
            write_file_atomically(path, header.encode() + body, PRIVATE)
    except OSError as exc:
        logging.getLogger("koebako").warning("the steps of undo were not kept", exc_info=exc)


def load_undo_history(script: Script, autosave_file: Path) -> UndoHistory:
    """Return the steps that lead to and from the script in this file; none where they belong to another one or are damaged, which the log says."""
    path = locate_undo_file()
    try:
        header, _, body = read_with_retry(path, MAX_KEPT_BYTES).partition(b"\n")
        digests = _compute_digest(read_with_retry(autosave_file, _MAX_AUTOSAVE_BYTES)), _compute_digest(body)
        if header.decode() != " ".join((_FORMAT, *digests)):
            raise ValueError("they belong to another script, or are damaged")
        return _HistoryReader(parse_json(body.decode("utf-8", "surrogatepass"))).read_history(script)
    except FileNotFoundError:
        return UndoHistory()
    except PARSE_FAULTS as exc:
        logging.getLogger("koebako").info("the steps of undo were dropped: %s: %s", type(exc).__name__, exc)
        remove_path(path)
        return UndoHistory()


def _compute_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def _encode_history(history: UndoHistory) -> bytes | None:
    """Return as many steps as there is room for; None without any."""
    # Not the autosaved script, which has the seeds that were heard: undo leaves those of other lines alone.
    present, writer = history.script, _HistoryWriter()
    done = writer.describe_steps(present, ((step.label, step.script, step.former_script) for step in history.done))
    undone = writer.describe_steps(present, ((step.label, step.former_script, step.script) for step in history.undone))
    if not (done or undone):
        return None
    data = {"count": len(present.lines), "done": done, "undone": undone}
    pools = f'"lines": [{",".join(writer.line_texts)}], "casts": [{",".join(writer.cast_texts)}]'
    return f"{{{pools}, {json.dumps(data, ensure_ascii=False)[1:]}".encode("utf-8", "surrogatepass")


class _HistoryWriter:
    """Collects the lines and casts that steps need, as JSON."""

    def __init__(self) -> None:
        self.line_texts, self.cast_texts = list[str](), list[str]()
        self._numbers: dict[int, int] = {}  # of lines and casts by identity: the history holds them meanwhile
        self._room = MAX_KEPT_BYTES - 1_000

    def describe_steps(self, script: Script, steps: Iterable[tuple[str, Script, Script]]) -> list[Any]:
        """Return what leads from a script to one end of the nearest step, and to its other end, and so on while there is room."""
        described = list[Any]()
        for label, near_end, far_end in iterate_yielding_gil(steps):
            counts = len(self.line_texts), len(self.cast_texts)
            step = [label, self._describe_change(script, near_end), self._describe_change(near_end, far_end)]
            self._room -= len(json.dumps(step, ensure_ascii=False).encode("utf-8", "surrogatepass")) + 2
            if self._room < 0:
                # Nothing else refers to what only this step needs.
                del self.line_texts[counts[0] :], self.cast_texts[counts[1] :]
                break
            described.append(step)
            script = far_end
        return described

    def _describe_change(self, script: Script, other: Script) -> dict[str, Any]:
        change: dict[str, Any] = {}
        if script.lines is not other.lines:
            start, end = _find_difference(script.lines, other.lines)
            come = other.lines[start : len(other.lines) - end]
            numbers = [self._add_line(line) for line in iterate_yielding_gil(come) if self._room >= 0]
            change |= {"at": start, "gone": len(script.lines) - end - start, "come": numbers}
        if script.cast is not other.cast:
            change["cast"] = self._add_text(self.cast_texts, other.cast, lambda: convert_cast_to_data(other.cast))
        change |= {name: getattr(other, name) for name in ("title", "unknown") if getattr(script, name) != getattr(other, name)}
        return change

    def _add_line(self, line: Line) -> int:
        return self._add_text(self.line_texts, line, lambda: convert_line_to_data(line))

    def _add_text(self, texts: list[str], item: object, convert: Any) -> int:
        number = self._numbers.get(id(item))
        if number is None:
            number = self._numbers[id(item)] = len(texts)
            texts.append(json.dumps(convert(), ensure_ascii=False))
            self._room -= len(texts[-1].encode("utf-8", "surrogatepass")) + 1
        return number


def _find_difference(old: Sequence[Line], new: Sequence[Line]) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end are the same ones."""
    shorter = min(len(old), len(new))
    start = next((row for row in range(shorter) if old[row] is not new[row]), shorter)
    return start, next((row for row in range(shorter - start) if old[-1 - row] is not new[-1 - row]), shorter - start)


class _HistoryReader:
    """Builds steps from data. Every method raises what `PARSE_FAULTS` names for data that nobody has written."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        # Each line was written with all its settings: no character is asked for any.
        characters = {line["character"]: LineSettings() for line in data["lines"] if "character" in line}
        self._lines = [parse_line(line, None, characters) for line in data["lines"]]
        self._casts: list[tuple[Character, ...]] = [parse_cast(cast) for cast in data["casts"]]

    def read_history(self, present: Script) -> UndoHistory:
        """Return the steps that lead to and from a script."""
        if self._data["count"] != len(present.lines):
            raise ValueError("they belong to another script")
        done = [UndoStep(label, former, script) for label, script, former in self._read_steps(present, self._data["done"])]
        undone = [UndoStep(label, former, script) for label, former, script in self._read_steps(present, self._data["undone"])]
        return UndoHistory(present, tuple(done), tuple(undone))

    def _read_steps(self, script: Script, steps: list[Any]) -> Iterable[tuple[str, Script, Script]]:
        for label, change, further_change in steps:
            near_end = self._apply_change(script, change)
            script = self._apply_change(near_end, further_change)
            yield str(label), near_end, script

    def _apply_change(self, script: Script, change: dict[str, Any]) -> Script:
        values: dict[str, Any] = {name: str(change[name]) for name in ("title", "unknown") if name in change}
        if "cast" in change:
            values["cast"] = self._casts[require_int(change["cast"], 0, len(self._casts) - 1)]
        if "at" in change:
            start = require_int(change["at"], 0, len(script.lines))
            end = start + require_int(change["gone"], 0, len(script.lines) - start)
            come = (self._lines[require_int(number, 0, len(self._lines) - 1)] for number in change["come"])
            values["lines"] = (*script.lines[:start], *come, *script.lines[end:])
        return replace(script, **values) if values else script
