"""The user's token reaches the hub that it is for, and nobody else, whatever address a stranger makes up."""

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.http.http_request import RetryPolicy
from app.adapters.http.hub_files import fetch_hf_file_info
from app.cli.main import main
from app.common.errors import DownloadError
from app.install.download_sources import DownloadMonitor, fetch_url
from tests.fault_server import FaultServer, Reply, failing_kindly

TOKEN = "hf_secret"
FILE = "/a/b/resolve/main/x.bin"
QUICK = RetryPolicy(retries=0, connect_timeout_s=1, silence_timeout_s=1, response_timeout_s=2)
HUB, THIEF = "localhost", "thief.example"

# HUB and THIEF stand for the hosts with their ports.
TRICKS = [
    "http://THIEF\\@HUB", "http://THIEF\\\\@HUB", "http://THIEF/\\@HUB", "http://THIEF%5C@HUB", "http://THIEF\t\\@HUB", "http://HUB@THIEF",
    "http://HUB%40THIEF", "http://HUB\\@THIEF", "http://HUB:@THIEF", "http://HUB:80@THIEF", "http://HUB#@THIEF", "http://HUB?@THIEF",
    "http://THIEF#@HUB", "http://THIEF?@HUB", "http://THIEF#\\@HUB", "http://HUB%2F.THIEF", "http://HUB\uff0f.THIEF", "http://HUB\u3002THIEF",
    "http://HUB.", "http://HUB.THIEF", "http://HUB\x00.THIEF", "http://HUB\n.THIEF", "http:\\\\THIEF/@HUB", "http:///THIEF@HUB",
    "http://HUB;THIEF", "http://HUB,THIEF", "http://HUB THIEF", "http://[THIEF]@HUB", "http://THIEF@@HUB", "http://HUB\u200bTHIEF",
    "//THIEF\\@HUB", "\\\\THIEF", "/\\THIEF", "//THIEF", "http:THIEF", "HTTP://THIEF", "http://user@THIEF", "\thttp://THIEF",
]  # fmt: skip


class Resolver:
    """Every name that is not the hub is the thief, whatever its port: no address can miss him."""

    def __init__(self, hub: FaultServer, thief: FaultServer) -> None:
        self._hub, self._thief = hub.port, thief.port

    def __call__(self, host: Any, port: Any, *_rest: Any, **_more: Any) -> list[Any]:
        place = ("127.0.0.1", self._hub if (host, port) == (HUB, self._hub) else self._thief)
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", place)]


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[FaultServer, FaultServer]]:
    """The hub and the thief."""
    patch = pytest.MonkeyPatch()
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        patch.delenv(name, raising=False)
        patch.delenv(name.upper(), raising=False)
    with FaultServer() as hub, FaultServer() as thief:
        patch.setenv("HF_ENDPOINT", f"http://{HUB}:{hub.port}")
        patch.setenv("HF_TOKEN", TOKEN)
        patch.setattr(socket, "getaddrinfo", Resolver(hub, thief))
        yield hub, thief
    patch.undo()


@pytest.fixture
def places(running: tuple[FaultServer, FaultServer]) -> tuple[FaultServer, FaultServer]:
    """The hub and the thief, whom nobody has asked yet."""
    for server in running:
        server.asked.clear()
        server.replies.clear()
    return running


def with_ports(trick: str, hub: FaultServer) -> str:
    return trick.replace("HUB", f"{HUB}:{hub.port}").replace("THIEF", f"{THIEF}:80")


def never_told(thief: FaultServer) -> None:
    assert not [item for item in thief.asked if TOKEN in f"{item.path}{item.headers}"]


def asked_all_ways(address: str) -> None:
    """As a page or file of the hub, and as any address at all."""
    with failing_kindly():
        fetch_hf_file_info(address, retry_policy=QUICK)
    with failing_kindly():
        fetch_url(address, DownloadMonitor(retry_policy=QUICK))


@pytest.mark.parametrize("trick", TRICKS)
def test_an_address_made_to_look_like_the_hubs(places: tuple[FaultServer, FaultServer], trick: str) -> None:
    hub, thief = places
    asked_all_ways(with_ports(trick, hub) + FILE)
    never_told(thief)


