"""What we ask the hubs, on a local stand-in that answers as they are documented to."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.adapters.http.http_request import RetryPolicy
from app.adapters.http.hub_files import build_hf_url, convert_to_hf_file_url, fetch_aivishub_voice, fetch_hf_file_info, parse_aivishub_uuid
from app.common.errors import DownloadError, InputError
from tests.fault_server import FaultServer, Reply, hub_server

UUID = "a59cb814-0083-4369-8542-f51a29e72af7"
SHA = "5" * 64
QUICK = RetryPolicy(retries=1, first_delay_s=0.01, connect_timeout_s=1, silence_timeout_s=0.5)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    yield from hub_server(monkeypatch, end="/")


def model_file(**changes: Any) -> dict[str, Any]:
    return {
        "model_type": "AIVMX",
        "version": "1.9.0",
        "file_size": 258_000_000,
        "checksum": SHA.upper(),
        "license_type": "ACML 1.0",
        "license_text": "be kind",
        "creators": ["A", "B"],
    } | changes


def described(*files: Any, **changes: Any) -> Reply:
    return Reply(json.dumps({"name": "まお", "description": "若い声", "model_files": list(files)} | changes).encode())


def test_a_voice_of_aivishub(hub: FaultServer) -> None:
    older, newer = model_file(), model_file(version="1.10.0-beta", checksum="6" * 64)
    hub.reply(f"/v1/aivm-models/{UUID}", described(model_file(model_type="AIVM", version="3.0.0"), older, newer, "odd"))
    voice = fetch_aivishub_voice(f" {UUID.upper()} ", retry_policy=QUICK)
    assert (voice.name, voice.version) == ("まお", "1.10.0-beta")
    assert voice.file.url == hub.url(f"/v1/aivm-models/{UUID}/download?model_type=AIVMX")
    assert voice.file.sha256 == "6" * 64


def test_the_id_is_found_in_the_address_of_the_page() -> None:
    assert parse_aivishub_uuid(f"https://hub.aivis-project.com/aivm-models/{UUID}?x=1") == UUID
    assert parse_aivishub_uuid(f"https://hub.aivis-project.com/aivm-models/{UUID}") == UUID
    for other in ("", "mao", f"https://example.com/aivm-models/{UUID}", "https://hub.aivis-project.com/"):
        assert parse_aivishub_uuid(other) is None
    with pytest.raises(InputError, match="“mao” is not an AivisHub ID"):
        fetch_aivishub_voice("mao")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (described(), "no AIVMX file"),
        (described(model_file(model_type="AIVM")), "no AIVMX file"),
        (described(model_files=None), "no AIVMX file"),
        (Reply(b"<html>"), "unexpected response"),
        (Reply(b"[1]"), "unexpected response"),
        (Reply(b"{}", endless=True, framing="close"), "unexpected response"),
        (Reply(status=404), "has no such file"),
        (Reply(status=503), "busy or unavailable"),
        (Reply(b"{}", stall_at=-1), "does not answer"),
    ],
    ids=["no file", "AIVM only", "null", "a page", "a list", "endless", "404", "503", "silent"],
)
def test_what_aivishub_may_answer_instead(hub: FaultServer, reply: Reply, words: str) -> None:
    hub.reply(f"/v1/aivm-models/{UUID}", reply)
    with pytest.raises(DownloadError, match=words) as caught:
        fetch_aivishub_voice(UUID, retry_policy=QUICK)
    assert caught.value.hint


def test_odd_values_of_aivishub_do_no_harm(hub: FaultServer) -> None:
    odd = {"checksum": "../../x", "file_size": "big", "version": None, "creators": "A", "license_text": 3}
    hub.reply(f"/v1/aivm-models/{UUID}", described(model_file(**odd), name=None))
    voice = fetch_aivishub_voice(UUID, retry_policy=QUICK)
    assert (voice.file.sha256, voice.file.size, voice.version) == (None, None, "")


def test_a_big_file_of_hugging_face_has_a_checksum(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    headers = {"Location": "https://cdn.example/x", "X-Linked-Etag": f'"{SHA}"', "X-Linked-Size": "653075699"}
    hub.reply("/new/repo/resolve/abc/model.onnx", Reply(status=302, headers=headers))
    url = build_hf_url("old/repo", "model.onnx", "abc")
    assert url == hub.reply("/old/repo/resolve/abc/model.onnx", Reply(status=307, headers={"Location": "/new/repo/resolve/abc/model.onnx"}))
    file = fetch_hf_file_info(url, retry_policy=QUICK)
    assert (file.url, file.sha256, file.size) == (url, SHA, 653_075_699)
    assert file.secrets == {"Authorization": "Bearer hf_secret"}
    assert [(item.method, item.headers["Authorization"]) for item in hub.asked] == [("HEAD", "Bearer hf_secret")] * 2
    assert "hf_secret" not in repr(file)


def test_a_small_file_of_hugging_face_has_a_length_only(hub: FaultServer) -> None:
    hub.reply("/a/b/resolve/main/字 1.json", Reply(b"{}", etag='"0123456789012345678901234567890123456789"'))
    file = fetch_hf_file_info(build_hf_url("a/b", "字 1.json", "main"), retry_policy=QUICK)
    assert (file.sha256, file.size, file.secrets) == (None, 2, {})


def test_the_token_is_for_the_endpoint_alone(hub: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with FaultServer() as other:
        file = fetch_hf_file_info(other.reply("/a/b/resolve/main/x", Reply(b"x")), retry_policy=QUICK)
    assert file.secrets == {}
    assert "Authorization" not in other.asked[0].headers


def test_a_private_file_of_hugging_face_wants_a_login(hub: FaultServer) -> None:
    hub.reply("/a/b/resolve/main/x", Reply(status=401))
    with pytest.raises(DownloadError, match="login") as caught:
        fetch_hf_file_info(build_hf_url("a/b", "x", "main"), retry_policy=QUICK)
    assert "HF_TOKEN" in caught.value.hint


def test_pages_of_hugging_face_become_addresses_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert (
        convert_to_hf_file_url("https://huggingface.co/a/b/blob/main/c/d.onnx?download=true")
        == "https://huggingface.co/a/b/resolve/main/c/d.onnx"
    )
    assert convert_to_hf_file_url("https://huggingface.co/a/b/resolve/v1/d.onnx") == "https://huggingface.co/a/b/resolve/v1/d.onnx"
    for other in ("https://huggingface.co/a/b", "https://example.com/a/b/resolve/main/x", "https://[", "", "https://x:y/"):
        assert convert_to_hf_file_url(other) is None
    assert build_hf_url("a/b", "d e.json", "main") == "https://huggingface.co/a/b/resolve/main/d%20e.json"
