"""The child that speaks with a cluster, led on by schedulers that are none, and by answers that are no files."""

import base64
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from app.common.errors import BackendError
from app.export import cluster_client
from app.export.cluster_client import ClusterAddress, ClusterClient, LinkedCall
from app.export.cluster_relay import BYTES_KEY, AnswerEncoder

ROOT = Path(__file__).parents[2]
UNPICKLE = """
import pickle, sys
from app.export.cluster_relay import refuse_pickles
refuse_pickles()
for pickled in (pickle.dumps({"rows": [1, 2.5, "a"]}), pickle.dumps(bytes)):
    pickle.loads(pickled)
try:
    pickle.loads(bytes.fromhex(sys.argv[1]))
except AttributeError:
    print("refused")
"""


class Touching:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_the_child_unpickles_runs_nothing(tmp_path: Path, protocol: int) -> None:
    hostile = pickle.dumps(Touching(tmp_path / "touched"), protocol)
    ended = subprocess.run([sys.executable, "-c", UNPICKLE, hostile.hex()], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "refused\n"
    assert not (tmp_path / "touched").exists()


def send_endless(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"\x01" * 4096)


def send_pickle(connection: socket.socket) -> None:
    connection.sendall(pickle.dumps(ValueError("hello")) * 100)
    connection.recv(1 << 20)


def send_nothing(connection: socket.socket) -> None:
    while connection.recv(1 << 20):
        pass


@pytest.fixture
def open_scheduler() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """Starts a server that answers every connection in one way, and returns its address."""
    servers: list[socket.socket] = []

    def serve(server: socket.socket, answer: Callable[[socket.socket], None]) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve_one, args=(server.accept()[0], answer), daemon=True).start()

    def serve_one(connection: socket.socket, answer: Callable[[socket.socket], None]) -> None:
        with suppress(OSError), connection:
            answer(connection)

    def open_one(answer: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)
        threading.Thread(target=serve, args=(server, answer), daemon=True).start()
        return f"tcp://127.0.0.1:{server.getsockname()[1]}"

    yield open_one
    for server in servers:
        server.close()


@pytest.mark.parametrize("answer", [send_endless, send_pickle, send_nothing])
def test_a_scheduler_that_is_none_is_one_sentence_in_time(
    answer: Callable[[socket.socket], None], open_scheduler: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr(cluster_client, "LINK_START_TIMEOUT_S", 6.0)
    monkeypatch.setattr(cluster_client, "LINK_CLOSE_TIMEOUT_S", 0.1)
    with pytest.raises(BackendError, match="cannot be reached"):
        ClusterClient(ClusterAddress(open_scheduler(answer)))
    assert not [thread for thread in threading.enumerate() if thread.name == "cluster"]


def test_the_child_has_nothing_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "SSH_AUTH_SOCK", "KOEBAKO_SERVICE_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", "ca.pem")
    given = cluster_client.build_environment(tmp_path)
    assert "a secret" not in given.values()
    assert given["HOME"] == given["USERPROFILE"] == given["KOEBAKO_HOME"] == str(tmp_path)
    assert given["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"] == "ca.pem"


def take_answer(*messages: dict[str, Any]) -> LinkedCall:
    """A call that got these messages from the child."""
    link = ClusterClient.__new__(ClusterClient)
    call = LinkedCall(link, 1)
    link._calls = {1: call}
    for message in messages:
        link._take_message(message)
    return call


def test_an_answer_comes_back_as_it_was_with_its_bytes() -> None:
    answer = {"row": {"seconds": 1.5, "notes": ["a", None, True]}, "sound": b"RIFF" * 9, "sidecars": {".lab": b"", ".srt": b"1"}}
    encoder = AnswerEncoder()
    encoded = encoder.encode_value(answer)
    parts = [
        {"id": 1, "part": base64.b64encode(encoder.content[start : start + 7]).decode()} for start in range(0, len(encoder.content), 7)
    ]
    call = take_answer(*parts, {"id": 1, "status": "finished", "result": encoded})
    assert call.has_succeeded
    assert call.result == answer


@pytest.mark.parametrize(
    "messages",
    [
        [{"id": 1, "part": "no base64!"}],
        [{"id": 1, "status": "finished", "result": {"sound": {BYTES_KEY: [0, 5]}}}],
        [{"id": 1, "status": "finished", "result": {"sound": {BYTES_KEY: [-1, 0]}}}],
        [{"id": 1, "status": "finished", "result": {"sound": {BYTES_KEY: "ab"}}}],
        [{"id": 1, "status": "finished", "result": {"sound": {BYTES_KEY: None}}}],
        [{"id": True, "status": "finished"}, {"id": "1", "status": "finished"}, {"id": 2, "part": "AA=="}, {"id": 1, "status": "error"}],
    ],
)
def test_an_answer_that_is_none_ends_the_call(messages: list[dict[str, Any]]) -> None:
    call = take_answer(*messages)
    assert (call.status, call.result) == ("error", None)


def test_a_long_answer_ends_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_client, "MAX_CALL_BYTES", 8)
    part = {"id": 1, "part": base64.b64encode(b"12345").decode()}
    assert take_answer(part, part, part).status == "error"


@pytest.mark.parametrize("value", [object(), {1: "a"}, {BYTES_KEY: [0, 1]}, {"a": {1}}, ValueError("a"), float])
def test_only_plain_data_leave_the_child(value: Any) -> None:
    with pytest.raises(TypeError):
        AnswerEncoder().encode_value(value)
