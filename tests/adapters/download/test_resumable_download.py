"""Faults of servers, lines and disks, and what becomes of the download."""

import errno
import hashlib
import json
import os
import random
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.download.download_limits import DownloadProgress, DownloadProgressMeter
from app.adapters.download.partial_download import PartialDownload, find_downloads_dir, hash_file, remove_stale_downloads
from app.adapters.download.resumable_download import download_file
from app.adapters.files import free_space
from app.adapters.http import http_request
from app.adapters.http.http_request import RetryPolicy, retry_until_success
from app.adapters.http.network_messages import DownloadCancelledError, TransientDownloadError
from app.adapters.http.response_headers import parse_retry_after
from app.common.errors import DownloadError
from tests.fault_server import FaultServer, Reply

BODY = random.Random(5).randbytes(400_000)
OTHER = random.Random(6).randbytes(400_000)
SHA = hashlib.sha256(BODY).hexdigest()
QUICK = RetryPolicy(retries=3, first_delay_s=0.01, max_delay_s=0.02, max_retry_after_s=2, connect_timeout_s=1, silence_timeout_s=0.5)
GOOD = Reply(BODY)


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as faults:
        yield faults


def left_behind() -> list[str]:
    return sorted(path.suffix for path in find_downloads_dir().iterdir() if path.suffix != ".lock")


MENDED: dict[str, tuple[list[Reply], int]] = {
    "nothing wrong": ([GOOD], 1),
    "drops once": ([Reply(BODY, drop_at=150_000), GOOD], 2),
    "drops again and again": ([Reply(BODY, drop_at=100_000), Reply(BODY, drop_at=200_000), Reply(BODY, drop_at=300_000), GOOD], 4),
    "drops before the head": ([Reply(BODY, drop_at=0), GOOD], 2),
    "announces too much, then is right": ([Reply(BODY, announced=500_000), GOOD], 3),
    "429 with Retry-After": ([Reply(status=429, headers={"Retry-After": "0"}), GOOD], 2),
    "503, then ok": ([Reply(status=503), Reply(status=503), GOOD], 3),
    "ignores ranges": ([Reply(BODY, drop_at=150_000, ranges=False), replace(GOOD, ranges=False)], 2),
    "answers another range": ([Reply(BODY, drop_at=150_000), replace(GOOD, wrong_range=True), GOOD], 3),
    "changed between resumes": ([Reply(OTHER, etag='"old"', drop_at=150_000), GOOD], 2),
    "shorter between resumes": ([Reply(BODY + OTHER, etag='"old"', drop_at=500_000), GOOD], 2),
    "no validator": ([Reply(BODY, etag=None, drop_at=150_000), replace(GOOD, etag=None)], 2),
    "weak validator": ([Reply(BODY, etag='W/"x"', drop_at=150_000), replace(GOOD, etag='W/"x"')], 2),
    "Last-Modified only": ([replace(GOOD, etag=None, headers={"Last-Modified": "x"}, drop_at=9_000), replace(GOOD, etag=None, headers={"Last-Modified": "x"})], 2),
    "falls silent, then is well": ([Reply(BODY, stall_at=150_000), GOOD], 2),
    "trickles": ([replace(GOOD, trickle=20_000)], 1),
    "chunked without length": ([replace(GOOD, framing="chunked")], 1),
    "chunked and cut": ([replace(GOOD, framing="chunked", drop_at=150_000), replace(GOOD, framing="chunked")], 2),
    "until the connection closes": ([replace(GOOD, framing="close")], 1),
    "gzip unasked": ([replace(GOOD, zipped=True)], 1),
    "gzip unasked and cut": ([replace(GOOD, zipped=True, drop_at=150_000), replace(GOOD, zipped=True)], 2),
}  # fmt: skip


@pytest.mark.parametrize("known_hash", [True, False], ids=["hash", "no hash"])
@pytest.mark.parametrize("fault", MENDED)
def test_faults_that_another_try_mends(server: FaultServer, tmp_path: Path, fault: str, known_hash: bool) -> None:
    replies, requests = MENDED[fault]
    if known_hash and "between resumes" in fault:
        requests += 1  # with a hash the server is not asked whether it is the same file; the hash or the length finds it out
    target = tmp_path / "声 1.bin"
    done = download_file(server.reply("/声.bin", *replies), target, sha256=SHA if known_hash else None, retry_policy=QUICK)
    assert target.read_bytes() == BODY
    assert done.path == target
    assert len(server.asked) == requests, server.ranges()
    assert left_behind() == []
    assert all(item.headers["Accept-Encoding"] == "identity" for item in server.asked)


