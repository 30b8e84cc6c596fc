"""Voices and BERTs from the internet, down to the file that can be installed."""

import hashlib
import json
import os
import re
import shutil
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.download.download_limits import DownloadProgress
from app.adapters.download.partial_download import find_downloads_dir
from app.adapters.files import free_space
from app.adapters.http.http_request import RetryPolicy
from app.common.errors import DownloadError
from app.install import download_sources
from app.install.download_sources import (
    DownloadMonitor,
    KnownFileFacts,
    discard_download,
    fetch_hub_voice,
    fetch_hugging_face_files,
    fetch_standard_bert,
    fetch_url,
    sanitise_file_name,
    sanitise_voice_file_name,
)
from tests.fault_server import FaultServer, Reply, hub_server

BODY = bytes(range(256)) * 800
SHA = hashlib.sha256(BODY).hexdigest()
UUID = "a59cb814-0083-4369-8542-f51a29e72af7"
QUICK = RetryPolicy(retries=2, first_delay_s=0.01, connect_timeout_s=1, silence_timeout_s=0.5)
QUICKLY = DownloadMonitor(retry_policy=QUICK)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    yield from hub_server(monkeypatch)


def big_file(hub: FaultServer, path: str, body: bytes, *, sent: Reply | None = None) -> str:
    """As Hugging Face does it: the hub tells the checksum and redirects to another host."""
    hub.reply(f"/cdn{path}", sent or Reply(body))
    headers = {
        "Location": urllib.parse.quote(hub.url(f"/cdn{path}", host="localhost"), safe=":/"),
        "X-Linked-Etag": f'"{hashlib.sha256(body).hexdigest()}"',
        "X-Linked-Size": str(len(body)),
    }
    return hub.reply(path, Reply(status=302, headers=headers))


def test_a_voice_by_its_address(hub: FaultServer) -> None:
    steps: list[tuple[str, float]] = []
    url = hub.reply(
        "/get", Reply(BODY, headers={"Content-Disposition": 'attachment; filename="../a/声?.aivmx"'.encode().decode("latin-1")})
    )
    path = fetch_url(url, DownloadMonitor(lambda *step: steps.append(step), retry_policy=QUICK))
    assert path.name == "声_.aivmx"
    assert path.read_bytes() == BODY
    assert path.parent.parent == find_downloads_dir()
    assert steps[0] == ("downloading", 0.0)
    assert steps[-1] == ("downloading", 1.0)
    assert [fraction for _, fraction in steps] == sorted(fraction for _, fraction in steps)
    discard_download(path)
    assert [item.suffix for item in find_downloads_dir().iterdir()] == [".lock"]


def test_what_waits_for_the_users_word_is_not_brought_again_for_a_while(hub: FaultServer) -> None:
    url = hub.reply("/a.aivmx", Reply(BODY))
    path = fetch_url(url, QUICKLY)
    assert fetch_url(url, QUICKLY) == path
    assert len(hub.asked) == 1
    os.utime(path, (0, 0))
    assert fetch_url(url, QUICKLY) == path
    assert len(hub.asked) == 2, "its source may have changed since"
    os.utime(path, (time.time() + 86_400,) * 2)
    assert fetch_url(url, QUICKLY) == path
    assert len(hub.asked) == 3, "nobody knows since when it waits where the clock was set back"


def test_a_web_page_is_not_a_voice(hub: FaultServer) -> None:
    url = hub.reply("/page", Reply(b"<!doctype html>", headers={"Content-Type": "Text/HTML; charset=utf-8"}))
    with pytest.raises(DownloadError, match="web page"):
        fetch_url(url, QUICKLY)
    assert [item.suffix for item in find_downloads_dir().iterdir()] == [".lock"]


