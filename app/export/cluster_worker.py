"""Has the workers of a Dask cluster make the files of a batch, and writes here what they send.

Each worker is asked once which voices it may speak, when it is first seen.
"""

import json
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from app.adapters.openjtalk.reading_choices import find_link_reading, should_find_memos_everywhere, should_use_built_in_words
from app.adapters.user_dictionary import load_dictionary
from app.common.errors import BackendError, InputError, VoiceError
from app.common.files.untrusted_json import require_number
from app.common.language import localize
from app.common.processes.json_child import parse_error
from app.common.version import VERSION
from app.core.text.dictionary_entries import merge_entries
from app.export.cluster_client import ClusterCallError, ClusterClient
from app.export.cluster_task import WantedVoice, describe_cluster_worker, end_cluster_batch, run_cluster_task
from app.export.export_renderer import BatchEndError, write_finished_files
from app.export.export_settings import SidecarKind
from app.export.export_tasks import BatchSettings, ExportTask, ReadingTerms, VoiceOpening, convert_task_to_data
from app.export.loudness import convert_loudness_to_data, parse_loudness, parse_written_data
from app.export.sidecar_formats import list_sidecar_suffixes

FILES_PER_WORKER = 2  # what a worker is given at once, so that it need not wait for the next

FILE_TIMEOUT_S = 3600.0  # how long a file may take, with all that is tried again: a worker that hangs must not hold up an export for ever
MIN_FILES_AT_ONCE, MAX_FILES_AT_ONCE = 8, 512

ASK_TIMEOUT_S = 300.0  # a worker that has not read its voices yet reads gigabytes from a shared folder
FIRST_WORKER_TIMEOUT_S = 20.0
RETURN_TIMEOUT_S = 60.0  # how long workers that have gone may take to come back, as those that Dask restarts do
REFRESH_INTERVAL_S = 1.0
MAX_PARALLEL_QUESTIONS = 32


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """The facts that a worker states of itself; `fingerprints` are of the voices that it has, by the id that lines have."""

    version: str
    host: str
    runtime: str
    fingerprints: Mapping[str, str]


