"""The checks of `koebako doctor`: each looks at one thing, and says what it found and how to mend it."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app import paths
from app.cli.commands.doctor.machine import audio_devices, providers
from app.errors import AppError
from app.language import localized
from app.own_folder import check_home
from app.voices.voice_words import shown_name

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; `shown` is what people read in place of `found`."""

    id: str
    status: Status
    found: str
    fix: str = ""
    shown: str = ""


def _python() -> Check:
    return Check("python", "ok", f"{platform.python_version()} {platform.platform()}")


def _onnxruntime() -> Check:
    found = providers()
    if sys.platform == "win32" and "DmlExecutionProvider" not in found:
        fix = localized(
            "onnxruntime を削除し、onnxruntime-directml だけを再インストールしてください。",
            "Uninstall onnxruntime and reinstall only onnxruntime-directml.",
        )
        return Check("onnxruntime", "warn", ", ".join(found), fix)
    return Check("onnxruntime", "ok", ", ".join(found))


def _g2p() -> Check:
    from app.compose.text import open_g2p

    reading = open_g2p().convert("準備完了").reading
    expected = "ジュンビカンリョー"
    return Check("g2p", "ok" if reading == expected else "warn", reading)


def _dictionary() -> Check:
    from app.adapters.user_dictionary import load_dictionary

    words, unread = load_dictionary()
    if unread is not None:
        return Check("dictionary", "warn", unread.message, unread.hint)
    return Check("dictionary", "ok", localized(f"{len(words)} 語", f"{len(words)} words"))


def _voice() -> Check:
    from app.compose.opening import open_speaker
    from app.core.types import SynthesisRequest

    speaker = open_speaker()
    samples = sum(len(chunk.samples) for chunk in speaker.pipeline.synthesize(SynthesisRequest("はい。")) if not chunk.silence)
    manifest, seconds = speaker.voice.manifest, f"{samples / speaker.pipeline.voice.sampling_rate:.2f} s"
    return Check("voice", "ok", f"{manifest.name}: {seconds}", shown=f"{shown_name(manifest)}: {seconds}")


def _voices() -> Check:
    from app.install.staging import leftovers
    from app.voices.library import damaged_voices, installed_voices

    folders = paths.voice_dirs()
    found = localized(f"{len(installed_voices(folders))} 個", f"{len(installed_voices(folders))} installed")
    damaged = damaged_voices(folders)
    if damaged:
        names = ", ".join(folder.name for folder, _ in damaged[:5])
        fix = localized(
            "koebako voices remove で削除し、もう一度追加してください。", "Delete them with `koebako voices remove` and add them again."
        )
        return Check("voices", "warn", localized(f"{found}、壊れた声: {names}", f"{found}, damaged: {names}"), fix)
    if leftovers():
        fix = localized("次に声を追加するときに削除されます。", "They will be deleted when the next voice is added.")
        return Check("voices", "warn", localized(f"{found}、中断した追加の残り", f"{found}, leftovers of an interrupted installation"), fix)
    return Check("voices", "ok", found)


def _backends() -> Check:
    from app.backends.probe import Probe

    try:
        known = Probe().known()
    except AppError as error:  # what is wrong with the voice is a finding of its own
        return Check("backends", "warn", error.message)
    chosen = next((finding.backend for finding in known if finding.chosen), "cpu")
    others = ", ".join(f"{item.backend} {item.adapter}".strip() for item in known if item.backend != chosen)
    found = localized(f"auto は {chosen} を使用", f"auto uses {chosen}") + (
        localized(f"、ほかに {others}", f"; also available: {others}") if others else ""
    )
    crashed = [finding.backend for finding in known if finding.crashed]
    if crashed:
        fix = localized(
            "グラフィックスドライバーを更新してから、koebako backends --probe --retry でもう一度お試しください。それまでは使用しません。",
            "Update the graphics driver, then try again with `koebako backends --probe --retry`; until then it is not used.",
        )
        names = ", ".join(crashed)
        return Check("backends", "warn", localized(f"{found}、異常終了: {names}", f"{found}; crashed or hung: {names}"), fix)
    unknown = len(known) > 1 and all(finding.ok is None for finding in known)
    fix = (
        localized("koebako backends --probe で一番速いバックエンドを選べます。", "`koebako backends --probe` finds the fastest.")
        if unknown
        else ""
    )
    return Check("backends", "ok", found, fix)


def _audio() -> Check:
    devices = audio_devices()
    if devices:
        return Check("audio", "ok", ", ".join(str(device["name"]) for device in devices[:5]))
    fix = localized(
        "音声ファイルへの書き出しはできます。再生するには、再生デバイスを接続してください。",
        "You can still write files; to play, connect an output device.",
    )
    if sys.platform.startswith("linux"):
        fix += localized(
            "（libportaudio2 と、PulseAudio または PipeWire が必要です）", " (requires libportaudio2 and PulseAudio or PipeWire)"
        )
    return Check("audio", "warn", localized("再生デバイスがありません", "no output device"), fix)


def _sound_files() -> Check:
    from app.adapters.sound.files import library_version

    return Check("sound_files", "ok", library_version())


def _data_dir() -> Check:
    check_home(writes=True)
    return Check("data_dir", "ok", str(paths.data_dir()))


def _window() -> Check:
    # By name: the command line itself must not depend on Qt. QtWidgets needs libraries of the system that QtCore does not.
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        fix = localized(
            "コマンドラインは使えます。ウィンドウには libegl1 libgl1 libxkbcommon0 など（Debian でのパッケージ名）が必要です。",
            "The command line works; the window requires libraries such as libegl1 libgl1 libxkbcommon0 on Debian.",
        )
        return Check("window", "warn", str(error), fix)
    return Check("window", "ok", f"Qt {importlib.import_module('PySide6.QtCore').qVersion()}")


def label(check: str) -> str:
    """A check for people, with the name by which `--only` knows it."""
    japanese = {
        "python": "Python",
        "onnxruntime": "ONNX Runtime",
        "g2p": "読み",
        "dictionary": "ユーザー辞書",
        "voice": "音声合成",
        "voices": "声",
        "backends": "バックエンド",
        "audio": "再生デバイス",
        "sound_files": "音声ファイル",
        "data_dir": "データフォルダー",
        "window": "ウィンドウ",
    }.get(check, check)
    return check if japanese.replace(" ", "").casefold() == check else localized(f"{japanese}（{check}）", check)


CHECKS: dict[str, Callable[[], Check]] = {
    "python": _python,
    "onnxruntime": _onnxruntime,
    "g2p": _g2p,
    "dictionary": _dictionary,
    "voice": _voice,
    "voices": _voices,
    "backends": _backends,
    "audio": _audio,
    "sound_files": _sound_files,
    "data_dir": _data_dir,
    "window": _window,
}
