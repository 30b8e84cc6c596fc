"""Makes files on the workers of a Dask cluster: plain data in, plain data out, and none of our errors leaves it as an object.

A file is made by a child of the worker, as `koebako export --jobs` makes it, so that the worker's own process holds no sessions and
answers its scheduler whatever the child does.
"""

from __future__ import annotations

import json
import socket
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.common.errors import AppError, VoiceError
from app.common.files.paths import list_voice_dirs
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.version import VERSION
from app.export.export_tasks import BatchSettings, ExportTask, VoiceOpening, parse_task_data
from app.export.process_worker import ProcessWorker, WorkerEndedError
from app.export.render_keys import compute_voice_fingerprint
from app.install.voice_identity import compute_prepared_digest
from app.settings.user_settings import PrecisionChoice, PrecisionPreference, Settings, load_usable_settings
from app.voices.file_fact_cache import compute_content_digest, compute_file_digests
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import read_card

IDLE_CHILD_S = 600.0  # how long a child waits for the next file of its batch; the program that asked may have ended without notice


@dataclass(frozen=True, slots=True)
class WantedVoice:
    """A voice as it is here."""

    digest: str  # of its content, which is the same wherever it is installed
    fingerprint: str  # of all that it brings to samples, ONNX Runtime, precision and device included
    opening: VoiceOpening  # how it is to be opened

    def convert_to_data(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> WantedVoice:
        """Parse a voice; raise ValueError or KeyError."""
        return WantedVoice(str(data["digest"]), str(data["fingerprint"]), VoiceOpening.from_data(data["opening"]))


def describe_wanted_voice(reference: str | None, settings: Settings, backend: str, *, force_bert: bool = False) -> WantedVoice:
    """Return what names a voice elsewhere, as settings and `backend` open it here; what they leave open is decided for all. Raise AppError, OSError."""
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    plan = plan_speaker(reference, parse_placement(backend), settings, None, force_bert)
    graph = settings.precision_preference.find_precision(plan.voice.manifest.id)
    bert: PrecisionChoice = "auto"
    if plan.bert is not None and plan.bert_graph is not None:
        bert = next(name for name, path in plan.bert.graphs.items() if path == plan.bert_graph)
    opening = VoiceOpening(str(plan.placement), graph, bert)
    return WantedVoice(_compute_voice_digest(plan.voice), compute_voice_fingerprint(plan), opening)


def find_wanted_voice(wanted: WantedVoice, voices_folder: str = "", *, force_bert: bool = False) -> dict[str, str] | None:
    """Return the voice of that content, here or in a folder of prepared voices; None where there is none, or its BERT is missing."""
    folders = list_voice_dirs()
    for voice in list_installed_voices([*folders, *([Path(voices_folder)] if voices_folder else [])]):
        try:
            if _compute_voice_digest(voice) == wanted.digest:
                reference = voice.manifest.id if voice.path.parent in folders else str(voice.path)
                fingerprint = _compute_fingerprint_here(reference, wanted.opening, force_bert=force_bert)
                return {"fingerprint": fingerprint, "reference": reference}
        except (AppError, OSError):
            continue
    return None


def _compute_fingerprint_here(reference: str, opening: VoiceOpening, *, force_bert: bool) -> str:
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    settings_here = replace(load_usable_settings(), bert_precision=opening.bert_precision)
    settings = settings_here.replace_precision(PrecisionPreference(opening.graph_precision))
    return compute_voice_fingerprint(plan_speaker(reference, parse_placement(opening.backend), settings, None, force_bert))


def _compute_voice_digest(voice: Voice) -> str:
    if voice.path.is_dir():
        return compute_prepared_digest(voice.path, read_card(voice.path))
    return compute_content_digest(compute_file_digests([voice.path]))


def describe_cluster_worker(request: str) -> dict[str, Any]:
    """Return what this worker is and which of the `voices` of a batch it has, by their ids with `fingerprint` and `reference`, or None."""
    from app.adapters.ort.graph_session import ORT_VERSION

    question = parse_object(request)
    voices = {
        voice: find_wanted_voice(WantedVoice.from_data(data), question["voices_folder"], force_bert=question["force_bert"])
        for voice, data in question["voices"].items()
    }
    return {"version": VERSION, "host": socket.gethostname(), "runtime": ORT_VERSION, "voices": voices}


def run_cluster_task(batch: str, task: str) -> dict[str, Any]:
    """Make one file, or measure it; raise RuntimeError if the child died, so that Dask tries again.

    Args:
        batch: JSON with the `id` of the batch, what `describe_cluster_worker` takes, and the settings in `batch`.
        task: JSON as `convert_task_to_data` has it, of whose file the suffix counts.

    Returns:
        `row`, `sound` and `sidecars` (bytes by suffix) of a file, `measured` of a measurement, or `error`; empty if the batch has ended.
    """
    try:
        return _BATCH_CHILD.run_task(batch, parse_task_data(parse_object(task)))
    except WorkerEndedError:
        # The scheduler keeps what is raised; none of our classes is to be among it.
        raise RuntimeError("a process ended while synthesising") from None
    except AppError as error:
        return {"error": error.convert_to_data()}


def end_cluster_batch(batch_id: str) -> None:
    """End the child that works for this batch; its files come to nothing."""
    _BATCH_CHILD.end_batch(batch_id)


class _BatchChild:
    """The one child of this process, which works for the batch of the last task; tasks come from several threads of Dask, and wait."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._worker: ProcessWorker | None = None
        self._batch_id, self._voices = "", frozenset[str]()
        self._timer: threading.Timer | None = None
        self._ended_ids: set[str] = set()

    def run_task(self, batch: str, task: ExportTask) -> dict[str, Any]:
        """Make a file once its turn has come; raise AppError."""
        with self._turn, tempfile.TemporaryDirectory(prefix="koebako-") as folder:
            self._stop_timer()
            batch_data = parse_object(batch)
            if batch_data["id"] in self._ended_ids:
                return {}
            worker = self._open_worker(batch_data)
            if not {line.settings.voice for line in task.item.lines} <= self._voices:
                raise VoiceError(localize("声が削除されました。", "The voice was removed meanwhile."))
            try:
                return _make_file(worker, task, Path(folder))
            finally:
                self._timer = threading.Timer(IDLE_CHILD_S, self._close_worker, (worker,))
                self._timer.daemon = True
                self._timer.start()

    def end_batch(self, batch_id: str) -> None:
        """End the child without waiting for it: Dask calls this where it answers its scheduler."""
        self._ended_ids.add(batch_id)
        worker = self._worker
        if worker is not None and self._batch_id == batch_id:
            worker.stop_task()
            threading.Thread(target=self._close_worker, args=(worker,), name="close", daemon=True).start()

    def _open_worker(self, batch_data: Mapping[str, Any]) -> ProcessWorker:
        if self._worker is not None and self._batch_id == batch_data["id"]:
            return self._worker
        if self._worker is not None:
            self._worker.close()
        batch = _build_batch(batch_data)
        self._worker, self._batch_id, self._voices = ProcessWorker(batch), batch_data["id"], frozenset(batch.voices)
        return self._worker

    def _close_worker(self, worker: ProcessWorker) -> None:
        with self._turn:
            worker.close()
            if self._worker is worker:
                self._worker, self._batch_id = None, ""
                self._stop_timer()

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()


_BATCH_CHILD = _BatchChild()


def _build_batch(batch_data: Mapping[str, Any]) -> BatchSettings:
    """Return the settings with the voices as they are installed here; one that is missing here is none of the tasks that come here."""
    voices = describe_cluster_worker(json.dumps({name: batch_data[name] for name in ("voices", "voices_folder", "force_bert")}))["voices"]
    references = {voice: voice_data["reference"] for voice, voice_data in voices.items() if voice_data is not None}
    return BatchSettings.from_data(batch_data["batch"] | {"voices": references})


def _make_file(worker: ProcessWorker, task: ExportTask, folder: Path) -> dict[str, Any]:
    item = task.item
    file = folder / f"sound{item.file.suffix}"
    answer = worker.run_task(ExportTask(type(item)(file, item.lines, characters=item.characters), task.gain_db, task.is_measurement))
    if not answer or task.is_measurement:
        return {"measured": answer} if answer else {}
    sidecars = {path.suffix: path.read_bytes() for path in map(Path, answer["sidecars"])}
    return {"row": answer, "sound": file.read_bytes(), "sidecars": sidecars}
