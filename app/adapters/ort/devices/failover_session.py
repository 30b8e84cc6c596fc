"""Sessions that continue on the CPU when their device fails: the same call is run again, so no sound is lost and none is repeated.

A device can be removed, reset, hang, run out of memory or answer with numbers that are none. Its runs wait in a thread of their own,
because a driver that hangs does not come back even when it is asked to; the thread is then left behind. Runs of a graph on a device are
compared with the CPU, the first one and the first of each twice as large; one in fixed sizes compares itself when each opens. Until the user chooses a backend again nothing is
tried on a device that was lost.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from app.adapters.ort.backends import find_tolerance, format_device_name, parse_backend
from app.adapters.ort.devices.device_sessions import OpenedSession, identify_fault
from app.adapters.ort.devices.device_thread import DeviceBusyError, DeviceHungError, run_on_device
from app.adapters.ort.devices.failed_devices import FailedDevices
from app.adapters.ort.graph_session import GraphSession, RunnableSession
from app.adapters.ort.session_errors import describe_staying_on_cpu
from app.common.errors import BackendError
from app.common.language import localize
from app.common.stages import STAGE_OF_GRAPH, find_stage_label
from app.core.sound.result_metrics import measure_output_difference
from app.core.sound.stage_clock import RequestStopped

FIRST_RUN_TIMEOUT_S = 120.0  # compiling for a new length is done here
MIN_RUN_TIMEOUT_S = 20.0
TIMEOUT_PER_CPU_TIME = 20  # times the longest run so far, before a device counts as hung
_NOISY_GRAPH = "whole"  # no two runs of such a graph are equal


class SizedSession(RunnableSession, Protocol):
    """A session that runs on its device for the sizes that are open there, any other on `cpu`: see `FixedShapeSession`."""

    cpu: GraphSession
    cpu_reason: str | None
    has_failed: bool
    settled_event: threading.Event

    @property
    def open_sizes(self) -> list[int]: ...

    @property
    def is_half_precision(self) -> bool: ...

    def find_device_inputs(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None: ...

    def has_size_for(self, values: dict[str, Any]) -> bool: ...


class FailoverSession:
    """A session on a device that moves to the CPU when the device fails, as `SpeakerSession`; one that had to be opened on the CPU is only passed through."""

    def __init__(
        self,
        graph: str,
        opened: OpenedSession | SizedSession,
        place: str,
        on_cpu: Callable[[], GraphSession],
        failures: FailedDevices,
        identity: str = "",
    ) -> None:
        self._fixed_shape_session: SizedSession | None = None
        self._session: GraphSession | SizedSession
        self._fallback_reason: str | None = None
        self._has_failed, is_there = True, True
        if isinstance(opened, OpenedSession):
            self._session, self._fallback_reason, self._has_failed = opened.session, opened.fallback_reason, opened.has_failed
            is_there = opened.backend != "cpu"
        else:
            self._session = self._fixed_shape_session = opened
        self.inputs, self.outputs = self._session.inputs, self._session.outputs
        self.place, self.failures = place, failures
        self._graph = graph
        self._open_on_cpu: Callable[[], GraphSession] | None = on_cpu if is_there else None
        # Of the graph, for what is known of it on this device.
        self._identity = identity
        self._judges_itself = self._fixed_shape_session is not None or failures.journal is None or graph == _NOISY_GRAPH
        self._compared_session: GraphSession | None = None
        # Kept for further sizes; all are verified after the first hours with a voice, and it is opened no more.
        self._reference_session: GraphSession | None = None
        self.ran_on, self.new_size, self.waited = "", False, False
        self._sizes: set[tuple[tuple[int, ...], ...]] = set()
        self._longest_s = 0.0
        self._was_stopped = False

    @property
    def fallback_reason(self) -> str | None:
        """Return why the place is not the one asked for; None when it is, or is still being opened."""
        sized = self._fixed_shape_session
        if sized is None or sized.cpu_reason is None:
            return self._fallback_reason
        return self._explain_move(sized.cpu_reason, failed=sized.has_failed)

    @property
    def has_failed(self) -> bool:
        """Return whether `fallback_reason` is about a failure; else the graph has no room on the device, or no form."""
        sized = self._fixed_shape_session
        return self._has_failed if sized is None or sized.cpu_reason is None else sized.has_failed

    @property
    def backend(self) -> str:
        """Return where the next call runs."""
        sized = self._fixed_shape_session
        is_away = self._open_on_cpu is None or self.place in self.failures.lost_reasons or (sized is not None and not sized.open_sizes)
        return "cpu" if is_away else parse_backend(self.place)

    @property
    def is_fixed_shape(self) -> bool:
        """Return whether it runs on its device in a few fixed sizes."""
        return self._fixed_shape_session is not None

    @property
    def is_half_precision(self) -> bool:
        return any(dtype == np.float16 for dtype, _ in self.inputs.values()) or (
            self._fixed_shape_session is not None and self._fixed_shape_session.is_half_precision
        )

    def find_device_inputs(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
        """Return the graph, the values and the fixed size that the device really receives for these values; None if they are the graph's own."""
        return None if self._fixed_shape_session is None else self._fixed_shape_session.find_device_inputs(values)

    def wait_until_settled(self, limit_s: float) -> None:
        """Wait until the device's sessions are open, or will not be."""
        if self._fixed_shape_session is not None:
            self._fixed_shape_session.settled_event.wait(limit_s)

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run as `GraphSession.run_graph`; if a device fails, return the CPU's result for the same values.

        A run that was stopped says nothing of its device, which counts as before.
        """
        self._was_stopped = self.new_size = self.waited = False
        sized = self._fixed_shape_session
        if sized is not None and sized.cpu_reason is not None:
            self._move_to_cpu(sized.cpu_reason, failed=sized.has_failed)
        elif sized is not None and not sized.has_size_for(values):
            return self._run_meanwhile(sized, values, outputs)
        try:
            results = self._session.run_graph(values, outputs) if self._open_on_cpu is None else self._run_with_time_limit(values, outputs)
        except DeviceBusyError:  # another session is being opened there
            assert sized is not None
            return self._run_meanwhile(sized, values, outputs)
        self.ran_on = "cpu" if self._open_on_cpu is None else parse_backend(self.place)
        return results

    def _run_meanwhile(self, sized: SizedSession, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        self.ran_on, self.waited = "cpu", True
        return sized.cpu.run_graph(values, outputs)

    def terminate(self) -> None:
        """Stop the run in progress, wherever it is."""
        self._was_stopped = True
        self._session.terminate()
        if (comparing := self._compared_session) is not None:
            comparing.terminate()

    def _run_with_time_limit(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        reason, failed = self.failures.lost_reasons.get(self.place), True
        if reason is None:
            try:
                results = self._run_on_device(values, outputs)
            except BackendError as exc:
                if self._was_stopped:  # a device that lets go of a run by failing, or by hanging
                    raise RequestStopped from exc
                fault = identify_fault(exc)
                reason, failed = fault.reason, not fault.is_out_of_memory
                if fault.is_lost:
                    self.failures.lost_reasons[self.place] = reason
            else:
                if not all(np.isfinite(item).all() for item in results):
                    reason = localize("計算結果が無効な値（NaN など）になりました。", "it output invalid values.")
                elif self._is_verified(values) or self._is_equal_to_cpu(values, outputs, results):
                    return results
                else:
                    reason = self.failures.lost_reasons[self.place]
        self._move_to_cpu(reason, failed=failed)
        if self._was_stopped:
            raise RequestStopped
        return self._session.run_graph(values, outputs)

    def _run_on_device(self, values: dict[str, Any], outputs: Sequence[str] | None) -> list[np.ndarray]:
        session, start_s = self._session, time.perf_counter()
        limit_s = max(MIN_RUN_TIMEOUT_S, TIMEOUT_PER_CPU_TIME * self._longest_s) if self._longest_s else FIRST_RUN_TIMEOUT_S
        try:
            with self.failures.guard_against_crash(self.place, self._identity):
                waits = self._fixed_shape_session is None
                results = run_on_device(lambda: session.run_graph(values, outputs), limit_s, session.terminate, behind_openings=waits)
        except DeviceHungError as exc:
            seconds = math.ceil(limit_s)
            raise BackendError(localize(f"{seconds} 秒以内に応答がありませんでした。", f"it did not respond within {seconds} s.")) from exc
        self._longest_s = max(self._longest_s, time.perf_counter() - start_s)
        size = tuple(np.shape(values[name]) for name in self.inputs if name in values)
        # What has a fixed size was compiled when it opened.
        self.new_size = size not in self._sizes and self._fixed_shape_session is None
        self._sizes.add(size)
        return results

    def _is_verified(self, values: dict[str, Any]) -> bool:
        journal = self.failures.journal
        return self._judges_itself or (journal is not None and journal.is_verified(self.place, self._name_size(values)))

    def _name_size(self, values: dict[str, Any]) -> str:
        """Return the graph's identity with the sizes of its values in powers of two."""
        sizes = [size.bit_length() for name in self.inputs if name in values for size in np.shape(values[name])]
        return " ".join((self._identity, *map(str, sizes)))

    def _is_equal_to_cpu(self, values: dict[str, Any], outputs: Sequence[str] | None, results: list[np.ndarray]) -> bool:
        """Compare a run with the CPU, once for each size of a graph (see `_name_size`), adapter and driver; a device with other results is lost."""
        journal = self.failures.journal
        assert self._open_on_cpu is not None
        assert journal is not None
        self._reference_session = self._compared_session = self._reference_session or self._open_on_cpu()
        try:
            expected = self._compared_session.run_graph(values, outputs)
        finally:
            self._compared_session = None
        difference = measure_output_difference(self._graph, results, expected)
        if difference <= find_tolerance([self.place], is_half_precision=self.is_half_precision):
            journal.record_verified(self.place, self._name_size(values))
            if not journal.is_verified(self.place, self._identity):  # for crashes, any size will do
                journal.record_verified(self.place, self._identity)
            return True
        journal.record_mismatch(self.place, self._graph)
        self.failures.lost_reasons[self.place] = localize(
            f"計算結果が CPU と異なります（{self._graph}、差 {difference:.0e}）。",
            f"its results differ from the CPU's ({self._graph}, {difference:.0e}).",
        )
        return False

    def _move_to_cpu(self, reason: str, *, failed: bool) -> None:
        assert self._open_on_cpu is not None
        self._fallback_reason, self._has_failed = self._explain_move(reason, failed=failed), failed
        logging.getLogger("koebako").info("%s: %s", self._graph, self._fallback_reason)
        self._session, self._fixed_shape_session = self._reference_session or self._open_on_cpu(), None
        self._reference_session, self._open_on_cpu, self.new_size = None, None, False

    def _explain_move(self, reason: str, *, failed: bool) -> str:
        if not failed:
            return describe_staying_on_cpu(find_stage_label(STAGE_OF_GRAPH.get(self._graph, self._graph)), self.place, reason)
        return localize(
            f"{format_device_name(self.place)} でエラーが発生したため、CPU で続行しています: {reason}",
            f"{format_device_name(self.place)} failed; continuing on the CPU: {reason}",
        )
