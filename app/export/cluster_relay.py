"""`--cluster`: the connection to a Dask scheduler, in a child that holds nothing of the user's; Dask enters here and nowhere else.

What comes from a cluster is read here and unpickled nowhere. The child has a home of its own, none of the user's tokens, and the limits of a
sandbox; its parent, `app.export.cluster_client`, reads of it what an answer may hold: JSON, and bytes.

    parent, a line each                                       child, as results
                                                              {"workers": [address, …], "is_lost": false}, whenever it changes
    {"do": "keep", "id": 1, "value": text}
    {"do": "call", "id": 2, "function": [module, name],       {"id": 2, "part": base64} …
     "arguments": [text, {"kept": 1}], "workers": […],        {"id": 2, "status": "finished", "result": …}
     "retries": 2, "has_result": true}
    {"do": "drop", "id": 2}
    {"do": "run", "function": …, "arguments": …, "workers": …}
    {"do": "close"}
"""

import asyncio
import base64
import contextlib
import importlib
import json
import logging
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.adapters.sandbox.sandbox_child import SandboxChannel, serve_task
from app.common.errors import BackendError
from app.common.language import localize

CONNECT_TIMEOUT_S = 15.0
SPREAD_TIMEOUT_S = 3.0
WATCH_INTERVAL_S = 0.25
PART_BYTES, MAX_RESULT_CHARACTERS = 512 << 10, 512 << 10  # of one line each, which the parent reads up to a megabyte
MAX_LISTED_WORKERS, MAX_ADDRESS_CHARACTERS = 5000, 100
BYTES_KEY = "koebako.bytes"
"""The key of an object that stands for bytes: where they begin in the parts of the answer, and how many they are."""

PLAIN_CLASSES = frozenset(
    ("builtins", name) for name in ("bool", "bytearray", "bytes", "dict", "float", "int", "list", "memoryview", "str", "tuple")
)
"""Dask names the type of what it sends in a pickle."""
_PLAIN_FORMS = ["dask", "msgpack"]
_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core", "tornado", "tornado.application")


class RefusedPickleError(AttributeError):
    """A pickle names a class or a function: Dask takes this error for a pickle that it cannot read."""


def main() -> int:
    """Serve the parent."""
    return serve_task({"relay": _serve_cluster})


