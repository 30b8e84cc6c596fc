"""A service that speaks with the window's own voices, in the window's synthesis thread."""

from __future__ import annotations

from collections.abc import Callable

from app.common.files import paths
from app.install.voice_licence import find_unaccepted_licence
from app.service.access import LOOPBACK, AccessRules, bind_sockets
from app.service.http_service import HttpService
from app.service.request_log import RequestLog
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import StyleCatalogue, build_catalogue
from app.settings.page_origins import parse_origins
from app.settings.user_settings import Settings
from app.ui.synthesis.speech_controller import SpeechController
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices, order_speaking_first

SERVICE_STOP_TIMEOUT_S = 2.0


class WindowService:
    """A service from its start to `stop_server`; both wait, so neither is for the window's thread.

    Attributes:
        url: what other programs are given.
        omitted_styles: why a style is not offered, in the language of the user.

    Raises InputError where the port is taken.
    """

    def __init__(self, speech: SpeechController, settings: Settings, request_log: RequestLog, on_end: Callable[[], object]) -> None:
        sockets = bind_sockets(LOOPBACK, settings.service_port)
        origins = parse_origins(settings.service_origins)
        access = AccessRules(sockets[0].getsockname()[1], origins=origins, may_change=settings.service_changes)
        shipped = find_shipped_voice_id()
        self._service = HttpService(
            build_offered_catalogue(),
            ServiceJobQueue(speech.engine),
            access,
            lambda voice: ("" if voice == shipped else voice) in speech.voices,
            request_log=request_log,
        )
        self._server = SpeechServer(sockets, self._service, on_end)
        self._server.start()
        self.url = self._server.url

    @property
    def omitted_styles(self) -> tuple[str, ...]:
        """Return the styles that the catalogue leaves out."""
        return self._service.catalogue.left_out

    def refresh_voices(self) -> None:
        """Refresh the catalogue after the voices on the disk have changed."""
        self._service.catalogue = build_offered_catalogue()

    def stop_server(self) -> None:
        """End the service, even while clients are connected."""
        self._server.stop(SERVICE_STOP_TIMEOUT_S)


def build_offered_catalogue() -> StyleCatalogue:
    """Return the installed voices whose licence the user has accepted, those that cannot speak now after all others."""
    return build_catalogue(
        order_speaking_first(voice for voice in list_installed_voices(paths.list_voice_dirs()) if find_unaccepted_licence(voice) is None)
    )
