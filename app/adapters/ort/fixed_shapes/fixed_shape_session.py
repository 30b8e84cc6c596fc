"""A graph on a device in a few fixed sizes, and on the CPU for whatever fits none of them, or none that is open yet.

Devices compile what they run for every size; DirectML keeps what it compiled for the first size of a session only, and any other costs
hundreds of compilations a run. So there is a session a size, opened in the background as far as the adapter's memory goes, and tried at
once: a form in half precision that differs from the CPU is replaced by single precision, and where that differs the device is not used.

The graphs of a voice take turns, one size a turn, those first that are most of the work: on an adapter with little memory these are there.
"""

import atexit
import logging
import threading
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.adapters.ort.devices.device_sessions import identify_fault, open_with_fixed_dims
from app.adapters.ort.devices.device_thread import PROGRAM_ENDING, DeviceHungError, drop_on_device, open_on_device
from app.adapters.ort.devices.failed_devices import FailedDevices
from app.adapters.ort.devices.ort_devices import find_effective_device
from app.adapters.ort.fixed_shapes.fixed_shape_graph import MIN_DEVICE_SNR_DB, FixedShapeGraph, NoFixedShapeGraphError, is_close_enough
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.session_errors import is_driver_crash
from app.common.errors import BackendError
from app.common.language import localize

CROP_INPUTS = ("first", "last")  # which frames of a window are wanted: decoders on the CPU cut them out themselves

DEDICATED_MEMORY_SHARE = 0.6  # of the adapter's own; the desktop and other programs have the rest
SHARED_MEMORY_SHARE = 0.25  # of the machine's, where the adapter has none of its own
SESSION_OVERHEAD_BYTES = 128 << 20  # on top of its weights: what is computed on the way, compiled operators
WEIGHTS_FACTOR = 1.2  # drivers keep weights in a layout of their own

_lock = threading.Lock()
reserved_bytes: dict[str, int] = defaultdict(int)  # by place


@dataclass(frozen=True, slots=True)
class DeviceOpening:
    """The place of a graph by its name, the identity that `failures` knows it by, and what all sessions of the place may take together."""

    graph: str
    identity: str
    place: str
    failures: FailedDevices
    memory_limit_bytes: int

    def record_verified(self) -> None:
        """Record that all opened sizes computed the same as the CPU."""
        if self.failures.journal is not None:
            self.failures.journal.record_verified(self.place, self.identity)


def find_memory_limit(place: str) -> int:
    """Return the bytes that all sessions on a place together may take."""
    try:
        device = find_effective_device(place)
    except BackendError:
        return 0
    if device is not None and device.memory_mb is not None:
        return int((device.memory_mb << 20) * DEDICATED_MEMORY_SHARE)
    return int(psutil.virtual_memory().total * SHARED_MEMORY_SHARE)


def estimate_session_bytes(weights: int) -> int:
    """Return what a session takes, roughly, whose weights are that many bytes."""
    return int(weights * WEIGHTS_FACTOR) + SESSION_OVERHEAD_BYTES


def reserve_memory(place: str, requested: int, limit: int) -> bool:
    """Reserve bytes, unless the sum would exceed the limit."""
    with _lock:
        if reserved_bytes[place] + requested > limit:
            return False
        reserved_bytes[place] += requested
        return True


def release_memory(place: str, reserved: int) -> None:
    with _lock:
        reserved_bytes[place] -= reserved


class DeviceMismatchError(BackendError):
    """A device that computes something else than the CPU."""


