"""Has functions run on the workers of a Dask scheduler, through a child that alone knows Dask (`app.export.cluster_relay`).

Only functions that can be imported by name and built-in types go out, and what comes back is JSON and bytes.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import importlib.util
import itertools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.adapters.http.http_address import is_loopback
from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.errors import AppError, BackendError, InputError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.export.cluster_relay import BYTES_KEY, build_connect_error
from app.export.export_renderer import BatchEndError

RETRIES = 2  # how often Dask tries again what failed with an error; what a worker took with it when it died it tries by rules of its own
FindWorkers = Callable[[], Sequence[str]]

LINK_START_TIMEOUT_S = 60.0
"""How long the child may take to connect: four times as long as Dask is given, for a busy computer, or one whose scheduler leads it on."""
LINK_CLOSE_TIMEOUT_S = 8.0
CALL_POLL_S = 0.25
RELAY_LIMITS = ProcessLimits(memory_bytes=4 << 30, processor_s=24 * 3600)
MAX_RELAY_MESSAGES = 1 << 40  # a batch has no bound; a call and the list of workers have
MAX_CALL_BYTES = 1 << 30
KEPT_VARIABLES = frozenset(
    {"PATH", "PYTHONPATH", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ"}
)
"""What a child needs of the user's environment: no home, no tokens, no agents. Dask's own variables, which name its certificates, come on top."""
HOME_VARIABLES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "KOEBAKO_HOME")


class ClusterCallError(BackendError):
    """A call failed on the cluster, however often it was tried."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler and the files that prove who speaks; they are empty for plain `tcp://`, or where Dask's own settings name them."""

    url: str
    ca_file: str = ""
    cert: str = ""
    key: str = ""

    @property
    def is_encrypted(self) -> bool:
        """Return whether only TLS is spoken."""
        return self.url.startswith("tls://")


def parse_cluster_address(text: str, *, ca_file: str = "", cert: str = "", key: str = "", is_insecure: bool = False) -> ClusterAddress:
    """Return the address of a scheduler; raise InputError for one that is none, or that may not be spoken to in this way."""
    host = _parse_host(text)
    files = {"--tls-ca-file": ca_file, "--tls-cert": cert, "--tls-key": key}
    options = [option for option, file in files.items() if file]
    address = ClusterAddress(text, ca_file, cert, key)
    if not address.is_encrypted and options:
        raise InputError(
            localize(
                f"{options[0]} は tls:// のアドレスと一緒に指定してください。", f"{options[0]} needs an address that begins with tls://."
            ),
            localize(f"例: --scheduler tls://{host}:8786", f"For example: --scheduler tls://{host}:8786"),
        )
    missing = [option for option in options if not Path(files[option]).is_file()]
    if missing:
        raise InputError(
            localize(f"{missing[0]} のファイルが見つかりません。", f"The file of {missing[0]} does not exist."),
            localize("パスを確認してください。", "Check the path."),
        )
    if not address.is_encrypted and not is_insecure and not is_loopback(host):
        raise InputError(
            localize(
                f"「{host}」への接続は暗号化されていないため、中止しました。",
                f"The connection to {host} would not be encrypted, so nothing was sent.",
            ),
            localize(
                "tls:// と --tls-ca-file などを使うか、ほかの人が使わないネットワークなら --insecure を指定してください。",
                "Use tls:// with --tls-ca-file and so on; on a network that is yours alone, --insecure allows it.",
            ),
        )
    return address


def _parse_host(text: str) -> str:
    try:
        address = urlsplit(text)
        if address.scheme in ("tcp", "tls") and address.hostname and address.port and address.path in ("", "/") and not address.username:
            return address.hostname
    except ValueError:  # a port that is no number
        pass
    raise InputError(
        localize(f"スケジューラーのアドレス「{text}」は使えません。", f"“{text}” is not the address of a scheduler."),
        localize("tcp://ホスト:8786 または tls://ホスト:8786 の形で指定してください。", "Write tcp://HOST:8786 or tls://HOST:8786."),
    )


