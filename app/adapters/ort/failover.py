"""Sessions that continue on the CPU when their device fails: the same call is run again, so no sound is lost and none is repeated.

A device can be removed, reset, hang, run out of memory or answer with numbers that are none. Its runs wait in a thread of their own,
because a driver that hangs does not come back even when it is asked to; the thread is then left behind. Until the user chooses a
backend again nothing is tried on a device that was lost.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.adapters.ort.backends import backend_of
from app.adapters.ort.device_thread import DeviceBusy, DeviceHung, run_on_device
from app.adapters.ort.placement import place_name
from app.adapters.ort.session import GraphSession, OpenedSession, plain_words
from app.adapters.ort.sized_session import SizedSession
from app.errors import BackendError
from app.language import localized

FIRST_RUN_S = 120.0  # compiling for a new length is done here
LEAST_S = 20.0
PATIENCE = 20  # times the longest run so far, before a device counts as hung
_NO_MEMORY = ("8007000e", "out of memory", "failed to allocate", "bfcarena", "bad allocation")
_NOT_SUPPORTED = ("80070057", "not_implemented", "invalid_argument", "not implemented", "invalid argument")

Observer = Callable[[str, dict[str, Any], list[str], list[np.ndarray]], None]
"""Called after every run: graph, values, names of outputs, outputs."""


@dataclass(slots=True)
class DeviceFailures:
    """What the sessions of one voice know of devices that failed.

    Attributes:
        lost: place → why nothing more is tried there.
    """

    lost: dict[str, str] = field(default_factory=dict)


class FailoverSession:
    """A session on a device that moves to the CPU when the device fails; one that is on the CPU already is only passed through.

    Attributes:
        place: asked for.
        failures: shared by all sessions of a voice.
        observer: sees every run; for measurements.
    """

    def __init__(
        self,
        graph: str,
        opened: OpenedSession | SizedSession,
        place: str,
        on_cpu: Callable[[], GraphSession],
        failures: DeviceFailures,
    ) -> None:
        session = opened if isinstance(opened, SizedSession) else opened.session
        self.inputs, self.outputs = session.inputs, session.outputs
        self._fallback = None if isinstance(opened, SizedSession) else opened.fallback
        self.observer: Observer | None = None
        self.place, self.failures = place, failures
        self._graph = graph
        self._session: GraphSession | SizedSession = session
        there = isinstance(opened, SizedSession) or opened.backend != "cpu"
        self._on_cpu: Callable[[], GraphSession] | None = on_cpu if there else None
        self._longest_s = 0.0
        self._stopped = False

    @property
    def fallback(self) -> str | None:
        """Why the place is not the one asked for; None when it is, or is still being opened."""
        sized = self._sized
        return self._fallback if sized is None or sized.trouble is None else self._told(sized.trouble)

    @property
    def backend(self) -> str:
        """Where the next call runs."""
        away = self._on_cpu is None or self.place in self.failures.lost or (self._sized is not None and not self._sized.sizes)
        return "cpu" if away else backend_of(self.place)

    @property
    def sized(self) -> bool:
        """Whether it runs on its device in a few fixed sizes."""
        return self._sized is not None

    def settle(self, limit_s: float) -> None:
        """Waits until the device's sessions are open, or will not be."""
        if self._sized is not None:
            self._sized.settled.wait(limit_s)

    @property
    def _sized(self) -> SizedSession | None:
        return self._session if isinstance(self._session, SizedSession) else None

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As `GraphSession.run`; where a device fails, the result of the CPU for the same values."""
        self._stopped = False
        sized = self._sized
        if sized is not None and sized.trouble is not None:
            self._move(sized.trouble)
        elif sized is not None and not sized.takes(values):
            return self._seen(values, outputs, sized.cpu.run(values, outputs))
        try:
            results = self._session.run(values, outputs) if self._on_cpu is None else self._watched(values, outputs)
        except DeviceBusy:
            assert sized is not None
            results = sized.cpu.run(values, outputs)
        return self._seen(values, outputs, results)

    def _seen(self, values: dict[str, Any], outputs: Sequence[str] | None, results: list[np.ndarray]) -> list[np.ndarray]:
        if self.observer is not None:
            self.observer(self._graph, values, list(outputs or self.outputs), results)
        return results

    def terminate(self) -> None:
        """Stops the run in progress, wherever it is."""
        self._stopped = True
        self._session.terminate()

    def _watched(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        reason = self.failures.lost.get(self.place)
        if reason is None:
            try:
                results = self._on_the_device(values, outputs)
            except BackendError as exc:
                if self._stopped:  # on purpose
                    raise
                reason = self._fault(exc)
            else:
                if all(np.isfinite(item).all() for item in results):
                    return results
                reason = localized("計算結果が無効な値（NaN など）になりました。", "it output invalid values.")
        self._move(reason)
        if self._stopped:
            raise BackendError(localized("停止しました。", "Stopped."))
        return self._session.run(values, outputs)

    def _on_the_device(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        session, limit_s = self._session, max(LEAST_S, PATIENCE * self._longest_s) if self._longest_s else FIRST_RUN_S
        began = time.perf_counter()
        try:
            waits = self._sized is None
            results = run_on_device(lambda: session.run(values, outputs), limit_s, session.terminate, behind_openings=waits)
        except DeviceHung as exc:
            seconds = math.ceil(limit_s)
            raise BackendError(localized(f"{seconds} 秒以内に応答がありませんでした。", f"it did not respond within {seconds} s.")) from exc
        self._longest_s = max(self._longest_s, time.perf_counter() - began)
        return results

    def _fault(self, exc: BackendError) -> str:
        """What happened, for people; a device that is lost is lost for the other graphs too."""
        words = plain_words(exc.__cause__ or exc)
        if any(sign in words.lower() for sign in _NO_MEMORY):
            return localized(f"メモリーが足りません。（{words}）", f"it ran out of memory. ({words})")
        if any(sign in words.lower() for sign in _NOT_SUPPORTED):
            return localized(f"この計算に対応していません。（{words}）", f"it does not support this computation. ({words})")
        hung = isinstance(exc.__cause__, DeviceHung)
        reason = exc.message if hung else localized(f"デバイスが停止しました。（{words}）", f"the device stopped. ({words})")
        self.failures.lost[self.place] = reason
        return reason

    def _move(self, reason: str) -> None:
        """From now on this graph runs on the CPU."""
        assert self._on_cpu is not None
        self._fallback = self._told(reason)
        logging.getLogger("koebako").info("%s: %s", self._graph, self._fallback)
        self._session = self._on_cpu()
        self._on_cpu = None

    def _told(self, reason: str) -> str:
        return localized(
            f"{place_name(self.place)} でエラーが発生したため、CPU で続行しています: {reason}",
            f"{place_name(self.place)} failed; continuing on the CPU: {reason}",
        )
