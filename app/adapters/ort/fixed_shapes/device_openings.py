"""Opens the graphs of a voice on devices in the background, and says of one that stays on the CPU why it does.

The graphs take turns, one size a turn, those first that are most of the work: on an adapter with little memory these are there.
"""

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from app.adapters.ort.devices.device_sessions import identify_fault
from app.adapters.ort.devices.device_thread import PROGRAM_ENDING, DeviceHungError
from app.adapters.ort.fixed_shapes.fixed_shape_graph import FixedShapeGraph, NoFixedShapeGraphError
from app.adapters.ort.fixed_shapes.fixed_shape_session import DeviceMismatchError, FixedShapeSession
from app.common.errors import BackendError
from app.common.language import localize

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
