"""What is remembered of preparing a voice is what preparing it again would give."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.voices.containers.voice_sources import read_voice_source
from app.voices.pending_refinement import PENDING_NAME
from app.voices.prepared_voice import read_manifest
from tests import remembered
from tests.install.voice_files import aivmx


def contents(folder: Path) -> dict[str, bytes]:
    """All but the faster way to speak, which is measured each time, and the token of what is to be done later."""
    exact = replace(read_manifest(folder), fast=None, refused={})
    files = {item.name: item.read_bytes() for item in folder.iterdir() if "_int8" not in item.name and item.name != PENDING_NAME}
    return files | {"voice.json": repr(exact).encode()}


@pytest.mark.usefixtures("_prepared_voices")
def test_a_copy_equals_what_is_prepared_anew(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also under another name, id and licence than the one that was prepared."""
    words = {"uuid": "0faf9f49-fb67-595a-a405-82fb5a94a620", "name": "花子", "license": "Terms.", "description": "声"}
    sources = [aivmx(tiny_models, tmp_path / "a.aivmx"), aivmx(tiny_models, tmp_path / "b.aivmx", **words)]
    folders = {name: tmp_path / name for name in ("first", "copied", "direct")}
    for folder in folders.values():
        folder.mkdir()
    remembered.prepare_remembered(sources[0], folders["first"])
    expected = prepare_voice_in_sandbox(sources[1], folders["direct"])
    monkeypatch.setattr(remembered, "prepare_voice_in_sandbox", None)
    copied = remembered.prepare_remembered(sources[1], folders["copied"])
    assert (copied.max_abs_diff, copied.reason) == (expected.max_abs_diff, expected.reason)
    assert contents(folders["copied"]) == contents(folders["direct"])
    assert contents(folders["copied"])["voice.json"] != contents(folders["first"])["voice.json"]


def test_another_speaker_or_style_is_another_voice(tiny_models: Path, tmp_path: Path) -> None:
    reference = tiny_models
    renamed = {"speakers": lambda speakers: [item | {"name": "別人"} for item in speakers]}
    sources = [
        aivmx(reference, tmp_path / "a.aivmx"),
        aivmx(reference, tmp_path / "b.aivmx", **renamed),
        reference / "jp-extra-tiny" / "model.aivmx",
    ]
    assert len({remembered.key_of(source, read_voice_source(source)) for source in sources}) == len(sources)