FILES = {'"one"': BODY, '"two"': OTHER[:300_000], None: BODY[::-1]}
ANY_REPLY = st.one_of(
    st.builds(
        lambda etag, changes: Reply(FILES[etag], etag=etag, **changes),
        st.sampled_from(list(FILES)),
        st.fixed_dictionaries(
            {},
            optional={
                "drop_at": st.integers(0, 399_999),
                "ranges": st.booleans(),
                "wrong_range": st.booleans(),
                "framing": st.sampled_from(["length", "chunked"]),
                "zipped": st.booleans(),
            },
        ),
    ),
    st.builds(Reply, status=st.sampled_from([429, 500, 503]), headers=st.just({"Retry-After": "0"})),
)


@given(replies=st.lists(ANY_REPLY, max_size=5), last=st.sampled_from(list(FILES)), known_hash=st.booleans())
def test_whatever_happens_one_whole_file_arrives(replies: list[Reply], last: str | None, known_hash: bool) -> None:
    wanted = FILES[last]
    with FaultServer() as server, tempfile.TemporaryDirectory() as folder:
        url = server.reply(f"/{secrets.token_hex(4)}", *replies, *[Reply(wanted, etag=last)] * 8)
        target = Path(folder) / "x"
        try:
            download_file(
                url, target, sha256=hashlib.sha256(wanted).hexdigest() if known_hash else None, retry_policy=replace(QUICK, retries=12)
            )
        except DownloadError:
            assert known_hash  # a whole file came, but another one than was asked for
            assert not target.exists()
        else:
            assert target.read_bytes() in ([wanted] if known_hash else FILES.values())


HOPELESS: dict[str, tuple[list[Reply], str, int]] = {
    "404": ([Reply(status=404)], "has no such file", 1),
    "410": ([Reply(status=410)], "has no such file", 1),
    "401": ([Reply(status=401)], "login", 1),
    "403": ([Reply(status=403)], "login or an accepted licence", 1),
    "418": ([Reply(status=418)], "refused the download", 1),
    "416 for the whole": ([Reply(status=416)], "refused the download", 1),
    "206 for the whole": ([Reply(BODY, status=206)], "refused the download", 1),
    "429 forever": ([Reply(status=429, headers={"Retry-After": "0"})], "busy or unavailable", 4),
    "429, a long rest": ([Reply(status=429, headers={"Retry-After": "3600"})], "busy or unavailable", 1),
    "500 forever": ([Reply(status=500)], "busy or unavailable", 4),
    "wrong bytes": ([Reply(OTHER)], "SHA-256 does not match", 1),
    "cut, then wrong bytes": ([Reply(OTHER, drop_at=10_000), Reply(OTHER)], "SHA-256 does not match", 3),
    "announces too little": ([Reply(BODY, announced=399_000)], "wrong size", 1),
    "another size": ([Reply(BODY + b"x")], "wrong size", 1),
    "another size, chunked": ([Reply(BODY[:-1], framing="chunked")], "wrong size", 1),
    "endless": ([Reply(BODY, framing="chunked", endless=True)], "wrong size", 1),
    "always announces too much": ([Reply(BODY, announced=500_000, etag=None, ranges=False)], "wrong size", 1),
    "always drops at one place": ([Reply(BODY, drop_at=150_000, ranges=False)], "was lost", 4),
    "always silent": ([Reply(BODY, stall_at=-1)], "does not answer", 2),
    "to a file": ([Reply(status=302, headers={"Location": "file:///etc/passwd"})], "unsafe address", 1),
    "to ftp": ([Reply(status=302, headers={"Location": "ftp://127.0.0.1/x"})], "unsafe address", 1),
    "in circles": ([Reply(status=302, headers={"Location": "/x"})], "redirects too many times", 9),
}


