"""Opens graphs on devices in the background, one after the other, and says of one that stays on the CPU why it does."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from typing import Protocol

from app.adapters.ort.device_faults import fault_of
from app.adapters.ort.device_form import DeviceForm
from app.adapters.ort.device_thread import ENDING, DeviceHung
from app.errors import BackendError
from app.language import localized

LONGEST_ENDING_S = 5.0  # that an opening which has begun is waited for when the program ends

FindForm = Callable[[], DeviceForm | None]
"""Finds or makes the form of the graph; may take minutes."""


class DiffersError(BackendError):
    """A device that computes something else than the CPU."""


class Openable(Protocol):
    """What is opened here: `SizedSession`."""

    settled: threading.Event

    @property
    def lost(self) -> str | None:
        """Why nothing is tried on the device any more; None while it is."""

    def open_sizes(self, form: DeviceForm | None) -> None:
        """Opens all sessions that there is room for."""

    def fail(self, reason: str, *, lost: bool = False, wrong: bool = False) -> None:
        """Leaves the graph on the CPU for good."""


def open_in_background(session: weakref.ref[Openable], find_form: FindForm) -> None:
    """Has a session opened once those before it are, unless it is gone by then."""
    threading.Thread(target=_open_all, args=(session, find_form), name="device sessions", daemon=True).start()


def _open_all(waiting: weakref.ref[Openable], find_form: FindForm) -> None:
    with _one_at_a_time:
        if _refused(waiting()):
            return
        form = find_form()
        session = waiting()
        if session is None:
            return
        try:
            session.open_sizes(form)
        except DeviceHung:
            session.fail(localized("デバイスが応答しません。", "the device does not respond."), lost=True)
        except DiffersError as exc:
            session.fail(exc.message, lost=True, wrong=True)
        except BackendError as exc:
            fault = fault_of(exc)
            session.fail(fault.reason if fault.lost else f"{exc.message} {exc.hint}".strip(), lost=fault.lost)
        except Exception as exc:  # a form may be damaged in any way
            session.fail(localized("変換したファイルを読み込めません。", "its converted files cannot be read.") + f" ({exc})")
        finally:
            session.settled.set()


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
