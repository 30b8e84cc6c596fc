"""The real preparation of a voice, done once a run: the same graph under another name, id or licence gets a copy of what came of it."""

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import FileLock
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.voices.containers.onnx_metadata import MODEL_GRAPH_FIELD
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepared_voice import PreparationResult, Voice, VoiceManifest, read_manifest, write_manifest
from app.voices.untrusted.onnx_nodes import ProtobufWalker

FOLDER_VARIABLE = "KOEBAKO_TEST_PREPARED"
LONGEST_WAIT_S = 120  # for another process that prepares the same voice
TOLD = ("id", "name", "licence", "description")  # what a source says of itself, whatever its graph is
MADE = ("graphs", "fast", "refused", "margin_frames", "multilingual", "recipe")  # what preparing finds out


def prepare_remembered(source: Path, folder: Path, report: Report = ignore_report) -> PreparationResult:
    """As `prepare_voice_in_sandbox`; what is no public graph in one file is prepared as ever."""
    if source.suffix != ".aivmx":
        return prepare_voice_in_sandbox(source, folder, report)
    voice = read_voice_source(source)
    kept = Path(os.environ[FOLDER_VARIABLE]) / key_of(source, voice)
    kept.parent.mkdir(exist_ok=True)
    lock = FileLock(kept.with_suffix(".lock"))
    lock.wait_for_lock(LONGEST_WAIT_S)
    try:
        if not (kept / "difference.json").is_file():
            return _keep(prepare_voice_in_sandbox(source, folder, report), folder, kept)
    finally:
        lock.release()
    for step in ("cutting", "checking"):
        report(step, 0.5)
    return _copy(kept, folder, voice.manifest)


def key_of(source: Path, voice: Voice) -> str:
    """The same for voices that differ in nothing but words."""
    data = memoryview(source.read_bytes())
    graph = next(data[start:end] for number, start, end in ProtobufWalker(data).iterate_fields(0, len(data)) if number == MODEL_GRAPH_FIELD)
    without: dict[str, Any] = dict.fromkeys(TOLD, "")
    manifest = replace(voice.manifest, graphs={}, **without)
    return hashlib.sha256(b"\n".join([graph, voice.style_vectors.tobytes(), repr(manifest).encode()])).hexdigest()[:32]


def _keep(prepared: PreparationResult, folder: Path, kept: Path) -> PreparationResult:
    shutil.rmtree(kept, ignore_errors=True)  # by one that was ended meanwhile
    shutil.copytree(folder, kept)
    (kept / "difference.json").write_text(json.dumps(prepared.max_abs_diff))
    return prepared


def _copy(kept: Path, folder: Path, manifest: VoiceManifest) -> PreparationResult:
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    difference = json.loads((folder / "difference.json").read_text())
    (folder / "difference.json").unlink()
    made = read_manifest(folder)
    written = replace(manifest, **{name: getattr(made, name) for name in MADE})
    write_manifest(written, folder)
    return PreparationResult(written, difference, None)
