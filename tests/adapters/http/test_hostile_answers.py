"""Servers that answer anything: every answer ends in a file, or in one sentence with a hint and exit code 6."""

import gzip
import json
import os
import random
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.download.partial_download import PartialDownload, ResumeValidator, find_downloads_dir
from app.adapters.download.resumable_download import download_file
from app.adapters.http import response_stream
from app.adapters.http.http_request import RetryPolicy
from app.adapters.http.hub_files import build_hf_url, fetch_aivishub_voice, fetch_hf_file_info
from app.adapters.http.response_headers import parse_file_name, parse_length, parse_retry_after
from app.adapters.http.response_stream import MAX_RESPONSE_BYTES
from app.cli.main import main
from app.common.errors import DownloadError
from app.common.files.untrusted_json import MAX_NUMBER_DIGITS
from app.install.download_sources import DownloadMonitor, fetch_url, sanitise_file_name
from tests.fault_server import FaultServer, Raw, Reply, failing_kindly, hub_server

UUID = "a59cb814-0083-4369-8542-f51a29e72af7"
ABOUT, FILE = f"/v1/aivm-models/{UUID}", "/a/b/resolve/main/x.bin"
QUICK = RetryPolicy(retries=1, first_delay_s=0.001, connect_timeout_s=1, silence_timeout_s=0.3, response_timeout_s=1)
MANY = "9" * 5000
DEEP = "[" * 300_000
ZEROS = gzip.compress(bytes(MAX_RESPONSE_BYTES + 1))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    yield from hub_server(monkeypatch)


def described(**changes: Any) -> bytes:
    file = {"model_type": "AIVMX", "version": "1.0.0", "checksum": "5" * 64} | changes
    return json.dumps({"name": "まお", "model_files": [file]}).encode()


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("utf-8", "surrogatepass")


