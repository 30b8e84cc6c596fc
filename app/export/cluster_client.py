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
from pathlib import Path
from typing import Any

from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.errors import AppError, BackendError, InputError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.export.cluster_address import ClusterAddress
from app.export.cluster_relay import BYTES_KEY, build_connect_error
from app.export.file_writer import BatchEndError

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


class ClusterLink:
    """A connection to a scheduler. Raises BackendError if it cannot be reached."""

    def __init__(self, address: ClusterAddress) -> None:
        self._address = address
        self._ready = threading.Event()
        self._writing = threading.Lock()
        self._numbers = itertools.count(1)
        self._calls: dict[int, LinkedCall] = {}
        self._workers: list[str] = []
        self._is_lost = False
        self._child: SandboxProcess | None = None
        self._error: AppError | None = None
        # It owns the child to its end: the system ends a child with the thread that started it.
        self._pump = threading.Thread(target=self._read_messages, name="cluster", daemon=True)
        self._pump.start()
        is_ready = self._ready.wait(LINK_START_TIMEOUT_S)
        if not is_ready or self._is_lost:
            self.close()
            raise self._error or build_connect_error(address.url)

    @property
    def is_lost(self) -> bool:
        """Return whether the scheduler is gone, or the child."""
        return self._is_lost

    def list_workers(self) -> list[str]:
        """Return the addresses of the workers that are there now."""
        return [] if self._is_lost else list(self._workers)

    def keep_value(self, value: str) -> dict[str, int]:
        """Return a stand-in for a text in the arguments of calls."""
        number = next(self._numbers)
        self._send_command(do="keep", id=number, value=value)
        return {"kept": number}

    def start_call(
        self, function: Callable[..., Any], arguments: Sequence[Any], workers: Iterable[str], *, retries: int, has_result: bool = True
    ) -> LinkedCall:
        """Start a function on one of the workers."""
        number = next(self._numbers)
        call = self._calls[number] = LinkedCall(self, number)
        self._send_command(
            do="call",
            id=number,
            function=_name_function(function),
            arguments=list(arguments),
            workers=sorted(workers),
            retries=retries,
            has_result=has_result,
        )
        if self._is_lost:
            call.end_call("lost", None)
        return call

    def drop_call(self, number: int) -> None:
        """Give a call up, or drop its result."""
        self._calls.pop(number, None)
        self._send_command(do="drop", id=number)

    def run_everywhere(self, function: Callable[..., Any], workers: Sequence[str], arguments: Sequence[str]) -> None:
        """Run a function on several workers at once, and wait for none of them."""
        self._send_command(do="run", function=_name_function(function), arguments=list(arguments), workers=list(workers))

    def close(self) -> None:
        """Close the connection; what is still asked for is cancelled by it."""
        self._send_command(do="close")
        self._pump.join(LINK_CLOSE_TIMEOUT_S)
        if self._pump.is_alive() and self._child is not None:
            self._child.end_process()
            self._pump.join()

    def _read_messages(self) -> None:
        with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
            try:
                arguments = [self._address.url, _collect_tls_options(self._address)]
                environment = build_environment(Path(folder))
                with SandboxProcess(
                    "--cluster", "relay", arguments, RELAY_LIMITS, Path(folder), environment=environment, max_results=MAX_RELAY_MESSAGES
                ) as self._child:
                    for message in self._child.iterate_results():
                        self._take_message(message)
            except AppError as error:
                self._error = error
            except (SandboxStoppedError, RuntimeError):  # the child was led astray, and is gone
                pass
            finally:
                self._child = None
                self._end_all_calls()

    def _end_all_calls(self) -> None:
        self._is_lost = True
        for call in list(self._calls.values()):
            call.end_call("lost", None)
        self._ready.set()

    def _take_message(self, message: Mapping[str, Any]) -> None:
        if isinstance(addresses := message.get("workers"), list):
            self._workers = [sanitise_short_text(address) for address in addresses if isinstance(address, str)]
            self._is_lost = message.get("is_lost") is not False
            self._ready.set()
        number = message.get("id")
        call = self._calls.get(number) if type(number) is int else None
        if call is None:
            return
        if isinstance(part := message.get("part"), str):
            call.add_part(part)
        elif isinstance(status := message.get("status"), str):
            call.end_call(status, message.get("result"))

    def _send_command(self, **command: Any) -> None:
        child = self._child
        if child is not None:
            with self._writing:
                child.send_message(command)


class LinkedCall:
    """One call, which may be given up at any time."""

    def __init__(self, link: ClusterLink, number: int) -> None:
        self._link, self._number = link, number
        self._ended = threading.Event()
        self._content = bytearray()
        # result: plain data and bytes; None if there are none.
        self.status, self.result = "", None  # status: of Dask's future, once the call has ended

    @property
    def has_succeeded(self) -> bool:
        """Return whether the function has returned."""
        return self.status == "finished"

    @property
    def was_cancelled(self) -> bool:
        """Return whether somebody else gave it up: a scheduler that is another one now, for example."""
        return self.status in ("cancelled", "lost")

    def wait_for_end(self) -> bool:
        """Wait a moment; return whether it has ended, in whatever way."""
        return self._ended.wait(CALL_POLL_S)

    def cancel(self) -> None:
        """Give it up, or drop its result."""
        self._link.drop_call(self._number)

    def add_part(self, part: str) -> None:
        """Add bytes of the result; what is too long, or no bytes, ends the call."""
        try:
            self._content += base64.b64decode(part, validate=True)
        except (binascii.Error, ValueError):
            self.end_call("error", None)
        if len(self._content) > MAX_CALL_BYTES:
            self.end_call("error", None)

    def end_call(self, status: str, result: Any) -> None:
        """End the call with what came of it; only the first end counts."""
        if self._ended.is_set():
            return
        try:
            self.status, self.result = status, self._restore_bytes(result)
        except (ValueError, TypeError):
            self.status, self.result = "error", None
        self._content = bytearray()
        self._ended.set()

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


