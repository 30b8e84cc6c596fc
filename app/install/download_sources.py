"""Brings voices and BERTs from the internet into `<data>/downloads`, from where they are installed and then discarded.

Each lies in a folder named by what it is, so that the same wish finds what is there already; parts are kept for the next try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.download.download_limits import build_disk_error, build_disk_full_error, build_other_file_error
from app.adapters.download.download_progress import DownloadProgress, OnProgress, ignore_progress
from app.adapters.download.partial_download import count_arrived_bytes, find_downloads_dir, remove_stale_downloads
from app.adapters.download.resumable_download import DownloadedFile, download_file
from app.adapters.files.free_space import check_free_space
from app.adapters.http.http_address import parse_address
from app.adapters.http.hub_files import (
    HubFile,
    HubVoice,
    build_hf_url,
    convert_to_hf_file_url,
    fetch_aivishub_voice,
    fetch_hf_file_info,
    parse_aivishub_uuid,
)
from app.adapters.http.retry_policy import OnWait, RetryPolicy, ignore_wait
from app.common.errors import DownloadError
from app.common.files.atomic_write import move_path
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.core.sound.stage_clock import ignore_cancellation
from app.install.download_folders import (
    DEFAULT_DOWNLOAD_NAME,
    choose_download_folder,
    discard_download,
    find_pending_download,
    sanitise_file_name,
    sanitise_voice_file_name,
)

STANDARD_BERT_REPOSITORY = "tsukumijima/deberta-v2-large-japanese-char-wwm-onnx"
STANDARD_BERT_REVISION = "d701ec67708287b20d2063270f6b535e6eed09ab"


@dataclass(frozen=True, slots=True)
class KnownFileFacts:
    """The facts known of a file before a server is queried.

    Attributes:
        size: bytes.
        sha256: hex, in lower case.
    """

    size: int | None = None
    sha256: str | None = None


STANDARD_BERT_FILES: Mapping[str, KnownFileFacts] = {
    "tokenizer.json": KnownFileFacts(430_981, "21a17e4d0032739e82dc60f155b4ae37e94519103e0d399657fdd249ec3e7905"),
    "model_fp16.onnx": KnownFileFacts(653_075_699, "23f633ae7c5900ff82b35a428b67a54e7e7911d5d6a6dcfc77967be8f1c94dc6"),
}
"""By name, at that revision; the small one first, so that a wrong address shows at once."""

STALE_DOWNLOAD_AGE_S = 30 * 24 * 3600.0
DOWNLOAD_STEP = "downloading"


@dataclass(frozen=True, slots=True)
class DownloadMonitor:
    """The callbacks and the retry policy of a fetch.

    Attributes:
        report: called with how much of the whole is done.
        on_progress: called with bytes and speed.
        on_wait: called when a server is silent for more than a moment.
        is_cancelled: asked all the time; true ends the download and keeps what is there.
        retry_policy: how often and how slowly to try again.
    """

    report: Report = ignore_report
    on_progress: OnProgress = ignore_progress
    on_wait: OnWait = ignore_wait
    is_cancelled: Callable[[], bool] = ignore_cancellation
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)


NO_MONITOR = DownloadMonitor()


def fetch_url(url: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch a voice by its address; pages of AivisHub and of Hugging Face are understood too.

    Returns:
        The file, under the server's name made safe.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    if parse_aivishub_uuid(url):
        return fetch_hub_voice(url, monitor)
    on_hub = convert_to_hf_file_url(url)
    file = _find_hugging_face_file(on_hub, monitor) if on_hub else HubFile(parse_address(url).url, None, None)
    folder = choose_download_folder(file.url)
    if not file.sha256 and (waiting := find_pending_download(folder)) is not None:
        return waiting
    # Where the hub vouches for the bytes, the name is known as well, so that a file that is there already is found.
    target = folder / (sanitise_voice_file_name(parse_address(file.url).file_name) if file.sha256 else DEFAULT_DOWNLOAD_NAME)
    done = _download_file(file, target, monitor)
    if done.content_type in ("text/html", "application/xhtml+xml"):
        discard_download(done.path)
        raise DownloadError(
            localize("このアドレスはファイルではなく Web ページです。", "This address is a web page, not a file."),
            localize("ページにあるダウンロードリンクのアドレスを指定してください。", "Use the address of the download link on that page."),
        )
    if done.path.name != DEFAULT_DOWNLOAD_NAME:
        return done.path
    named = folder / sanitise_voice_file_name(done.name)
    try:
        move_path(done.path, named)
    except OSError as exc:
        raise build_disk_error(exc, folder) from exc
    return named


def fetch_hub_voice(uuid: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch a voice of AivisHub by its UUID or page, verified against the hub's checksum.

    Returns:
        The AIVMX file.

    Raises:
        InputError: not an id.
        DownloadError: what happened, and what the user can do.
    """
    return fetch_listed_voice(fetch_hub_description(uuid, monitor), monitor)


