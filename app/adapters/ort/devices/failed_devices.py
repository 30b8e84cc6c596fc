"""The failed devices that the sessions of a program know, and the earlier experience of this machine: graphs that were right, and crashes.

A failed device is not tried again until the user chooses a backend. While one opens or runs an unproven graph, a note is kept. If its process is
dead, the device took the program with it. What is kept counts for one adapter, driver and ONNX Runtime only, and may be deleted at any time.
"""

import atexit
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from app.adapters.files.file_lock import lock_path_for_change
from app.adapters.ort.devices.device_sessions import OpenedSession, describe_fallback, identify_fault
from app.adapters.ort.devices.ort_devices import collect_device_facts
from app.adapters.ort.session_errors import is_driver_crash
from app.common.errors import BackendError, OutputFileError
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import load_cache, read_bounded, remove_path, write_json
from app.common.language import choose_by_frontend, localize

MAX_NOTE_BYTES = 1 << 12
MAX_RECORDED_DEVICES = 50
MAX_RECORDED_GRAPHS = 500  # of one device
NOTE_PATTERN = "note-*.json"
START_TIME_TOLERANCE_S = 1.0  # two readings of when a process began


class DeviceCrashJournal:
    """Files in a folder: `devices.json`, and a note for each process that is at risk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "devices.json"
        # That of an earlier process of the same number stays.
        self._note = folder / f"note-{os.getpid()}-{_find_start_time():.0f}.json"
        self._lock = threading.Lock()
        self._at_risk = 0
        self._proven_graphs: set[tuple[str, str]] = set()
        self._keys: dict[str, str] = {}

    def describe_refusal(self, place: str) -> str | None:
        """Return why a device is not tried again before the user wants it, for people; None where nothing speaks against it."""
        key = self._compute_device_key(place)
        if any(note.get("device") == key for _, note in self._list_left_notes()):
            reason = localize("前回の使用中にプログラムが異常終了しました。", "the program crashed while using it.")
        elif (entry := self._find_entry(place)).get("crashed"):
            reason = localize("前回の使用中にドライバーが異常終了しました。", "its driver crashed while it was in use.")
        elif (graph := entry.get("wrong")) is not None:
            reason = localize(f"計算結果が CPU と異なりました（{graph}）。", f"its results differ from the CPU's ({graph}).")
        else:
            return None
        command = localize(
            "もう一度試すには koebako backends --probe --retry を実行してください。",
            "To try it again, run koebako backends --probe --retry.",
        )
        return f"{reason} {choose_by_frontend('', command)}".strip()

    def forget_device(self, place: str) -> None:
        """Forget all records against a device that the user wants to be tried again."""
        key = self._compute_device_key(place)
        for path, note in self._list_left_notes():
            if note.get("device") == key:
                remove_path(path)
        if {"wrong", "crashed"} & set(self._find_entry(place)):
            self._change_entry(place, wrong=None, crashed=None)

    def is_verified(self, place: str, graph: str) -> bool:
        """Return whether a graph, by its identity, was computed right on a device."""
        key = self._compute_device_key(place), _shorten_text(graph)
        if key not in self._proven_graphs and key[1] in _parse_texts(self._find_entry(place).get("right")):
            self._proven_graphs.add(key)
        return key in self._proven_graphs

    def record_verified(self, place: str, graph: str) -> None:
        """Record that a device computed a graph as the CPU does."""
        self._proven_graphs.add((self._compute_device_key(place), _shorten_text(graph)))
        self._change_entry(place, right=graph)

    def record_mismatch(self, place: str, name: str) -> None:
        """Record that a device computed the graph of this name otherwise."""
        self._change_entry(place, wrong=name)

    def should_use_exact(self, place: str, graph: str) -> bool:
        """Return whether a graph, by its identity, differs too much in half precision on a device."""
        return _shorten_text(graph) in _parse_texts(self._find_entry(place).get("exact"))

    def record_needs_exact(self, place: str, graph: str) -> None:
        """Record that a graph differs too much in half precision, which is the graph's fault and not the device's."""
        self._change_entry(place, exact=graph)

    def record_crash(self, place: str) -> None:
        """Record a crash of the driver that the program survived: the note of the run would be removed with it."""
        self._change_entry(place, crashed=True)

    @contextmanager
    def write_risk_note(self, place: str) -> Iterator[None]:
        """Keep a note during the block that stays if the process dies. A note that cannot be written keeps nobody from speaking."""
        with self._lock:
            self._at_risk += 1
            if self._at_risk == 1:
                # Our own ending is no crash, even while a driver hangs.
                atexit.register(self._remove_risk_note)
                with suppress(OSError):
                    write_json(
                        self._note, {"device": self._compute_device_key(place), "process": os.getpid(), "started": _find_start_time()}
                    )
        try:
            yield
        finally:
            with self._lock:
                self._at_risk -= 1
                if not self._at_risk:
                    self._remove_risk_note()
                    atexit.unregister(self._remove_risk_note)

    def _remove_risk_note(self) -> None:
        remove_path(self._note)

    def _list_left_notes(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        for path in sorted(self._folder.glob(NOTE_PATTERN)):
            try:
                note = parse_object(read_bounded(path, MAX_NOTE_BYTES))
            except (OSError, ValueError):
                continue
            if not _is_running(note.get("process"), note.get("started")):
                yield path, note

    def _compute_device_key(self, place: str) -> str:
        if place not in self._keys:
            self._keys[place] = _shorten_text("\0".join(collect_device_facts(place)))
        return self._keys[place]

    def _find_entry(self, place: str) -> dict[str, Any]:
        return (load_cache(self._file, _parse_entries) or {}).get(self._compute_device_key(place), {})

    def _change_entry(self, place: str, **changes: Any) -> None:
        """Change the values of a device while no other program does; if that is impossible, they are computed or found again.

        None removes a value; `right` and `exact` are lists, to which a graph is added by its identity.
        """
        with suppress(OSError, OutputFileError), lock_path_for_change(self._file):
            entries = load_cache(self._file, _parse_entries) or {}
            entry = entries.pop(key := self._compute_device_key(place), {})
            for name in changes.keys() & {"right", "exact"}:
                changes[name] = [*_parse_texts(entry.get(name)), _shorten_text(changes[name])][-MAX_RECORDED_GRAPHS:]
            entries[key] = {name: value for name, value in (entry | changes).items() if value is not None}
            write_json(self._file, dict(list(entries.items())[-MAX_RECORDED_DEVICES:]))


def _shorten_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _parse_entries(data: Any) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in data.items() if isinstance(value, dict)}


def _parse_texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


@cache
def _find_start_time() -> float:
    return psutil.Process().create_time()


def _is_running(process: Any, started: Any) -> bool:
    """Return whether the very process is there, and not another that got its number since."""
    if type(process) is not int or not isinstance(started, int | float):
        # Nobody we know wrote it.
        return True
    try:
        live = psutil.Process(process)
        return abs(live.create_time() - started) < START_TIME_TOLERANCE_S and live.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError, OverflowError):
        return False


@dataclass(slots=True)
class FailedDevices:
    """Shared by all voices of a program."""

    lost_reasons: dict[str, str] = field(default_factory=dict)  # place → why nothing more is tried there
    # What is known from before; None while a device is on trial in a process of its own, which may die.
    journal: DeviceCrashJournal | None = None
    _looked_up: set[str] = field(default_factory=set)

    def find_reason(self, place: str) -> str | None:
        """Return why nothing is tried on a place; what happened before this program began counts as well."""
        if place not in self._looked_up and self.journal is not None and place != "cpu":
            self._looked_up.add(place)
            if (refusal := self.journal.describe_refusal(place)) is not None:
                self.lost_reasons.setdefault(place, refusal)
        return self.lost_reasons.get(place)

    def forget_failures(self) -> None:
        """Forget all failures after the user has chosen a backend again: every device may be tried."""
        if self.journal is not None:
            for place in self.lost_reasons:
                self.journal.forget_device(place)
        self.lost_reasons.clear()
        self._looked_up.clear()

    @contextmanager
    def guard_against_crash(self, place: str, graph: str) -> Iterator[None]:
        """Guard opening or running a graph, by its identity: an unverified one may take the program down with the device's driver.

        A driver that crashes while the program lives loses its device, and that is kept: for now, and for the next start.
        """
        journal = self.journal
        with nullcontext() if journal is None or journal.is_verified(place, graph) else journal.write_risk_note(place):
            try:
                yield
            except BackendError as exc:
                if is_driver_crash(exc.__cause__):
                    self.lost_reasons[place] = identify_fault(exc).reason
                    if journal is not None:
                        journal.record_crash(place)
                raise

    def open_session(self, open_on: Callable[[str], OpenedSession], place: str, graph: str) -> OpenedSession:
        """Open a session on a place, or on the CPU if that place was lost."""
        if self.find_reason(place) is None:
            try:
                with self.guard_against_crash(place, graph):
                    return open_on(place)
            except BackendError as exc:
                if not is_driver_crash(exc.__cause__):
                    raise
        return replace(open_on("cpu"), fallback_reason=describe_fallback(place, self.find_reason(place)))