class ClusterRoster:
    """Keeps the workers of a batch; `names` are those of voices for people, `announce` takes sentences."""

    def __init__(
        self,
        client: ClusterClient,
        voices: Mapping[str, WantedVoice],
        names: Mapping[str, str],
        announce: Callable[[str], None],
        *,
        voices_folder: str = "",
        force_bert: bool = False,
    ) -> None:
        self._client, self._voices, self._names, self._announce = client, voices, names, announce
        question = {name: voice.convert_to_data() for name, voice in voices.items()}
        self.request: dict[str, Any] = {"voices": question, "voices_folder": voices_folder, "force_bert": force_bert}
        self._facts: dict[str, WorkerFacts | None] = {}
        self._present_workers: frozenset[str] = frozenset()
        self._refresh_lock, self._refreshed_at = threading.Lock(), 0.0
        self._alone_since: dict[frozenset[str], float] = {}
        self._sentences: set[str] = set()

    def ask_first_workers(self) -> dict[str, VoiceError]:
        """Ask all workers before anything starts; return an error for each voice that none of them has.

        Raises InputError if one is another version of Koebako, BackendError if there is none, or none with Koebako.
        """
        deadline = time.monotonic() + FIRST_WORKER_TIMEOUT_S
        while not (addresses := self._client.list_workers()):
            if time.monotonic() > deadline or self._client.is_lost:
                raise BackendError(
                    localize("スケジューラーにワーカーがありません。", "The scheduler has no workers."),
                    localize("dask worker を起動してください。", "Start some with `dask worker`."),
                )
            time.sleep(REFRESH_INTERVAL_S)
        self._ask_workers(addresses)
        answers = [facts for facts in self._facts.values() if facts is not None]
        self._raise_unless_usable(answers)
        for facts in answers:
            self._announce_facts(facts)
        voices = {voice for facts in answers for voice in facts.fingerprints}
        return {voice: self._build_missing_error(voice) for voice in self._voices if voice not in voices}

    def list_openings(self) -> dict[str, VoiceOpening]:
        """Return how each voice is to be opened, by the id that lines have."""
        return {name: voice.opening for name, voice in self._voices.items()}

    def list_usable(self) -> list[str]:
        """Return the workers that may be given something."""
        return [address for address, facts in list(self._facts.items()) if facts is not None and address in self._present_workers]

    def find_workers(self, voices: Collection[str]) -> list[str]:
        """Return the workers that have all of these voices; none for a while if they may come back. Raise BatchEndError if they do not."""
        self._refresh_workers()
        voice_ids = frozenset(voices)
        addresses = [
            address
            for address, facts in list(self._facts.items())
            if facts is not None
            and facts.version == VERSION
            and address in self._present_workers
            and voice_ids <= facts.fingerprints.keys()
        ]
        if addresses:
            self._alone_since.pop(voice_ids, None)
        elif time.monotonic() - self._alone_since.setdefault(voice_ids, time.monotonic()) > RETURN_TIMEOUT_S:
            raise BatchEndError(
                localize("この声を持つワーカーがすべて終了しました。", "All workers that have this voice are gone."),
                localize("ワーカーを起動し、--only changed を付けて続けてください。", "Start workers, and continue with --only changed."),
            )
        return addresses

    def _refresh_workers(self) -> None:
        """Ask workers that have come meanwhile; one thread does, the others carry on."""
        if time.monotonic() - self._refreshed_at < REFRESH_INTERVAL_S or not self._refresh_lock.acquire(blocking=False):
            return
        try:
            for address in self._ask_workers(self._client.list_workers()):
                if (facts := self._facts[address]) is not None:
                    self._announce_facts(facts)
        finally:
            self._refreshed_at = time.monotonic()
            self._refresh_lock.release()

    def _ask_workers(self, addresses: Collection[str]) -> list[str]:
        """Ask those of these workers that are new, and return them."""
        self._present_workers = frozenset(addresses)
        new = [address for address in addresses if address not in self._facts]
        if new:
            with ThreadPoolExecutor(min(len(new), MAX_PARALLEL_QUESTIONS)) as threads:
                self._facts.update(zip(new, threads.map(self._ask_worker, new), strict=True))
        return new

    def _ask_worker(self, address: str) -> WorkerFacts | None:
        deadline = time.monotonic() + ASK_TIMEOUT_S
        try:
            if not self._client.can_import(describe_cluster_worker.__module__, address, deadline):
                raise ClusterCallError("")
            answer = self._client.call_function(
                describe_cluster_worker,
                [json.dumps(self.request)],
                lambda: [address],
                is_stopped=lambda: address not in self._client.list_workers(),
                deadline=deadline,
            )
            if answer is None:
                return None
            fingerprints = {str(voice): str(facts["fingerprint"]) for voice, facts in answer["voices"].items() if facts is not None}
            return WorkerFacts(str(answer["version"]), str(answer["host"]), str(answer["runtime"]), fingerprints)
        except (ClusterCallError, KeyError, TypeError, AttributeError):
            english = f"Worker {address} cannot run Koebako and is not used."
            self._announce_once(localize(f"ワーカー {address} では Koebako が動かないため、使いません。", english))
            return None

    def _raise_unless_usable(self, answers: Collection[WorkerFacts]) -> None:
        if not answers:
            raise BackendError(
                localize("Koebako を使えるワーカーがありません。", "No worker can run Koebako."),
                localize(
                    "スケジューラーとすべてのワーカーの Python に Koebako をインストールしてください。",
                    "Install Koebako into the Python of the scheduler and of all workers.",
                ),
            )
        for facts in answers:
            if facts.version != VERSION:
                japanese = f"{facts.host} の Koebako は {facts.version}、このコンピューターでは {VERSION} です。"
                raise InputError(
                    localize(japanese, f"{facts.host} has Koebako {facts.version}, this computer {VERSION}."),
                    localize("すべて同じバージョンにしてください。", "Install the same version everywhere."),
                )

    def _announce_facts(self, facts: WorkerFacts) -> None:
        """Say once of each machine which voices it lacks, and which sound another way there."""
        host = facts.host
        if facts.version != VERSION:
            english = f"{host} has Koebako {facts.version} and is not used."
            self._announce_once(localize(f"{host} の Koebako は {facts.version} のため、使いません。", english))
            return
        if names := self._join_names(voice for voice in self._voices if voice not in facts.fingerprints):
            self._announce_once(localize(f"{host} にない声: {names}", f"Not on {host}: {names}"))
        from app.adapters.ort.graph_session import ORT_VERSION

        names = self._join_names(voice for voice, name in facts.fingerprints.items() if name != self._voices[voice].fingerprint)
        if facts.runtime != ORT_VERSION:
            english = f"{host} has ONNX Runtime {facts.runtime}, this computer {ORT_VERSION}: its samples may differ slightly."
            versions = f"{host} の ONNX Runtime は {facts.runtime}、このコンピューターでは {ORT_VERSION} です。"
            self._announce_once(localize(f"{versions}音声がわずかに変わることがあります。", english))
        elif names:
            english = f"In another precision on {host}, so that samples may differ slightly: {names}"
            self._announce_once(localize(f"{host} では別の精度で合成する声: {names}", english))

    def _announce_once(self, sentence: str) -> None:
        if sentence not in self._sentences:
            self._sentences.add(sentence)
            self._announce(sentence)

    def _build_missing_error(self, voice: str) -> VoiceError:
        name = self._join_names([voice])
        return VoiceError(
            localize(f"声「{name}」はどのワーカーにもありません。", f"No worker has the voice “{name}”."),
            localize(
                "ワーカーに声と BERT を追加するか、--voices-folder で共有フォルダーを指定してください。",
                "Add it and its BERT on the workers, or name a shared folder with --voices-folder.",
            ),
        )

    def _join_names(self, voices: Iterable[str]) -> str:
        return ", ".join(self._names.get(voice, voice) for voice in voices)