def fetch_listed_voice(voice: HubVoice, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch a voice that the hub has already described, as `fetch_hub_voice` does."""
    target = choose_download_folder(voice.file.url, voice.file.sha256 or voice.version) / sanitise_file_name(
        re.sub(r"[/\\]", "_", voice.name) + ".aivmx"
    )
    return _download_file(voice.file, target, monitor).path


def find_hub_checksum(uuid: str, monitor: DownloadMonitor = NO_MONITOR) -> str | None:
    """Return the SHA-256 (hex) of the newest file of a voice on AivisHub; None if the text is no id, or the hub states none.

    Raise DownloadError if the hub cannot be reached.
    """
    return fetch_hub_description(uuid, monitor).file.sha256 if parse_aivishub_uuid(uuid) else None


def fetch_hugging_face_files(repo: str, files: Mapping[str, KnownFileFacts], revision: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch files of a Hugging Face repository at a revision, verified against the known checksum, or for big files the hub's.

    Args:
        repo: owner/name.
        files: by name in the repository.
        revision: a commit, so that what comes is what was meant.

    Returns:
        A folder with the files, folders inside the repository left out.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    found = {
        name: _merge_known_facts(_find_hugging_face_file(build_hf_url(repo, name, revision), monitor), known)
        for name, known in files.items()
    }
    sizes = {name: file.size or 0 for name, file in found.items()}
    folder = choose_download_folder(build_hf_url(repo, "", revision))
    everything, done = max(sum(sizes.values()), 1), 0
    targets = {name: folder / sanitise_file_name(name) for name in files}
    missing = sum(sizes[name] - count_arrived_bytes(found[name].url, found[name].sha256) for name in files if not targets[name].exists())
    check_free_space(find_downloads_dir(), missing, build_disk_full_error)
    for name, file in found.items():
        share = build_part_report(monitor.report, done / everything, (done + sizes[name]) / everything)
        _download_file(
            file, targets[name], replace(monitor, report=share, on_progress=shift_progress(monitor.on_progress, done, everything))
        )
        done += sizes[name]
    return folder


def fetch_standard_bert(monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch the BERT that SBV2 voices are trained with, 653 MB, CC BY-SA 4.0 (the caller shows that first).

    Returns:
        A folder with model_fp16.onnx and tokenizer.json.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    return fetch_hugging_face_files(STANDARD_BERT_REPOSITORY, STANDARD_BERT_FILES, STANDARD_BERT_REVISION, monitor)


def _merge_known_facts(file: HubFile, known: KnownFileFacts) -> HubFile:
    """Prefer known facts over the hub's; raise DownloadError before the download where they describe another file."""
    if known.sha256 and file.sha256 not in (None, known.sha256):
        raise build_other_file_error(parse_address(file.url).host)
    return replace(file, sha256=known.sha256 or file.sha256, size=known.size or file.size)


def _find_hugging_face_file(url: str, monitor: DownloadMonitor) -> HubFile:
    monitor.report(DOWNLOAD_STEP, 0.0)
    return fetch_hf_file_info(url, monitor.is_cancelled, monitor.retry_policy, monitor.on_wait)


def fetch_hub_description(uuid: str, monitor: DownloadMonitor = NO_MONITOR) -> HubVoice:
    """Fetch AivisHub's description of a voice; raises InputError, DownloadError."""
    monitor.report(DOWNLOAD_STEP, 0.0)
    return fetch_aivishub_voice(uuid, monitor.is_cancelled, monitor.retry_policy, monitor.on_wait)


def _download_file(file: HubFile, target: Path, monitor: DownloadMonitor) -> DownloadedFile:
    def report_file_progress(progress: DownloadProgress) -> None:
        # Progress comes first so that a caller who shows both has the details when the step comes.
        monitor.on_progress(progress)
        monitor.report(DOWNLOAD_STEP, progress.fraction)

    remove_stale_downloads(STALE_DOWNLOAD_AGE_S)
    monitor.report(DOWNLOAD_STEP, 0.0)
    done = download_file(
        file.url,
        target,
        sha256=file.sha256,
        size=file.size,
        secrets=file.secrets,
        on_progress=report_file_progress,
        on_wait=monitor.on_wait,
        cancelled=monitor.is_cancelled,
        retry_policy=monitor.retry_policy,
    )
    monitor.report(DOWNLOAD_STEP, 1.0)
    return done


def shift_progress(on_progress: OnProgress, bytes_before: int, total: int) -> OnProgress:
    """Return a callback that reports the progress of one download as part of all, `bytes_before` of which precede it."""

    def report_shifted_progress(file_progress: DownloadProgress) -> None:
        left_s = (
            max(total - bytes_before - file_progress.received, 0) / file_progress.bytes_per_s if file_progress.bytes_per_s > 0 else None
        )
        on_progress(DownloadProgress(bytes_before + file_progress.received, total, file_progress.bytes_per_s, left_s))

    return report_shifted_progress