@pytest.mark.parametrize("fault", HOPELESS)
def test_faults_that_no_try_mends(server: FaultServer, tmp_path: Path, fault: str) -> None:
    replies, words, requests = HOPELESS[fault]
    patience = replace(QUICK, retries=1, silence_timeout_s=0.2) if fault == "always silent" else QUICK
    target = tmp_path / "voice.bin"
    with pytest.raises(DownloadError, match=words) as caught:
        download_file(server.reply("/x", *replies), target, sha256=SHA, size=len(BODY), retry_policy=patience)
    assert caught.value.hint
    assert caught.value.exit_code == 6
    assert len(server.asked) == requests, server.ranges()
    assert not target.exists()
    if "SHA" in words or "size" in words:
        assert left_behind() == []  # nothing corrupt is kept


def test_without_expectations_a_body_is_bounded(server: FaultServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="too large"):
        download_file(
            server.reply("/x", Reply(BODY, framing="chunked", endless=True)), tmp_path / "x", max_bytes=1_000_000, retry_policy=QUICK
        )
    with pytest.raises(DownloadError, match="too large"):
        download_file(server.reply("/x", GOOD), tmp_path / "x", max_bytes=1000, retry_policy=QUICK)
    assert left_behind() == []


def test_a_consistent_liar_without_hash_ends_too(server: FaultServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="was lost"):
        download_file(server.reply("/x", Reply(BODY, announced=500_000)), tmp_path / "x", retry_policy=QUICK)


def test_going_on_after_a_restart_asks_for_the_rest_only(server: FaultServer, tmp_path: Path) -> None:
    url = server.reply("/x", Reply(BODY, drop_at=150_000))
    with pytest.raises(DownloadError, match="was lost"):
        download_file(url, tmp_path / "x", retry_policy=replace(QUICK, retries=0))
    assert left_behind() == [".json", ".part"]
    server.reply("/x", GOOD)
    seen: list[DownloadProgress] = []
    download_file(url, tmp_path / "x", retry_policy=QUICK, on_progress=seen.append)
    assert server.ranges() == [None, "bytes=150000-"]
    assert server.asked[1].headers["If-Range"] == '"one"'
    assert (seen[0].received, seen[0].total) == (150_000, 400_000)
    assert (seen[-1].received, seen[-1].fraction) == (400_000, 1.0)


def test_a_part_that_is_complete_needs_no_bytes(server: FaultServer, tmp_path: Path) -> None:
    url = server.reply("/x", Reply(BODY, announced=500_000))
    for known in (None, SHA):
        server.asked.clear()
        part = PartialDownload(url, known)
        with part.lock_download(lambda: False):
            (find_downloads_dir() / part.path.name).write_bytes(BODY)
            part.sidecar.write_text(json.dumps({"validator": '"one"', "total": None, "encoded": False}))
        download_file(url, tmp_path / f"x{known}", sha256=known, retry_policy=QUICK)
        assert (tmp_path / f"x{known}").read_bytes() == BODY
        assert server.ranges() == (["bytes=400000-"] if known is None else [])


@pytest.mark.parametrize("sidecar", ["", "{", "[]", '{"validator": 3, "total": "x", "encoded": 1}', '{"validator": null, "total": 4}'])
def test_a_damaged_sidecar_means_from_the_start(server: FaultServer, tmp_path: Path, sidecar: str) -> None:
    url = server.reply("/x", GOOD)
    part = PartialDownload(url, None)
    find_downloads_dir().mkdir(parents=True)
    part.path.write_bytes(OTHER[:1000])
    part.sidecar.write_text(sidecar)
    download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert (tmp_path / "x").read_bytes() == BODY
    assert server.ranges() == [None]


