"""No command is silent for long: who is waited for, for how long at most, which attempt it is, and how to stop."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.download.partial_download import PartialDownload
from app.adapters.download.resumable_download import download_file
from app.adapters.http import http_request
from app.adapters.http.http_request import RetryPolicy, WaitAnnouncer, WaitNotice
from app.adapters.http.hub_files import fetch_aivishub_voice
from app.cli import progress_display
from app.cli.main import main
from app.cli.progress_display import show_progress
from app.common import language
from app.common.errors import DownloadError
from app.install.download_sources import STANDARD_BERT_REPOSITORY, STANDARD_BERT_REVISION
from tests.fault_server import FaultServer, Raw, Reply, hub_server

ROOT = Path(__file__).parents[3]
UUID = "a59cb814-0083-4369-8542-f51a29e72af7"
BODY = b"x" * 5000
QUICK = RetryPolicy(retries=1, first_delay_s=0.01, connect_timeout_s=2, silence_timeout_s=0.6, response_timeout_s=9)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    yield from hub_server(monkeypatch)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds become moments."""
    monkeypatch.setattr(http_request, "ANNOUNCE_AFTER_S", 0.1)
    monkeypatch.setattr(http_request, "UPDATE_INTERVAL_S", 0.05)


def test_a_silent_server_is_named_with_the_time_that_is_left_and_the_attempt(hub: FaultServer, tmp_path: Path) -> None:
    waits: list[WaitNotice | None] = []
    with pytest.raises(DownloadError, match="does not answer"):
        download_file(hub.reply("/x", Reply(stall_at=-1)), tmp_path / "x", on_wait=waits.append, retry_policy=QUICK)
    told = [wait for wait in waits if wait is not None]
    assert {wait.host for wait in told} == {"127.0.0.1"}
    assert [wait.attempt for wait in told] == sorted(wait.attempt for wait in told)
    assert {(wait.attempt, wait.attempts) for wait in told} == {(1, 2), (2, 2)}
    assert all(0 < (wait.seconds or 0) <= QUICK.response_timeout_s for wait in told)
    assert waits[-1] is None


def test_a_server_that_falls_silent_in_the_middle_is_waited_for_and_goes_on(hub: FaultServer, tmp_path: Path) -> None:
    class Pausing(Reply):
        def _send_body(self, handler: Any, body: bytes, start: int) -> None:
            handler.wfile.write(body[:1000])
            time.sleep(0.3)
            handler.wfile.write(body[1000:])

    waits: list[WaitNotice | None] = []
    download_file(hub.reply("/x", Pausing(BODY)), tmp_path / "x", on_wait=waits.append, retry_policy=replace(QUICK, silence_timeout_s=9))
    assert (tmp_path / "x").read_bytes() == BODY
    assert waits[0] is not None
    assert waits[-1] is None


def test_a_rest_before_the_next_attempt_says_why(hub: FaultServer, tmp_path: Path) -> None:
    waits: list[WaitNotice | None] = []
    busy = Reply(status=503, headers={"Retry-After": "1"})
    download_file(hub.reply("/x", busy, Reply(BODY)), tmp_path / "x", on_wait=waits.append, retry_policy=QUICK)
    assert WaitNotice("127.0.0.1 is busy or unavailable (503). Waiting to retry", "127.0.0.1", 1, 2, 2) in waits
    assert waits[-1] is None


def test_short_waits_are_not_worth_a_word(hub: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_request, "ANNOUNCE_AFTER_S", 30)
    waits: list[WaitNotice | None] = []
    download_file(hub.reply("/x", Reply(status=503), Reply(BODY, trickle=500)), tmp_path / "x", on_wait=waits.append, retry_policy=QUICK)
    assert waits == []


def test_another_process_that_brings_the_same_file_is_named(hub: FaultServer, tmp_path: Path) -> None:
    url = hub.reply("/x", Reply(BODY))
    waits: list[WaitNotice | None] = []
    with PartialDownload(url, None).lock_download(lambda: False):
        thread = threading.Thread(target=download_file, args=(url, tmp_path / "x"), kwargs={"on_wait": waits.append, "retry_policy": QUICK})
        thread.start()
        ends = time.monotonic() + 20
        while not waits and time.monotonic() < ends:
            time.sleep(0.02)
    thread.join()
    assert waits[0] is not None
    assert waits[0].text == "Waiting for another Koebako that is downloading this file. Press Ctrl+C to stop."
    assert waits[-1] is None


def test_a_redirect_is_read_by_the_name_of_whom_it_leads_to(hub: FaultServer, tmp_path: Path) -> None:
    waits: list[WaitNotice | None] = []
    hub.reply("/silent", Reply(stall_at=-1))
    url = hub.reply("/x", Reply(status=302, headers={"Location": hub.url("/silent", host="localhost")}))
    with pytest.raises(DownloadError, match="localhost does not answer"):
        download_file(url, tmp_path / "x", on_wait=waits.append, retry_policy=replace(QUICK, retries=0))
    assert {wait.host for wait in waits if wait is not None} == {"localhost"}


