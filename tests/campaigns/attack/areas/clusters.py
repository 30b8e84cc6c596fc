"""Schedulers that are none, and a child that was led astray: what it says of a cluster must end in files, an error, or nothing."""

import json
import os
import pickle
import random
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from app.adapters.sandbox.sandbox_process import MAX_MESSAGE_BYTES
from app.common.errors import BackendError
from app.common.files.untrusted_json import parse_object
from app.export import cluster_client
from app.export.cluster_client import ClusterAddress, ClusterClient, LinkedCall
from app.export.cluster_relay import BYTES_KEY
from app.export.export_renderer import BatchEndError
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.texts import hostile_text

ANSWERS: tuple[dict[str, Any], ...] = (
    {"workers": ["tcp://127.0.0.1:1"], "is_lost": False},
    {"id": 1, "part": "UklGRg=="},
    {"id": 1, "status": "finished", "result": {"row": {"seconds": 1.5}, "sound": {BYTES_KEY: [0, 4]}, "sidecars": {}}},
)
PATIENCE_S = 4.0


class Touching:
    """Makes a folder where it is unpickled."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (self.folder,)


class Clusters(Area):
    """Messages of the child, and in between a connection to a server that knows no Dask."""

    def prepare(self) -> None:
        """Little patience, as most servers never answer."""
        cluster_client.LINK_START_TIMEOUT_S = PATIENCE_S

    def attempt(self, case: Case) -> str:
        """Reads damaged messages, or connects."""
        return self._connect(case) if case.once_in(300) else self._read(case)

    def _read(self, case: Case) -> str:
        link = ClusterClient.__new__(ClusterClient)
        link._ready, link._workers, link.is_lost = threading.Event(), [], False
        call = LinkedCall(link, 1)
        link._calls = {1: call}
        for message in ANSWERS:
            line = self._damage(case.draw, message)
            if isinstance(found := case.call(f"message {line[:200]!r}", lambda line=line: parse_object(line), ValueError), dict):
                case.call(f"message {line[:200]!r}", lambda found=found: link._take_message(found))
        if not all(isinstance(worker, str) and worker.isprintable() for worker in link.list_workers()):
            case.complain("wrong", f"workers {link.list_workers()!r}")
        return call.status[:20] if call.status in ("finished", "error") else "no end"

    def _damage(self, draw: random.Random, message: dict[str, Any]) -> bytes:
        if draw.random() < 0.4:
            return json.dumps(message).encode()
        if draw.random() < 0.2:
            key = draw.choice(list(message))
            return json.dumps(message | {key: hostile_text(draw)}).encode()[:MAX_MESSAGE_BYTES]
        damages = Damages(json.dumps(message).encode())
        return damages[draw.randrange(len(damages))][1]

    def _connect(self, case: Case) -> str:
        touched = self.place.root / "unpickled"
        sent = (
            pickle.dumps(Touching(str(touched)), case.draw.choice((0, 2, 4))) if case.draw.random() < 0.5 else case.draw.randbytes(60_000)
        )
        is_endless = case.draw.random() < 0.5
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=self._answer, args=(server, sent, is_endless), daemon=True).start()
            address = ClusterAddress(f"tcp://127.0.0.1:{server.getsockname()[1]}")
            found = case.call("a scheduler that is none", lambda: ClusterClient(address), BackendError, BatchEndError)
        if found is not None:
            case.complain("wrong", "connected to what is no scheduler")
            found.close()
        if touched.exists():
            case.complain("escape", "a pickle was unpickled", "the pickle of a scheduler")
        return "a scheduler that is none"

    def _answer(self, server: socket.socket, sent: bytes, is_endless: bool) -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with suppress(OSError), connection:
                    connection.settimeout(PATIENCE_S)
                    connection.sendall(sent)
                    while is_endless:
                        connection.sendall(sent)


ATTACKS = Clusters
