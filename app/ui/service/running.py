"""A service that speaks with the window's own voices, in the window's synthesis thread."""

from __future__ import annotations

from collections.abc import Callable

from app import paths
from app.install.licence import licence_to_accept
from app.service.access import Access
from app.service.catalogue import Catalogue, catalogue_of
from app.service.recent import Recent
from app.service.server import Server
from app.service.service import Service
from app.service.sockets import LOOPBACK, bound
from app.service.work import Work
from app.service.work_queue import WorkQueue
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import ServeRequest
from app.voices.library import installed_voices, shipped_voice, speaking_first

STOP_S = 2.0


class WindowThread:
    """The window's synthesis thread, as the service sees it."""

    def __init__(self, speech: SpeechController) -> None:
        self._speech = speech
        self._jobs: dict[Work, ServeRequest] = {}

    def post(self, work: Work) -> None:
        """Queues work, in the serving thread."""
        self._jobs = {one: job for one, job in self._jobs.items() if not one.over.is_set()}
        self._jobs[work] = self._speech.serve(work)

    def cancel(self, work: Work) -> None:
        """Stops the graph that runs for this work, in the serving thread."""
        if (job := self._jobs.pop(work, None)) is not None:
            self._speech.stop_serving(job)


class Running:
    """A service from its start to `stop`; both wait, so neither is for the window's thread.

    Attributes:
        url: what other programs are given.
        left_out: why a style is not offered, in the language of the user.

    Raises InputError where the port is taken.
    """

    def __init__(self, speech: SpeechController, port: int, changes: bool, recent: Recent, on_end: Callable[[], object]) -> None:
        sockets = bound(LOOPBACK, port)
        access = Access(sockets[0].getsockname()[1], changes=changes)
        shipped = shipped_voice()
        self._service = Service(
            offered(),
            WorkQueue(WindowThread(speech)),
            access,
            lambda voice: ("" if voice == shipped else voice) in speech.voices,
            recent=recent,
        )
        self._server = Server(sockets, self._service, on_end)
        self._server.start()
        self.url = self._server.url

    @property
    def left_out(self) -> tuple[str, ...]:
        """See above."""
        return self._service.catalogue.left_out

    def refresh(self) -> None:
        """The voices on the disk have changed."""
        self._service.catalogue = offered()

    def stop(self) -> None:
        """Ends the service, even while clients are connected."""
        self._server.stop(STOP_S)


def offered() -> Catalogue:
    """The installed voices whose licence the user has accepted, those that cannot speak now after all others."""
    return catalogue_of(speaking_first(voice for voice in installed_voices(paths.voice_dirs()) if licence_to_accept(voice) is None))
