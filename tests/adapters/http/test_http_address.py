"""Addresses: one opinion about each, and no address about which there could be two."""

import socket
import urllib.parse

import pytest
import urllib3
from hypothesis import example, given
from hypothesis import strategies as st

from app.adapters.http import http_request
from app.adapters.http.http_address import DEFAULT_PORTS, HttpAddress, UnusableAddressError, parse_address, parse_proxy_address
from app.adapters.http.http_request import HttpRequest, send_request
from app.common import language
from app.common.errors import DownloadError
from tests.fault_server import failing_kindly

USABLE = {
    "https://huggingface.co/a/b": "https://huggingface.co/a/b",
    "  HTTPS://Example.ORG:443/A \n": "https://example.org/A",
    "http://example.org": "http://example.org/",
    "http://example.org:080?q": "http://example.org/?q",
    "http://example.org:8080/#part": "http://example.org:8080/",
    "http://[0:0:0:0:0:0:0:1]:80/x": "http://[::1]/x",
    "http://[::1]:81/x": "http://[::1]:81/x",
    "https://例え。jp/声 1.aivmx?名=ä": "https://xn--r8jz45g.jp/%E5%A3%B0%201.aivmx?%E5%90%8D=%C3%A4",
    "https://ｈｕｇｇｉｎｇｆａｃｅ．ｃｏ/x": "https://huggingface.co/x",
    "https://example.org./x": "https://example.org./x",
    "https://example.org/100%/%41": "https://example.org/100%25/%41",
    "https://my_host-1.example/x": "https://my_host-1.example/x",
}

REFUSED = {
    "https://thief.example\\@huggingface.co/a": "backslash",
    "https://huggingface.co/a\\b": "backslash",
    "https://me:secret@huggingface.co/": "an @ before the server name",
    "https://huggingface.co@thief.example/": "an @ before the server name",
    "https://thief.example\t@huggingface.co/": "line breaks, control characters or invisible",
    "https://hugging\nface.co/": "line breaks, control characters or invisible",
    "https://huggingface.co/a\x00b": "line breaks, control characters or invisible",
    "https://huggingface.co/\u202exvmia": "line breaks, control characters or invisible",
    "https://hugging\u200bface.co/": "line breaks, control characters or invisible",
    "https://huggingface.co/\udc80": "line breaks, control characters or invisible",
    "https://hugging face.co/": "server name or port is invalid",
    "https://hugging%66ace.co/": "server name or port is invalid",
    "https://huggingface.co%2F.thief.example/": "server name or port is invalid",
    "https://hugging\uff0fface.co/": "server name or port is invalid",
    "https://a\u2100.example/": "server name or port is invalid",
    "https://huggingface..co/": "server name or port is invalid",
    "https://.huggingface.co/": "server name or port is invalid",
    "https://faß.example/": "server name or port is invalid",
    "https://xn--\u00e9/": "server name or port is invalid",
    f"https://{'a' * 64}.example/": "server name or port is invalid",
    f"https://{'a.' * 130}example/": "server name or port is invalid",
    f"https://{'声' * 3000}/": "server name or port is invalid",
    "https://[fe80::1%25eth0]/": "server name or port is invalid",
    "https://[::1/": "server name or port is invalid",
    "https://[::1]x/": "server name or port is invalid",
    "https://[v1.a]/": "server name or port is invalid",
    "https://a:b:80/": "server name or port is invalid",
    "https://a:٨٠/": "server name or port is invalid",
    "https://a:123456/": "server name or port is invalid",
    "https://a:0/": "not a number from 1 to 65535",
    "https://a:65536/": "not a number from 1 to 65535",
    "https:///a": "has no server name",
    "https://": "has no server name",
    "https:/a/b": "does not start with https://",
    "ftp://a/b": "does not start with https://",
    "httpſ://a/b": "does not start with https://",
    "javascript:alert(1)": "does not start with https://",
    "voice.aivmx": "does not start with https://",
    "": "does not start with https://",
    f"https://a/{'b' * 20_000}": "too long",
}


@pytest.mark.parametrize("text", USABLE)
def test_addresses_as_we_read_them(text: str) -> None:
    assert parse_address(text).url == USABLE[text]


