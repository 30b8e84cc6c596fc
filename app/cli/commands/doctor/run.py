"""`koebako doctor`: checks what the program needs, and prints what was found and how to mend it."""

import argparse
import importlib
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Literal

from app.cli.console_output import print_json, print_result
from app.common.errors import AppError, InputError
from app.common.files import paths
from app.common.files.private_data_dir import check_data_dir
from app.common.language import localize
from app.voices.voice_labels import format_voice_name

REPORTED_PACKAGES = (
    "PySide6-Essentials",
    "onnxruntime",
    "onnxruntime-directml",
    "onnxruntime-openvino",
    "onnxruntime-gpu",
    "onnxruntime-ep-webgpu",
    "tensorrt",
    "numpy",
    "pyopenjtalk-plus",
    "sounddevice",
    "soundfile",
    "pyqtgraph",
)


def collect_versions() -> dict[str, str]:
    """Return the versions of Python and of the needed packages by name; packages that are not installed are left out."""
    versions = {"python": platform.python_version()}
    for package in REPORTED_PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def list_providers() -> list[str]:
    """Return the execution providers of the installed ONNX Runtime."""
    from app.adapters.ort.devices.ort_devices import list_providers

    return list_providers()


def list_audio_devices() -> list[dict[str, object]]:
    """Return outputs as index and name; none if PortAudio does not start."""
    from app.adapters.portaudio.audio_devices import list_output_devices

    try:
        return [{"index": device.index, "name": device.label} for device in list_output_devices()]
    except AppError:
        return []


FindingStatus = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One finding; `shown` is what people read in place of `found`."""

    id: str
    status: FindingStatus
    found: str
    fix: str = ""
    shown: str = ""


def _check_python() -> DoctorFinding:
    return DoctorFinding("python", "ok", f"{platform.python_version()} {platform.platform()}")


def _check_onnxruntime() -> DoctorFinding:
    providers = list_providers()
    if sys.platform == "win32" and "DmlExecutionProvider" not in providers:
        fix = localize(
            "onnxruntime を削除し、onnxruntime-directml だけを再インストールしてください。",
            "Uninstall onnxruntime and reinstall only onnxruntime-directml.",
        )
        return DoctorFinding("onnxruntime", "warn", ", ".join(providers), fix)
    return DoctorFinding("onnxruntime", "ok", ", ".join(providers))


def _check_g2p() -> DoctorFinding:
    from app.compose.text_front_end import open_g2p

    reading = open_g2p().convert_sentence("準備完了").reading
    return DoctorFinding("g2p", "ok" if reading == "ジュンビカンリョー" else "warn", reading)


def _check_dictionary() -> DoctorFinding:
    from app.adapters.user_dictionary import load_dictionary

    words, unread = load_dictionary()
    if unread is not None:
        return DoctorFinding("dictionary", "warn", unread.message, unread.hint)
    return DoctorFinding("dictionary", "ok", localize(f"{len(words)} 語", f"{len(words)} words"))


def _check_first_voice() -> DoctorFinding:
    from app.core.synthesis_types import SynthesisRequest
    from app.engine.engine import EngineThread, JobHandle
    from app.engine.open_voices import OpenVoices
    from app.engine.synthesis_jobs import Importance, JobTurn
    from app.engine.voice_terms import VoiceTerms, create_opener

    def speak_word(turn: JobTurn) -> DoctorFinding:
        speaker = turn.open_speaker("")
        samples = sum(len(chunk.samples) for chunk in speaker.pipeline.synthesize(SynthesisRequest("はい。")) if not chunk.silence)
        manifest, seconds = speaker.voice.manifest, f"{samples / speaker.pipeline.voice.sampling_rate:.2f} s"
        return DoctorFinding("voice", "ok", f"{manifest.name}: {seconds}", shown=f"{format_voice_name(manifest)}: {seconds}")

    with EngineThread(OpenVoices(create_opener(lambda _voice: VoiceTerms(None)))) as engine:
        return JobHandle(engine, Importance.HEARD, speak_word).wait_for_result()


def _check_all_voices() -> DoctorFinding:
    from app.install.staging_folders import list_leftovers
    from app.voices.installed_voices import list_damaged_voices, list_installed_voices

    folders = paths.list_voice_dirs()
    summary = localize(f"{len(list_installed_voices(folders))} 個", f"{len(list_installed_voices(folders))} installed")
    damaged = list_damaged_voices(folders)
    if damaged:
        names = ", ".join(folder.name for folder, _ in damaged[:5])
        fix = localize(
            "koebako voices remove で削除し、もう一度追加してください。", "Delete them with `koebako voices remove` and add them again."
        )
        return DoctorFinding("voices", "warn", localize(f"{summary}、壊れた声: {names}", f"{summary}, damaged: {names}"), fix)
    if list_leftovers():
        fix = localize("次に声を追加するときに削除されます。", "They will be deleted when the next voice is added.")
        return DoctorFinding(
            "voices", "warn", localize(f"{summary}、中断した追加の残り", f"{summary}, leftovers of an interrupted installation"), fix
        )
    return DoctorFinding("voices", "ok", summary)


def _check_backends() -> DoctorFinding:
    from app.backends.backend_probe import BackendProbe

    try:
        findings = BackendProbe().list_known_results()
    except AppError as error:  # what is wrong with the voice is a finding of its own
        return DoctorFinding("backends", "warn", error.message)
    chosen = next((finding.backend for finding in findings if finding.chosen), "cpu")
    other_backends = ", ".join(f"{item.backend} {item.adapter}".strip() for item in findings if item.backend != chosen)
    summary = localize(f"auto は {chosen} を使用", f"auto uses {chosen}") + (
        localize(f"、ほかに {other_backends}", f"; also available: {other_backends}") if other_backends else ""
    )
    crashed = [finding.backend for finding in findings if finding.crashed]
    if crashed:
        fix = localize(
            "グラフィックスドライバーを更新してから、koebako backends --probe --retry でもう一度お試しください。それまでは使用しません。",
            "Update the graphics driver, then try again with `koebako backends --probe --retry`; until then it is not used.",
        )
        names = ", ".join(crashed)
        return DoctorFinding("backends", "warn", localize(f"{summary}、異常終了: {names}", f"{summary}; crashed or hung: {names}"), fix)
    unknown = len(findings) > 1 and all(finding.ok is None for finding in findings)
    fix = (
        localize("koebako backends --probe で一番速いバックエンドを選べます。", "`koebako backends --probe` finds the fastest.")
        if unknown
        else ""
    )
    return DoctorFinding("backends", "ok", summary, fix)


def _check_audio() -> DoctorFinding:
    devices = list_audio_devices()
    if devices:
        return DoctorFinding("audio", "ok", ", ".join(str(device["name"]) for device in devices[:5]))
    fix = localize(
        "音声ファイルへの書き出しはできます。再生するには、再生デバイスを接続してください。",
        "You can still write files; to play, connect an output device.",
    )
    if sys.platform.startswith("linux"):
        fix += localize(
            "（libportaudio2 と、PulseAudio または PipeWire が必要です）", " (requires libportaudio2 and PulseAudio or PipeWire)"
        )
    return DoctorFinding("audio", "warn", localize("再生デバイスがありません", "no output device"), fix)


def _check_sound_files() -> DoctorFinding:
    from app.adapters.sound.sound_file_sink import read_libsndfile_version

    return DoctorFinding("sound_files", "ok", read_libsndfile_version())


def _check_data_dir() -> DoctorFinding:
    check_data_dir(must_be_writable=True)
    return DoctorFinding("data_dir", "ok", str(paths.find_data_dir()))


def _check_window() -> DoctorFinding:
    # By name: the command line itself must not depend on Qt. QtWidgets needs libraries of the system that QtCore does not.
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        fix = localize(
            "コマンドラインは使えます。ウィンドウには libegl1 libgl1 libxkbcommon0 など（Debian でのパッケージ名）が必要です。",
            "The command line works; the window requires libraries such as libegl1 libgl1 libxkbcommon0 on Debian.",
        )
        return DoctorFinding("window", "warn", str(error), fix)
    return DoctorFinding("window", "ok", f"Qt {importlib.import_module('PySide6.QtCore').qVersion()}")


def format_check_name(check: str) -> str:
    """Return a check's name for people, with the name by which `--only` knows it."""
    japanese = DOCTOR_CHECKS[check][0] if check in DOCTOR_CHECKS else check
    return check if japanese.replace(" ", "").casefold() == check else localize(f"{japanese}（{check}）", check)


