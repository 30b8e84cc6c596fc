"""Brings voices and BERTs from the internet into `<data>/downloads`, from where they are installed and then discarded.

Each lies in a folder named by what it is, so that the same wish finds what is there already; parts are kept for the next try.
"""

from __future__ import annotations

import re
import shutil
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.disk_room import check_room
from app.adapters.download import Downloaded, download
from app.adapters.download_part import arrived_bytes, downloads_dir, key_of, sweep_downloads
from app.adapters.download_progress import OnProgress, Progress, unwatched
from app.adapters.http_failures import disk_full, of_disk
from app.adapters.http_patience import Patience
from app.adapters.hubs import HubFile, aivishub_uuid, aivishub_voice, hf_address, hf_file, hf_url
from app.core.timing import never
from app.data_file import move
from app.errors import DownloadError, VoiceError
from app.install.choice import UndecidedError
from app.language import say
from app.progress import Report, part, unreported
from app.voices.zip_names import RESERVED

BERT_REPOSITORY = "tsukumijima/deberta-v2-large-japanese-char-wwm-onnx"
BERT_REVISION = "5e5cc2b628d083d0a815c4d4a4c3fe84a414f8ed"
BERT_FILES: Mapping[str, int | None] = {"tokenizer.json": None, "model_fp16.onnx": 653_075_699}
"""Name and bytes, where they are known; the small one first, so that a wrong address shows at once."""

FORGOTTEN_AFTER_S = 30 * 24 * 3600.0
WAITS_AT_MOST_S = 3600.0  # for a licence to be read, or a choice to be made
LONGEST_STEM_BYTES, LONGEST_SUFFIX = 120, 20  # a name may have 255 bytes; others append to it
STEP = "downloading"
UNNAMED = "download"


@dataclass(frozen=True, slots=True)
class Watch:
    """How a fetch is followed.

    Attributes:
        report: told how much of the whole is done.
        on_progress: told of bytes and speed.
        cancelled: asked all the time; true ends the download and keeps what is there.
        patience: how often and how slowly to try again.
    """

    report: Report = unreported
    on_progress: OnProgress = unwatched
    cancelled: Callable[[], bool] = never
    patience: Patience = field(default_factory=Patience)


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
    address = hf_address(url)
    file = hf_file(address, watch.cancelled, watch.patience) if address else HubFile(url, None, None)
    folder = _folder(url)
    if not file.sha256 and (waiting := _waiting(folder)) is not None:
        return waiting
    # Where the hub vouches for the bytes, the name is known as well, so that a file that is there already is found.
    target = folder / (safe_name(urllib.parse.unquote(file.url)) if file.sha256 else UNNAMED)
    done = _bring(file, target, watch)
    if done.content_type in ("text/html", "application/xhtml+xml"):
        discard(done.path)
        raise DownloadError(
            say("このアドレスはファイルではなく、ウェブページです。", "This address is a web page, not a file."),
            say("ページにあるダウンロード用リンクのアドレスを指定してください。", "Give the address of the download link on that page."),
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
    voice = aivishub_voice(uuid, watch.cancelled, watch.patience)
    target = _folder(voice.file.url, voice.file.sha256 or voice.version) / safe_name(re.sub(r"[/\\]", "_", voice.name) + ".aivmx")
    return _bring(voice.file, target, watch).path


def hub_checksum(uuid: str, watch: Watch = UNWATCHED) -> str | None:
    """SHA-256 (hex) of the newest file of a voice on AivisHub; None where it is no id, or the hub does not say. Raises DownloadError."""
    return aivishub_voice(uuid, watch.cancelled, watch.patience).file.sha256 if aivishub_uuid(uuid) else None


def fetch_hf(repo: str, files: Mapping[str, int | None], revision: str, watch: Watch = UNWATCHED) -> Path:
    """Files of a repository of Hugging Face at a revision, big ones verified against the hub's checksum.

    Args:
        repo: owner/name.
        files: name in the repository to its bytes; None where they are not known.
        revision: a commit, so that what comes is what was meant.

    Returns:
        A folder with the files, folders inside the repository left out.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    found = {name: hf_file(hf_url(repo, name, revision), watch.cancelled, watch.patience) for name in files}
    sizes = {name: size or found[name].size or 0 for name, size in files.items()}
    folder = _folder(hf_url(repo, "", revision))
    everything, done = max(sum(sizes.values()), 1), 0
    targets = {name: folder / safe_name(name) for name in files}
    missing = sum(sizes[name] - arrived_bytes(found[name].url, found[name].sha256) for name in files if not targets[name].exists())
    check_room(downloads_dir(), missing, disk_full)
    for name, size in files.items():
        share = part(watch.report, done / everything, (done + sizes[name]) / everything)
        file = HubFile(found[name].url, found[name].sha256, size or found[name].size, found[name].secrets)
        _bring(file, targets[name], replace(watch, report=share, on_progress=_shifted(watch.on_progress, done, everything)))
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


@contextmanager
def used_up(path: Path) -> Iterator[Path]:
    """Discards what a fetch returned after the block has installed it, or found it bad: it would be found again, and be as bad.

    After anything else it is there for the next try.
    """
    try:
        yield path
    except UndecidedError:
        raise
    except VoiceError:
        discard(path)
        raise
    discard(path)


def discard(path: Path) -> None:
    """Removes what a fetch returned, after it was installed; leaves everything outside the downloads folder alone."""
    root = downloads_dir()
    if root in path.parents and ".." not in path.relative_to(root).parts:
        shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def safe_name(name: str) -> str:
    """A file name that every system takes, with its suffix; what the server says may be anything."""
    plain = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", name.replace("\\", "/").rpartition("/")[2]).rstrip(" .")
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > LONGEST_SUFFIX:
        stem, dot, suffix = plain, "", ""
    stem = stem.strip(" .")
    if RESERVED.match(stem):
        stem = f"_{stem}"
    return (stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore").rstrip(" .") or "voice") + dot + suffix


def _waiting(folder: Path) -> Path | None:
    """What was brought a moment ago and waits for the user's word on it; what lies there longer may have changed at its source."""
    try:
        found = [item for item in folder.iterdir() if item.name != UNNAMED and item.is_file()]
        return found[0] if len(found) == 1 and time.time() - found[0].stat().st_mtime < WAITS_AT_MOST_S else None
    except OSError:
        return None


def _folder(url: str, version: str | None = None) -> Path:
    return downloads_dir() / key_of(url, version)


def _bring(file: HubFile, target: Path, watch: Watch) -> Downloaded:
    def tell(progress: Progress) -> None:
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
        on_progress=tell,
        cancelled=watch.cancelled,
        patience=watch.patience,
    )
    watch.report(STEP, 1.0)
    return done


def _shifted(on_progress: OnProgress, before: int, total: int) -> OnProgress:
    """The progress of one file as that of all."""

    def tell(one: Progress) -> None:
        left_s = (total - before - one.received) / one.bytes_per_s if one.bytes_per_s > 0 else None
        on_progress(Progress(before + one.received, total, one.bytes_per_s, left_s))

    return tell
