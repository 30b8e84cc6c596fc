"""Tries every backend with one voice, each in a child process with a time limit, and remembers the fastest that computes right.

A driver may crash, hang or compute nonsense: the child is what suffers. One that crashed or hung is left alone for a growing while.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app import paths
from app.adapters.ort.optimized_graphs import graph_bytes
from app.adapters.ort.placement import CPU_ONLY, GROUP_OF_GRAPH, GROUPS, parse_placement
from app.adapters.ort.providers import Device, device_of, places
from app.backends.child import RECORD, Ended, run_trial
from app.backends.probe_result import ProbeResult, best_mix, fastest, judge, remembered
from app.compose.auto import choice_facts, first_guess
from app.compose.stores import device_record, probe_memory
from app.errors import AppError, BackendError
from app.language import by_frontend, localized
from app.progress import Report, unreported
from app.settings import known_settings
from app.voices.bert import find_bert
from app.voices.library import find_voice

SPARE_MB = 512  # what a desktop and the activations of a long sentence take beside the weights


class Probe:
    """The candidates of this machine for one voice.

    Args:
        wanted: id, name or path of the voice; None is the first one.
    """

    def __init__(self, wanted: str | None = None) -> None:
        voice = find_voice(wanted, paths.voice_dirs())
        settings = known_settings()
        bert = find_bert(voice.manifest.bert, paths.bert_dirs(), force=True, preferred=settings.bert)  # for times, any will do
        self._wanted = wanted
        self._facts = choice_facts(voice, bert)
        self._guess = str(first_guess(voice))
        self._weights_mb: dict[str, float] = defaultdict(float)  # by group
        self._weights_mb["bert"] = bert.size_bytes / 2**20
        for name, graph in voice.graphs.items():
            self._weights_mb[GROUP_OF_GRAPH[name]] += graph_bytes(graph) / 2**20
        self._memory = probe_memory()

    def known(self) -> list[ProbeResult]:
        """What is remembered, and what has not been tried."""
        trials = self._memory.trials(*self._facts)
        chosen = self._memory.chosen(*self._facts) or self._guess
        found = [self._remembered(place, trials.get(place)) for place in dict.fromkeys([*places(), *trials, chosen])]
        for finding in found:
            finding.chosen = finding.backend == chosen
        return found

    def run(self, report: Report = unreported, *, retry: bool = False) -> Iterator[ProbeResult]:
        """Tries everything, gives each finding as it is there, and remembers the fastest.

        Args:
            retry: also try what crashed or hung not long ago.

        Raises:
            BackendError: not even the CPU speaks.
            OutputFileError: nothing can be remembered.
        """
        candidates = self.candidates()
        with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
            calls = Path(folder) / "calls.npz"
            report("checking", 0.0)
            self._record(calls)
            found: list[ProbeResult] = []
            for index, place in enumerate(candidates):
                report("checking", (index + 1) / (len(candidates) + 2))
                found.append(_not_again(place, found) or self._try(place, calls, retry=retry))
            mixed = best_mix(found)
            if mixed is not None and mixed not in candidates:
                found.append(self._try(mixed, calls, retry=retry))
            chosen = fastest(found)
            if chosen is not found[0]:  # other programs may have slowed the CPU down just then: it gets a second chance
                found[0] = min(found[0], self._try(found[0].backend, calls, retry=retry), key=lambda finding: finding.cost)
                chosen = fastest(found)
        chosen.chosen = True
        self._memory.choose(chosen.backend, *self._facts)
        report("checking", 1.0)
        yield from found

    def candidates(self) -> list[str]:
        """The CPU, then of every device each group of graphs by itself, the decoder first, and all of them."""
        found = ["cpu"]
        for place in places()[1:]:
            found += [str(replace(CPU_ONLY, **{group: place})) for group in reversed(GROUPS) if group in self._weights_mb]
            found.append(place)
        return found

    def _record(self, calls: Path) -> None:
        done = run_trial(RECORD, self._wanted, calls)
        if done.error is not None:
            raise BackendError(localized("CPU での音声合成に失敗しました。", "Synthesis failed even on the CPU."), done.error)

    def _try(self, place: str, calls: Path, *, retry: bool) -> ProbeResult:
        if (refusal := self._too_soon(place, retry=retry)) is not None:
            return ProbeResult(place, _device_name(place), False, reason=refusal, crashed=True)
        if (refusal := self._too_small(place)) is not None:
            return ProbeResult(place, _device_name(place), False, reason=refusal)
        self._memory.begin(place, *self._facts)
        try:
            done = run_trial(place, self._wanted, calls)
        except KeyboardInterrupt:
            self._memory.withdraw(place, *self._facts)
            raise
        finding = _judged(place, done)
        finding.adapter = _device_name(place)
        self._memory.end(place, asdict(finding), *self._facts)
        if retry and finding.ok:
            for item in devices_of(place):
                device_record().forget(item)
        return finding

    def _too_soon(self, place: str, *, retry: bool) -> str | None:
        """Whether a place crashed or hung not long ago."""
        wait_s = 0.0 if retry or place == "cpu" else self._memory.wait_s(place, *self._facts)
        if not wait_s:
            return None
        hours = max(1, round(wait_s / 3600))
        words = localized(
            f"前回、異常終了しました。約 {hours} 時間後に再び試します。",
            f"It crashed or hung last time and will be tried again in about {hours} h.",
        )
        return words + by_frontend("", localized("（--retry ですぐに試せます）", " (--retry tries it now)"))

    def _too_small(self, place: str) -> str | None:
        """Whether a device lacks room for the groups that are put there."""
        placement = parse_placement(place)
        for item in devices_of(place):
            device = _device(item)
            needed = SPARE_MB + sum(size for group, size in self._weights_mb.items() if getattr(placement, group) == item)
            if device is not None and device.memory_mb is not None and device.memory_mb < needed:
                return localized(
                    f"メモリーが足りません: {device.memory_mb} MB（約 {needed:.0f} MB 必要です）。",
                    f"Not enough memory: {device.memory_mb} MB, about {needed:.0f} MB required.",
                )
        return None

    def _remembered(self, place: str, trial: dict[str, Any] | None) -> ProbeResult:
        line = (trial or {}).get("line")
        if isinstance(line, dict):
            with suppress(ValueError):
                return remembered(place, line)
        elif trial is not None:  # begun and never ended
            reason = localized("測定中に異常終了しました。", "The program ended while it was being tried.")
            return ProbeResult(place, _device_name(place), False, reason=reason, crashed=True)
        reason = localized("まだ測定していません。", "Not measured yet.") + by_frontend("", " (koebako backends --probe)")
        return ProbeResult(place, _device_name(place), reason=reason)


def _not_again(place: str, found: list[ProbeResult]) -> ProbeResult | None:
    """The finding for a place on a device that crashed or hung a moment ago with other graphs: each hang takes minutes."""
    crashed: set[str] = set().union(*(devices_of(finding.backend) for finding in found if finding.crashed))
    if not crashed & devices_of(place):
        return None
    reason = localized("このデバイスは直前の測定で異常終了しました。", "The device crashed or hung in the trial before.")
    return ProbeResult(place, _device_name(place), False, reason=reason)


def _judged(place: str, done: Ended) -> ProbeResult:
    """How a trial went; a child that says what no trial says is as good as one that crashed."""
    if done.line is None:
        return ProbeResult(place, ok=False, reason=done.error, crashed=done.crashed)
    try:
        return remembered(place, asdict(judge(place, done.line)))  # as it will be read again
    except (ValueError, LookupError, TypeError, AttributeError):
        return ProbeResult(place, ok=False, reason=localized("結果を読み込めません。", "Its result could not be read."), crashed=True)


def devices_of(place: str) -> set[str]:
    """The places of a placement that are not the CPU."""
    placement = parse_placement(place)
    return {getattr(placement, group) for group in GROUPS} - {"cpu"}


def _device(place: str) -> Device | None:
    """The adapter of a place, or the first of a placement; None where it names none, or it went away."""
    try:
        return next((device_of(item) for item in sorted(devices_of(place))), None)
    except AppError:
        return None


def _device_name(place: str) -> str:
    device = _device(place)
    return device.name if device else ""