def _name_function(function: Callable[..., Any]) -> list[str]:
    return [function.__module__, function.__name__]


def build_environment(folder: Path) -> dict[str, str]:
    """Return the environment of the child, whose home is the folder."""
    kept = {name: value for name, value in os.environ.items() if name.upper() in KEPT_VARIABLES or name.startswith("DASK_")}
    own_settings = Path.home() / ".config" / "dask"
    if "DASK_CONFIG" not in kept and own_settings.is_dir():
        kept["DASK_CONFIG"] = str(own_settings)
    return kept | dict.fromkeys(HOME_VARIABLES, str(folder))


def _collect_tls_options(address: ClusterAddress) -> dict[str, str]:
    """Return the files that were named; Dask's own settings count for the others."""
    options = {"tls_ca_file": address.ca_file, "tls_client_cert": address.cert, "tls_client_key": address.key}
    return {name: str(Path(file).absolute()) for name, file in options.items() if file}


class ClusterClient:
    """Has functions run on the workers of a scheduler; its calls may come from any thread.

    Raises BackendError if the scheduler cannot be reached, InputError if Dask is not installed.
    """

    def __init__(self, address: ClusterAddress) -> None:
        _require_dask()
        self._link = ClusterLink(address)

    @property
    def is_lost(self) -> bool:
        """Return whether the scheduler is gone, and with it all that was asked of it."""
        return self._link.is_lost

    def list_workers(self) -> list[str]:
        """Return the addresses of the workers that are there now."""
        return self._link.list_workers()

    def submit_value(self, value: str) -> Any:
        """Return a stand-in for a text in later calls: it is sent once, and the scheduler can make it again whichever workers die."""
        return self._link.keep_value(value)

    def can_import(self, module: str, worker: str, deadline: float) -> bool:
        """Return whether a worker has a module, within the deadline of `time.monotonic`; raise BatchEndError if the scheduler is lost.

        Asked before any function of it is named: a worker that cannot read what it is sent loses its scheduler, and all it had to do.
        """
        call = self._link.start_call(importlib.import_module, [module], [worker], retries=0, has_result=False)
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
        arguments: Iterable[Any],
        find_workers: FindWorkers,
        *,
        is_stopped: Callable[[], bool] = lambda: False,
        deadline: float | None = None,
    ) -> Mapping[str, Any] | None:
        """Return what the function returns on one of the workers; None once stopped. Raise BatchEndError if the scheduler is lost, else ClusterCallError.

        Args:
            find_workers: asked again and again, as workers come and go; raises if there will be none any longer.
            deadline: of `time.monotonic`.
        """
        given = list(arguments)
        while True:
            workers = frozenset(find_workers())
            call = self._link.start_call(function, given, workers, retries=RETRIES) if workers else None
            try:
                while call is None or not call.wait_for_end():
                    if is_stopped():
                        return None
                    self._raise_if_lost()
                    if deadline is not None and time.monotonic() > deadline:
                        raise ClusterCallError(localize("応答がありません。", "There is no answer."))
                    if workers.isdisjoint(now := find_workers()) and now:
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
        self._link.run_everywhere(function, workers, arguments)

    def close(self) -> None:
        """Close the connection; what is still asked for is cancelled by it."""
        self._link.close()

    def _take_result(self, call: LinkedCall) -> Mapping[str, Any]:
        if isinstance(call.result, dict):
            return call.result
        self._raise_if_lost()
        if call.was_cancelled:
            raise build_lost_error()
        raise ClusterCallError(
            localize("クラスターで処理できませんでした。", "The cluster could not do this."),
            localize("スケジューラーとワーカーのログを確認してください。", "See the logs of the scheduler and its workers."),
        )

    def _raise_if_lost(self) -> None:
        if self.is_lost:
            raise build_lost_error()


def build_lost_error() -> BatchEndError:
    """Return the error of a scheduler that is gone."""
    return BatchEndError(
        localize("スケジューラーとの接続が切れました。", "The connection to the scheduler was lost."),
        localize(
            "書き出したファイルは完全です。--only changed を付けてもう一度実行すると、続きから書き出します。",
            "The files written so far are complete; run it again with --only changed to continue.",
        ),
    )


def _require_dask() -> None:
    if importlib.util.find_spec("distributed") is None:
        raise InputError(
            localize("--scheduler には Dask が必要です。", "--scheduler needs Dask, which is not installed."),
            localize(
                "Python 版の Koebako で pip install koebako[cluster] を実行してください。",
                "Install it into the Python of Koebako: pip install koebako[cluster]",
            ),
        )