@pytest.mark.parametrize(
    "answer",
    [
        Raw(sent=b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", again=b" ", every_s=0.05),
        Raw(sent=b"HTTP/1.1 200 OK\r\nX: ", again=b"a", every_s=0.05),
    ],
    ids=["body", "head"],
)
def test_a_small_answer_has_a_time_for_all_of_it(hub: FaultServer, answer: Reply) -> None:
    """Never silent for as long as a server may be, and never done."""
    hub.reply(f"/v1/aivm-models/{UUID}", answer)
    began = time.monotonic()
    with pytest.raises(DownloadError, match=r"did not finish within 0\.8 s"):
        fetch_aivishub_voice(UUID, retry_policy=replace(QUICK, response_timeout_s=0.8))
    assert time.monotonic() - began < 10
    assert len(hub.asked) == 1, "another attempt would take as long"


def test_a_slow_download_goes_on_as_long_as_bytes_come(hub: FaultServer, tmp_path: Path) -> None:
    """What is too slow is for the user to say, who sees the speed."""
    body = b"y" * 20
    slow = Raw(sent=b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n", again=b"y", every_s=0.06)
    speeds: list[float] = []
    download_file(
        hub.reply("/x", slow),
        tmp_path / "x",
        on_progress=lambda one: speeds.append(one.bytes_per_s),
        retry_policy=replace(QUICK, response_timeout_s=0.5),
    )
    assert (tmp_path / "x").read_bytes() == body
    assert 0 < speeds[-2] < 100


@pytest.mark.parametrize(
    ("said", "place", "text"),
    [
        ("en", "command", "Waiting for a.example to respond (up to 27 s, attempt 2 of 6). Press Ctrl+C to stop."),
        ("en", "window", "Waiting for a.example to respond (up to 27 s, attempt 2 of 6). Click × to cancel."),
        ("ja", "command", "a.example の応答を待っています（最長 27 秒、2/6 回目）。Ctrl+C で中止できます。"),
        ("ja", "window", "a.example の応答を待っています（最長 27 秒、2/6 回目）。× でキャンセルできます。"),
    ],
)
def test_the_words(said: language.Language, place: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", said)
    monkeypatch.setenv("KOEBAKO_FRONTEND", place)
    waits: list[WaitNotice | None] = []
    waiting = WaitAnnouncer(waits.append, 6)
    waiting.host, waiting.attempt = "a.example", 2
    waiting.announce_silent_server(3.2, 26.7)
    assert waits[0] is not None
    assert waits[0].text == text


def test_waits_are_lines_for_people_and_part_of_the_progress_for_programs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [WaitNotice("Waiting for a.example to respond", "a.example", seconds, 1, 6) for seconds in (27, 26, 25)]
    with show_progress(as_json=False) as shown:
        for wait in waits:
            shown.update_wait(wait)
        shown.update_wait(None)
        shown.update_wait(replace(waits[0], attempt=2))
        monkeypatch.setattr(progress_display, "WAIT_NOTICE_INTERVAL_S", 0.0)
        shown.update_wait(replace(waits[1], attempt=2))
    assert [re.findall(r"up to (\d+) s, attempt (\d)", line) for line in capsys.readouterr().err.splitlines()] == [
        [("27", "1")],
        [("27", "2")],
        [("26", "2")],
    ]
    with show_progress(as_json=True) as shown:
        shown("downloading", 0.5)
        shown.update_wait(waits[0])
        shown("downloading", 0.5)
        shown.update_wait(None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["percent"], line.get("waiting", {}).get("seconds")) for line in lines] == [(50, None), (50, 27), (50, None)]
    assert lines[1]["waiting"] == {
        "reason": "Waiting for a.example to respond",
        "host": "a.example",
        "seconds": 27,
        "attempt": 1,
        "attempts": 6,
        "text": waits[0].text,
    }


@pytest.mark.parametrize(
    "command",
    [["voices", "add", "--hub", UUID], ["voices", "add", "--update", "--hub", UUID], ["bert", "add", "--url"], ["bert", "add", "--hub"]],
)
def test_every_command_that_downloads_tells_its_waits(hub: FaultServer, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    class Hesitating(Reply):
        def send(self, handler: Any) -> None:
            time.sleep(0.4)
            super().send(handler)

    for path in (f"/v1/aivm-models/{UUID}", "/x.onnx", f"/{STANDARD_BERT_REPOSITORY}/resolve/{STANDARD_BERT_REVISION}/tokenizer.json"):
        hub.reply(path, Hesitating(status=404))
    assert main([*command, *([hub.url("/x.onnx")] if command[-1] == "--url" else [])]) == 6
    assert "Waiting for 127.0.0.1 to respond" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C cannot be sent to one process there")
def test_a_stalled_server_is_told_on_stderr_and_ctrl_c_ends_it(hub: FaultServer) -> None:
    """The real command with its real times, its output read through a pipe."""
    arguments = [sys.executable, str(ROOT / "main.py"), "voices", "add", "--url", hub.reply("/a.aivmx", Reply(stall_at=-1))]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True) as child:
        assert child.stderr is not None
        told = child.stderr.readline()
        child.send_signal(signal.SIGINT)
        rest = child.communicate(timeout=30)
    assert re.fullmatch(r"Waiting for 127\.0\.0\.1 to respond \(up to 5\d s, attempt 1 of 6\)\. Press Ctrl\+C to stop\.\n", told)
    assert child.returncode == 130
    assert rest == ("", "")
