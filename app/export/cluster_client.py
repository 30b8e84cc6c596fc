"""Has functions run on the workers of a Dask scheduler, through a child that alone knows Dask (`app.export.cluster_relay`).

Only functions that can be imported by name and built-in types go out, and what comes back is JSON and bytes.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.common.errors import BackendError, InputError
from app.common.language import localize
from app.export.cluster_address import ClusterAddress
from app.export.cluster_link import CALL_POLL_S, ClusterLink, LinkedCall
from app.export.file_writer import BatchEndError

RETRIES = 2
"""How often Dask tries again what failed with an error; what a worker took with it when it died it tries by rules of its own."""
FindWorkers = Callable[[], Sequence[str]]


class ClusterCallError(BackendError):
    """A call failed on the cluster, however often it was tried."""


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