class ClusterBatch:
    """One batch on a cluster: who may speak what, and the settings that go to each worker once."""

    def __init__(self, client: ClusterClient, roster: ClusterRoster) -> None:
        self._client, self._roster = client, roster
        self._id = uuid.uuid4().hex
        self._share_lock = threading.Lock()
        self._shared_settings: Any = None

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
            if self._shared_settings is None:
                data = self._roster.request | {"id": self._id, "batch": batch.convert_to_data()}
                self._shared_settings = self._client.submit_value(json.dumps(data))
            shared = self._shared_settings
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
        if self._shared_settings is not None:
            self._client.run_function(end_cluster_batch, self._roster.list_usable(), self._id)
        self._shared_settings = None
        self._client.close()


class ClusterWorker:
    """Asks a cluster for one file after another."""

    def __init__(self, cluster: ClusterBatch, batch: BatchSettings) -> None:
        self._cluster, self._batch = cluster, batch
        self._stop_event = threading.Event()

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        if self._stop_event.is_set():
            return {}
        answer = self._cluster.run_task(self._batch, task, self._stop_event.is_set)
        if answer is None or self._stop_event.is_set():
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
        return row | {"file": str(task.item.file), "sidecars": [str(path) for path in write_finished_files(task.item, sound, sidecars)]}

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stop_event.set()

    def close(self) -> None:
        """Close the worker, as any worker; the cluster belongs to all of them."""


def _check_sidecars(contents: Mapping[str, Any], kinds: Iterable[SidecarKind]) -> dict[str, bytes]:
    """Return the sidecars of a sound; raise ValueError for one that nobody asked for, as its name may be taken."""
    sidecars = dict(contents.items())
    if not sidecars.keys() <= set(list_sidecar_suffixes(kinds)) or not all(isinstance(content, bytes) for content in sidecars.values()):
        raise ValueError("sidecars")
    return sidecars
