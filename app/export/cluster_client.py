"""A connection to a Dask scheduler; Dask enters here and nowhere else.

Only functions that can be imported by name and built-in types go out, and what comes back is read without unpickling.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.common.errors import BackendError, InputError
from app.common.language import localize
from app.export.cluster_address import ClusterAddress
from app.export.file_writer import BatchEndError

CONNECT_TIMEOUT_S = 15.0
CALL_POLL_S = 0.25
SPREAD_TIMEOUT_S = 3.0
RETRIES = 2
"""How often Dask tries again what failed with an error; what a worker took with it when it died it tries by rules of its own."""

_PLAIN_FORMS = ["dask", "msgpack"]
_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core", "tornado", "tornado.application")
FindWorkers = Callable[[], Sequence[str]]


class ClusterCallError(BackendError):
    """A call failed on the cluster, however often it was tried."""


class ClusterClient:
    """Has functions run on the workers of a scheduler; its calls may come from any thread.

    Raises BackendError if the scheduler cannot be reached, InputError if Dask is not installed.
    """

    def __init__(self, address: ClusterAddress) -> None:
        distributed = _import_distributed()
        security = distributed.Security(require_encryption=True, **_collect_tls_options(address)) if address.is_encrypted else None
        try:
            self._client = distributed.Client(
                address.url,
                timeout=CONNECT_TIMEOUT_S,
                security=security,
                set_as_default=False,
                direct_to_workers=False,
                serializers=[*_PLAIN_FORMS, "pickle"],  # how functions are named
                deserializers=_PLAIN_FORMS,
            )
        except (OSError, ValueError, TypeError, RuntimeError) as exc:
            raise BackendError(
                localize(f"スケジューラー {address.url} に接続できません。", f"The scheduler {address.url} cannot be reached."),
                _describe_connect_fault(exc),
            ) from exc

    @property
    def is_lost(self) -> bool:
        """Return whether the scheduler is gone, and with it all that was asked of it."""
        return bool(self._client.status != "running")

    def list_workers(self) -> list[str]:
        """Return the addresses of the workers that are there now."""
        try:
            return list(self._client.scheduler_info(n_workers=-1)["workers"])
        except (OSError, RuntimeError, asyncio.CancelledError):
            return []

    def submit_value(self, value: str) -> Any:
        """Return a stand-in for a text in later calls: it is sent once, and the scheduler can make it again whichever workers die."""
        return self._client.submit(str, value, key=_build_key(), pure=False)

    def can_import(self, module: str, worker: str, deadline: float) -> bool:
        """Return whether a worker has a module, within the deadline of `time.monotonic`; raise BatchEndError if the scheduler is lost.

        Asked before any function of it is named: a worker that cannot read what it is sent loses its scheduler, and all it had to do.
        """
        call = _ClusterCall(self._client, importlib.import_module, [module], [worker], retries=0)
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
        """Return what the function returns on one of the workers; None once stopped.

        Args:
            find_workers: asked again and again, as workers come and go; raises if there will be none any longer.
            deadline: of `time.monotonic`.

        Raises:
            BatchEndError: the scheduler is lost.
            ClusterCallError: it failed, or the deadline has passed.
        """
        given = list(arguments)
        while True:
            workers = frozenset(find_workers())
            call = _ClusterCall(self._client, function, given, workers) if workers else None
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
        if self.is_lost:
            return
        thread = threading.Thread(target=self._run_on_each, args=(function, workers, arguments), name="spread", daemon=True)
        thread.start()
        # A worker that hangs keeps nobody.
        thread.join(SPREAD_TIMEOUT_S)

    def close(self) -> None:
        """Close the connection; what is still asked for is cancelled by it."""
        with contextlib.suppress(Exception, asyncio.CancelledError):
            self._client.close(timeout=2)

    def _run_on_each(self, function: Callable[..., Any], workers: Sequence[str], arguments: Sequence[str]) -> None:
        with contextlib.suppress(Exception):
            self._client.run(function, *arguments, workers=list(workers), on_error="ignore")

    def _take_result(self, call: _ClusterCall) -> Mapping[str, Any]:
        result = call.read_result()
        if isinstance(result, dict):
            return result
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


class _ClusterCall:
    """One call, which may be given up at any time."""

    def __init__(
        self, client: Any, function: Callable[..., Any], arguments: Sequence[Any], workers: Iterable[str], retries: int = RETRIES
    ) -> None:
        self._ended = threading.Event()
        try:
            self._future = client.submit(
                function,
                *arguments,
                workers=sorted(workers),
                allow_other_workers=False,
                key=_build_key(),
                pure=False,
                retries=retries,
            )
        except (RuntimeError, ValueError) as exc:  # the client has closed
            raise build_lost_error() from exc
        self._future.add_done_callback(lambda _future: self._ended.set())

    @property
    def has_succeeded(self) -> bool:
        """Return whether there is a result, which then stays where it is until it is read."""
        return bool(self._future.status == "finished")

    @property
    def was_cancelled(self) -> bool:
        """Return whether somebody else gave it up: a scheduler that is another one now, for example."""
        return self._future.status in ("cancelled", "lost")

    def wait_for_end(self) -> bool:
        """Wait a moment; return whether it has ended, in whatever way."""
        return self._ended.wait(CALL_POLL_S)

    def read_result(self) -> object:
        """Return the result; None if there is none."""
        if self._future.status in ("error", "cancelled"):
            return None
        try:
            return self._future.result(timeout=CONNECT_TIMEOUT_S)
        except Exception:  # Dask raises whatever it met; the status says the rest
            return None
        except asyncio.CancelledError:
            return None

    def cancel(self) -> None:
        """Give it up, or drop its result."""
        with contextlib.suppress(Exception):
            if not self._future.done():
                self._future.cancel()
            self._future.release()


def build_lost_error() -> BatchEndError:
    """Return the error of a scheduler that is gone."""
    return BatchEndError(
        localize("スケジューラーとの接続が切れました。", "The connection to the scheduler was lost."),
        localize(
            "書き出したファイルは完全です。--only changed を付けてもう一度実行すると、続きから書き出します。",
            "The files written so far are complete; run it again with --only changed to continue.",
        ),
    )


def _import_distributed() -> Any:
    """Import Dask, which then says nothing on stderr: what matters is said here in sentences."""
    try:
        import distributed
    except ImportError as exc:
        raise InputError(
            localize("--scheduler には Dask が必要です。", "--scheduler needs Dask, which is not installed."),
            localize(
                "Python 版の Koebako で pip install koebako[cluster] を実行してください。",
                "Install it into the Python of Koebako: pip install koebako[cluster]",
            ),
        ) from exc
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=r"distributed\..*")
    return distributed


def _collect_tls_options(address: ClusterAddress) -> dict[str, str]:
    """Return the files that were named; Dask's own settings count for the others."""
    options = {"tls_ca_file": address.ca_file, "tls_client_cert": address.cert, "tls_client_key": address.key}
    return {name: file for name, file in options.items() if file}


def _describe_connect_fault(exc: Exception) -> str:
    if isinstance(exc, TypeError | ValueError):
        return localize("--tls-ca-file、--tls-cert、--tls-key を確認してください。", "Check --tls-ca-file, --tls-cert and --tls-key.")
    return localize(
        "アドレスと、スケジューラーが動いているかを確認してください。TLS では証明書も確認してください。",
        "Check the address and that the scheduler runs; with TLS, its certificates as well.",
    )


def _build_key() -> str:
    return f"koebako-{uuid.uuid4().hex}"
