"""Has the workers of a Dask cluster make the files of a batch, and writes here what they send."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.adapters.openjtalk.reading_choices import find_link_reading, should_find_memos_everywhere, should_use_built_in_words
from app.adapters.user_dictionary import load_dictionary
from app.common.errors import BackendError, VoiceError
from app.common.files.untrusted_json import require_number
from app.common.language import localize
from app.common.processes.json_child import parse_error
from app.core.text.dictionary_entries import merge_entries
from app.export.cluster_client import ClusterClient
from app.export.cluster_roster import ClusterRoster
from app.export.cluster_task import end_cluster_batch, run_cluster_task
from app.export.export_settings import SidecarKind
from app.export.export_tasks import BatchSettings, ExportTask, ReadingTerms, convert_task_to_data
from app.export.file_writer import write_finished_files
from app.export.loudness import convert_loudness_to_data, parse_loudness, parse_written_data
from app.export.sidecar_formats import list_sidecar_suffixes

FILES_PER_WORKER = 2  # what a worker is given at once, so that it need not wait for the next

FILE_TIMEOUT_S = 3600.0  # how long a file may take, with all that is tried again: a worker that hangs must not hold up an export for ever
MIN_FILES_AT_ONCE, MAX_FILES_AT_ONCE = 8, 512


class ClusterBatch:
    """One batch on a cluster: who may speak what, and the settings that go to each worker once."""

    def __init__(self, client: ClusterClient, roster: ClusterRoster) -> None:
        self._client, self._roster = client, roster
        self._id = uuid.uuid4().hex
        self._share_lock = threading.Lock()
        self._shared: Any = None

    def ask_first_workers(self) -> dict[str, VoiceError]:
        """Ask all workers before anything starts, see `ClusterRoster.ask_first_workers`."""
        return self._roster.ask_first_workers()

    def build_portable_settings(self, batch: BatchSettings) -> BatchSettings:
        """Return the settings of a batch as they hold on any machine: how voices are opened here, all words, how texts are read here."""
        user_words, _ = load_dictionary()
        reading = ReadingTerms(should_use_built_in_words(), find_link_reading(), should_find_memos_everywhere())
        words = merge_entries(user_words, batch.words)
        export = replace(batch.export, folder="")  # where the files go is nobody else's concern
        return replace(batch, export=export, words=words, openings=self._roster.list_openings(), reading=reading)

    def count_files_at_once(self) -> int:
        """Return how many files are asked for at once; a few more than there are workers now, as others may join."""
        return max(MIN_FILES_AT_ONCE, min(MAX_FILES_AT_ONCE, FILES_PER_WORKER * len(self._roster.list_usable())))

    def run_task(self, batch: BatchSettings, task: ExportTask, is_stopped: Callable[[], bool]) -> Mapping[str, Any] | None:
        """Return what a worker answers, see `run_cluster_task`; None once stopped. Raise BatchEndError or ClusterCallError."""
        voices = {line.settings.voice for line in task.item.lines}
        with self._share_lock:
            if self._shared is None:
                data = self._roster.request | {"id": self._id, "batch": batch.convert_to_data()}
                self._shared = self._client.submit_value(json.dumps(data))
            shared = self._shared
        sent = json.dumps(convert_task_to_data(task) | {"file": f"sound{task.item.file.suffix}"})
        return self._client.call_function(
            run_cluster_task,
            [shared, sent],
            lambda: self._roster.find_workers(voices),
            is_stopped=is_stopped,
            deadline=time.monotonic() + FILE_TIMEOUT_S,
        )

    def close(self) -> None:
        """End what still runs on the workers, and the connection."""
        if self._shared is not None:
            self._client.run_function(end_cluster_batch, self._roster.list_usable(), self._id)
        self._shared = None
        self._client.close()


class ClusterWorker:
    """Asks a cluster for one file after another."""

    def __init__(self, cluster: ClusterBatch, batch: BatchSettings) -> None:
        self._cluster, self._batch = cluster, batch
        self._stopped = threading.Event()

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Run a task, as any worker."""
        if self._stopped.is_set():
            return {}
        answer = self._cluster.run_task(self._batch, task, self._stopped.is_set)
        if answer is None or self._stopped.is_set():
            return {}
        if "error" in answer:
            raise parse_error(answer["error"])
        try:
            if task.is_measurement:
                return convert_loudness_to_data(parse_loudness(answer["measured"]))
            sidecars = _check_sidecars(answer["sidecars"], self._batch.export.sidecars)
            row, sound = dict(answer["row"]), answer["sound"]
            parse_written_data(row)
            require_number(row.get("audio_s", 0.0))
            if not isinstance(sound, bytes):
                raise TypeError("sound")
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise BackendError(localize("ワーカーの応答が正しくありません。", "A worker sent something that is no file.")) from exc
        beside = write_finished_files(task.item, sound, sidecars)
        return row | {"file": str(task.item.file), "sidecars": [str(path) for path in beside]}

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stopped.set()

    def close(self) -> None:
        """Close the worker, as any worker; the cluster belongs to all of them."""


def _check_sidecars(found: Mapping[str, Any], kinds: Iterable[SidecarKind]) -> dict[str, bytes]:
    """Return the files beside a sound; raise ValueError for what nobody asked for, as only what was asked for is known not to be in the way."""
    sidecars = dict(found.items())
    if not sidecars.keys() <= set(list_sidecar_suffixes(kinds)) or not all(isinstance(content, bytes) for content in sidecars.values()):
        raise ValueError("sidecars")
    return sidecars
