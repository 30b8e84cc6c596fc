"""Voices as imported scripts look for them: the shipped one, and AivisSpeech's with the numbers of their styles."""

from pathlib import Path

import pytest

from app.core.script.project import Project, VoiceAssignment
from app.core.script.script import Line, LineSettings, Script
from app.install.known_voices import list_known_voices
from app.interchange.character_assignment import compute_style_id, match_characters
from app.voices import aivisspeech_voices
from app.voices.containers.voice_sources import read_source_facts

from .voice_files import aivmx


@pytest.fixture
def models(tiny_models: Path, tmp_path: Path) -> Path:
    """AivisSpeech's folder with one voice and one broken file."""
    folder = tmp_path / "other-programs" / "AivisSpeech-Engine" / "Models"
    folder.mkdir(parents=True)
    aivmx(tiny_models, folder / "a.aivmx", name="花子")
    (folder / "broken.aivmx").write_bytes(b"broken")
    return folder


def test_a_style_of_aivisspeech_is_found_by_its_number(models: Path) -> None:
    speaker = read_source_facts(models / "a.aivmx").aivm_manifest["speakers"][-1]
    number = compute_style_id(speaker["uuid"], speaker["styles"][-1]["local_id"])
    line = Line("はい", LineSettings(voice=f"aivisspeech:{number}"))
    project = Project(Script((line,)), assignments=(VoiceAssignment(line.settings.voice),))
    found = match_characters(project, list_known_voices()).script.lines[0].settings
    assert found.voice == read_source_facts(models / "a.aivmx").aivm_manifest["uuid"]
    assert (found.speaker, found.style) == (speaker["name"], speaker["styles"][-1]["name"])


def test_a_file_is_read_for_its_speakers_once(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = list_known_voices()
    reads: list[Path] = []
    monkeypatch.setattr(aivisspeech_voices, "read_source_facts", lambda path: reads.append(path) or read_source_facts(path))
    assert list_known_voices() == first
    assert reads == []


def test_the_shipped_voice_is_known_by_its_names() -> None:
    (shipped,) = list_known_voices()
    assert shipped.speakers
    assert all(not speaker.uuid and speaker.styles for speaker in shipped.speakers)