def test_what_is_in_place_and_right_is_not_brought_again(server: FaultServer, tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(BODY)
    download_file(server.url("/x"), target, sha256=SHA.upper(), retry_policy=QUICK)
    assert server.asked == []
    target.write_bytes(OTHER)
    download_file(server.reply("/x", GOOD), target, sha256=SHA, retry_policy=QUICK)
    assert target.read_bytes() == BODY


def test_redirects_are_followed_without_secrets(server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as cdn:
        cdn.reply(
            "/file", Reply(BODY, headers={"Content-Disposition": "attachment; filename*=UTF-8''%E5%A3%B0.aivmx", "Content-Type": "A/b; c"})
        )
        onward = Reply(status=302, headers={"Location": cdn.url("/file?token=1", host="localhost")})
        cdn.replies["/file?token=1"] = cdn.replies["/file"]
        server.reply("/moved", onward)
        url = server.reply("/x", Reply(status=307, headers={"Location": "/moved"}))
        done = download_file(url, tmp_path / "x", secrets={"Authorization": "Bearer secret"}, retry_policy=QUICK)
    assert [item.headers.get("Authorization") for item in server.asked] == ["Bearer secret"] * 2
    assert "Authorization" not in cdn.asked[0].headers
    assert (done.name, done.content_type) == ("声.aivmx", "a/b")


def test_secrets_are_not_sent_where_others_can_read_them(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.reply("/x", GOOD)
    monkeypatch.setenv("http_proxy", server.url(""))
    download_file("http://hub.example/x", tmp_path / "x", secrets={"Authorization": "Bearer secret"}, retry_policy=QUICK)
    assert "Authorization" not in server.asked[0].headers


def test_proxies_of_the_environment(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.reply("/x", GOOD)
    monkeypatch.setenv("http_proxy", f"http://me:p%40ss@127.0.0.1:{server.port}")
    download_file("http://hub.example/x", tmp_path / "x", retry_policy=QUICK)
    assert server.asked[0].path == "http://hub.example/x"
    assert server.asked[0].headers["Proxy-Authorization"] == "Basic bWU6cEBzcw=="
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    download_file(server.url("/x"), tmp_path / "y", retry_policy=QUICK)
    assert server.asked[-1].path == "/x"
    server.reply("/x", Reply(status=407))
    with pytest.raises(DownloadError, match="Cannot connect through the proxy") as caught:
        download_file("http://hub.example/x", tmp_path / "z", retry_policy=QUICK)
    assert "HTTPS_PROXY" in caught.value.hint


@pytest.mark.parametrize("proxy", ["refused", "socks5://127.0.0.1:9", "http://[", "407"])
def test_proxies_that_do_not_work(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    address = {"refused": f"http://127.0.0.1:{free_port()}", "407": server.url("")}.get(proxy, proxy)
    server.replies["hub.example:443"] = [Reply(status=407)]
    monkeypatch.setenv("https_proxy", address)
    with pytest.raises(DownloadError, match="Cannot connect through the proxy"):
        download_file("https://hub.example/x", tmp_path / "x", retry_policy=QUICK)


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://x/y", "x.bin", "http://", "https://[", "https://a:b/", "http://\u3000/", "https://x:0/"]
)
def test_addresses_that_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadError, match="Cannot download from"):
        download_file(url, tmp_path / "x", retry_policy=QUICK)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_no_server_and_no_such_name(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1 cannot be reached"):
        download_file(f"http://127.0.0.1:{free_port()}/x", tmp_path / "x", retry_policy=QUICK)
    with pytest.raises(DownloadError, match="cannot be found") as caught:
        download_file("http://no-such-host.invalid/x", tmp_path / "x", retry_policy=QUICK)
    assert "internet connection" in caught.value.hint


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(["openssl", "req", "-x509", *made, "-keyout", str(path), "-out", str(path) + ".crt"], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(str(path) + ".crt").read_text())
    return path


def test_a_certificate_nobody_vouches_for_is_refused(certificate: Path, tmp_path: Path) -> None:
    with FaultServer(certificate) as server, pytest.raises(DownloadError, match=r"certificate of 127\.0\.0\.1 is not trusted") as caught:
        download_file(server.reply("/x", GOOD), tmp_path / "x", retry_policy=QUICK)
    assert "date and time" in caught.value.hint
    assert server.asked == []


def test_a_certificate_of_the_system_is_accepted_and_https_stays_https(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate) + ".crt")
    http_request.create_system_ssl_context.cache_clear()
    try:
        with FaultServer(certificate) as server, FaultServer() as plain:
            download_file(server.reply("/x", GOOD), tmp_path / "x", sha256=SHA, retry_policy=QUICK)
            server.reply("/down", Reply(status=302, headers={"Location": plain.reply("/x", GOOD)}))
            with pytest.raises(DownloadError, match="unsafe address"):
                download_file(server.url("/down"), tmp_path / "y", retry_policy=QUICK)
            assert plain.asked == []
    finally:
        http_request.create_system_ssl_context.cache_clear()


def cancel_after(seconds: float) -> tuple[Callable[[], bool], list[float]]:
    begun, told = time.monotonic(), []

    def cancelled() -> bool:
        now = time.monotonic()
        if now - begun > seconds:
            told.append(now)
        return bool(told)

    return cancelled, told


@pytest.mark.parametrize("reply", [Reply(BODY, stall_at=-1), Reply(BODY, stall_at=150_000), Reply(BODY, trickle=100), Reply(status=503)])
def test_cancel_is_quick_and_keeps_what_is_there(server: FaultServer, tmp_path: Path, reply: Reply) -> None:
    took_s = []
    for _ in range(2):  # the better of two: other programs may hold the machine for a moment
        cancelled, told = cancel_after(0.2)
        with pytest.raises(DownloadCancelledError):
            download_file(server.reply("/x", reply), tmp_path / "x", cancelled=cancelled, retry_policy=RetryPolicy(first_delay_s=20))
        took_s.append(time.monotonic() - told[0])
    assert min(took_s) < 0.2
    assert left_behind() == ([".json", ".part"] if reply.status == 200 and reply.stall_at != -1 else [])


def test_progress_goes_on_while_the_server_is_silent(server: FaultServer, tmp_path: Path) -> None:
    seen: list[DownloadProgress] = []
    with pytest.raises(DownloadError, match="does not answer"):
        download_file(
            server.reply("/x", Reply(BODY, stall_at=150_000)),
            tmp_path / "x",
            on_progress=seen.append,
            retry_policy=replace(QUICK, retries=0),
        )
    assert seen[-1].received == 150_000
    assert seen[-1].bytes_per_s < max(item.bytes_per_s for item in seen)


def test_two_downloads_of_one_file_take_turns(server: FaultServer, tmp_path: Path) -> None:
    url = server.reply("/x", replace(GOOD, trickle=10_000))
    errors: list[Exception] = []

    def bring() -> None:
        try:
            download_file(url, tmp_path / "x", retry_policy=QUICK)
        except Exception as exc:
            errors.append(exc)

    threads = [threading.Thread(target=bring) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert (tmp_path / "x").read_bytes() == BODY
    assert len(server.asked) == 1  # those who waited take what the first one brought


CHILD = """
import sys
from pathlib import Path
from app.adapters.download.resumable_download import download_file
download_file(sys.argv[1], Path(sys.argv[2]), sha256=sys.argv[3] or None, on_progress=lambda p: print(p.received, flush=True))
"""


def test_a_killed_process_is_gone_on_with(server: FaultServer, tmp_path: Path) -> None:
    url = server.reply("/x", Reply(BODY, stall_at=150_000))
    arguments = [sys.executable, "-c", CHILD, url, str(tmp_path / "x"), ""]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as child:
        part = PartialDownload(url, None).path
        ends = time.monotonic() + 30
        while not (part.exists() and part.stat().st_size == 150_000):
            assert time.monotonic() < ends
            time.sleep(0.02)
        child.kill()
    assert not (tmp_path / "x").exists()
    server.reply("/x", GOOD)
    download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert server.ranges() == [None, "bytes=150000-"]
    assert (tmp_path / "x").read_bytes() == BODY


def test_processes_at_once_do_not_spoil_each_other(server: FaultServer, tmp_path: Path) -> None:
    url = server.reply("/x", replace(GOOD, trickle=4_000))
    arguments = [sys.executable, "-c", CHILD, url, str(tmp_path / "x"), SHA]
    children = [subprocess.Popen(arguments, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[3]) for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    assert hash_file(tmp_path / "x")[0].hexdigest() == SHA
    assert len(server.asked) == 1


def test_a_disk_without_room(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = server.reply("/x", GOOD)
    with monkeypatch.context() as patch:
        patch.setattr(free_space.shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(10**9, 10**9, 1_000_000))  # type: ignore[attr-defined]
        with pytest.raises(DownloadError, match=r"Not enough disk space for"):
            download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert left_behind() == []

    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DownloadError, match="Not enough disk space") as caught:
            download_file(url, tmp_path / "x", retry_policy=QUICK)
    assert "Free some space" in caught.value.hint
    assert not (tmp_path / "x").exists()


@pytest.mark.skipif(os.name == "nt" or not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_disk_that_fills_up_while_writing(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PartialDownload, "begin_file", lambda self, origin: self.path.symlink_to("/dev/full"))
    with pytest.raises(DownloadError, match="Not enough disk space"):
        download_file(server.reply("/x", GOOD), tmp_path / "x", retry_policy=QUICK)


def test_a_folder_that_cannot_be_made(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "file"))
    with pytest.raises(DownloadError, match="not writable"):
        download_file(server.reply("/x", GOOD), tmp_path / "x", retry_policy=QUICK)


def test_failures_are_counted_anew_only_after_new_ground() -> None:
    ground = iter([True, False, False, False])

    def attempt() -> None:
        raise TransientDownloadError("no", wait_s=0)

    calls: list[bool] = []
    with pytest.raises(TransientDownloadError):
        retry_until_success(attempt, RetryPolicy(retries=2), lambda: False, lambda: calls.append(next(ground)) is None and calls[-1])
    assert calls == [True, False, False]


def test_waits_double_and_differ() -> None:
    patience = RetryPolicy(first_delay_s=1, max_delay_s=8)
    for failures, longest in [(1, 1), (2, 2), (3, 4), (4, 8), (9, 8)]:
        waits = {patience.compute_wait_s(failures) for _ in range(50)}
        assert len(waits) > 40
        assert all(longest / 2 <= wait <= longest for wait in waits)


def test_retry_after_is_a_number_or_a_date() -> None:
    assert parse_retry_after("7") == 7
    assert parse_retry_after(" 0 ") == 0
    assert parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert 3000 < (parse_retry_after(time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3600))) or 0) <= 3600
    for nonsense in (None, "", "soon", "-1", "Wed, 99 Oct 2015"):
        assert parse_retry_after(nonsense) in (None, 0)


def test_speed_and_time_left() -> None:
    now, seen = [0.0], []
    meter = DownloadProgressMeter(seen.append, clock=lambda: now[0])
    meter.start_connection(500, 10_500)
    for step in range(1, 101):
        now[0] = step * 0.05
        meter.update_received(500 + step * 50, 10_500)
    assert len(seen) <= 52
    assert seen[0].bytes_per_s == 0
    assert seen[0].seconds_left is None
    assert seen[-1].bytes_per_s == pytest.approx(1000, rel=0.01)
    assert seen[-1].seconds_left == pytest.approx(5, rel=0.05)
    assert DownloadProgress(5, None, 1.0, None).fraction == 0


def test_old_parts_are_swept_and_held_ones_are_not(server: FaultServer, tmp_path: Path) -> None:
    parts = []
    for name in ("old", "held", "new"):
        url = server.reply(f"/{name}", Reply(BODY, drop_at=1000))
        with pytest.raises(DownloadError):
            download_file(url, tmp_path / "x", retry_policy=replace(QUICK, retries=0))
        parts.append(PartialDownload(url, None))
    for part in parts[:2]:
        for path in (part.path, part.path.with_suffix(".lock")):
            os.utime(path, (1, 1))
    with parts[1].lock_download(lambda: False):
        os.utime(parts[1].path.with_suffix(".lock"), (1, 1))
        remove_stale_downloads(older_than_s=1000)
    assert [part.path.exists() for part in parts] == [False, True, True]
    assert not parts[0].sidecar.exists()
    (find_downloads_dir() / "finished").mkdir()
    remove_stale_downloads(older_than_s=1000)
    assert (find_downloads_dir() / "finished").exists()
    os.utime(find_downloads_dir() / "finished", (1, 1))
    remove_stale_downloads(older_than_s=1000)
    assert not (find_downloads_dir() / "finished").exists()


def test_the_http_library_is_loaded_only_when_something_is_downloaded() -> None:
    code = "import sys, app.adapters.download.resumable_download, app.adapters.http.hub_files, app.install.download_sources; assert not {'urllib3', 'truststore'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