def refuse_pickles() -> None:
    """From here on this process unpickles nothing but plain values: Dask unpickles errors and types, whatever its `deserializers` say."""

    def refuse_class(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "pickle.find_class" and arguments not in PLAIN_CLASSES:
            raise RefusedPickleError("a pickle with a class")

    sys.addaudithook(refuse_class)


def _serve_cluster(channel: SandboxChannel, url: str, tls: Mapping[str, str]) -> None:
    distributed = _import_distributed()
    refuse_pickles()
    try:
        security = distributed.Security(require_encryption=True, **tls) if url.startswith("tls://") else None
        client = distributed.Client(
            url,
            timeout=CONNECT_TIMEOUT_S,
            security=security,
            set_as_default=False,
            direct_to_workers=False,
            serializers=[*_PLAIN_FORMS, "pickle"],  # how functions are named
            deserializers=_PLAIN_FORMS,
        )
    except Exception as exc:  # a scheduler that is none answers with anything
        raise build_connect_error(url, exc) from None
    _ClusterRelay(client, channel).serve_commands()
    with contextlib.suppress(Exception, asyncio.CancelledError):
        client.close(timeout=2)


class _ClusterRelay:
    def __init__(self, client: Any, channel: SandboxChannel) -> None:
        self._client, self._channel = client, channel
        self._send_lock = threading.Lock()
        self._futures: dict[int, Any] = {}
        self._workers: list[str] = []
        self._is_closed = threading.Event()

    def serve_commands(self) -> None:
        """Do what each line of the parent says, until it closes."""
        for watch in (self._watch_status, self._watch_workers):
            threading.Thread(target=watch, daemon=True).start()
        for line in iter(sys.stdin.buffer.readline, b""):
            command = json.loads(line)
            if command["do"] == "close":
                break
            getattr(self, f"_{command['do']}_on_cluster")(command)
        self._is_closed.set()

    def _keep_on_cluster(self, command: Mapping[str, Any]) -> None:
        self._futures[command["id"]] = self._client.submit(str, command["value"], key=_build_key(), pure=False)

    def _call_on_cluster(self, command: Mapping[str, Any]) -> None:
        number = command["id"]
        try:
            future = self._client.submit(
                _find_function(command["function"]),
                *(self._futures[argument["kept"]] if isinstance(argument, dict) else argument for argument in command["arguments"]),
                workers=command["workers"],
                allow_other_workers=False,
                key=_build_key(),
                pure=False,
                retries=command["retries"],
            )
        except (RuntimeError, ValueError, KeyError):  # the client has closed
            self._send_message(id=number, status="lost")
            return
        self._futures[number] = future
        future.add_done_callback(lambda done: self._send_end(number, done, has_result=command["has_result"]))

    def _drop_on_cluster(self, command: Mapping[str, Any]) -> None:
        future = self._futures.pop(command["id"], None)
        with contextlib.suppress(Exception):
            if future is not None:
                if not future.done():
                    future.cancel()
                future.release()

    def _run_on_cluster(self, command: Mapping[str, Any]) -> None:
        def run_on_each() -> None:
            with contextlib.suppress(Exception):
                function = _find_function(command["function"])
                self._client.run(function, *command["arguments"], workers=command["workers"], on_error="ignore")

        thread = threading.Thread(target=run_on_each, name="spread", daemon=True)
        thread.start()
        # A worker that hangs keeps nobody.
        thread.join(SPREAD_TIMEOUT_S)

    def _send_end(self, number: int, future: Any, *, has_result: bool) -> None:
        """Say how a call ended; a result that is no plain data is an error."""
        status, result = str(future.status), None
        if status == "finished" and has_result:
            try:
                encoder = AnswerEncoder()
                result = encoder.encode_value(future.result(timeout=CONNECT_TIMEOUT_S))
                if len(json.dumps(result, allow_nan=False)) > MAX_RESULT_CHARACTERS:
                    raise ValueError("too long")
                for start in range(0, len(encoder.content), PART_BYTES):
                    self._send_message(id=number, part=base64.b64encode(encoder.content[start : start + PART_BYTES]).decode())
            except (Exception, asyncio.CancelledError):  # Dask raises whatever it met
                status, result = "error", None
        self._send_message(id=number, status=status, result=result)

    def _watch_status(self) -> None:
        """Report to the parent when workers come and go, and when the scheduler is gone."""
        reported: tuple[list[str], bool] | None = None
        while not self._is_closed.wait(WATCH_INTERVAL_S if reported else 0):
            # Whatever Dask cannot read of a scheduler ends the task that reads it, and nothing else: there would be no answer any more.
            state = (self._workers, self._client.status != "running" or self._client._handle_report_task.done())
            if state != reported:
                reported = state
                self._send_message(workers=state[0], is_lost=state[1])

    def _watch_workers(self) -> None:
        while not self._is_closed.wait(WATCH_INTERVAL_S):
            with contextlib.suppress(Exception, asyncio.CancelledError):
                addresses = list(self._client.scheduler_info(n_workers=-1)["workers"])[:MAX_LISTED_WORKERS]
                self._workers = [address for address in addresses if isinstance(address, str) and len(address) <= MAX_ADDRESS_CHARACTERS]

    def _send_message(self, **values: Any) -> None:
        with self._send_lock, contextlib.suppress(OSError):
            self._channel.send_result(**values)


class AnswerEncoder:
    """Turns what a call returned into JSON, with all bytes of it aside."""

    def __init__(self) -> None:
        self.content = bytearray()  # the bytes

    def encode_value(self, value: Any) -> Any:
        """Return the JSON of a value; raise TypeError unless it is plain data."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, bytes | bytearray | memoryview):
            span = [len(self.content), len(value)]
            self.content += value
            return {BYTES_KEY: span}
        if isinstance(value, list | tuple):
            return [self.encode_value(item) for item in value]
        if isinstance(value, dict) and all(isinstance(name, str) and name != BYTES_KEY for name in value):
            return {name: self.encode_value(item) for name, item in value.items()}
        raise TypeError("no plain data")


def build_connect_error(url: str, exc: Exception | None = None) -> BackendError:
    """Return the error of a scheduler that cannot be reached."""
    return BackendError(
        localize(f"スケジューラー {url} に接続できません。", f"The scheduler {url} cannot be reached."),
        localize("--tls-ca-file、--tls-cert、--tls-key を確認してください。", "Check --tls-ca-file, --tls-cert and --tls-key.")
        if isinstance(exc, TypeError | ValueError)
        else localize(
            "アドレスと、スケジューラーが動いているかを確認してください。TLS では証明書も確認してください。",
            "Check the address and that the scheduler runs; with TLS, its certificates as well.",
        ),
    )


def _find_function(names: Sequence[str]) -> Callable[..., Any]:
    module, name = names
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _import_distributed() -> Any:
    """Import Dask, which then says nothing: what matters is said by the parent in sentences."""
    import distributed

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=r"distributed\..*")
    return distributed


def _build_key() -> str:
    return f"koebako-{uuid.uuid4().hex}"
