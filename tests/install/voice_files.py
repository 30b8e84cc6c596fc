"""Voices to add: AIVMX files with a manifest of the test's own, and a preparation that takes no time."""

import base64
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx

from app.common.files import paths
from app.common.progress import Report
from app.install.voice_import import ImportOptions
from app.voices.containers.voice_sources import read_source_facts
from app.voices.prepared_voice import PreparationResult, read_manifest, write_manifest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(100)
TERMS = "You may use this voice as you like, but say whose it is."


def data_url(data: bytes, kind: str = "image/png") -> str:
    """As icons and samples travel in an AIVM manifest."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def aivmx(reference: Path, target: Path, **changes: Any) -> Path:
    """A copy of the tiny AIVMX voice with changes to its manifest; callables change what is there."""
    model = onnx.load(reference / "jp-extra-tiny-2spk" / "model.aivmx")
    for entry in model.metadata_props:
        if entry.key == "aivm_manifest":
            manifest = json.loads(entry.value)
            for key, value in changes.items():
                manifest[key] = value(manifest[key]) if callable(value) else value
            entry.value = json.dumps(manifest, ensure_ascii=False)
    onnx.save(model, target)
    return target


def quick(source: Path, folder: Path, report: Report) -> PreparationResult:
    """In place of the real preparation: the shipped voice's graphs under the name of the source."""
    report("checking", 0.5)
    shipped = paths.find_resources_dir() / "voices" / "mei"
    for path in shipped.iterdir():
        shutil.copy(path, folder)
    facts = read_source_facts(source) if not (source / "voice.json").is_file() else None
    name = facts.aivm_manifest.get("name") if facts else read_manifest(source).name
    licence = (facts.aivm_manifest.get("license") or "") if facts else read_manifest(source).licence
    manifest = replace(read_manifest(shipped), id="unset", name=name or source.stem, format="aivmx", licence=licence)
    write_manifest(manifest, folder)
    return PreparationResult(manifest, 1e-6, None)


def wishes(accepted: bool = True, **values: Any) -> ImportOptions:
    """What the user wants; licences are accepted or not."""
    return ImportOptions(lambda _licence: accepted, **values)


def tree(root: Path) -> list[str]:
    """Every file and folder below, for comparing."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*")) if root.is_dir() else []
