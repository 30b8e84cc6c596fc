"""Brings voices and BERTs from the internet into `<data>/downloads`, from where they are installed and then discarded.

Each lies in a folder named by what it is, so that the same wish finds what is there already; parts are kept for the next try.
"""

from __future__ import annotations

import re
import shutil
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path

from app.adapters.download import Downloaded, download
from app.adapters.download_limits import check_room
from app.adapters.download_part import arrived_bytes, downloads_dir, key_of, sweep_downloads
from app.adapters.download_progress import OnProgress, Progress, unwatched
from app.adapters.http_failures import of_disk
from app.adapters.http_patience import Patience, never
from app.adapters.hubs import HubFile, aivishub_uuid, aivishub_voice, hf_address, hf_file, hf_url
from app.errors import DownloadError
from app.language import say
from app.progress import Report, part, unreported

BERT_REPOSITORY = "tsukumijima/deberta-v2-large-japanese-char-wwm-onnx"
BERT_REVISION = "5e5cc2b628d083d0a815c4d4a4c3fe84a414f8ed"
BERT_FILES: Mapping[str, int | None] = {"tokenizer.json": None, "model_fp16.onnx": 653_075_699}
"""Name and bytes, where they are known; the small one first, so that a wrong address shows at once."""

FORGOTTEN_AFTER_S = 30 * 24 * 3600.0
LONGEST_STEM_BYTES, LONGEST_SUFFIX = 120, 20  # a name may have 255 bytes; others append to it
STEP = "downloading"
UNNAMED = "download"


def fetch_url(
    url: str,
    report: Report = unreported,
    *,
    on_progress: OnProgress = unwatched,
    cancelled: Callable[[], bool] = never,
    patience: Patience | None = None,
) -> Path:
    """A voice by its address; pages of AivisHub and of Hugging Face are understood too.

    Returns:
        The file, under the server's name made safe.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    if aivishub_uuid(url):
        return fetch_hub_voice(url, report, on_progress=on_progress, cancelled=cancelled, patience=patience)
    address = hf_address(url)
    file = hf_file(address, cancelled, patience) if address else HubFile(url, None, None)
    folder = _folder(url)
    # Where the hub vouches for the bytes, the name is known as well, so that a file that is there already is found.
    target = folder / (safe_name(urllib.parse.unquote(file.url)) if file.sha256 else UNNAMED)
    done = _bring(file, target, report, on_progress, cancelled, patience)
    if done.content_type in ("text/html", "application/xhtml+xml"):
        discard(done.path)
        raise DownloadError(
            say("このアドレスはファイルではなく、ウェブページです。", "This address is a web page, not a file."),
            say("ページにあるダウンロード用リンクのアドレスを指定してください。", "Give the address of the download link on that page."),
        )
    if done.path.name != UNNAMED:
        return done.path
    try:
        return done.path.replace(folder / safe_name(done.name))
    except OSError as exc:
        raise of_disk(exc, folder) from exc


def fetch_hub_voice(
    uuid: str,
    report: Report = unreported,
    *,
    on_progress: OnProgress = unwatched,
    cancelled: Callable[[], bool] = never,
    patience: Patience | None = None,
) -> Path:
    """A voice of AivisHub by its UUID or page, verified against the hub's checksum.

    Returns:
        The AIVMX file.

    Raises:
        InputError: not an id.
        DownloadError: what happened, and what the user can do.
    """
    voice = aivishub_voice(uuid, cancelled, patience)
    target = _folder(voice.file.url, voice.file.sha256 or voice.version) / safe_name(re.sub(r"[/\\]", "_", voice.name) + ".aivmx")
    return _bring(voice.file, target, report, on_progress, cancelled, patience).path


def fetch_hf(
    repo: str,
    files: Mapping[str, int | None],
    revision: str,
    report: Report = unreported,
    *,
    on_progress: OnProgress = unwatched,
    cancelled: Callable[[], bool] = never,
    patience: Patience | None = None,
) -> Path:
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
    found = {name: hf_file(hf_url(repo, name, revision), cancelled, patience) for name in files}
    sizes = {name: size or found[name].size or 0 for name, size in files.items()}
    folder = _folder(hf_url(repo, "", revision))
    everything, done = max(sum(sizes.values()), 1), 0
    targets = {name: folder / safe_name(name) for name in files}
    _check_room(sum(sizes[name] - arrived_bytes(found[name].url, found[name].sha256) for name in files if not targets[name].exists()))
    for name, size in files.items():
        share = part(report, done / everything, (done + sizes[name]) / everything)
        file = HubFile(found[name].url, found[name].sha256, size or found[name].size, found[name].secrets)
        watch = _shifted(on_progress, done, everything)
        _bring(file, targets[name], share, watch, cancelled, patience)
        done += sizes[name]
    return folder


def fetch_standard_bert(
    report: Report = unreported,
    *,
    on_progress: OnProgress = unwatched,
    cancelled: Callable[[], bool] = never,
    patience: Patience | None = None,
) -> Path:
    """The BERT that SBV2 voices are trained with, 653 MB, CC BY-SA 4.0 (the caller shows that first).

    Returns:
        A folder with model_fp16.onnx and tokenizer.json.

    Raises:
        DownloadError: what happened, and what the user can do.
    """
    return fetch_hf(BERT_REPOSITORY, BERT_FILES, BERT_REVISION, report, on_progress=on_progress, cancelled=cancelled, patience=patience)


def discard(path: Path) -> None:
    """Removes what a fetch returned, after it was installed; leaves everything outside the downloads folder alone."""
    root = downloads_dir()
    if root in path.parents:
        shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def safe_name(name: str) -> str:
    """A file name that every system takes, with its suffix; what the server says may be anything."""
    plain = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", name.replace("\\", "/").rpartition("/")[2]).rstrip(" .")
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > LONGEST_SUFFIX:
        stem, dot, suffix = plain, "", ""
    stem = stem.strip(" .")
    if re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", stem):
        stem = f"_{stem}"
    return (stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore").rstrip(" .") or "voice") + dot + suffix


def _folder(url: str, version: str | None = None) -> Path:
    return downloads_dir() / key_of(url, version)


def _bring(
    file: HubFile, target: Path, report: Report, on_progress: OnProgress, cancelled: Callable[[], bool], patience: Patience | None
) -> Downloaded:
    def watch(progress: Progress) -> None:
        on_progress(progress)  # first, so that a caller who shows both has the details when the step comes
        report(STEP, progress.fraction)

    sweep_downloads(FORGOTTEN_AFTER_S)
    report(STEP, 0.0)
    done = download(
        file.url,
        target,
        sha256=file.sha256,
        size=file.size,
        secrets=file.secrets,
        on_progress=watch,
        cancelled=cancelled,
        patience=patience,
    )
    report(STEP, 1.0)
    return done


def _shifted(on_progress: OnProgress, before: int, total: int) -> OnProgress:
    """The progress of one file as that of all."""

    def watch(one: Progress) -> None:
        left_s = (total - before - one.received) / one.bytes_per_s if one.bytes_per_s > 0 else None
        on_progress(Progress(before + one.received, total, one.bytes_per_s, left_s))

    return watch


def _check_room(needed_bytes: int) -> None:
    folder = downloads_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise of_disk(exc, folder) from exc
    check_room(folder, needed_bytes)
