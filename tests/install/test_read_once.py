"""An import recognises its file and reads its header once, and once more in the child that prepares it; the file must stay as it is meanwhile."""

import copy
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import onnx
import pytest

from app.common.errors import VoiceError
from app.common.progress import Report
from app.install import resolve_source, voice_preparation
from app.install.resolve_source import PriorConsent, prepare_source
from app.install.staging_folders import find_staging_dir
from app.install.voice_import import add_voice, find_user_voices_dir
from app.install.voice_preparation import prepare_voice
from app.voices.containers.container_recognition import recognise_container
from app.voices.containers.onnx_metadata import read_onnx_info, read_onnx_metadata
from app.voices.containers.sbv2_archive import read_sbv2_archive, require_tar
from app.voices.containers.voice_sources import open_voice_source
from app.voices.prepare import graph_cutting
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepared_voice import PreparationResult
from app.voices.untrusted.safetensors_file import SafetensorsFile

from .voice_files import quick, tree, wishes

READERS: dict[Any, str] = {
    recognise_container.__code__: "recognised",
    **dict.fromkeys((item.__code__ for item in (read_onnx_info, read_onnx_metadata, SafetensorsFile.__init__)), "header"),
    **dict.fromkeys((item.__code__ for item in (read_sbv2_archive, require_tar)), "archive"),
}
ONCE = {"recognised": 1, "header": 1}
# Its style vectors are behind its graph: the start is looked at when it is found, all of it when it is described.
ARCHIVE = {"recognised": 1, "archive": 2}


class ReadCounter:
    """Counts who reads a file: the parent, or what runs in the child."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._side = "parent"
        self.counts: dict[str, Counter[str]] = {"parent": Counter(), "child": Counter()}

    def count_calls(self, work: Callable[[], object]) -> None:
        sys.setprofile(self._see_call)
        try:
            work()
        finally:
            sys.setprofile(None)

    def prepare(self, source: Path, folder: Path, report: Report) -> PreparationResult:
        self._side = "child"
        try:
            return prepare_voice(source, folder, report, is_quick=True)
        finally:
            self._side = "parent"

    def _see_call(self, frame: FrameType, event: str, _argument: object) -> None:
        kind = READERS.get(frame.f_code) if event == "call" else None
        if kind is not None and frame.f_locals["path"] == self._path:
            self.counts[self._side][kind] += 1


@pytest.fixture(scope="module")
def parts(tiny_models: Path) -> PreparedGraphs:
    """What the graph of the voice is cut into."""
    return graph_cutting.cut_voice_graph(onnx.load(str(tiny_models / "jp-extra-tiny-2spk" / "model.onnx")))


@pytest.fixture
def _cut_before(parts: PreparedGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is read, but not cut again: every call takes long while calls are counted."""
    monkeypatch.setattr(graph_cutting, "cut_voice_graph", lambda _model: copy.deepcopy(parts))


@pytest.fixture(autouse=True)
def _unproved(monkeypatch: pytest.MonkeyPatch, at_length: bool) -> None:
    """What is compared is what was written, not the file that was read; slow tests watch that, too."""
    if not at_length:
        monkeypatch.setattr(voice_preparation, "verify_prepared_voice", lambda *_given, **_options: None)


@pytest.fixture
def voice(tiny_models: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A voice in the container that the test names, with what belongs to it."""
    for name in (request.param, "config.json", "style_vectors.npy"):
        shutil.copy(tiny_models / "jp-extra-tiny-2spk" / name, tmp_path)
    found: Path = tmp_path / request.param
    return found


CONTAINERS = [
    ("model.aivmx", ONCE, ONCE),
    ("model.onnx", ONCE, ONCE),
    ("model.aivm", ONCE, ONCE),
    ("model.safetensors", ONCE, ONCE),
    ("model.sbv2", ARCHIVE, {"recognised": 1, "archive": 1}),
]


@pytest.mark.usefixtures("_cut_before")
@pytest.mark.parametrize(("voice", "parent", "child"), CONTAINERS, indirect=["voice"])
def test_an_import_reads_its_file_once_on_either_side(voice: Path, parent: dict[str, int], child: dict[str, int]) -> None:
    reads = ReadCounter(voice)
    reads.count_calls(lambda: add_voice(voice, wishes(), prepare=reads.prepare))
    assert reads.counts == {"parent": parent, "child": child}


@pytest.mark.parametrize("voice", ["model.safetensors"], indirect=True)
def test_a_folder_is_searched_once(voice: Path) -> None:
    reads = ReadCounter(voice)
    reads.count_calls(lambda: add_voice(voice.parent, wishes(), prepare=reads.prepare))
    assert reads.counts == {"parent": ONCE, "child": ONCE}


@pytest.mark.parametrize("voice", ["model.aivm"], indirect=True)
def test_a_file_that_is_spoken_with_where_it_lies_is_read_once(voice: Path) -> None:
    reads = ReadCounter(voice)
    consent = PriorConsent(lambda _licence: True, lambda _bert: None, lambda _text: None)
    reads.count_calls(lambda: prepare_source(voice, lambda _step, _share: None, consent, reads.prepare))
    assert reads.counts == {"parent": ONCE, "child": ONCE}


def change_file(path: Path) -> None:
    """Rewrites a file with a later time, as a resumed download does."""
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("changed", ["model.safetensors", "config.json", "style_vectors.npy"])
@pytest.mark.parametrize("voice", ["model.safetensors"], indirect=True)
def test_a_file_that_changes_while_it_is_prepared_is_not_added(voice: Path, changed: str) -> None:
    def change_meanwhile(source: Path, folder: Path, report: Report) -> PreparationResult:
        change_file(source.parent / changed)
        return quick(source, folder, report)

    with pytest.raises(VoiceError, match=f"changed while it was in use: {changed}"):
        add_voice(voice, wishes(), prepare=change_meanwhile)
    assert tree(find_user_voices_dir()) == []
    assert [name for name in tree(find_staging_dir()) if not name.startswith(".")] == []
    assert add_voice(voice, wishes(), prepare=quick).voice.path.is_dir()


@pytest.mark.parametrize("voice", ["model.onnx"], indirect=True)
def test_a_source_stands_for_its_file_as_it_was(voice: Path) -> None:
    source = open_voice_source(voice)
    source.require_unchanged()
    change_file(voice)
    with pytest.raises(VoiceError, match=r"changed while it was in use: model\.onnx"):
        source.require_unchanged()
    voice.unlink()
    with pytest.raises(VoiceError, match="There is no voice at"):
        source.require_unchanged()


@pytest.mark.parametrize("voice", ["model.onnx"], indirect=True)
def test_a_file_that_changes_while_it_is_verified_does_not_speak(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_source: Path, _folder: Path, _report: Report) -> PreparationResult:
        raise VoiceError("it cannot be cut", "hint")

    monkeypatch.setattr(resolve_source, "verify_source", lambda path, _report: change_file(path))
    consent = PriorConsent(lambda _licence: True, lambda _bert: None, lambda _text: None)
    with pytest.raises(VoiceError, match=r"changed while it was in use: model\.onnx"):
        prepare_source(voice, lambda _step, _share: None, consent, fail)
