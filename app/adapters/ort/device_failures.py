"""What the sessions of a program know of devices that failed: nothing more is tried there until the user chooses a backend again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from app.adapters.ort.backends import place_name
from app.adapters.ort.device_record import DeviceRecord
from app.adapters.ort.driver_crash import is_crash
from app.adapters.ort.session import OpenedSession
from app.errors import BackendError
from app.language import localized


@dataclass(slots=True)
class DeviceFailures:
    """Shared by all voices of a program.

    Attributes:
        lost: place → why nothing more is tried there.
        record: what is known from before; None while a device is on trial in a process of its own, which may die.
    """

    lost: dict[str, str] = field(default_factory=dict)
    record: DeviceRecord | None = None
    _asked: set[str] = field(default_factory=set)

    def reason(self, place: str) -> str | None:
        """Why nothing is tried on a place; what happened before this program began counts as well."""
        if place not in self._asked and self.record is not None and place != "cpu":
            self._asked.add(place)
            if (known := self.record.refusal(place)) is not None:
                self.lost.setdefault(place, known)
        return self.lost.get(place)

    def forget(self) -> None:
        """The user has chosen a backend again: every device may be tried."""
        if self.record is not None:
            for place in self.lost:
                self.record.forget(place)
        self.lost.clear()
        self._asked.clear()

    @contextmanager
    def at_risk(self, place: str, graph: str) -> Iterator[None]:
        """Around opening or running a graph, by its identity: one that is not proven on that device may take the program down with it.

        A driver that crashes while the program lives loses its device, and that is kept: for now, and for the next start.
        """
        safe = self.record is None or self.record.is_proven(place, graph)
        with nullcontext() if safe or self.record is None else self.record.at_risk(place):
            try:
                yield
            except BackendError as exc:
                if is_crash(exc.__cause__):
                    self._crashed(place, exc)
                raise

    def _crashed(self, place: str, exc: BackendError) -> None:
        from app.adapters.ort.device_faults import fault_of  # few devices ever fail

        self.lost[place] = fault_of(exc).reason
        if self.record is not None:
            self.record.keep_crashed(place)

    def opened(self, open_on: Callable[[str], OpenedSession], place: str, graph: str) -> OpenedSession:
        """A session on a place, or on the CPU where that place was lost."""
        if place in ("cpu", "auto"):
            return open_on(place)
        if self.reason(place) is None:
            try:
                with self.at_risk(place, graph):
                    return open_on(place)
            except BackendError as exc:
                if not is_crash(exc.__cause__):
                    raise
        reason = self.reason(place)
        fallback = localized(
            f"{place_name(place)} を使えないため、CPU で動作します: {reason}",
            f"{place_name(place)} is not available; running on the CPU: {reason}",
        )
        return replace(open_on("cpu"), fallback=fallback)