BAD_ABOUT = {
    "nested deep": Reply(b'{"model_files":' + DEEP.encode()),
    "nested deep in a name": Reply(b'{"a":' * 200_000),
    "a number of many digits": Reply(b'{"model_files":[], "x": ' + MANY.encode() + b"}"),
    "infinite": Reply(b'{"x": 1e999}'),
    "NaN": Reply(b'{"x": NaN}'),
    "a name twice": Reply(b'{"name": "a", "name": "b"}'),
    "many values": Reply(b'{"x": [' + b"0," * 600_000 + b"0]}"),
    "no UTF-8": Reply(b'{"name": "\xff"}'),
    "a gzip bomb": Reply(ZEROS, headers={"Content-Encoding": "gzip"}),
    "gzip inside gzip": Reply(gzip.compress(ZEROS), headers={"Content-Encoding": "gzip, gzip"}),
    "damaged gzip": Reply(b"\x1f\x8bnonsense", headers={"Content-Encoding": "gzip"}),
    "many encodings": Reply(zlib.compress(b"{}"), headers={"Content-Encoding": ",".join(["deflate"] * 2000)}),
    "too large": Reply(b"{}" + b" " * MAX_RESPONSE_BYTES),
    "lengths that differ": Raw(sent=head("Content-Length: 2", "Content-Length: 3") + b"{}"),
    "a length of many digits": Raw(sent=head(f"Content-Length: {MANY}") + b"{}"),
    "a length below zero": Raw(sent=head("Content-Length: -5") + b"{}"),
    "a length that is no number": Raw(sent=head("Content-Length: two") + b"{}"),
    "a redirect to half an address": Reply(status=302, headers={"Location": "http://[::1"}),
    "a redirect to a port of many digits": Reply(status=302, headers={"Location": f"http://a:{MANY}/"}),
    "a redirect to a long address": Reply(status=302, headers={"Location": f"/{'a' * 60_000}"}),
    "a status of many digits": Raw(sent=head(status=MANY)),
    "no status": Raw(sent=b"HTTP/1.1\r\n\r\n"),
    "not HTTP": Raw(sent=b"SSH-2.0-OpenSSH_9.6\r\n"),
    "noise": Raw(sent=random.Random(1).randbytes(100_000)),
    "nothing": Raw(sent=b""),
    "many headers": Raw(sent=head(*[f"X-{number}: a" for number in range(5000)]) + b"{}"),
    "a long header": Raw(sent=head(f"X: {'a' * 200_000}") + b"{}"),
    "headers without end": Raw(sent=b"HTTP/1.1 200 OK\r\n", again=b"X: a\r\n" * 50),
    "continue without end": Raw(again=b"HTTP/1.1 100 Continue\r\n\r\n", every_s=0.001),
    "chunks that are none": Raw(sent=head("Transfer-Encoding: chunked") + b"zz\r\n{}\r\n0\r\n\r\n"),
    "a chunk length of many digits": Raw(sent=head("Transfer-Encoding: chunked") + b"f" * 70_000 + b"\r\n{}"),
    "a negative chunk": Raw(sent=head("Transfer-Encoding: chunked") + b"-5\r\n{}\r\n0\r\n\r\n"),
    "trailers without end": Raw(sent=head("Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n", again=b"X: a\r\n", every_s=0.001),
    "a byte now and then": Raw(sent=head("Content-Length: 900"), again=b" ", every_s=0.05),
    "a letter of the head now and then": Raw(sent=b"HTTP/1.1 200 OK\r\nX: ", again=b"a", every_s=0.05),
    "come back in a million years": Reply(status=503, headers={"Retry-After": MANY}),
    "come back on no day": Reply(status=503, headers={"Retry-After": "Wed, 99 Foo 99999999 99:99:99 GMT"}),
}  # fmt: skip


def told(answer: str) -> str:
    """What the user reads of it; most answers are simply unexpected response."""
    words = {
        "a redirect": "redirects to an unsafe address",
        "nothing": "was lost",
        "chunks that are none": "was lost",
        "a negative chunk": "was lost",
        "come back": "busy or unavailable",
        "a length of many digits": "no AIVMX file",
        "trailers without end": "did not finish within 1 s",
        "continue without end": "did not finish within 1 s",
        "a byte now and then": "did not finish within 1 s",
        "a letter of the head": "did not finish within 1 s",
    }
    return next((text for start, text in words.items() if answer.startswith(start)), "unexpected response")


@pytest.mark.parametrize("answer", BAD_ABOUT)
def test_what_a_hub_may_answer_about_a_voice(hub: FaultServer, answer: str) -> None:
    hub.reply(ABOUT, BAD_ABOUT[answer])
    began = time.monotonic()
    with pytest.raises(DownloadError, match=told(answer)) as caught:
        fetch_aivishub_voice(UUID, retry_policy=QUICK)
    assert caught.value.hint
    assert caught.value.exit_code == 6
    assert time.monotonic() - began < 20
    hub.closing.set()


@pytest.mark.parametrize(
    ("changes", "version"),
    [
        ({"version": MANY}, MANY[:200]),
        ({"version": f"1.{MANY}.0"}, f"1.{MANY}"[:200]),
        ({"version": "١.٢"}, "١.٢"),
        ({"version": "1\ud800\x1b[31m\u202e"}, "1[31m"),
        ({"version": {"a": 1}}, ""),
        ({"version": None, "checksum": MANY}, ""),
        ({"checksum": ["5"], "file_size": -1}, "1.0.0"),
    ],
)
def test_odd_versions_do_no_harm(hub: FaultServer, changes: dict[str, Any], version: str) -> None:
    hub.reply(ABOUT, Reply(described(**changes)))
    assert fetch_aivishub_voice(UUID, retry_policy=QUICK).version == version


@pytest.mark.parametrize(
    ("name", "shown"), [("\ud800", UUID), ("a\x1b]0;evil\x07\nb\u202e", "a]0;evil b"), ("声" * 5000, "声" * 200), (3, UUID), ([[]], UUID)]
)
def test_names_of_voices_are_fit_to_be_shown_and_to_be_files(hub: FaultServer, name: Any, shown: str) -> None:
    hub.reply(ABOUT, Reply(json.dumps({"name": name, "model_files": json.loads(described())["model_files"]}).encode()))
    voice = fetch_aivishub_voice(UUID, retry_policy=QUICK)
    assert voice.name == shown
    assert len(sanitise_file_name(voice.name).encode()) <= 255


BAD_HEADS = {
    "a size of many digits": head(f"X-Linked-Size: {MANY}", "Location: https://cdn.example/x", status="302 Found"),
    "a length of many digits": head(f"Content-Length: {MANY}"),
    "a redirect to half an address": head("Location: http://[::1", status="302 Found"),
    "a redirect to itself in other letters": head("Location: http://127.0.0.1:\uff18\uff10/", status="302 Found"),
    "a negative size": head("X-Linked-Size: -1"),
    "no checksum": head('X-Linked-Etag: "../../x"'),
}


@pytest.mark.parametrize("answer", BAD_HEADS)
def test_what_a_hub_may_answer_about_a_file(hub: FaultServer, answer: str) -> None:
    hub.reply(FILE, Raw(sent=BAD_HEADS[answer]))
    with failing_kindly():
        assert fetch_hf_file_info(build_hf_url("a/b", "x.bin", "main"), retry_policy=QUICK).sha256 is None
    with failing_kindly():
        fetch_url(hub.url(FILE), DownloadMonitor(retry_policy=QUICK))


BODY = b"x" * 5000
BAD_FILES: dict[str, list[Reply]] = {
    "a length of many digits": [Raw(sent=head(f"Content-Length: {MANY}") + BODY)],
    "a length beyond all disks": [Raw(sent=head("Content-Length: 999999999999999999") + BODY)],
    "a range of many digits": [Reply(BODY, drop_at=900), Raw(sent=head(f"Content-Range: bytes 900-{MANY}/{MANY}", status="206 Partial") + BODY)],
    "a range in other digits": [Reply(BODY, drop_at=900), Raw(sent=head("Content-Range: bytes ٩٠٠-4999/5000", status="206 Partial") + BODY)],
    "an empty range": [Reply(BODY, drop_at=900), Raw(sent=head("Content-Range: bytes */*", status="206 Partial"))],
    "a range after the end": [Reply(BODY, drop_at=900), Raw(sent=head(f"Content-Range: bytes */{MANY}", status="416 No"))],
    "a redirect to half an address": [Reply(status=301, headers={"Location": "http://[::1"})],
    "trailers without end": [Raw(sent=head("Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n", again=b"X: a\r\n", every_s=0.001)],
    "continue without end": [Raw(again=b"HTTP/1.1 100 Continue\r\n\r\n", every_s=0.001)],
    "a head without end": [Raw(sent=b"HTTP/1.1 200 OK\r\nX: ", again=b"a", every_s=0.05)],
    "chunks that are none": [Raw(sent=head("Transfer-Encoding: chunked") + b"-1\r\n")],
    "damaged gzip": [Reply(BODY, headers={"Content-Encoding": "gzip"})],
    "come back in a million years": [Reply(status=429, headers={"Retry-After": MANY})],
}  # fmt: skip


@pytest.mark.parametrize("answer", BAD_FILES)
def test_what_a_server_may_send_as_a_file(hub: FaultServer, tmp_path: Path, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_stream, "THREAD_GRACE_S", 0.5)
    url = hub.reply("/x", *BAD_FILES[answer])
    with pytest.raises(DownloadError) as caught:
        download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert caught.value.hint
    assert not (tmp_path / "x").exists()
    hub.closing.set()


def test_a_gzip_bomb_ends_where_a_file_may_end(hub: FaultServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="too large"):
        download_file(
            hub.reply("/x", Reply(ZEROS, headers={"Content-Encoding": "gzip"})), tmp_path / "x", max_bytes=1 << 20, retry_policy=QUICK
        )
    assert not list(find_downloads_dir().glob("*.part"))


NAMES = {
    "attachment; filename=\"a\x00b\u202e.aivmx\"": "ab.aivmx",
    "attachment; filename*=UTF-8''%ED%A0%80.aivmx": ".aivmx",
    "attachment; filename*=undefined''x.aivmx": "voice",
    "attachment; filename*=idna''%ff.aivmx": "voice",
    "attachment; filename*=rot13''x.aivmx": ".aivmx",
    f"attachment; filename={'a' * 50_000}.aivmx": "",
    f"attachment; filename=\"..\\..\\x.aivmx\"; {';' * 50_000}": "x.aivmx",
    "attachment; filename=\"/etc/passwd\n\"": "passwd",
    "attachment; " + '"' * 60_000: "",
}  # fmt: skip


@pytest.mark.parametrize("disposition", NAMES)
def test_names_of_files_are_made_safe(disposition: str) -> None:
    began = time.monotonic()
    name = sanitise_file_name(parse_file_name(disposition))
    assert name.endswith(NAMES[disposition])
    assert name.isprintable()
    assert time.monotonic() - began < 2


@given(st.text(max_size=300))
def test_any_header_is_read_without_harm(text: str) -> None:
    sanitise_file_name(parse_file_name(text)).encode()
    assert (parse_retry_after(text) or 0) >= 0
    assert 0 <= (parse_length(text) or 0) < 10**MAX_NUMBER_DIGITS


def any_value() -> st.SearchStrategy[Any]:
    leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(["AIVMX", "1.0", "5" * 64, MANY]))
    keys = st.sampled_from(["name", "model_files", "model_type", "version", "checksum", "file_size"])
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=6), max_leaves=12)


