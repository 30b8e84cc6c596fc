"""The service and the chat reader of the window, through which other programs speak; each listens until it is stopped."""

from collections.abc import Callable, Iterable

from app.common.files import paths
from app.core.script.characters import CastBuilder
from app.core.script.script import Character, Line, LineCast, find_cast
from app.core.synthesis_types import SynthesisRequest
from app.install.voice_licence import find_unaccepted_licence
from app.service.access import LOOPBACK, AccessRules, bind_sockets
from app.service.chat.chat_queue import ChatQueue, ChatTalk, build_chat_request, build_chat_rules, find_chat_style, list_chat_names
from app.service.chat.chat_server import ChatServer
from app.service.http_service import HttpService
from app.service.request_log import RequestLog
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import StyleCatalogue, build_catalogue
from app.settings.user_settings import Settings, parse_origins
from app.ui.synthesis.speech_controller import SpeechController
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices, order_speaking_first

SERVICE_STOP_TIMEOUT_S = 2.0


class WindowService:
    """A service from its start to `stop_server`; both wait, so neither is for the window's thread.

    Attributes:
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
        self.url = self._server.url  # what other programs are given
        # place, addresses: where it listens.
        self.place = self.url.removeprefix("http://")
        self.addresses = (self.place,)

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


class WindowChat:
    """A chat reader from its start to `stop_server`; both wait, so neither is for the window's thread.

    Raises InputError where a port is taken.
    """

    def __init__(self, settings: Settings, on_change: Callable[[], object], on_skip: Callable[[], object]) -> None:
        self.queue = ChatQueue(build_chat_rules(settings))  # the comments that wait
        self.queue.on_change, self.queue.on_skip = on_change, on_skip
        self._shipped_voice = find_shipped_voice_id()
        self._catalogue = build_offered_catalogue()
        self._server = ChatServer(self.queue, settings.chat_port, settings.chat_http_port, parse_origins(settings.service_origins))
        # place, addresses: where it listens.
        self.place = str(self._server.port)
        self.addresses = (f"{LOOPBACK}:{self._server.port}", f"{LOOPBACK}:{self._server.http_port} (HTTP)")

    def build_request(self, talk: ChatTalk, settings: Settings, cast: Iterable[Character] = ()) -> tuple[SynthesisRequest, LineCast]:
        """Return the request for a comment and who speaks it: a number without a voice means the speaker selected in the window.

        Args:
            cast: characters of the open project; of a character and a voice with the same name, the character reads.
        """
        characters = CastBuilder(cast)
        for name in list_chat_names(talk, self.queue.rules.voices):
            if (character := characters.find_character(name)) is not None:
                return build_chat_request(talk, "", character.settings), find_cast(Line(talk.text, character.settings))
            if self._catalogue.find_style(name) is not None:
                break  # a voice for the writer comes before a character for the number
        speaker_and_style = find_chat_style(talk, self.queue.rules.voices, self._catalogue)
        if speaker_and_style is None:
            return build_chat_request(talk, ""), LineCast(settings.voice, settings.speaker, settings.style)
        speaker, style = speaker_and_style
        return build_chat_request(talk, ""), LineCast(
            "" if style.voice == self._shipped_voice else style.voice, speaker.plain_name, style.name
        )

    def refresh_voices(self) -> None:
        """Refresh the catalogue after the voices on the disk have changed."""
        self._catalogue = build_offered_catalogue()

    def stop_server(self) -> None:
        """Close the ports."""
        self._server.stop_server()
