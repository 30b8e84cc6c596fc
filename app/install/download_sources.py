"""Brings voices and BERTs from the internet into `<data>/downloads`, from where they are installed and then discarded.

Each is stored in a folder named by what it is, so that the same request finds what is there already; parts are kept for the next try.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.download.download_limits import (
    DownloadProgress,
    OnProgress,
    build_disk_error,
    build_disk_full_error,
    build_other_file_error,
    ignore_progress,
)
from app.adapters.download.partial_download import compute_download_key, count_arrived_bytes, find_downloads_dir, remove_stale_downloads
from app.adapters.download.resumable_download import DownloadedFile, download_file
from app.adapters.files.free_space import check_free_space
from app.adapters.http.http_address import parse_address
from app.adapters.http.http_request import OnWait, RetryPolicy, ignore_wait
from app.adapters.http.hub_files import (
    HubFile,
    HubVoice,
    build_hf_url,
    convert_to_hf_file_url,
    fetch_aivishub_voice,
    fetch_hf_file_info,
    parse_aivishub_uuid,
)
from app.common.errors import DownloadError, UserDecisionRequiredError, VoiceError
from app.common.files.untrusted_json import sanitise_long_text
from app.common.files.whole_files import move_path
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.core.sound.stage_clock import ignore_cancellation
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES
from app.voices.containers.voice_zip import RESERVED_NAME_PATTERN

STANDARD_BERT_REPOSITORY = "tsukumijima/deberta-v2-large-japanese-char-wwm-onnx"
STANDARD_BERT_REVISION = "d701ec67708287b20d2063270f6b535e6eed09ab"

DEFAULT_DOWNLOAD_NAME = "download"
MAX_PENDING_DOWNLOAD_AGE_S = 3600.0  # an hour leaves time to read a licence or to make a choice
LONGEST_STEM_BYTES, LONGEST_SUFFIX = 120, 20  # a name may have 255 bytes, and others append to it
_START_CHARS, _END_CHARS = re.compile(r"\A[\s.]+"), re.compile(r"(?<![\s.])[\s.]+\Z")


@dataclass(frozen=True, slots=True)
class KnownFileFacts:
    """The facts known of a file before a server is queried: bytes, and the SHA-256 in lower-case hex."""

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
    """The callbacks and the retry policy of a fetch."""

    report: Report = ignore_report
    on_progress: OnProgress = ignore_progress
    on_wait: OnWait = ignore_wait  # called when a server is silent for more than a moment
    is_cancelled: Callable[[], bool] = ignore_cancellation  # asked all the time; true ends the download and keeps what is there
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)

    def limit_to_part(self, bytes_before: int, own_bytes: int, total: int) -> DownloadMonitor:
        """Return a monitor that shows one of several downloads as its part of the whole."""

        def report_shifted_progress(file_progress: DownloadProgress) -> None:
            received = bytes_before + file_progress.received
            bytes_per_s = file_progress.bytes_per_s
            left_s = max(total - received, 0) / bytes_per_s if bytes_per_s > 0 else None
            self.on_progress(DownloadProgress(received, total, bytes_per_s, left_s))

        report = build_part_report(self.report, bytes_before / total, (bytes_before + own_bytes) / total)
        return replace(self, report=report, on_progress=report_shifted_progress)


NO_MONITOR = DownloadMonitor()


def choose_download_folder(url: str, version: str | None = None) -> Path:
    """Return the folder of a download, one for each address and version."""
    return find_downloads_dir() / compute_download_key(url, version)


def find_pending_download(folder: Path) -> Path | None:
    """Find a recent download that waits for the user's answer; the source of an older one may have changed since."""
    try:
        files = [item for item in folder.iterdir() if item.name != DEFAULT_DOWNLOAD_NAME and item.is_file()]
        return files[0] if len(files) == 1 and abs(time.time() - files[0].stat().st_mtime) < MAX_PENDING_DOWNLOAD_AGE_S else None
    except OSError:
        return None


@contextmanager
def discard_after_use(path: Path) -> Iterator[Path]:
    """Discard a download after the block has installed it or found it bad; after anything else it is there for the next try."""
    try:
        yield path
    except UserDecisionRequiredError:
        raise
    except VoiceError:
        discard_download(path)
        raise
    discard_download(path)


