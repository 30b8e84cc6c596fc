"""A voice that is open once for all tests of the service, and services that speak with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest

from app import paths
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.service.access import Access
from app.service.catalogue import catalogue_of
from app.service.own_thread import OpenVoices, OwnThread
from app.service.server import Server
from app.service.service import Service
from app.service.sockets import bound
from app.service.work_queue import WorkQueue
from app.voices.library import installed_voices
from app.voices.voice import Voice

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="session")
def mei() -> Speaker:
    """The voice we ship."""
    return open_speaker("mei")


@contextmanager
def serving(speaker: Speaker, voices: Sequence[Voice] | None = None, **access: object) -> Iterator[str]:
    """The address of a service that ends with the block; of all installed voices, whose sound is this one's."""
    sockets = bound("127.0.0.1", 0)
    opened = OpenVoices(lambda _voice, _like: speaker)
    thread = OwnThread(opened)
    service = Service(
        catalogue_of(installed_voices(paths.voice_dirs()) if voices is None else voices),
        WorkQueue(thread),
        Access(sockets[0].getsockname()[1], **access),  # type: ignore[arg-type]
        opened.is_open,
    )
    server = Server(sockets, service)
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
    with serve(changes=True) as address:
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
