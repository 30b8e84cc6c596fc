"""Opens the graphs of a voice on devices in the background, and says of one that stays on the CPU why it does.

The graphs take turns, one size a turn, those first that are most of the work: on an adapter with little memory these are there.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.adapters.ort.device_faults import fault_of
from app.adapters.ort.device_form import DeviceForm
from app.adapters.ort.device_thread import ENDING, DeviceHung
from app.errors import BackendError
from app.language import localized

LONGEST_ENDING_S = 5.0  # that an opening which has begun is waited for when the program ends
TURNS = ("decoder", "flow", "prosody", "bert")
"""Graphs by how much a device gains for the memory that they take, the most first."""

FindForm = Callable[[bool], DeviceForm]
"""Finds or makes the form of the graph, if asked so an exact one; may take minutes. NoFormError where there is none."""


class DiffersError(BackendError):
    """A device that computes something else than the CPU."""


class NoFormError(BackendError):
    """A graph that has no form for devices; the message says why."""


class Openable(Protocol):
    """What is opened here: `SizedSession`."""

    settled: threading.Event

    @property
    def lost(self) -> str | None:
        """Why nothing is tried on the device any more; None while it is."""

    @property
    def exact(self) -> bool:
        """Whether only a form in single precision will do."""

    def begin(self, form: DeviceForm) -> None:
        """Sizes of this form will be opened."""

    def open_next(self) -> bool:
        """Opens the next size; whether there is another one to be tried."""

    def retreat(self) -> bool:
        """After a DiffersError: whether a form in single precision is to be tried, for which everything was let go."""

    def fail(self, reason: str, *, lost: bool = False, wrong: bool = False) -> None:
        """Leaves the graph on the CPU for good."""

    def stay(self, reason: str) -> None:
        """The same, and nothing has failed."""


@dataclass(slots=True)
class _Turn:
    """A session that waits, and how far it is; what it belongs to may be gone meanwhile."""

    rank: int
    session: weakref.ref[Openable]
    find_form: FindForm
    begun: bool = False

    def take(self) -> bool:
        """Does what is next; whether there will be another turn."""
        if _refused(self.session()):
            return False
        more = False
        try:
            if not self.begun:
                self._begin()
            more = self._open()
        finally:
            session = self.session()
            if session is not None and not more:
                session.settled.set()
        return more

    def _begin(self) -> None:
        """Nothing here holds the session while its form is made: the voice may be closed."""
        session = self.session()
        exact = session is not None and session.exact
        del session
        reason, form = "", None
        try:
            form = self.find_form(exact)
        except NoFormError as exc:
            reason = exc.message
        if (found := self.session()) is None:
            return
        if form is None:
            found.stay(reason)
        else:
            found.begin(form)
            self.begun = True

    def _open(self) -> bool:
        session = self.session()
        if session is None or not self.begun:
            return False
        try:
            return session.open_next()
        except DeviceHung:
            session.fail(localized("デバイスが応答しません。", "the device does not respond."), lost=True)
        except DiffersError as exc:
            self.begun = False
            if session.retreat():
                return True
            session.fail(exc.message, lost=True, wrong=True)
        except BackendError as exc:
            fault = fault_of(exc)
            if fault.no_room:
                session.stay(fault.reason)
            else:
                session.fail(fault.reason if fault.lost else f"{exc.message} {exc.hint}".strip(), lost=fault.lost)
        except Exception as exc:  # a form may be damaged in any way
            session.fail(localized("変換したファイルを読み込めません。", "its converted files cannot be read.") + f" ({exc})")
        return False


class Openings:
    """The sessions of one voice that are to be opened on devices, once all of them are known."""

    def __init__(self) -> None:
        self._waiting: list[_Turn] = []

    def add(self, graph: str, session: Openable, find_form: FindForm) -> None:
        """A session of a graph, opened unless it is gone by then."""
        self._waiting.append(_Turn(TURNS.index(graph), weakref.ref(session), find_form))

    def start(self) -> None:
        """Opens them in the background, once those of voices before are."""
        if self._waiting:
            turns = sorted(self._waiting, key=lambda turn: turn.rank)
            threading.Thread(target=_open_in_turns, args=(deque(turns),), name="device sessions", daemon=True).start()


def _open_in_turns(turns: deque[_Turn]) -> None:
    with _one_at_a_time:
        while turns:
            turn = turns.popleft()
            if turn.take():
                turns.append(turn)


def _refused(session: Openable | None) -> bool:
    """Whether there is nothing to open: the voice was closed, or the device lost to another graph meanwhile."""
    if session is None or ENDING.is_set():
        return True
    if (reason := session.lost) is not None:
        session.fail(reason)
        session.settled.set()
    return session.settled.is_set()


def _end() -> None:
    """No driver likes a process that ends while it opens something."""
    ENDING.set()
    _one_at_a_time.acquire(timeout=LONGEST_ENDING_S)


_one_at_a_time = threading.Lock()
atexit.register(_end)