@pytest.mark.parametrize("url", ["", "https://[", "file:///etc/passwd", "voice.aivmx"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(DownloadError, match="Cannot download from"):
        fetch_url(url)


def test_a_page_of_hugging_face_brings_its_file_once(hub: FaultServer) -> None:
    big_file(hub, "/a/b/resolve/main/声 1.safetensors", BODY)
    path = fetch_url(hub.url("/a/b/blob/main/声 1.safetensors"), QUICKLY)
    assert (path.name, path.read_bytes()) == ("声 1.safetensors", BODY)
    before = len(hub.asked)
    assert fetch_url(hub.url("/a/b/blob/main/声 1.safetensors"), QUICKLY) == path
    assert [item.method for item in hub.asked[before:]] == ["HEAD"]


def test_a_voice_of_the_hub_is_verified(hub: FaultServer) -> None:
    described = {"name": "まお/..", "model_files": [{"model_type": "AIVMX", "version": "1.0.0", "checksum": SHA, "file_size": 1}]}
    hub.reply(f"/v1/aivm-models/{UUID}", Reply(json.dumps(described).encode()))
    address = f"/v1/aivm-models/{UUID}/download?model_type=AIVMX"
    hub.reply(address, Reply(BODY[:-1] + b"x"))
    with pytest.raises(DownloadError, match="SHA-256 does not match"):
        fetch_hub_voice(UUID, QUICKLY)
    hub.reply(address, Reply(BODY, drop_at=1000), Reply(BODY))
    path = fetch_url(f"https://hub.aivis-project.com/aivm-models/{UUID}", QUICKLY)
    assert path.suffix == ".aivmx"
    assert path.parent.parent == find_downloads_dir()
    assert path.read_bytes() == BODY


def test_the_standard_bert(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        download_sources, "STANDARD_BERT_FILES", {"tokenizer.json": KnownFileFacts(), "model_fp16.onnx": KnownFileFacts(len(BODY), SHA)}
    )
    root = f"/{download_sources.STANDARD_BERT_REPOSITORY}/resolve/{download_sources.STANDARD_BERT_REVISION}"
    hub.reply(f"{root}/tokenizer.json", Reply(b"{}"))
    big_file(hub, f"{root}/model_fp16.onnx", BODY)
    steps: list[float] = []
    seen: list[DownloadProgress] = []
    folder = fetch_standard_bert(DownloadMonitor(lambda _step, fraction: steps.append(fraction), seen.append, retry_policy=QUICK))
    assert {item.name: item.stat().st_size for item in folder.iterdir()} == {"tokenizer.json": 2, "model_fp16.onnx": len(BODY)}
    assert steps == sorted(steps)
    assert steps[-1] == 1.0
    assert (seen[-1].received, seen[-1].total) == (len(BODY) + 2, len(BODY) + 2)
    asked = len(hub.asked)
    assert fetch_standard_bert(QUICKLY) == folder  # verified where it lies
    assert [item.path.rpartition("/")[2] for item in hub.asked[asked:] if item.method == "GET"] == ["tokenizer.json"]
    discard_download(folder)
    assert not folder.exists()


def test_another_bert_than_the_pinned_one_is_refused_before_it_is_brought(hub: FaultServer) -> None:
    root = f"/{download_sources.STANDARD_BERT_REPOSITORY}/resolve/{download_sources.STANDARD_BERT_REVISION}"
    hub.reply(f"{root}/tokenizer.json", Reply(b"{}"))
    big_file(hub, f"{root}/model_fp16.onnx", BODY)
    with pytest.raises(DownloadError, match="another one: its SHA-256 does not match"):
        fetch_standard_bert(QUICKLY)
    assert {item.method for item in hub.asked} == {"HEAD"}


@pytest.mark.parametrize("known", [KnownFileFacts(len(BODY)), KnownFileFacts(len(BODY), SHA)], ids=["only its size", "its checksum"])
def test_what_is_known_of_a_file_counts_where_a_mirror_states_no_checksum(hub: FaultServer, known: KnownFileFacts) -> None:
    hub.reply("/a/b/resolve/main/x.onnx", Reply(BODY[::-1]))
    if known.sha256 is None:
        assert fetch_hugging_face_files("a/b", {"x.onnx": known}, "main", QUICKLY).is_dir()
        return
    with pytest.raises(DownloadError, match="SHA-256 does not match"):
        fetch_hugging_face_files("a/b", {"x.onnx": known}, "main", QUICKLY)
    hub.reply("/a/b/resolve/main/x.onnx", Reply(BODY))
    assert (fetch_hugging_face_files("a/b", {"x.onnx": known}, "main", QUICKLY) / "x.onnx").read_bytes() == BODY


def test_a_file_of_another_size_than_the_known_one_is_refused(hub: FaultServer) -> None:
    big_file(hub, "/a/b/resolve/main/x.onnx", BODY)
    with pytest.raises(DownloadError, match="wrong size"):
        fetch_hugging_face_files("a/b", {"x.onnx": KnownFileFacts(len(BODY) + 1)}, "main", QUICKLY)


def test_the_tokenizer_of_the_reference_is_the_pinned_one(shared: Path) -> None:
    file = shared / "reference" / "deberta-char-wwm" / "tokenizer.json"
    known = download_sources.STANDARD_BERT_FILES["tokenizer.json"]
    assert (file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()) == (known.size, known.sha256)


def test_hugging_face_bytes_must_be_what_the_hub_announced(hub: FaultServer) -> None:
    big_file(hub, "/a/b/resolve/main/x.onnx", BODY, sent=Reply(BODY[::-1]))
    with pytest.raises(DownloadError, match="SHA-256 does not match"):
        fetch_hugging_face_files("a/b", {"x.onnx": KnownFileFacts()}, "main", QUICKLY)


def test_room_is_looked_for_first(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    big_file(hub, "/a/b/resolve/main/x.onnx", BODY)
    monkeypatch.setattr(free_space.shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(9, 9, 0))  # type: ignore[attr-defined]
    with pytest.raises(DownloadError, match="Not enough disk space"):
        fetch_hugging_face_files("a/b", {"x.onnx": KnownFileFacts()}, "main", QUICKLY)
    assert [item.method for item in hub.asked] == ["HEAD"]


def test_what_has_arrived_needs_no_room_again(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    big_file(hub, "/a/b/resolve/main/x.onnx", BODY, sent=Reply(BODY, drop_at=len(BODY) - 1000))
    with pytest.raises(DownloadError, match="was lost"):
        fetch_hugging_face_files("a/b", {"x.onnx": KnownFileFacts()}, "main", DownloadMonitor(retry_policy=RetryPolicy(retries=0)))
    big_file(hub, "/a/b/resolve/main/x.onnx", BODY)
    free = free_space.RESERVED_DISK_BYTES + 1000
    monkeypatch.setattr(free_space.shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(free, 0, free))  # type: ignore[attr-defined]
    assert (fetch_hugging_face_files("a/b", {"x.onnx": KnownFileFacts()}, "main", QUICKLY) / "x.onnx").read_bytes() == BODY


def test_discard_leaves_the_rest_of_the_world_alone(hub: FaultServer) -> None:
    other = find_downloads_dir().parent / "voices"
    other.mkdir(parents=True)
    find_downloads_dir().mkdir()  # without it, ".." leads nowhere on Unix
    for path in (other, find_downloads_dir(), find_downloads_dir() / ".." / "voices"):
        discard_download(path)
    assert other.is_dir()


@given(st.text(max_size=300))
def test_safe_names_are_safe(name: str) -> None:
    safe = sanitise_file_name(name)
    assert safe
    assert safe not in (".", "..")
    assert len(safe.encode()) <= 255
    assert not re.search(r'[\x00-\x1f<>:"/\\|?*]', safe)
    assert not safe.endswith((" ", "."))
    assert sanitise_file_name(safe) == safe


def test_safe_names_keep_what_they_can() -> None:
    assert sanitise_file_name("声 1.safetensors") == "声 1.safetensors"
    assert sanitise_file_name("../../etc/passwd") == "passwd"
    assert sanitise_file_name("C:\\x\\CON.onnx") == "_CON.onnx"
    assert sanitise_file_name("声" * 200 + ".aivmx").endswith("声.aivmx")
    assert sanitise_file_name("") == "voice"
    assert sanitise_file_name("...aivmx") == "voice.aivmx"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("desktop.ini", "desktop_ini"),
        ("a/package.json", "package_json"),
        (".bashrc", "voice_bashrc"),
        ("run.exe", "run_exe"),
        ("Mei.AIVMX", "Mei.AIVMX"),
        ("v1.2.onnx", "v1.2.onnx"),
        ("model", "model"),
    ],
)
def test_a_server_makes_no_file_but_a_voice(name: str, safe: str) -> None:
    assert sanitise_voice_file_name(name) == safe
