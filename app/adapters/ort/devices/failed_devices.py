"""The failed devices that the sessions of a program know: they are not tried again until the user chooses a backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from app.adapters.ort.backends import format_device_name
from app.adapters.ort.devices.device_crash_journal import DeviceCrashJournal
from app.adapters.ort.devices.device_sessions import OpenedSession
from app.adapters.ort.devices.ep_error_codes import identify_fault
from app.adapters.ort.driver_crash import is_driver_crash
from app.common.errors import BackendError
from app.common.language import localize


@dataclass(slots=True)
class FailedDevices:
    """Shared by all voices of a program.

    Attributes:
        lost_reasons: place → why nothing more is tried there.
        journal: what is known from before; None while a device is on trial in a process of its own, which may die.
    """

    lost_reasons: dict[str, str] = field(default_factory=dict)
    journal: DeviceCrashJournal | None = None
    _looked_up: set[str] = field(default_factory=set)

    def find_reason(self, place: str) -> str | None:
        """Return why nothing is tried on a place; what happened before this program began counts as well."""
        if place not in self._looked_up and self.journal is not None and place != "cpu":
            self._looked_up.add(place)
            if (known := self.journal.describe_refusal(place)) is not None:
                self.lost_reasons.setdefault(place, known)
        return self.lost_reasons.get(place)

    def forget_failures(self) -> None:
        """Forget all failures after the user has chosen a backend again: every device may be tried."""
        if self.journal is not None:
            for place in self.lost_reasons:
                self.journal.forget_device(place)
        self.lost_reasons.clear()
        self._looked_up.clear()

    @contextmanager
    def guard_against_crash(self, place: str, graph: str) -> Iterator[None]:
        """Guard opening or running a graph, by its identity: an unverified one may take the program down with the device's driver.

        A driver that crashes while the program lives loses its device, and that is kept: for now, and for the next start.
        """
        safe = self.journal is None or self.journal.is_verified(place, graph)
        with nullcontext() if safe or self.journal is None else self.journal.write_risk_note(place):
            try:
                yield
            except BackendError as exc:
                if is_driver_crash(exc.__cause__):
                    self._record_crash(place, exc)
                raise

    def _record_crash(self, place: str, exc: BackendError) -> None:
        self.lost_reasons[place] = identify_fault(exc).reason
        if self.journal is not None:
            self.journal.record_crash(place)

    def open_session(self, open_on: Callable[[str], OpenedSession], place: str, graph: str) -> OpenedSession:
        """Open a session on a place, or on the CPU if that place was lost."""
        if self.find_reason(place) is None:
            try:
                with self.guard_against_crash(place, graph):
                    return open_on(place)
            except BackendError as exc:
                if not is_driver_crash(exc.__cause__):
                    raise
        reason = self.find_reason(place)
        fallback = localize(
            f"{format_device_name(place)} を使えないため、CPU で動作します: {reason}",
            f"{format_device_name(place)} is not available; running on the CPU: {reason}",
        )
        return replace(open_on("cpu"), fallback_reason=fallback)
