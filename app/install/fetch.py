"""Brings voices and BERTs from the internet into `<data>/downloads`, from where they are installed and then discarded.

Each lies in a folder named by what it is, so that the same wish finds what is there already; parts are kept for the next try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.download.disk import disk_full, of_disk
from app.adapters.download.download import Downloaded, download
from app.adapters.download.limits import other_file
from app.adapters.download.part import arrived_bytes, downloads_dir, sweep_downloads
from app.adapters.download.progress import OnProgress, Progress, unwatched
from app.adapters.files.disk_room import check_room
from app.adapters.http.address import address_of
from app.adapters.http.hub_addresses import aivishub_uuid, hf_address, hf_url
from app.adapters.http.hubs import HubFile, HubVoice, aivishub_voice, hf_file
from app.adapters.http.retry_policy import RetryPolicy
from app.adapters.http.waiting import OnWait, unannounced
from app.core.timing import never
from app.data_file import move
from app.errors import DownloadError
from app.install.fetched_files import UNNAMED, discard, folder_of, safe_name, waiting_in
from app.language import localized
from app.progress import Report, part, unreported

BERT_REPOSITORY = "tsukumijima/deberta-v2-large-japanese-char-wwm-onnx"
BERT_REVISION = "d701ec67708287b20d2063270f6b535e6eed09ab"


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What is known of a file before anybody is asked.

    Attributes:
        size: bytes.
        sha256: hex, in lower case.
    """

    size: int | None = None
    sha256: str | None = None


BERT_FILES: Mapping[str, KnownFile] = {
    "tokenizer.json": KnownFile(430_981, "21a17e4d0032739e82dc60f155b4ae37e94519103e0d399657fdd249ec3e7905"),
    "model_fp16.onnx": KnownFile(653_075_699, "23f633ae7c5900ff82b35a428b67a54e7e7911d5d6a6dcfc77967be8f1c94dc6"),
}
"""By name, at that revision; the small one first, so that a wrong address shows at once."""

FORGOTTEN_AFTER_S = 30 * 24 * 3600.0
STEP = "downloading"


@dataclass(frozen=True, slots=True)
class Watch:
    """How a fetch is followed.

    Attributes:
        report: called with how much of the whole is done.
        on_progress: called with bytes and speed.
        on_wait: called when a server is silent for more than a moment.
        cancelled: asked all the time; true ends the download and keeps what is there.
        patience: how often and how slowly to try again.
    """

    report: Report = unreported
    on_progress: OnProgress = unwatched
    on_wait: OnWait = unannounced
    cancelled: Callable[[], bool] = never
    patience: RetryPolicy = field(default_factory=RetryPolicy)


UNWATCHED = Watch()