DOCTOR_CHECKS: dict[str, tuple[str, Callable[[], DoctorFinding]]] = {
    "python": ("Python", _check_python),
    "onnxruntime": ("ONNX Runtime", _check_onnxruntime),
    "g2p": ("読み", _check_g2p),
    "dictionary": ("ユーザー辞書", _check_dictionary),
    "voice": ("音声合成", _check_first_voice),
    "voices": ("声", _check_all_voices),
    "backends": ("バックエンド", _check_backends),
    "audio": ("再生デバイス", _check_audio),
    "sound_files": ("音声ファイル", _check_sound_files),
    "data_dir": ("データフォルダー", _check_data_dir),
    "window": ("ウィンドウ", _check_window),
}
"""Name of a check → its Japanese name, and what runs it."""
STATUS_MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def run(options: argparse.Namespace) -> int:
    """Print every check; return exit code 70 if one fails."""
    if options.only not in (None, *DOCTOR_CHECKS):
        raise InputError(
            localize(f"この項目はありません: {options.only}", f"Unknown check: {options.only}"),
            localize("使用できるもの: ", "Available: ") + ", ".join(DOCTOR_CHECKS),
        )
    checks = [_run_check(name) for name in (DOCTOR_CHECKS if options.only is None else [options.only])]
    ok = all(check.status != "fail" for check in checks)
    if options.json:
        print_json(
            {
                "ok": ok,
                "checks": [{name: value for name, value in asdict(check).items() if name != "shown"} for check in checks],
                "versions": collect_versions(),
                "providers": list_providers() if options.only in (None, "onnxruntime") else [],
                "audio_devices": list_audio_devices(),
                "paths": {"data": str(paths.find_data_dir()), "resources": str(paths.find_resources_dir())},
            }
        )
    else:
        for check in checks:
            print_result(f"{STATUS_MARKS[check.status]} {format_check_name(check.id)}: {check.shown or check.found}")
            if check.fix:
                print_result(f"    → {check.fix}")
    return 0 if ok else AppError.exit_code


def _run_check(name: str) -> DoctorFinding:
    """Run a check; one that breaks is itself a finding."""
    try:
        return DOCTOR_CHECKS[name][1]()
    except AppError as error:
        return DoctorFinding(name, "fail", error.message, error.hint)
    except Exception as error:
        return DoctorFinding(
            name, "fail", f"{type(error).__name__}: {error}", localize("Koebako を再インストールしてください。", "Reinstall Koebako.")
        )
