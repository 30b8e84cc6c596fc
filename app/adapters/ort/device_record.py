"""What this machine knows of its devices from before: which graphs they computed right, and whether they crashed while they did.

While an unproven graph is opened or run on a device a note lies on the disk. If its process is dead, the device took the
program with it. Everything counts for one adapter, driver and ONNX Runtime only, and may be deleted at any time.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from app.adapters.files.lock import sole_use
from app.adapters.ort.device_facts import device_facts
from app.data_file import drop, load_cache, write_json
from app.errors import OutputFileError
from app.json_text import parse_object
from app.language import by_frontend, localized
from app.small_file import read_small

LARGEST_NOTE_BYTES = 1 << 12
MOST_DEVICES = 50
MOST_GRAPHS = 500  # of one device
NOTE_PATTERN = "note-*.json"
SAME_START_S = 1.0  # two readings of when a process began


class DeviceRecord:
    """Files in a folder: `devices.json`, and a note for each process that is at risk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "devices.json"
        self._note = folder / f"note-{os.getpid()}-{_started():.0f}.json"  # that of an earlier process of the same number stays
        self._lock = threading.Lock()
        self._at_risk = 0
        self._proven: set[tuple[str, str]] = set()
        self._keys: dict[str, str] = {}

    def refusal(self, place: str) -> str | None:
        """Why a device is not tried again before the user wants it, for people; None where nothing speaks against it."""
        key = self._key(place)
        if any(note.get("device") == key for _, note in self._left_behind()):
            reason = localized("前回の使用中にプログラムが異常終了しました。", "the program crashed while using it.")
        elif self._entry(key).get("crashed"):
            reason = localized("前回の使用中にドライバーが異常終了しました。", "its driver crashed while it was in use.")
        elif (graph := self._entry(key).get("wrong")) is not None:
            reason = localized(f"計算結果が CPU と異なりました（{graph}）。", f"its results differ from the CPU's ({graph}).")
        else:
            return None
        command = localized(
            "もう一度試すには koebako backends --probe --retry を実行してください。",
            "To try it again, run koebako backends --probe --retry.",
        )
        return f"{reason} {by_frontend('', command)}".strip()

    def forget(self, place: str) -> None:
        """The user wants a device tried again: what spoke against it counts no longer."""
        key = self._key(place)
        for path, note in self._left_behind():
            if note.get("device") == key:
                drop(path)
        if {"wrong", "crashed"} & set(self._entry(key)):
            self._change(key, lambda _entry: {"wrong": None, "crashed": None})

    def is_proven(self, place: str, graph: str) -> bool:
        """Whether a graph, by its identity, was computed right on a device."""
        key, graph = self._key(place), _short(graph)
        if (key, graph) not in self._proven and graph in _texts(self._entry(key).get("right")):
            self._proven.add((key, graph))
        return (key, graph) in self._proven

    def keep_right(self, place: str, graph: str) -> None:
        """A graph was computed as the CPU does."""
        key, graph = self._key(place), _short(graph)
        self._proven.add((key, graph))
        self._change(key, lambda entry: {"right": [*_texts(entry.get("right")), graph][-MOST_GRAPHS:]})

    def keep_wrong(self, place: str, name: str) -> None:
        """The graph of this name was computed otherwise."""
        self._change(self._key(place), lambda _entry: {"wrong": name})

    def needs_exact(self, place: str, graph: str) -> bool:
        """Whether a graph, by its identity, differs too much in half precision on a device."""
        return _short(graph) in _texts(self._entry(self._key(place)).get("exact"))

    def keep_exact(self, place: str, graph: str) -> None:
        """A graph differs too much in half precision, which is the graph's doing and not the device's."""
        self._change(self._key(place), lambda entry: {"exact": [*_texts(entry.get("exact")), _short(graph)][-MOST_GRAPHS:]})

    def keep_crashed(self, place: str) -> None:
        """The driver crashed, and the program lives: a note of it would be gone with the run."""
        self._change(self._key(place), lambda _entry: {"crashed": True})

    @contextmanager
    def at_risk(self, place: str) -> Iterator[None]:
        """While this lasts, a process that dies leaves a note. One that cannot be written keeps nobody from speaking."""
        with self._lock:
            self._at_risk += 1
            if self._at_risk == 1:
                atexit.register(self._withdraw)  # our own ending is no crash, even while a driver hangs
                with suppress(OSError):
                    write_json(self._note, {"device": self._key(place), "process": os.getpid(), "started": _started()})
        try:
            yield
        finally:
            with self._lock:
                self._at_risk -= 1
                if not self._at_risk:
                    self._withdraw()
                    atexit.unregister(self._withdraw)

    def _withdraw(self) -> None:
        drop(self._note)

    def _left_behind(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Notes of processes that are dead."""
        for path in sorted(self._folder.glob(NOTE_PATTERN)):
            try:
                note = parse_object(read_small(path, LARGEST_NOTE_BYTES))
            except (OSError, ValueError):
                continue
            if not _lives(note.get("process"), note.get("started")):
                yield path, note

    def _key(self, place: str) -> str:
        """A name for adapter, driver and ONNX Runtime."""
        if place not in self._keys:
            facts = "\0".join(device_facts(place))
            self._keys[place] = _short(facts)
        return self._keys[place]

    def _entry(self, key: str) -> dict[str, Any]:
        return (load_cache(self._file, _entries) or {}).get(key, {})

    def _change(self, key: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Gives a device other values, while no other program does; where that is impossible, it is computed or found again."""
        with suppress(OSError, OutputFileError), sole_use(self._file):
            entries = load_cache(self._file, _entries) or {}
            entry = entries.pop(key, {})
            entry |= change(entry)
            entries[key] = {name: value for name, value in entry.items() if value is not None}
            write_json(self._file, dict(list(entries.items())[-MOST_DEVICES:]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _entries(data: Any) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in data.items() if isinstance(value, dict)}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


@cache
def _started() -> float:
    return psutil.Process().create_time()


def _lives(process: Any, started: Any) -> bool:
    """Whether the very process is there, and not another that got its number since."""
    if type(process) is not int or not isinstance(started, int | float):
        return True  # nobody we know wrote it
    try:
        found = psutil.Process(process)
        return abs(found.create_time() - started) < SAME_START_S and found.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError, OverflowError):
        return False
