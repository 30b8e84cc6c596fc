"""Sessions that continue on the CPU when their device fails: the same call is run again, so no sound is lost and none is repeated.

A device can be removed, reset, hang, run out of memory or answer with numbers that are none. Its runs wait in a thread of their own,
because a driver that hangs does not come back even when it is asked to; the thread is then left behind. The first run of a graph on a
device is compared with the CPU; one in fixed sizes compares itself when each opens. Until the user chooses a backend again nothing is
tried on a device that was lost.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.backends import backend_of, place_name
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.device_thread import DeviceBusy, DeviceHung, run_on_device
from app.adapters.ort.equality import FLOAT16_TOLERANCE, FLOAT32_TOLERANCE, distance
from app.adapters.ort.session import GraphSession, OpenedSession
from app.adapters.ort.session_errors import stays_on_cpu
from app.adapters.ort.sized_session import SizedSession
from app.errors import BackendError
from app.language import localized
from app.stage_words import STAGE_OF_GRAPH, stage_name

FIRST_RUN_S = 120.0  # compiling for a new length is done here
LEAST_S = 20.0
PATIENCE = 20  # times the longest run so far, before a device counts as hung
_DRAWS_NOISE = "whole"  # no two runs of such a graph are equal

Observer = Callable[[str, dict[str, Any], list[str], list[np.ndarray]], None]
"""Called after every run: graph, values, names of outputs, outputs."""


class FailoverSession:
    """A session on a device that moves to the CPU when the device fails; one that is on the CPU already is only passed through.

    Attributes:
        place: asked for.
        failures: shared by all sessions.
        observer: sees every run; for measurements.
        ran_on: backend of the run that ended last; empty before the first.
        new_size: the device had not run values of that size before.
        waited: the CPU ran it because no session of that size is open on the device, or another one is being opened there.
    """

    def __init__(
        self,
        graph: str,
        opened: OpenedSession | SizedSession,
        place: str,
        on_cpu: Callable[[], GraphSession],
        failures: DeviceFailures,
        identity: str = "",
    ) -> None:
        sized = isinstance(opened, SizedSession)
        session = opened if isinstance(opened, SizedSession) else opened.session
        self.inputs, self.outputs = session.inputs, session.outputs
        self._fallback, self._failed = (None, True) if isinstance(opened, SizedSession) else (opened.fallback, opened.failed)
        self.observer: Observer | None = None
        self.place, self.failures = place, failures
        self._graph = graph
        self._session: GraphSession | SizedSession = session
        there = isinstance(opened, SizedSession) or opened.backend != "cpu"
        self._on_cpu: Callable[[], GraphSession] | None = on_cpu if there else None
        self._identity = identity  # of the graph, for what is known of it on this device
        self._compared = sized or failures.record is None or graph == _DRAWS_NOISE or failures.record.is_proven(place, identity)
        self._comparing: GraphSession | None = None
        self.ran_on, self.new_size, self.waited = "", False, False
        self._sizes: set[tuple[tuple[int, ...], ...]] = set()
        self._longest_s = 0.0
        self._stopped = False

    @property
    def fallback(self) -> str | None:
        """Why the place is not the one asked for; None when it is, or is still being opened."""
        sized = self._sized
        return self._fallback if sized is None or sized.trouble is None else self._explained(sized.trouble, failed=sized.failed)

    @property
    def failed(self) -> bool:
        """Whether `fallback` is about a failure; else the graph has no room on the device, or no form."""
        sized = self._sized
        return self._failed if sized is None or sized.trouble is None else sized.failed

    @property
    def backend(self) -> str:
        """Where the next call runs."""
        away = self._on_cpu is None or self.place in self.failures.lost or (self._sized is not None and not self._sized.sizes)
        return "cpu" if away else backend_of(self.place)

    @property
    def sized(self) -> bool:
        """Whether it runs on its device in a few fixed sizes."""
        return self._sized is not None

    @property
    def half(self) -> bool:
        """Whether it computes in half precision."""
        return any(dtype == np.float16 for dtype, _ in self.inputs.values()) or (self._sized is not None and self._sized.half)

    def form_of(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
        """The graph, the values and the fixed size that the device is really given for these values; None where they are the graph's own."""
        return None if self._sized is None else self._sized.form_of(values)

    def settle(self, limit_s: float) -> None:
        """Waits until the device's sessions are open, or will not be."""
        if self._sized is not None:
            self._sized.settled.wait(limit_s)

    @property
    def _sized(self) -> SizedSession | None:
        return self._session if isinstance(self._session, SizedSession) else None

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As `GraphSession.run`; where a device fails, the result of the CPU for the same values."""
        self._stopped = self.new_size = self.waited = False
        results = self._computed(values, outputs)
        if self.observer is not None:
            self.observer(self._graph, values, list(outputs or self.outputs), results)
        return results

    def _computed(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        sized = self._sized
        if sized is not None and sized.trouble is not None:
            self._move(sized.trouble, failed=sized.failed)
        elif sized is not None and not sized.takes(values):
            self.ran_on, self.waited = "cpu", True
            return sized.cpu.run(values, outputs)
        try:
            results = self._session.run(values, outputs) if self._on_cpu is None else self._watched(values, outputs)
        except DeviceBusy:  # another session is being opened there
            assert sized is not None
            self.ran_on, self.waited = "cpu", True
            return sized.cpu.run(values, outputs)
        self.ran_on = "cpu" if self._on_cpu is None else backend_of(self.place)
        return results

    def terminate(self) -> None:
        """Stops the run in progress, wherever it is."""
        self._stopped = True
        self._session.terminate()
        if (comparing := self._comparing) is not None:
            comparing.terminate()

    def _watched(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        reason, failed = self.failures.lost.get(self.place), True
        if reason is None:
            try:
                results = self._on_the_device(values, outputs)
            except BackendError as exc:
                if self._stopped:  # on purpose
                    raise
                from app.adapters.ort.device_faults import fault_of  # few devices ever fail

                fault = fault_of(exc)
                reason, failed = fault.reason, not fault.no_room
                if fault.lost:
                    self.failures.lost[self.place] = reason
            else:
                if not all(np.isfinite(item).all() for item in results):
                    reason = localized("計算結果が無効な値（NaN など）になりました。", "it output invalid values.")
                elif self._compared or self._equals_the_cpu(values, outputs, results):
                    return results
                else:
                    reason = self.failures.lost[self.place]
        self._move(reason, failed=failed)
        if self._stopped:
            raise BackendError(localized("停止しました。", "Stopped."))
        return self._session.run(values, outputs)

    def _on_the_device(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        session, limit_s = self._session, max(LEAST_S, PATIENCE * self._longest_s) if self._longest_s else FIRST_RUN_S
        began = time.perf_counter()
        try:
            with self.failures.at_risk(self.place, self._identity):
                waits = self._sized is None
                results = run_on_device(lambda: session.run(values, outputs), limit_s, session.terminate, behind_openings=waits)
        except DeviceHung as exc:
            seconds = math.ceil(limit_s)
            raise BackendError(localized(f"{seconds} 秒以内に応答がありませんでした。", f"it did not respond within {seconds} s.")) from exc
        self._longest_s = max(self._longest_s, time.perf_counter() - began)
        size = tuple(np.shape(values[name]) for name in self.inputs if name in values)
        self.new_size = size not in self._sizes and self._sized is None  # what has a fixed size was compiled when it opened
        self._sizes.add(size)
        return results

    def _equals_the_cpu(self, values: dict[str, Any], outputs: Sequence[str] | None, results: list[np.ndarray]) -> bool:
        """Compares a run with the CPU, once for each graph, adapter and driver; a device that computes something else is lost."""
        assert self._on_cpu is not None
        assert self.failures.record is not None
        self._comparing = self._on_cpu()
        try:
            expected = self._comparing.run(values, outputs)
        finally:
            self._comparing = None
        difference = distance(self._graph, results, expected)
        if difference <= (FLOAT16_TOLERANCE if self.half else FLOAT32_TOLERANCE):
            self._compared = True
            self.failures.record.keep_right(self.place, self._identity)
            return True
        self.failures.record.keep_wrong(self.place, self._graph)
        self.failures.lost[self.place] = localized(
            f"計算結果が CPU と異なります（{self._graph}、差 {difference:.0e}）。",
            f"its results differ from the CPU's ({self._graph}, {difference:.0e}).",
        )
        return False

    def _move(self, reason: str, *, failed: bool) -> None:
        """From now on this graph runs on the CPU."""
        assert self._on_cpu is not None
        self._fallback, self._failed = self._explained(reason, failed=failed), failed
        logging.getLogger("koebako").info("%s: %s", self._graph, self._fallback)
        self._session = self._on_cpu()
        self._on_cpu, self.new_size = None, False

    def _explained(self, reason: str, *, failed: bool) -> str:
        if not failed:
            return stays_on_cpu(stage_name(STAGE_OF_GRAPH.get(self._graph, self._graph)), self.place, reason)
        return localized(
            f"{place_name(self.place)} でエラーが発生したため、CPU で続行しています: {reason}",
            f"{place_name(self.place)} failed; continuing on the CPU: {reason}",
        )
