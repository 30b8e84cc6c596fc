"""A graph on a device in a few fixed sizes, and on the CPU for whatever fits none of them, or none that is open yet.

Devices compile what they run for every size; DirectML keeps what it compiled for the first size of a session only, and any other costs
hundreds of compilations a run. So there is a session a size, opened in the background as far as the adapter's memory goes, and tried at
once: a form in half precision that differs from the CPU gives way to one in single precision, and where that differs the device is not used.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.backends import BACKENDS, backend_of, place_name
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.device_form import LEAST_SNR_DB, DeviceForm, close_enough
from app.adapters.ort.device_memory import give_back, session_bytes, take
from app.adapters.ort.device_openings import DiffersError
from app.adapters.ort.device_thread import ENDING, drop_on_device, open_on_device
from app.adapters.ort.driver_crash import is_crash
from app.adapters.ort.session import GraphSession, open_fixed
from app.errors import BackendError
from app.language import localized

WANTED = ("first", "last")  # which frames of a window are wanted: decoders on the CPU cut them out themselves


@dataclass(frozen=True, slots=True)
class Opening:
    """What sessions are opened for, and what is known of the device.

    Attributes:
        graph: its name.
        identity: what `failures` knows the graph by.
        room_bytes: what all sessions of the place may take together.
    """

    graph: str
    identity: str
    place: str
    failures: DeviceFailures
    room_bytes: int

    def proven(self) -> None:
        """All that was opened computed what the CPU did."""
        if self.failures.record is not None:
            self.failures.record.keep_right(self.place, self.identity)

    @property
    def exact(self) -> bool:
        """Whether this graph is known to differ in half precision on the device."""
        return self.failures.record is not None and self.failures.record.needs_exact(self.place, self.identity)

    def differs_in_half(self) -> None:
        """Half precision is not tried again for this graph; the device is as good as before."""
        if self.failures.record is not None:
            self.failures.record.keep_exact(self.place, self.identity)

    def lost(self, reason: str, *, wrong: bool) -> None:
        """Nothing more is tried on the device; one that was wrong is known as such at the next start."""
        self.failures.lost[self.place] = reason
        if wrong and self.failures.record is not None:
            self.failures.record.keep_wrong(self.place, self.graph)


class SizedSession:
    """A GraphSession whose runs belong into the device thread when `takes` says so, and to `cpu` otherwise.

    Args:
        cpu: runs the graph as it is.
        opening: where, and how far.

    Attributes:
        trouble: why the graph stays on the CPU, in the language of the user; None while it does not.
        failed: whether something failed there; else the graph has no room or no form.
        exact: only a form in single precision will do.
        settled: set when no further session will be opened.
    """

    def __init__(self, cpu: GraphSession, name: str, opening: Opening) -> None:
        self.cpu = cpu
        self.inputs, self.outputs = cpu.inputs, cpu.outputs
        self.trouble: str | None = None
        self.failed, self.exact = False, opening.exact
        self.settled = threading.Event()
        self._opening, self._place, self._name = opening, opening.place, name
        self._form: DeviceForm | None = None
        self._left: list[int] = []  # sizes to be opened yet
        self._open: dict[int, GraphSession] = {}
        self._taken: list[int] = []
        weakref.finalize(self, _let_go, opening.place, self._open, self._taken).atexit = False

    @property
    def sizes(self) -> list[int]:
        """Those that are open."""
        return sorted(self._open)

    @property
    def lost(self) -> str | None:
        """Why nothing is tried on the device any more; None while it is."""
        return self._opening.failures.reason(self._place)

    @property
    def half(self) -> bool:
        """Whether the device computes in half precision."""
        return self._form is not None and self._form.half

    def form_of(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
        """The graph that runs on the device for these values, the values that it is given, and its fixed size; None for those it does not take."""
        size, form = self._size_for(values), self._form
        return None if size is None or form is None else (form.file(size), form.padded(values, size), {form.free: size})

    def takes(self, values: dict[str, Any]) -> bool:
        """Whether a size is open that fits."""
        return self._size_for(values) is not None

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As `GraphSession.run`, on the device; only for values that it takes."""
        size, form = self._size_for(values), self._form
        session = None if size is None else self._open.get(size)
        if size is None or form is None or session is None:  # it was found wrong just now
            raise BackendError(self.trouble or localized("準備ができていません。", "it is not ready."))
        names = list(outputs or self.outputs)
        results = form.cut(names, session.run(form.padded(values, size), names), form.length(values))
        if not set(WANTED) <= set(self.inputs):
            return results
        frames, (first, last) = form.length(values), (int(np.asarray(values[name]).reshape(-1)[0]) for name in WANTED)
        return [array[first * len(array) // frames : last * len(array) // frames] for array in results]

    def terminate(self) -> None:
        """Stops the run in progress, wherever it is."""
        for session in (self.cpu, *list(self._open.values())):
            session.terminate()

    def _size_for(self, values: dict[str, Any]) -> int | None:
        form = self._form
        if form is None:
            return None
        length = form.length(values)
        if not form.pads and length > min(form.sizes):
            return length if length in self._open else None
        opened = list(self._open)  # another thread adds to them
        return min((size for size in opened if size >= length and (form.pads or size == min(form.sizes))), default=None)

    def begin(self, form: DeviceForm) -> None:
        """Sizes of this form will be opened, the most useful first."""
        self._form, self._left = form, list(form.sizes)

    def open_next(self) -> bool:
        """Opens a session of the next size, if there is room, when no run waits; whether there is another one to be tried. For a thread that may wait."""
        form = self._form
        if form is None or not self._left or ENDING.is_set():
            return False
        size, wanted = self._left.pop(0), session_bytes(form.bytes)
        if not take(self._place, wanted, self._opening.room_bytes):
            return self._full()
        self._taken.append(wanted)
        try:
            with self._opening.failures.at_risk(self._place, self._opening.identity):
                session = open_on_device(partial(self._opened, form, size), BACKENDS[backend_of(self._place)].opening_s)
        except DiffersError:
            raise
        except BackendError as exc:
            give_back(self._place, self._taken.pop())
            if not self._open or is_crash(exc.__cause__):
                raise
            logging.getLogger("koebako").info("%s, size %s: %s %s", self._name, size, exc, exc.hint)
            return self._full()  # there was less room than the adapter said
        self._open[size] = session
        if not self._left:
            self._opening.proven()
        return bool(self._left)

    def _full(self) -> bool:
        """No further size has room; without any the graph stays on the CPU."""
        self._left.clear()
        if self._open:
            self._opening.proven()
        else:
            self.stay(localized("デバイスのメモリーが足りません。", "the device does not have enough memory."))
        return False

    def retreat(self) -> bool:
        """After a DiffersError: whether a form in single precision is to be tried, for which everything was let go."""
        if self._form is None or not self._form.half:
            return False
        self._form, self.exact = None, True
        _let_go(self._place, self._open, self._taken)
        self._opening.differs_in_half()
        logging.getLogger("koebako").info("%s on %s: half precision differs too much", self._name, place_name(self._place))
        return True

    def _opened(self, form: DeviceForm, size: int) -> GraphSession:
        """A session that has computed what the CPU did."""
        session = open_fixed(form.file(size), self._place, self._name, {form.free: size})
        for values, expected in form.proof(size):
            names = list(expected)
            found = form.cut(names, session.run(form.padded(values, size), names), form.length(values))
            if not close_enough(expected, dict(zip(names, found, strict=True)), LEAST_SNR_DB[form.half]):
                raise DiffersError(localized("計算結果が CPU と異なります。", "its results differ from the CPU's."))
        return session

    def fail(self, reason: str, *, lost: bool = False, wrong: bool = False) -> None:
        """Leaves the graph on the CPU for good; `lost`: and all others that would be on the device, `wrong`: for it computed something else."""
        self.failed = True
        if lost:
            self._opening.lost(reason, wrong=wrong)
        self.stay(reason)

    def stay(self, reason: str) -> None:
        """Leaves the graph on the CPU for good; what its sessions took there is free again."""
        self.trouble = reason
        _let_go(self._place, self._open, self._taken)
        logging.getLogger("koebako").info("%s on %s: %s", self._name, place_name(self._place), reason)


def _let_go(place: str, sessions: dict[int, GraphSession], taken: list[int]) -> None:
    """Sessions end in the device thread, before any that is opened after them."""
    drop_on_device(dict(sessions))
    sessions.clear()
    while taken:
        give_back(place, taken.pop())
