"""Asking for a newer version: what is sent, what is believed, and who has nothing to ask."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.http import release_feed
from app.adapters.http.http_address import parse_address
from app.adapters.http.release_feed import ReleaseFeed, create_release_source, split_version
from app.common.errors import DownloadError
from app.common.files import release_file
from app.common.version import VERSION
from tests.fault_server import FaultServer, Reply

NEWER = f"{split_version(VERSION)[0] + 1}.2"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """Where releases are published."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer() as server:
        yield server


def feed(server: FaultServer, body: object, status: int = 200) -> ReleaseFeed:
    """The feed with this answer."""
    return ReleaseFeed(parse_address(server.reply("/latest.json", Reply(json.dumps(body).encode(), status))))


def test_one_request_carries_the_version_and_nothing_else(server: FaultServer) -> None:
    page = server.url("/releases/tag/v9")
    found = feed(
        server, {"version": NEWER, "page": page, "notes": {"ja": "新しい声", "en": "New voices", "fr": "voix"}}
    ).fetch_newer_release()
    assert found is not None
    assert (found.version, found.page, found.notes) == (NEWER, page, {"ja": "新しい声", "en": "New voices"})
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("GET", "/latest.json")
    sent = {name.lower(): value for name, value in asked.headers.items()}
    assert sent == {
        "host": f"127.0.0.1:{server.port}",
        "user-agent": f"Koebako/{VERSION}",
        "accept": "application/json",
        "accept-encoding": "identity",
    }


@pytest.mark.parametrize("version", [VERSION, "0.0.1", f"{VERSION}.0", "next", "", None, 9, "9" * 9, "9.9-rc1", ["9.9"]])
def test_only_a_version_that_is_newer_is_one(server: FaultServer, version: object) -> None:
    assert feed(server, {"version": version, "page": server.url("/"), "notes": {}}).fetch_newer_release() is None


@pytest.mark.parametrize(
    "page", ["https://elsewhere.example/", "javascript:alert(1)", "file:///etc/passwd", 7, None, "http://127.0.0.1:1/"]
)
def test_a_page_elsewhere_is_not_offered(server: FaultServer, page: object) -> None:
    found = feed(server, {"version": NEWER, "page": page, "notes": ["no"]}).fetch_newer_release()
    assert found is not None
    assert (found.page, found.notes) == ("", {})


def test_a_server_that_fails_is_asked_once(server: FaultServer) -> None:
    with pytest.raises(DownloadError):
        feed(server, {}, status=503).fetch_newer_release()
    assert len(server.asked) == 1
    with pytest.raises(DownloadError):
        ReleaseFeed(parse_address(server.reply("/latest.json", Reply(b"[" * 99)))).fetch_newer_release()


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.sampled_from(["version", "page", "notes", "ja"]), inner)
    )
)
def test_whatever_is_announced_is_a_release_or_none(data: object) -> None:
    if isinstance(data, dict):
        found = release_feed.parse_release(data, parse_address("https://example.org/latest.json"))
        assert found is None or (split_version(found.version) and found.page == "")


def test_versions_are_compared_by_their_numbers() -> None:
    assert split_version("1.0") == split_version("1.0.0") < split_version("1.0.1") < split_version("1.10") < split_version("2")


@pytest.mark.parametrize(
    ("written", "has_source"),
    [
        ('{"feed": "https://example.org/latest.json"}', True),
        ('{"feed": "http://example.org/latest.json"}', False),
        ('{"feed": "http://127.0.0.1:8/latest.json"}', True),
        ('{"store": "Microsoft Store"}', False),
        ('{"feed": 7}', False),
        ("{", False),
        (None, False),
    ],
)
def test_a_checkout_and_a_store_have_nobody_to_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str | None, has_source: bool
) -> None:
    monkeypatch.setattr(release_file, "find_resources_dir", lambda: tmp_path)
    if written is not None:
        (tmp_path / "release.json").write_text(written, encoding="utf-8")
    assert (create_release_source() is not None) == has_source