PIECES = ["HUB", "THIEF", "localhost", f"{THIEF}", "http:", "https:", "/", "//", "\\", "@", "\\@", "%5c", "%40", "%2F", "?", "#", ":", ":80", ";", "&",
          "\t", "\r\n", " ", "\x00", ".", "。", "\uff0e", "\u2024", "\uff20", "\uff0f", "\uff3c", "[", "]", "[::1]", "user", "\u200b", "\xad", "ß"]  # fmt: skip


def test_any_address_that_chance_makes_up(places: tuple[FaultServer, FaultServer]) -> None:
    hub, thief = places

    @given(st.sampled_from(["http://", "https://", ""]), st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
    def try_it(start: str, rest: str) -> None:
        asked_all_ways(with_ports(start + rest, hub) + FILE)
        never_told(thief)

    try_it()


@pytest.mark.parametrize("trick", TRICKS)
def test_a_redirect_of_the_hub_itself(places: tuple[FaultServer, FaultServer], trick: str) -> None:
    hub, thief = places
    location = with_ports(trick, hub).replace("\n", "").encode().decode("latin-1")
    hub.reply(FILE, Reply(status=302, headers={"Location": location + "/elsewhere"}))
    asked_all_ways(f"http://{HUB}:{hub.port}{FILE}")
    never_told(thief)


def test_the_hub_itself_gets_it(places: tuple[FaultServer, FaultServer]) -> None:
    hub, thief = places
    hub.reply("/a/b/resolve/main/y.bin", Reply(b"y"))
    fetch_url(f"HTTP://{HUB.upper()}:{hub.port}/a/b/blob/main/y.bin", DownloadMonitor(retry_policy=QUICK))
    assert [item.headers["Authorization"] for item in hub.asked] == [f"Bearer {TOKEN}"] * 2
    never_told(thief)


def test_a_proxy_on_the_way_to_this_machine_does_not_read_it(
    places: tuple[FaultServer, FaultServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, thief = places
    monkeypatch.setenv("http_proxy", f"http://{THIEF}")
    with pytest.raises(DownloadError):
        fetch_url(f"http://{HUB}:{hub.port}{FILE}", DownloadMonitor(retry_policy=QUICK))
    assert len(thief.asked) == 1
    never_told(thief)


def test_should_the_library_ever_read_another_host_nobody_is_asked(
    places: tuple[FaultServer, FaultServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, thief = places
    monkeypatch.setattr(urllib3.util, "parse_url", lambda _url: urllib3.util.Url("http", host=THIEF, port=hub.port))
    with pytest.raises(DownloadError, match="it is ambiguous"):
        fetch_url(f"http://{HUB}:{hub.port}{FILE}", DownloadMonitor(retry_policy=QUICK))
    assert not hub.asked + thief.asked


def test_the_message_names_the_server_and_the_reason(places: tuple[FaultServer, FaultServer], capsys: pytest.CaptureFixture[str]) -> None:
    hub, thief = places
    assert main(["voices", "add", "--url", with_ports("http://THIEF\\@HUB", hub) + FILE]) == 6
    assert "it contains a backslash" in capsys.readouterr().err
    assert main(["bert", "add", "--url", with_ports("http://HUB@THIEF", hub) + FILE]) == 6
    assert "The part after the @ is the real server" in capsys.readouterr().err
    assert not thief.asked, "nobody was asked at all"


@pytest.mark.parametrize("token", ["hf_a\nb", "hf_声", "hf a", "hf_\udcff"])
def test_a_token_that_cannot_be_sent_is_told_without_showing_it(
    places: tuple[FaultServer, FaultServer], token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "HF_TOKEN", token)
    with pytest.raises(DownloadError, match="HF_TOKEN contains invalid characters") as caught:
        fetch_hf_file_info(f"http://{HUB}:{places[0].port}{FILE}", retry_policy=QUICK)
    assert "hf" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("endpoint", ["huggingface.co", "http://a\\@b", "http://[", "https://me:secret@hub.example"])
def test_an_endpoint_that_is_no_address_is_named(
    places: tuple[FaultServer, FaultServer], endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(DownloadError, match="HF_ENDPOINT cannot be used") as caught:
        fetch_url("https://huggingface.co/a/b/resolve/main/x", DownloadMonitor(retry_policy=QUICK))
    assert "secret" not in caught.value.message