class FixedShapeSession:
    """A GraphSession whose runs belong into the device thread when `has_size_for` says so, and to `cpu` otherwise."""

    def __init__(self, cpu: GraphSession, name: str, opening: DeviceOpening) -> None:
        self.cpu = cpu
        self.inputs, self.outputs = cpu.inputs, cpu.outputs
        self.cpu_reason: str | None = None  # why the graph stays on the CPU, in the language of the user; None while it does not
        journal = opening.failures.journal
        # has_failed: whether something failed there; else the graph has no room or no form.
        # needs_exact: only a form in single precision will do.
        self.has_failed, self.needs_exact = False, journal is not None and journal.should_use_exact(opening.place, opening.identity)
        self.settled_event = threading.Event()  # set when no further session will be opened
        self._opening, self._place, self._name = opening, opening.place, name
        self._graph: FixedShapeGraph | None = None
        # Sizes to be opened yet.
        self._sizes_to_open: list[int] = []
        self._sessions: dict[int, GraphSession] = {}
        self._reserved_bytes: list[int] = []
        weakref.finalize(self, _release_sessions, opening.place, self._sessions, self._reserved_bytes).atexit = False

    @property
    def open_sizes(self) -> list[int]:
        return sorted(self._sessions)

    @property
    def lost_reason(self) -> str | None:
        """Return why nothing is tried on the device any more; None while it is."""
        return self._opening.failures.find_reason(self._place)

    @property
    def is_half_precision(self) -> bool:
        """Return whether the device computes in half precision."""
        return self._graph is not None and self._graph.half

    def find_device_inputs(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
        """Return the graph that runs on the device for these values, its inputs, and its fixed size; None for values that it does not take."""
        size, form = self._find_size(values), self._graph
        return None if size is None or form is None else (form.find_file(size), form.pad_values(values, size), {form.free: size})

    def has_size_for(self, values: dict[str, Any]) -> bool:
        """Return whether a size is open that fits."""
        return self._find_size(values) is not None

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run as `GraphSession.run_graph`, on the device; only for values that it takes."""
        size, form = self._find_size(values), self._graph
        session = None if size is None else self._sessions.get(size)
        # It was found wrong just now.
        if size is None or form is None or session is None:
            raise BackendError(self.cpu_reason or localize("準備ができていません。", "it is not ready."))
        names = list(outputs or self.outputs)
        results = form.crop_results(names, session.run_graph(form.pad_values(values, size), names), form.measure_length(values))
        if not set(CROP_INPUTS) <= set(self.inputs):
            return results
        frames, (first, last) = form.measure_length(values), (int(np.asarray(values[name]).reshape(-1)[0]) for name in CROP_INPUTS)
        return [array[first * len(array) // frames : last * len(array) // frames] for array in results]

    def terminate(self) -> None:
        """Stop the run in progress, wherever it is."""
        for session in (self.cpu, *list(self._sessions.values())):
            session.terminate()

    def _find_size(self, values: dict[str, Any]) -> int | None:
        form = self._graph
        if form is None:
            return None
        length = form.measure_length(values)
        if not form.is_padded and length > min(form.sizes):
            return length if length in self._sessions else None
        # A copy, as another thread adds to them.
        return min((size for size in list(self._sessions) if size >= length and (form.is_padded or size == min(form.sizes))), default=None)

    def begin_opening(self, form: FixedShapeGraph) -> None:
        self._graph, self._sizes_to_open = form, list(form.sizes)

    def open_next(self) -> bool:
        """Open a session of the next size, if there is memory, when no run waits; return whether another one is to be tried. For a thread that may wait."""
        form = self._graph
        if form is None or not self._sizes_to_open or PROGRAM_ENDING.is_set():
            return False
        size, session_bytes = self._sizes_to_open.pop(0), estimate_session_bytes(form.weight_bytes)
        if not reserve_memory(self._place, session_bytes, self._opening.memory_limit_bytes):
            return self._finish_opening()
        self._reserved_bytes.append(session_bytes)
        try:
            with self._opening.failures.guard_against_crash(self._place, self._opening.identity):
                session = open_on_device(partial(self._open_verified, form, size), BACKENDS[parse_backend(self._place)].opening_timeout_s)
        except DeviceMismatchError:
            raise
        except BackendError as exc:
            release_memory(self._place, self._reserved_bytes.pop())
            if not self._sessions or is_driver_crash(exc.__cause__):
                raise
            logging.getLogger("koebako").info("%s, size %s: %s %s", self._name, size, exc, exc.hint)
            # There was less room than the adapter said.
            return self._finish_opening()
        self._sessions[size] = session
        if not self._sizes_to_open:
            self._opening.record_verified()
        return bool(self._sizes_to_open)

    def _finish_opening(self) -> bool:
        """Finish when no further size has memory; without any, the graph stays on the CPU."""
        self._sizes_to_open.clear()
        if self._sessions:
            self._opening.record_verified()
        else:
            self.stay_on_cpu(localize("デバイスのメモリーが足りません。", "the device does not have enough memory."))
        return False

    def retry_in_float32(self) -> bool:
        """Return whether a graph in single precision is to be tried after a DeviceMismatchError; all sessions were closed for it."""
        if self._graph is None or not self._graph.half:
            return False
        self._graph, self.needs_exact = None, True
        _release_sessions(self._place, self._sessions, self._reserved_bytes)
        if (journal := self._opening.failures.journal) is not None:
            journal.record_needs_exact(self._place, self._opening.identity)
        logging.getLogger("koebako").info("%s on %s: half precision differs too much", self._name, format_device_name(self._place))
        return True

    def _open_verified(self, form: FixedShapeGraph, size: int) -> GraphSession:
        session = open_with_fixed_dims(form.find_file(size), self._place, self._name, {form.free: size})
        for values, expected in form.read_verification_runs(size):
            names = list(expected)
            results = form.crop_results(names, session.run_graph(form.pad_values(values, size), names), form.measure_length(values))
            if not is_close_enough(expected, dict(zip(names, results, strict=True)), MIN_DEVICE_SNR_DB[form.half]):
                raise DeviceMismatchError(localize("計算結果が CPU と異なります。", "its results differ from the CPU's."))
        return session

    def stay_after_failure(self, reason: str, *, lost: bool = False, wrong: bool = False) -> None:
        """Leave the graph on the CPU for good; `lost` applies to all graphs of the device, `wrong` means that it computed something else."""
        self.has_failed = True
        if lost:
            self._opening.failures.lost_reasons[self._place] = reason
            if wrong and (journal := self._opening.failures.journal) is not None:
                # Known as wrong at the next start, too.
                journal.record_mismatch(self._place, self._opening.graph)
        self.stay_on_cpu(reason)

    def stay_on_cpu(self, reason: str) -> None:
        """Leave the graph on the CPU for good, and release the memory of its sessions."""
        self.cpu_reason = reason
        _release_sessions(self._place, self._sessions, self._reserved_bytes)
        logging.getLogger("koebako").info("%s on %s: %s", self._name, format_device_name(self._place), reason)


def _release_sessions(place: str, sessions: dict[int, GraphSession], reserved_bytes: list[int]) -> None:
    """Close sessions in the device thread, before any that is opened after them."""
    drop_on_device(dict(sessions))
    sessions.clear()
    while reserved_bytes:
        release_memory(place, reserved_bytes.pop())


OPENING_EXIT_TIMEOUT_S = 5.0  # that an opening which has begun is waited for when the program ends
OPENING_ORDER = ("decoder", "flow", "prosody", "bert")  # graphs by how much a device gains for the memory that they take, the most first

FindFixedShapeGraph = Callable[[bool], FixedShapeGraph]
"""Finds or makes the form of the graph, if asked so an exact one; may take minutes. NoFixedShapeGraphError where there is none."""


@dataclass(slots=True)
class _OpeningTurn:
    """A session that waits, and how far it is; what it belongs to may be gone meanwhile."""

    rank: int
    session: weakref.ref[FixedShapeSession]
    find_fixed_shape_graph: FindFixedShapeGraph
    has_begun: bool = False

    def take_turn(self) -> bool:
        """Do the next step, and return whether there will be another one."""
        if _is_obsolete(self.session()):
            return False
        more = False
        try:
            if not self.has_begun:
                self._begin_opening()
            more = self._open_next_size()
        finally:
            session = self.session()
            if session is not None and not more:
                session.settled_event.set()
        return more

    def _begin_opening(self) -> None:
        """Begin an opening. Nothing here holds the session while its graph is built: the voice may be closed."""
        session = self.session()
        exact = session is not None and session.needs_exact
        del session
        reason, form = "", None
        try:
            form = self.find_fixed_shape_graph(exact)
        except NoFixedShapeGraphError as exc:
            reason = exc.message
        if (session := self.session()) is None:
            return
        if form is None:
            session.stay_on_cpu(reason)
        else:
            session.begin_opening(form)
            self.has_begun = True

    def _open_next_size(self) -> bool:
        session = self.session()
        if session is None or not self.has_begun:
            return False
        try:
            return session.open_next()
        except DeviceHungError:
            session.stay_after_failure(localize("デバイスが応答しません。", "the device does not respond."), lost=True)
        except DeviceMismatchError as exc:
            self.has_begun = False
            if session.retry_in_float32():
                return True
            session.stay_after_failure(exc.message, lost=True, wrong=True)
        except BackendError as exc:
            fault = identify_fault(exc)
            if fault.is_out_of_memory:
                session.stay_on_cpu(fault.reason)
            else:
                session.stay_after_failure(fault.reason if fault.is_lost else f"{exc.message} {exc.hint}".strip(), lost=fault.is_lost)
        except Exception as exc:  # a form may be damaged in any way
            session.stay_after_failure(localize("変換したファイルを読み込めません。", "its converted files cannot be read.") + f" ({exc})")
        return False


class DeviceOpenings:
    """The sessions of one voice that are to be opened on devices, once all of them are known."""

    def __init__(self) -> None:
        self._waiting_turns: list[_OpeningTurn] = []

    def add_session(self, graph: str, session: FixedShapeSession, find_fixed_shape_graph: FindFixedShapeGraph) -> None:
        """Add a session of a graph, which is opened unless it is gone by then."""
        self._waiting_turns.append(_OpeningTurn(OPENING_ORDER.index(graph), weakref.ref(session), find_fixed_shape_graph))

    def start_opening(self) -> None:
        """Open the sessions in the background, after those of earlier voices."""
        if self._waiting_turns:
            turns = deque(sorted(self._waiting_turns, key=lambda turn: turn.rank))
            threading.Thread(target=_open_in_turns, args=(turns,), name="device sessions", daemon=True).start()


def _open_in_turns(turns: deque[_OpeningTurn]) -> None:
    with _opening_lock:
        while turns:
            turn = turns.popleft()
            if turn.take_turn():
                turns.append(turn)


def _is_obsolete(session: FixedShapeSession | None) -> bool:
    """Return whether there is nothing to open: the voice was closed, or the device lost to another graph meanwhile."""
    if session is None or PROGRAM_ENDING.is_set():
        return True
    if (reason := session.lost_reason) is not None:
        session.stay_after_failure(reason)
        session.settled_event.set()
    return session.settled_event.is_set()


def _wait_for_openings() -> None:
    """Wait for openings: drivers fail if a process ends while it opens something."""
    PROGRAM_ENDING.set()
    _opening_lock.acquire(timeout=OPENING_EXIT_TIMEOUT_S)


_opening_lock = threading.Lock()
atexit.register(_wait_for_openings)
