"""The service and the chat reader of the window, through which other programs speak; each listens until it is stopped."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from app.common.errors import AppError
from app.common.files import paths
from app.common.language import localize
from app.core.script.characters import CastBuilder
from app.core.script.script import Character, Line, LineCast, find_cast
from app.core.synthesis_types import SynthesisRequest
from app.install.voice_licence import find_unaccepted_licence
from app.service.access import LOOPBACK, AccessRules, bind_sockets
from app.service.chat.caption_page import PAGE_PATH
from app.service.chat.chat_captions import CaptionBoard, CaptionFile
from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatQueue, build_chat_rules
from app.service.chat.chat_server import ChatServer
from app.service.chat.chat_voices import build_chat_request, find_chat_style, list_chat_names
from app.service.http_service import HttpService
from app.service.request_log import RequestLog
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import ServedSpeaker, ServedStyle, StyleCatalogue, build_catalogue
from app.settings.user_settings import Settings, parse_origins
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.voice_listening import VoicePick
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices, order_speaking_first
from app.voices.voice_labels import format_speaker, format_style

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


@dataclass(frozen=True, slots=True)
class ChatVoiceChoice:
    """Somebody who may read comments."""

    group: str  # the speaker of a style; empty for a character
    label: str
    value: str  # as the list of voices names it
    pick: VoicePick | None = None  # to be heard; None for nobody in particular


class WindowChat:
    """A chat reader from its start to `stop_server`; both wait, so neither is for the window's thread.

    Raises InputError where a port is taken.

    Args:
        on_file_error: called in another thread when the file of captions cannot be written.
    """

    def __init__(
        self,
        settings: Settings,
        on_change: Callable[[], object],
        on_skip: Callable[[], object],
        on_file_error: Callable[[AppError], object] = lambda _error: None,
    ) -> None:
        self.queue = ChatQueue(build_chat_rules(settings))  # the comments that wait
        self.queue.on_change, self.queue.on_skip = on_change, on_skip
        self.captions = CaptionBoard()  # shows the comment that is heard
        self._shipped_voice = find_shipped_voice_id()
        self._catalogue = build_offered_catalogue()
        origins = parse_origins(settings.service_origins)
        self._server = ChatServer(self.queue, settings.chat_port, settings.chat_http_port, origins, self.captions)
        self._caption_file = CaptionFile(self.captions, on_file_error)
        self.apply_settings(settings)
        # place, addresses: where it listens.
        self.place = str(self._server.port)
        self.addresses = (f"{LOOPBACK}:{self._server.port}", f"{LOOPBACK}:{self._server.http_port} (HTTP)")
        self.caption_address = f"http://{LOOPBACK}:{self._server.http_port}{PAGE_PATH}"

    def apply_settings(self, settings: Settings) -> None:
        """Use the rules, voices and captions of these settings from now on."""
        self.queue.replace_rules(build_chat_rules(settings))
        self.captions.choose_readers(is_served=settings.chat_captions, folder=settings.chat_caption_folder)

    def build_request(self, talk: ChatTalk, settings: Settings, cast: Iterable[Character] = ()) -> tuple[SynthesisRequest, LineCast]:
        """Return the request for a comment and who speaks it: a number without a voice means the speaker selected in the window.

        Args:
            cast: characters of the open project; of a character and a voice with the same name, the character reads.
        """
        reader = self._find_reader(talk, cast)
        if isinstance(reader, Character):
            return build_chat_request(talk, "", reader.settings), find_cast(Line(talk.text, reader.settings))
        if reader is None:
            return build_chat_request(talk, ""), LineCast(settings.voice, settings.speaker, settings.style)
        speaker, style = reader
        return build_chat_request(talk, ""), LineCast(self._find_line_voice(style), speaker.plain_name, style.name)

    def describe_reader(self, talk: ChatTalk, cast: Iterable[Character]) -> str:
        """Return the name of the character, or of the speaker and style, that reads a comment; empty for the voice selected in the window."""
        reader = self._find_reader(talk, cast)
        return "" if reader is None else reader.name if isinstance(reader, Character) else _describe_style(*reader)

    def list_choices(self, cast: Iterable[Character]) -> Iterator[ChatVoiceChoice]:
        """Yield whom the user may choose to read comments: characters, then all styles."""
        characters = CastBuilder(cast)
        for character in characters.cast:
            own = character.settings
            yield ChatVoiceChoice("", character.name, character.name, VoicePick(own.voice, own.speaker, own.style))
        for speaker in self._catalogue.speakers:
            for style in speaker.styles:
                name = speaker.voice if style.is_blend else format_speaker(speaker.name)
                names = ([name] if len(speaker.styles) == 1 else []) + [f"{name}/{style.name}", f"{speaker.name}/{style.name}"]
                is_own = (self._catalogue.find_style(one) is style and characters.find_character(one) is None for one in names)
                # A number means one style whatever is named alike.
                value = next((one for one, own in zip(names, is_own, strict=True) if own), str(style.id))
                pick = VoicePick(self._find_line_voice(style), speaker.plain_name, style.name)
                yield ChatVoiceChoice(name, _describe_style(speaker, style), value, pick)

    def refresh_voices(self) -> None:
        """Refresh the catalogue after the voices on the disk have changed."""
        self._catalogue = build_offered_catalogue()

    def stop_server(self) -> None:
        """Close the ports, and empty the file of captions."""
        self._server.stop_server()
        self._caption_file.close()

    def _find_line_voice(self, style: ServedStyle) -> str:
        """Return the id that lines have for the voice of a style."""
        return "" if style.voice == self._shipped_voice else style.voice

    def _find_reader(self, talk: ChatTalk, cast: Iterable[Character]) -> Character | tuple[ServedSpeaker, ServedStyle] | None:
        names = list_chat_names(talk, self.queue.rules.voices)
        characters = CastBuilder(cast if names else ())
        for name in names:
            if (character := characters.find_character(name)) is not None:
                return character
            if self._catalogue.find_style(name) is not None:
                break  # a voice for the writer comes before a character for the number
        return find_chat_style(talk, self.queue.rules.voices, self._catalogue)


def _describe_style(speaker: ServedSpeaker, style: ServedStyle) -> str:
    name = format_speaker(speaker.name)
    return name if len(speaker.styles) == 1 else localize("・", " · ").join((name, format_style(style.name)))