class ClusterClient:
    """A connection to a scheduler that has functions run on its workers; its calls may come from any thread.

    Raises BackendError if the scheduler cannot be reached, InputError if Dask is not installed.
    """

    def __init__(self, address: ClusterAddress) -> None:
        if importlib.util.find_spec("distributed") is None:
            raise _build_missing_error()
        self._address = address
        self._ready = threading.Event()
        self._write_lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._calls: dict[int, LinkedCall] = {}
        self._workers: list[str] = []
        self.is_lost = False  # the scheduler or the child is gone, and with it all that was asked of it
        self._child: SandboxProcess | None = None
        self._error: AppError | None = None
        # It owns the child to its end: the system ends a child with the thread that started it.
        self._pump = threading.Thread(target=self._read_messages, name="cluster", daemon=True)
        self._pump.start()
        is_ready = self._ready.wait(LINK_START_TIMEOUT_S)
        if not is_ready or self.is_lost:
            self.close()
            raise self._error or build_connect_error(address.url)

    def list_workers(self) -> list[str]:
        return [] if self.is_lost else list(self._workers)

    def submit_value(self, value: str) -> dict[str, int]:
        """Return a stand-in for a text in later calls: it is sent once, and the scheduler can make it again whichever workers die."""
        number = next(self._numbers)
        self._send_command(do="keep", id=number, value=value)
        return {"kept": number}

    def can_import(self, module: str, worker: str, deadline: float) -> bool:
        """Return whether a worker has a module, within the deadline of `time.monotonic`; raise BatchEndError if the scheduler is lost.

        Asked before any function of it is named: a worker that cannot read what it is sent loses its scheduler, and all it had to do.
        """
        call = self._start_call(importlib.import_module, [module], [worker], retries=0, has_result=False)
        try:
            while not call.wait_for_end():
                self._raise_if_lost()
                if time.monotonic() > deadline or worker not in self.list_workers():
                    return False
            return call.has_succeeded
        finally:
            call.cancel()

    def call_function(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        find_workers: FindWorkers,
        *,
        is_stopped: Callable[[], bool] = lambda: False,
        deadline: float,
    ) -> Mapping[str, Any] | None:
        """Return what the function returns on one of the workers; None once stopped. Raise BatchEndError if the scheduler is lost, else ClusterCallError.

        Args:
            find_workers: asked again and again, as workers come and go; raises if there will be none any longer.
            deadline: of `time.monotonic`.
        """
        while True:
            workers = frozenset(find_workers())
            call = self._start_call(function, arguments, workers, retries=RETRIES) if workers else None
            try:
                while call is None or not call.wait_for_end():
                    if is_stopped():
                        return None
                    self._raise_if_lost()
                    if time.monotonic() > deadline:
                        raise ClusterCallError(localize("応答がありません。", "There is no answer."))
                    if workers.isdisjoint(new_workers := find_workers()) and new_workers:
                        break
                    if call is None:
                        time.sleep(CALL_POLL_S)
                else:
                    return self._take_result(call)
            finally:
                if call is not None:
                    call.cancel()

    def run_function(self, function: Callable[..., Any], workers: Sequence[str], *arguments: str) -> None:
        """Run a function on several workers at once, wherever it succeeds; it must be quick, as they answer nothing else meanwhile."""
        self._send_command(do="run", function=[function.__module__, function.__name__], arguments=list(arguments), workers=list(workers))

    def drop_call(self, number: int) -> None:
        """Give a call up, or drop its result."""
        self._calls.pop(number, None)
        self._send_command(do="drop", id=number)

    def close(self) -> None:
        """Close the connection; what is still asked for is cancelled by it."""
        self._send_command(do="close")
        self._pump.join(LINK_CLOSE_TIMEOUT_S)
        if self._pump.is_alive() and self._child is not None:
            self._child.end_process()
            self._pump.join()

    def _start_call(
        self, function: Callable[..., Any], arguments: Sequence[Any], workers: Iterable[str], *, retries: int, has_result: bool = True
    ) -> LinkedCall:
        number = next(self._numbers)
        call = self._calls[number] = LinkedCall(self, number)
        details = {"function": [function.__module__, function.__name__], "arguments": list(arguments), "workers": sorted(workers)}
        self._send_command(do="call", id=number, **details, retries=retries, has_result=has_result)
        if self.is_lost:
            call.end_call("lost", None)
        return call

    def _take_result(self, call: LinkedCall) -> Mapping[str, Any]:
        if isinstance(call.result, dict):
            return call.result
        self._raise_if_lost()
        if call.status in ("cancelled", "lost"):  # by a scheduler that is another one now, for example
            raise _build_lost_error()
        raise ClusterCallError(
            localize("クラスターで処理できませんでした。", "The cluster could not do this."),
            localize("スケジューラーとワーカーのログを確認してください。", "See the logs of the scheduler and its workers."),
        )

    def _raise_if_lost(self) -> None:
        if self.is_lost:
            raise _build_lost_error()

    def _read_messages(self) -> None:
        tls = {"tls_ca_file": self._address.ca_file, "tls_client_cert": self._address.cert, "tls_client_key": self._address.key}
        # Dask's own settings count for the files that were not named.
        arguments = [self._address.url, {name: str(Path(file).absolute()) for name, file in tls.items() if file}]
        with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            start_child = partial(SandboxProcess, environment=build_environment(folder), max_results=MAX_RELAY_MESSAGES)
            try:
                with start_child("--cluster", "relay", arguments, RELAY_LIMITS, folder) as self._child:
                    for message in self._child.iterate_results():
                        self._take_message(message)
            except AppError as error:
                self._error = error
            except (SandboxStoppedError, RuntimeError):  # the child was led astray, and is gone
                pass
            finally:
                self._child = None
                self.is_lost = True
                for call in list(self._calls.values()):
                    call.end_call("lost", None)
                self._ready.set()

    def _take_message(self, message: Mapping[str, Any]) -> None:
        if isinstance(addresses := message.get("workers"), list):
            self._workers = [sanitise_short_text(address) for address in addresses if isinstance(address, str)]
            self.is_lost = message.get("is_lost") is not False
            self._ready.set()
        number = message.get("id")
        call = self._calls.get(number) if type(number) is int else None
        if call is None:
            return
        if isinstance(content := message.get("part"), str):
            call.add_part(content)
        elif isinstance(status := message.get("status"), str):
            call.end_call(status, message.get("result"))

    def _send_command(self, **command: Any) -> None:
        child = self._child
        if child is not None:
            with self._write_lock:
                child.send_message(command)


