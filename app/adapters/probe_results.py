"""What was measured of backends, kept until a model, ONNX Runtime, an adapter or a driver changes; may vanish at any time.

A trial is noted before it begins: one that takes the whole machine down with it counts as failed afterwards, and is not repeated at once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.adapters.files.lock import sole_use
from app.adapters.ort.device_facts import machine_facts
from app.data_file import load_cache, save_data
from app.language import localized

MOST_ENTRIES = 100
FIRST_WAIT_S = 3600.0
LONGEST_WAIT_S = 30 * 24 * 3600.0


class ProbeMemory:
    """A JSON file: entry (machine and models) → the choice, and the trials by place."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock

    def chosen(self, *models: str) -> str | None:
        """The placement that was fastest, or None where nothing is known."""
        entry = self._entry(models)
        chosen = entry.get("chosen")
        return chosen if isinstance(chosen, str) else None

    def trials(self, *models: str) -> dict[str, dict[str, Any]]:
        """Place → how its trial ended."""
        trials = self._entry(models).get("trials")
        return {place: trial for place, trial in trials.items() if isinstance(trial, dict)} if isinstance(trials, dict) else {}

    def wait_s(self, place: str, *models: str) -> float:
        """How long a place that failed is left alone: an hour after the first time, four times as long after each further one."""
        trial = self.trials(*models).get(place, {})
        failures, at = self._failures(place, models), trial.get("at")
        if not failures or not isinstance(at, float):
            return 0.0
        pause = min(LONGEST_WAIT_S, FIRST_WAIT_S * 4.0 ** min(failures - 1, 9))
        return min(pause, max(0.0, at + pause - self._clock()))  # a clock set back must not make it longer

    def begin(self, place: str, *models: str) -> None:
        """Notes that a trial begins: until `end` it counts as one that failed. Raises OutputFileError: without the note none may begin."""
        with sole_use(self._path):
            failures = self._failures(place, models)
            self._put(models, place, {"failures": failures + 1, "at": self._clock(), "line": None})

    def end(self, place: str, line: dict[str, Any], *models: str) -> None:
        """Keeps the line of a trial that is over; only one that crashed or hung stays counted as failed."""
        with sole_use(self._path):
            before = self._failures(place, models)
            self._put(models, place, {"failures": before if line.get("crashed") else 0, "at": self._clock(), "line": line})

    def withdraw(self, place: str, *models: str) -> None:
        """Takes back `begin`: the user stopped the trial, which says nothing about the place."""
        with sole_use(self._path):
            failures = self._failures(place, models)
            line = self.trials(*models).get(place, {}).get("line")
            self._put(models, place, {"failures": max(0, failures - 1), "at": self._clock(), "line": line})

    def choose(self, placement: str, *models: str) -> None:
        """Keeps what was fastest."""
        with sole_use(self._path):
            entries = self._read()
            entries.setdefault(_key(models), {})["chosen"] = placement
            self._write(entries)

    def _failures(self, place: str, models: tuple[str, ...]) -> int:
        found = self.trials(*models).get(place, {}).get("failures")
        return found if type(found) is int and found > 0 else 0

    def _put(self, models: tuple[str, ...], place: str, trial: dict[str, Any]) -> None:
        entries = self._read()
        entry = entries.pop(_key(models), {})
        trials = entry.get("trials")
        entry["trials"] = (trials if isinstance(trials, dict) else {}) | {place: trial}
        entries[_key(models)] = entry
        self._write(entries)

    def _entry(self, models: tuple[str, ...]) -> dict[str, Any]:
        entries = self._read()
        return entries.get(_key(models), {}) if entries else {}

    def _read(self) -> dict[str, dict[str, Any]]:
        return load_cache(self._path, _entries) or {}

    def _write(self, entries: dict[str, dict[str, Any]]) -> None:
        kept = dict(list(entries.items())[-MOST_ENTRIES:])
        save_data(self._path, kept, localized("測定結果を保存できません", "The measurements could not be saved"))


def _entries(data: Any) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in data.items() if isinstance(value, dict)}


def _key(models: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join((*machine_facts(), *models)).encode("utf-8", "surrogateescape")).hexdigest()[:32]
