"""A voice that is open once for all tests of the service, and services that speak with it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest

from app.common.files import paths
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.engine.engine import EngineThread
from app.engine.open_voices import OpenVoices
from app.service.access import AccessRules, bind_sockets
from app.service.http_service import HttpService
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import build_catalogue
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="session")
def mei() -> Speaker:
    """The voice we ship."""
    return open_speaker("mei")


@contextmanager
def serving(speaker: Speaker, voices: Sequence[Voice] | None = None, **access: object) -> Iterator[str]:
    """The address of a service that ends with the block; of all installed voices, whose sound is this one's."""
    sockets = bind_sockets("127.0.0.1", 0)
    opened = OpenVoices(lambda _opening: speaker)
    thread = EngineThread(opened)
    service = HttpService(
        build_catalogue(list_installed_voices(paths.list_voice_dirs()) if voices is None else voices),
        ServiceJobQueue(thread.engine),
        AccessRules(sockets[0].getsockname()[1], **access),  # type: ignore[arg-type]
        opened.is_open,
    )
    server = SpeechServer(sockets, service)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.close(5.0)


@pytest.fixture
def serve(mei: Speaker) -> Serve:
    """Services with an access of the test's own."""
    return lambda **access: serving(mei, **access)


@pytest.fixture
def url(serve: Serve) -> Iterator[str]:
    """A service that lets clients change things."""
    with serve(may_change=True) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    """A client of that service."""
    with httpx.Client(base_url=url, timeout=30) as own:
        yield own


@pytest.fixture
def style(client: httpx.Client) -> int:
    """The number of its first style."""
    return int(client.get("/speakers").json()[0]["styles"][0]["id"])
