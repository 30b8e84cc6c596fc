"""Measurements of backends, kept until a model, ONNX Runtime, an adapter or a driver changes; they may vanish at any time.

A trial is noted before it begins: one that takes the whole machine down with it counts as failed afterwards, and is not repeated at once.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_path_for_change
from app.common.files.whole_files import load_cache, save_data
from app.common.language import localize

MAX_PROBE_ENTRIES = 100
FIRST_RETRY_DELAY_S = 3600.0
MAX_RETRY_DELAY_S = 30 * 24 * 3600.0


class ProbeResultStore:
    """A JSON file: entry (machine and models) → the choice, and the trials by place."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock

    def find_placement(self, *models: str) -> str | None:
        """Return the placement that was fastest, or None if none is known."""
        entry = self._find_entry(models)
        chosen = entry.get("chosen")
        return chosen if isinstance(chosen, str) else None

    def find_trials(self, *models: str) -> dict[str, dict[str, Any]]:
        """Place → how its trial ended."""
        trials = self._find_entry(models).get("trials")
        return {place: trial for place, trial in trials.items() if isinstance(trial, dict)} if isinstance(trials, dict) else {}

    def compute_retry_delay(self, place: str, *models: str) -> float:
        """Return how long a place that failed is left alone: an hour after the first time, four times as long after each further one."""
        trial = self.find_trials(*models).get(place, {})
        failures, at = self._count_failures(place, models), trial.get("at")
        if not failures or not isinstance(at, float):
            return 0.0
        pause = min(MAX_RETRY_DELAY_S, FIRST_RETRY_DELAY_S * 4.0 ** min(failures - 1, 9))
        # A clock set back must not make it longer.
        return min(pause, max(0.0, at + pause - self._clock()))

    def begin_trial(self, place: str, *models: str) -> None:
        """Record that a trial begins, which counts as failed until `end_trial`; raise OutputFileError, for without the record no trial may begin."""
        self._put_trial(models, place, lambda trial, failures: (failures + 1, None))

    def end_trial(self, place: str, trial_line: dict[str, Any], *models: str) -> None:
        """Keep the line of a finished trial; only one that crashed or hung stays counted as failed."""
        self._put_trial(models, place, lambda trial, failures: (failures if trial_line.get("crashed") else 0, trial_line))

    def cancel_trial(self, place: str, *models: str) -> None:
        """Undo `begin_trial`: the user stopped the trial, which proves nothing about the place."""
        self._put_trial(models, place, lambda trial, failures: (max(0, failures - 1), trial.get("line")))

    def save_placement(self, placement: str, *models: str) -> None:
        """Keep the fastest placement."""
        with lock_path_for_change(self._path):
            entries = self._read_entries()
            entries.setdefault(_compute_key(models), {})["chosen"] = placement
            self._write_entries(entries)

    def _count_failures(self, place: str, models: tuple[str, ...]) -> int:
        failures = self.find_trials(*models).get(place, {}).get("failures")
        return failures if type(failures) is int and failures > 0 else 0

    def _put_trial(self, models: tuple[str, ...], place: str, change: Callable[[dict[str, Any], int], tuple[int, Any]]) -> None:
        """Put a trial, with the failures and the line that `change` makes of the one before and its failures."""
        with lock_path_for_change(self._path):
            entries = self._read_entries()
            entry = entries.pop(_compute_key(models), {})
            failures, line = change(self.find_trials(*models).get(place, {}), self._count_failures(place, models))
            trials = entry.get("trials")
            trial = {"failures": failures, "at": self._clock(), "line": line}
            entry["trials"] = (trials if isinstance(trials, dict) else {}) | {place: trial}
            entries[_compute_key(models)] = entry
            self._write_entries(entries)

    def _find_entry(self, models: tuple[str, ...]) -> dict[str, Any]:
        entries = self._read_entries()
        return entries.get(_compute_key(models), {}) if entries else {}

    def _read_entries(self) -> dict[str, dict[str, Any]]:
        return load_cache(self._path, _parse_entries) or {}

    def _write_entries(self, entries: dict[str, dict[str, Any]]) -> None:
        newest = dict(list(entries.items())[-MAX_PROBE_ENTRIES:])
        save_data(self._path, newest, localize("測定結果を保存できません", "The measurements could not be saved"))


def _parse_entries(data: Any) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in data.items() if isinstance(value, dict)}


def _compute_key(models: tuple[str, ...]) -> str:
    # Where nothing was ever measured no device is asked for its facts.
    from app.adapters.ort.devices.ort_devices import collect_machine_facts

    return hashlib.sha256("\0".join((*collect_machine_facts(), *models)).encode("utf-8", "surrogateescape")).hexdigest()[:32]