def discard_download(path: Path) -> None:
    """Remove a download after it was installed; leave everything outside the downloads folder alone."""
    root = find_downloads_dir()
    if root in path.parents and ".." not in path.relative_to(root).parts:
        shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def sanitise_file_name(name: str) -> str:
    """Return a file name that every system accepts, with its suffix, from any name that a server sends."""
    plain = _END_CHARS.sub("", re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", sanitise_long_text(name).replace("\\", "/").rpartition("/")[2]))
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > LONGEST_SUFFIX:
        stem, dot, suffix = plain, "", ""
    stem = _END_CHARS.sub("", _START_CHARS.sub("", stem))
    if RESERVED_NAME_PATTERN.match(stem):
        stem = f"_{stem}"
    return (_END_CHARS.sub("", stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore")) or "voice") + dot + suffix


def sanitise_voice_file_name(name: str) -> str:
    """Return a file name as `sanitise_file_name` does, with the suffix of a voice or none: a server makes no `desktop.ini`."""
    safe = sanitise_file_name(name)
    return safe if safe.casefold().endswith(VOICE_SUFFIXES) else safe.replace(".", "_")


def fetch_url(url: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch a voice by its address or a page of AivisHub or Hugging Face, and return the file, its name made safe; raise DownloadError."""
    if parse_aivishub_uuid(url):
        return fetch_hub_voice(url, monitor)
    on_hub = convert_to_hf_file_url(url)
    file = _find_hugging_face_file(on_hub, monitor) if on_hub else HubFile(parse_address(url).url, None, None)
    folder = choose_download_folder(file.url)
    if not file.sha256 and (waiting := find_pending_download(folder)) is not None:
        return waiting
    # Where the hub vouches for the bytes, the name is known as well, so that a file that is there already is found.
    target = folder / (sanitise_voice_file_name(parse_address(file.url).file_name) if file.sha256 else DEFAULT_DOWNLOAD_NAME)
    downloaded = _download_file(file, target, monitor)
    if downloaded.content_type in ("text/html", "application/xhtml+xml"):
        discard_download(downloaded.path)
        raise DownloadError(
            localize("このアドレスはファイルではなく Web ページです。", "This address is a web page, not a file."),
            localize("ページにあるダウンロードリンクのアドレスを指定してください。", "Use the address of the download link on that page."),
        )
    if downloaded.path.name != DEFAULT_DOWNLOAD_NAME:
        return downloaded.path
    target_file = folder / sanitise_voice_file_name(downloaded.name)
    try:
        move_path(downloaded.path, target_file)
    except OSError as exc:
        raise build_disk_error(exc, folder) from exc
    return target_file


def fetch_hub_voice(uuid: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch the AIVMX file of a voice of AivisHub by UUID or page, verified against the hub's checksum; raise InputError, DownloadError."""
    return fetch_listed_voice(fetch_hub_description(uuid, monitor), monitor)


def fetch_listed_voice(voice: HubVoice, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch a voice that the hub has already described, as `fetch_hub_voice` does."""
    target = choose_download_folder(voice.file.url, voice.file.sha256 or voice.version) / sanitise_file_name(
        re.sub(r"[/\\]", "_", voice.name) + ".aivmx"
    )
    return _download_file(voice.file, target, monitor).path


def find_hub_checksum(uuid: str, monitor: DownloadMonitor = NO_MONITOR) -> str | None:
    """Return the SHA-256 (hex) of a voice's newest file on AivisHub; None for a text that is no id, or without one. Raise DownloadError."""
    return fetch_hub_description(uuid, monitor).file.sha256 if parse_aivishub_uuid(uuid) else None


def fetch_hugging_face_files(repo: str, files: Mapping[str, KnownFileFacts], revision: str, monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch files of a Hugging Face repository, verified against the known checksum, or for big files the hub's; raise DownloadError.

    Args:
        repo: owner/name.
        files: by name in the repository.
        revision: a commit, so that what comes is what was meant.

    Returns:
        A folder with the files, folders inside the repository left out.
    """
    hub_files: dict[str, HubFile] = {}
    for name, facts in files.items():
        file = _find_hugging_face_file(build_hf_url(repo, name, revision), monitor)
        if facts.sha256 and file.sha256 not in (None, facts.sha256):
            raise build_other_file_error(parse_address(file.url).host)
        hub_files[name] = replace(file, sha256=facts.sha256 or file.sha256, size=facts.size or file.size)
    sizes = {name: file.size or 0 for name, file in hub_files.items()}
    folder = choose_download_folder(build_hf_url(repo, "", revision))
    everything, bytes_before = max(sum(sizes.values()), 1), 0
    targets = {name: folder / sanitise_file_name(name) for name in files}
    missing = sum(
        sizes[name] - count_arrived_bytes(file.url, file.sha256) for name, file in hub_files.items() if not targets[name].exists()
    )
    check_free_space(find_downloads_dir(), missing, build_disk_full_error)
    for name, file in hub_files.items():
        _download_file(file, targets[name], monitor.limit_to_part(bytes_before, sizes[name], everything))
        bytes_before += sizes[name]
    return folder


def fetch_standard_bert(monitor: DownloadMonitor = NO_MONITOR) -> Path:
    """Fetch the BERT of SBV2 voices, 653 MB, CC BY-SA 4.0 (the caller shows that first), into a folder; raise DownloadError."""
    return fetch_hugging_face_files(STANDARD_BERT_REPOSITORY, STANDARD_BERT_FILES, STANDARD_BERT_REVISION, monitor)


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
    downloaded = download_file(
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
    return downloaded