class LinkedCall:
    """One call, which may be given up at any time."""

    def __init__(self, client: ClusterClient, number: int) -> None:
        self._client, self._number = client, number
        self._end_event = threading.Event()
        self._content = bytearray()
        # result: plain data and bytes; None if there are none.
        self.status, self.result = "", None  # status: of Dask's future, once the call has ended

    @property
    def has_succeeded(self) -> bool:
        return self.status == "finished"

    def wait_for_end(self) -> bool:
        """Wait a moment; return whether it has ended, in whatever way."""
        return self._end_event.wait(CALL_POLL_S)

    def cancel(self) -> None:
        """Give it up, or drop its result."""
        self._client.drop_call(self._number)

    def add_part(self, content: str) -> None:
        """Add bytes of the result; what is too long, or no bytes, ends the call."""
        try:
            self._content += base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            self.end_call("error", None)
        if len(self._content) > MAX_CALL_BYTES:
            self.end_call("error", None)

    def end_call(self, status: str, result: Any) -> None:
        """End the call with what came of it; only the first end counts."""
        if self._end_event.is_set():
            return
        try:
            self.status, self.result = status, self._restore_bytes(result)
        except (ValueError, TypeError):
            self.status, self.result = "error", None
        self._content = bytearray()
        self._end_event.set()

    def _restore_bytes(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._restore_bytes(item) for item in value]
        if not isinstance(value, dict):
            return value
        if BYTES_KEY not in value:
            return {name: self._restore_bytes(item) for name, item in value.items()}
        start, length = value[BYTES_KEY]
        if type(start) is not int or type(length) is not int or not 0 <= start <= start + length <= len(self._content):
            raise ValueError("bytes that did not come")
        return bytes(self._content[start : start + length])


def build_environment(folder: Path) -> dict[str, str]:
    """Return the environment of the child, whose home is the folder."""
    variables = {name: value for name, value in os.environ.items() if name.upper() in KEPT_VARIABLES or name.startswith("DASK_")}
    own_settings = Path.home() / ".config" / "dask"
    if "DASK_CONFIG" not in variables and own_settings.is_dir():
        variables["DASK_CONFIG"] = str(own_settings)
    return variables | dict.fromkeys(HOME_VARIABLES, str(folder))


def _build_lost_error() -> BatchEndError:
    return BatchEndError(
        localize("スケジューラーとの接続が切れました。", "The connection to the scheduler was lost."),
        localize(
            "書き出したファイルは完全です。--only changed を付けてもう一度実行すると、続きから書き出します。",
            "The files written so far are complete; run it again with --only changed to continue.",
        ),
    )


def _build_missing_error() -> InputError:
    return InputError(
        localize("--scheduler には Dask が必要です。", "--scheduler needs Dask, which is not installed."),
        localize(
            "Python 版の Koebako で pip install koebako[cluster] を実行してください。",
            "Install it into the Python of Koebako: pip install koebako[cluster]",
        ),
    )
