"""The chat reader of the window: its ports, its queue and the voices that it may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.core.script.characters import CastBuilder
from app.core.script.line_requests import LineCast, find_cast
from app.core.script.script import Character, Line
from app.core.synthesis_types import SynthesisRequest
from app.service.access import LOOPBACK
from app.service.chat.bouyomi_protocol import ChatTalk
from app.service.chat.chat_delivery import build_chat_request, find_chat_style, list_chat_names
from app.service.chat.chat_queue import ChatQueue, build_chat_rules
from app.service.chat.chat_server import ChatServer
from app.settings.page_origins import parse_origins
from app.settings.user_settings import Settings
from app.ui.service.window_service import build_offered_catalogue
from app.voices.installed_voices import find_shipped_voice_id


class WindowChat:
    """A chat reader from its start to `stop_server`; both wait, so neither is for the window's thread.

    Attributes:
        queue: the comments that wait.

    Raises InputError where a port is taken.
    """

    def __init__(self, settings: Settings, on_change: Callable[[], object], on_skip: Callable[[], object]) -> None:
        self.queue = ChatQueue(build_chat_rules(settings))
        self.queue.on_change, self.queue.on_skip = on_change, on_skip
        self._shipped = find_shipped_voice_id()
        self._catalogue = build_offered_catalogue()
        self._server = ChatServer(self.queue, settings.chat_port, settings.chat_http_port, parse_origins(settings.service_origins))

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
        found = find_chat_style(talk, self.queue.rules.voices, self._catalogue)
        if found is None:
            return build_chat_request(talk, ""), LineCast(settings.voice, settings.speaker, settings.style)
        speaker, style = found
        return build_chat_request(talk, ""), LineCast("" if style.voice == self._shipped else style.voice, speaker.plain_name, style.name)

    def refresh_voices(self) -> None:
        """Refresh the catalogue after the voices on the disk have changed."""
        self._catalogue = build_offered_catalogue()

    @property
    def addresses(self) -> tuple[str, str]:
        """Return where it listens."""
        return f"{LOOPBACK}:{self._server.port}", f"{LOOPBACK}:{self._server.http_port} (HTTP)"

    def stop_server(self) -> None:
        """Close the ports."""
        self._server.stop_server()