def test_any_json_and_any_bytes_that_chance_makes_up(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = head("Content-Type: application/json", 'ETag: "a"', "Content-Length: 40") + described()

    def spoilt(cuts: list[tuple[int, bytes]]) -> bytes:
        data = bytearray(whole)
        for place, piece in cuts:
            data[place % len(data) : place % len(data) + len(piece)] = piece
        return bytes(data)

    noise = st.builds(spoilt, st.lists(st.tuples(st.integers(0, 300), st.binary(min_size=1, max_size=6)), min_size=1, max_size=5))
    answers = st.one_of(
        st.builds(lambda value: Reply(json.dumps(value).encode()), any_value()), st.builds(lambda sent: Raw(sent=sent), noise)
    )

    @given(answers)
    def try_it(answer: Reply) -> None:
        hub.reply(ABOUT, answer)
        hub.reply("/file", answer)
        with tempfile.TemporaryDirectory() as folder:
            with failing_kindly():
                fetch_aivishub_voice(UUID, retry_policy=QUICK)
            with failing_kindly():
                fetch_hf_file_info(hub.url(ABOUT), retry_policy=QUICK)
            with failing_kindly():
                download_file(hub.url("/file"), Path(folder) / "x", max_bytes=10_000, retry_policy=QUICK)

    try_it()


@pytest.mark.parametrize(
    "sidecar",
    [
        DEEP,
        '{"validator": null, "total": ' + MANY + ', "encoded": false}',
        '{"validator": "a\\nX: b", "total": 1, "encoded": false}',
        '{"validator": "\\ud800", "total": 1, "encoded": false}',
        '{"validator": null, "total": true, "encoded": false}',
        '{"validator": null, "total": -1, "encoded": false}',
        '{"validator": null, "total": 1e99, "encoded": false}',
        "\x00" * 200_000,
    ],
)
def test_a_sidecar_of_any_content_means_from_the_start(hub: FaultServer, tmp_path: Path, sidecar: str) -> None:
    url = hub.reply("/x", Reply(BODY))
    part = PartialDownload(url, None)
    find_downloads_dir().mkdir(parents=True)
    part.path.write_bytes(b"old")
    part.sidecar.write_text(sidecar)
    with pytest.raises((ValueError, OSError)):
        ResumeValidator.read_sidecar(part.sidecar)
    download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert (tmp_path / "x").read_bytes() == BODY
    assert hub.ranges() == [None]


def test_a_part_that_is_no_file_is_replaced(hub: FaultServer, tmp_path: Path) -> None:
    url = hub.reply("/x", Reply(BODY))
    part = PartialDownload(url, None)
    find_downloads_dir().mkdir(parents=True)
    part.sidecar.write_text('{"validator": "a", "total": 9, "encoded": false}')
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names on this system")
    os.mkfifo(part.path)
    download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert (tmp_path / "x").read_bytes() == BODY


@pytest.mark.parametrize("answer", ["nested deep", "a redirect to half an address", "not HTTP"])
def test_the_command_line_says_it_in_one_sentence(hub: FaultServer, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    hub.reply(ABOUT, BAD_ABOUT[answer])
    assert main(["voices", "add", "--hub", UUID, "--json"]) == 6
    error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert error["family"] == "download"
    assert error["hint"]


@pytest.mark.parametrize("length", ["-5", "+5", "two", ""])
def test_a_length_that_is_none_is_not_waited_for(hub: FaultServer, length: str) -> None:
    """The server keeps the connection open, and says something now and then."""
    hub.reply(ABOUT, Raw(sent=head(f"Content-Length: {length}") + described(), again=b" ", every_s=0.05))
    with pytest.raises(DownloadError, match="unexpected response"):
        fetch_aivishub_voice(UUID, retry_policy=QUICK)