@pytest.mark.parametrize("said", ["en", "ja"])
@pytest.mark.parametrize("text", REFUSED)
def test_addresses_that_could_be_read_in_two_ways_are_refused_with_the_reason(
    text: str, said: language.Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_current", said)
    with pytest.raises(UnusableAddressError) as caught:
        parse_address(text)
    assert caught.value.exit_code == 6
    assert caught.value.hint
    assert (REFUSED[text] if said == "en" else "ダウンロードできません：") in caught.value.message


def agreed(address: HttpAddress) -> None:
    """Every parser that may look at it reads it the same way, ours included."""
    assert address.url.isascii()
    assert parse_address(address.url) == address
    read, other = urllib3.util.parse_url(address.url), urllib.parse.urlsplit(address.url)
    assert (read.scheme, read.auth, str(read.host).strip("[]")) == (address.scheme, None, address.host)
    assert (other.scheme, other.username, other.hostname) == (address.scheme, None, address.host)
    assert (read.port or DEFAULT_PORTS[address.scheme]) == (other.port or DEFAULT_PORTS[address.scheme]) == address.port


PIECES = ["a", "B.c", "127.0.0.1", "[::1]", ":80", ":", "@", "\\", "/", "//", "?", "#", "%", "%40", "%2f", "\t", "\r\n", " ", "\x00", "。",
          "\uff0e", "\u2024", "\uff20", "\uff0f", "\uff3c", "\uff1a", "\uff05", "\u200d", "ß", "声", "é", ";", "&", "..", "-", "_", "http:", "xn--"]  # fmt: skip
ODD = st.one_of(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=20))


@given(st.sampled_from(["http://", "https://", "HTTPS://", "//", ""]), ODD)
@example("http://", "ⓐ․b")
def test_whatever_is_accepted_is_read_alike_by_all(start: str, rest: str) -> None:
    with failing_kindly():
        agreed(parse_address(start + rest))


@given(ODD)
@example("http://[::1")
@example("//thief.example\\@a/")
@example("\thttp://thief.example")
def test_wherever_a_redirect_leads_is_read_alike_by_all(reference: str) -> None:
    with failing_kindly():
        agreed(parse_address("https://huggingface.co/a/b?c").join_reference(reference))


def test_redirects_lead_where_browsers_go() -> None:
    base = parse_address("https://a.example/b/c?d")
    for reference, url in {
        "e f.bin": "https://a.example/b/e%20f.bin",
        "/e": "https://a.example/e",
        "../e": "https://a.example/e",
        "?e": "https://a.example/b/c?e",
        "//e.example/f": "https://e.example/f",
        "http://e.example:81": "http://e.example:81/",
        "": "https://a.example/b/c?d",
    }.items():
        assert base.join_reference(reference).url == url


def test_what_an_address_says_of_itself() -> None:
    address = parse_address("https://a.example:444/b/%E5%A3%B0.aivmx?x=/y")
    assert address.origin == ("https", "a.example", 444)
    assert address.file_name == "声.aivmx"
    assert not address.is_on_this_machine
    assert [parse_address(f"http://{host}/").is_on_this_machine for host in ("localhost", "127.0.0.2", "[::1]", "127.1", "localhost.")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_proxies_may_have_a_login_for_they_are_the_users_own() -> None:
    assert parse_proxy_address("http://me:p%40s:s@p.example:3128") == (parse_address("http://p.example:3128"), "me:p@s:s")
    assert parse_proxy_address("me:p@ss@p.example") == (parse_address("http://p.example"), "me:p@ss")
    assert parse_proxy_address(" p.example:3128 ") == (parse_address("http://p.example:3128"), None)
    for other in ("socks5://p.example", "http://[", "http://p.example:0", "", "http://me@"):
        with pytest.raises(UnusableAddressError):
            parse_proxy_address(other)


class Redirecting:
    """An answer that leads elsewhere."""

    status = 302

    def __init__(self, location: str) -> None:
        self.headers = {"Location": location}

    def close(self) -> None:
        pass


LOCAL_ADDRESSES = (
    "http://127.0.0.1/x", "http://127.8.8.8:8080/", "http://localhost/", "http://a.localhost/", "http://[::1]/", "http://0.0.0.0/", "http://[::]/",
    "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://0x7f.1/",
    "http://inner.example/",
)  # fmt: skip


@pytest.fixture
def known_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """One name of this computer, which a stranger's server may have registered, and one elsewhere."""
    places = {"inner.example": "127.0.0.1"}
    kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **_how: [(*kind, (places.get(host, "192.0.2.1"), port))])
    monkeypatch.setattr(http_request, "_find_proxy", lambda _address: None)


@pytest.mark.usefixtures("known_names")
@pytest.mark.parametrize("location", LOCAL_ADDRESSES)
def test_a_redirect_leads_to_no_device_of_this_network(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def redirect(_request: HttpRequest, address: HttpAddress) -> Redirecting:
        asked.append(address.host)
        return Redirecting(location)

    monkeypatch.setattr(http_request, "_send_once", redirect)
    with pytest.raises(DownloadError, match="redirects to an unsafe address"):
        send_request(HttpRequest(parse_address("http://hub.example/voice.aivmx")), lambda _host: None)
    assert asked == ["hub.example"]


@pytest.mark.usefixtures("known_names")
@pytest.mark.parametrize("given", LOCAL_ADDRESSES)
def test_whoever_names_this_computer_may_be_redirected_on_it(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_request, "_send_once", lambda _request, _address: Redirecting("http://127.0.0.1/again"))
    with pytest.raises(DownloadError, match="too many times"):
        send_request(HttpRequest(parse_address(given)), lambda _host: None)