def fetch_url(url: str, watch: Watch = UNWATCHED) -> Path:
    """A voice by its address; pages of AivisHub and of Hugging Face are understood too.

    Returns:
        The file, under the server's name made safe.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    if aivishub_uuid(url):
        return fetch_hub_voice(url, watch)
    on_hub = hf_address(url)
    file = _hf_file(on_hub, watch) if on_hub else HubFile(address_of(url).url, None, None)
    folder = folder_of(file.url)
    if not file.sha256 and (waiting := waiting_in(folder)) is not None:
        return waiting
    # Where the hub vouches for the bytes, the name is known as well, so that a file that is there already is found.
    target = folder / (safe_name(address_of(file.url).name) if file.sha256 else UNNAMED)
    done = _bring(file, target, watch)
    if done.content_type in ("text/html", "application/xhtml+xml"):
        discard(done.path)
        raise DownloadError(
            localized("このアドレスはファイルではなく Web ページです。", "This address is a web page, not a file."),
            localized("ページにあるダウンロードリンクのアドレスを指定してください。", "Use the address of the download link on that page."),
        )
    if done.path.name != UNNAMED:
        return done.path
    named = folder / safe_name(done.name)
    try:
        move(done.path, named)
    except OSError as exc:
        raise of_disk(exc, folder) from exc
    return named


def fetch_hub_voice(uuid: str, watch: Watch = UNWATCHED) -> Path:
    """A voice of AivisHub by its UUID or page, verified against the hub's checksum.

    Returns:
        The AIVMX file.

    Raises:
        InputError: not an id.
        DownloadError: what happened, and what the user can do.
    """
    return fetch_described(hub_voice(uuid, watch), watch)


def fetch_described(voice: HubVoice, watch: Watch = UNWATCHED) -> Path:
    """As `fetch_hub_voice`, for a voice that the hub was asked about already."""
    target = folder_of(voice.file.url, voice.file.sha256 or voice.version) / safe_name(re.sub(r"[/\\]", "_", voice.name) + ".aivmx")
    return _bring(voice.file, target, watch).path


def hub_checksum(uuid: str, watch: Watch = UNWATCHED) -> str | None:
    """SHA-256 (hex) of the newest file of a voice on AivisHub; None where it is no id, or the hub does not say. Raises DownloadError."""
    return hub_voice(uuid, watch).file.sha256 if aivishub_uuid(uuid) else None


def fetch_hf(repo: str, files: Mapping[str, KnownFile], revision: str, watch: Watch = UNWATCHED) -> Path:
    """Files of a repository of Hugging Face at a revision, verified against the checksum that is known, else (big ones) against the hub's.

    Args:
        repo: owner/name.
        files: by name in the repository.
        revision: a commit, so that what comes is what was meant.

    Returns:
        A folder with the files, folders inside the repository left out.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    found = {name: _as_known(_hf_file(hf_url(repo, name, revision), watch), known) for name, known in files.items()}
    sizes = {name: file.size or 0 for name, file in found.items()}
    folder = folder_of(hf_url(repo, "", revision))
    everything, done = max(sum(sizes.values()), 1), 0
    targets = {name: folder / safe_name(name) for name in files}
    missing = sum(sizes[name] - arrived_bytes(found[name].url, found[name].sha256) for name in files if not targets[name].exists())
    check_room(downloads_dir(), missing, disk_full)
    for name, file in found.items():
        share = part(watch.report, done / everything, (done + sizes[name]) / everything)
        _bring(file, targets[name], replace(watch, report=share, on_progress=shifted(watch.on_progress, done, everything)))
        done += sizes[name]
    return folder


def fetch_standard_bert(watch: Watch = UNWATCHED) -> Path:
    """The BERT that SBV2 voices are trained with, 653 MB, CC BY-SA 4.0 (the caller shows that first).

    Returns:
        A folder with model_fp16.onnx and tokenizer.json.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    return fetch_hf(BERT_REPOSITORY, BERT_FILES, BERT_REVISION, watch)


def _as_known(file: HubFile, known: KnownFile) -> HubFile:
    """What is known of a file goes before what the hub says; a DownloadError where that is another file, before any of it is brought."""
    if known.sha256 and file.sha256 not in (None, known.sha256):
        raise other_file(address_of(file.url).host)
    return replace(file, sha256=known.sha256 or file.sha256, size=known.size or file.size)


def _hf_file(url: str, watch: Watch) -> HubFile:
    watch.report(STEP, 0.0)
    return hf_file(url, watch.cancelled, watch.patience, watch.on_wait)


def hub_voice(uuid: str, watch: Watch = UNWATCHED) -> HubVoice:
    """What AivisHub says of a voice; raises InputError, DownloadError."""
    watch.report(STEP, 0.0)
    return aivishub_voice(uuid, watch.cancelled, watch.patience, watch.on_wait)


def _bring(file: HubFile, target: Path, watch: Watch) -> Downloaded:
    def report_part(progress: Progress) -> None:
        watch.on_progress(progress)  # first, so that a caller who shows both has the details when the step comes
        watch.report(STEP, progress.fraction)

    sweep_downloads(FORGOTTEN_AFTER_S)
    watch.report(STEP, 0.0)
    done = download(
        file.url,
        target,
        sha256=file.sha256,
        size=file.size,
        secrets=file.secrets,
        on_progress=report_part,
        on_wait=watch.on_wait,
        cancelled=watch.cancelled,
        patience=watch.patience,
    )
    watch.report(STEP, 1.0)
    return done


def shifted(on_progress: OnProgress, before: int, total: int) -> OnProgress:
    """The progress of one download as that of all, of which so many bytes came before it."""

    def report_part(one: Progress) -> None:
        left_s = max(total - before - one.received, 0) / one.bytes_per_s if one.bytes_per_s > 0 else None
        on_progress(Progress(before + one.received, total, one.bytes_per_s, left_s))

    return report_part
