"""A prepared voice gets int8 graphs where they pass their check, says how good they are, and speaks with them only when asked."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.common.errors import BackendError
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest
from app.install import int8_graphs
from app.install.voice_preparation import prepare_voice
from app.lab.lab_subject import LabSubject
from app.lab.optimise.candidate_measures import create_candidate_speech
from app.lab.optimise.graph_candidates import list_voice_candidates
from app.voices import int8_result
from app.voices.bert_models import apply_graph_precision
from app.voices.int8_result import Int8Graph, Int8Result
from app.voices.prepared_voice import Voice, read_manifest, read_prepared_voice
from tests.brief_preparation import accept_all_int8, calibrate_briefly, quantise_once, verify_briefly

ALL = {"prosody", "flow", "decoder"}


@pytest.fixture(autouse=True, scope="module")
def _brief() -> Iterator[None]:
    """What is tested is what becomes of the numbers, not how many lines they come from."""
    with pytest.MonkeyPatch.context() as patch:
        calibrate_briefly(patch)
        verify_briefly(patch)
        quantise_once(patch)
        yield


@pytest.fixture(scope="module")
def prepared(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny voice with all its int8 graphs."""
    source = tiny_models / "jp-extra-tiny-2spk" / "model.safetensors"
    folder = tmp_path_factory.mktemp("声")
    with pytest.MonkeyPatch.context() as patch:
        accept_all_int8(patch)
        patch.setenv("KOEBAKO_HOME", str(tmp_path_factory.mktemp("home")))
        prepare_voice(source, folder)
    return folder


def _samples(speaker: object) -> np.ndarray:
    request = SynthesisRequest(id="1", text="今日はいい天気ですね。", speaker=0, style=0)
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(request)])  # type: ignore[attr-defined]


def test_a_prepared_voice_says_how_good_its_int8_graphs_are(prepared: Path) -> None:
    found = read_manifest(prepared).fast
    assert found is not None
    assert found.graphs.keys() == ALL
    for name, graph in found.graphs.items():
        assert graph.file == f"{name}_int8.onnx"
        assert (prepared / graph.file).is_file()
        assert graph.frames_equal <= 1 if name == "prosody" else graph.frames_equal == 1
        assert graph.gain > 0
    assert read_manifest(prepared).refused == {}
    assert found.snr_db <= max(graph.snr_db for graph in found.graphs.values())
    assert 15 <= found.snr_db < 80
    assert 0 < found.lsd_db <= 9
    assert found.gain > 0
    assert not [path for path in prepared.iterdir() if path.is_dir()]  # what was watched is gone


def test_the_lab_measures_the_very_graphs_that_are_installed(prepared: Path, tmp_path: Path) -> None:
    voice = read_prepared_voice(prepared)
    assert voice.manifest.fast is not None
    subject = LabSubject("tiny", {}, dict(voice.graphs), voice)  # as if it had none
    speech = create_candidate_speech(subject)
    assert speech is not None
    for name, graph in voice.manifest.fast.graphs.items():
        candidate = next(list_voice_candidates(subject, name, lambda: speech, by_group=False))
        made = candidate.make(tmp_path)
        assert made.read_bytes() == (prepared / graph.file).read_bytes()
        session = open_cpu_session(made, name)
        heard = speech.score_graph(name, session)
        assert (heard.snr_db, heard.lsd_db, heard.frames_equal) == (graph.snr_db, graph.lsd_db, graph.frames_equal)
    words = speech.describe_int8_use("decoder", session, replace(heard, snr_db=34.9))
    assert "Fast does not use it" in words
    assert "SNR 34.9 dB, 35 needed" in words


def test_it_speaks_with_them_when_asked_and_only_then(prepared: Path) -> None:
    exact = open_speaker(str(prepared), "cpu", force_bert=True)
    fast = open_speaker(str(prepared), "cpu", graph_precision="fast", force_bert=True)
    assert (exact.fast_graphs, fast.fast_graphs) == (frozenset(), ALL)
    right, other = _samples(exact), _samples(fast)
    assert abs(len(right) - len(other)) < 0.1 * len(right)
    assert not np.array_equal(right, other)
    assert exact.pipeline.graphs_id != fast.pipeline.graphs_id  # takes of one are no takes of the other


def test_other_places_and_lost_files_get_the_exact_graphs(prepared: Path) -> None:
    voice = read_prepared_voice(prepared)
    assert {name for name, file in apply_graph_precision(voice, "fast", {}).graphs.items() if "_int8" in str(file)} == ALL
    mixed = apply_graph_precision(voice, "fast", {"decoder": "directml"})
    assert (mixed.graphs["decoder"], mixed.graphs["flow"]) == (prepared / "decoder.onnx", prepared / "flow_int8.onnx")
    for file in ("gone.onnx", "../decoder_int8.onnx"):
        lost = replace(voice, manifest=replace(voice.manifest, fast=Int8Result({"decoder": Int8Graph(file, 40.0, 0.1)}, 40.0, 0.1)))
        assert apply_graph_precision(lost, "fast", {}).graphs["decoder"] == prepared / "decoder.onnx"


@pytest.mark.parametrize(
    ("limit", "value", "why"), [("MIN_INT8_SNR_DB", 119.0, "noise"), ("MAX_INT8_LSD_DB", -1.0, "spectrum"), ("MIN_INT8_GAIN", 1e6, "slow")]
)
def test_those_that_are_audibly_different_or_no_faster_are_thrown_away(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, why: str
) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for name, low in (("MIN_INT8_SNR_DB", 0.0), ("MAX_INT8_LSD_DB", 99.0), ("MIN_FRAMES_EQUAL", 0.0), ("MIN_INT8_GAIN", 0.0)):
        monkeypatch.setattr(int8_result, name, low)
    monkeypatch.setattr(int8_result, limit, value)
    again = prepare_voice(prepared, folder)  # a prepared voice brings no int8 graphs along: they are made for this machine
    assert again.manifest.fast is None
    assert json.loads((folder / "voice.json").read_text("utf-8"))["fast"] is None
    refused = read_manifest(folder).refused
    assert {name: graph.why for name, graph in refused.items()} == dict.fromkeys(ALL, why)
    assert all(graph.snr_db is not None and graph.lsd_db is not None and graph.gain is not None for graph in refused.values())
    assert not list(folder.glob("*_int8*"))
    assert not open_speaker(str(folder), "cpu", graph_precision="fast", force_bert=True).fast_graphs


def test_a_part_that_does_not_hold_stays_exact_alone(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be made, and one that differs too much."""
    made = int8_graphs.quantise_graph

    def quantised(graph: Path | bytes, name: str, *rest: Any) -> str | None:
        if name == "flow":
            raise BackendError("no memory", "")
        return made(graph, name, *rest)

    monkeypatch.setattr(int8_graphs, "quantise_graph", quantised)
    accept_all_int8(monkeypatch)
    monkeypatch.setattr(int8_result, "MIN_FRAMES_EQUAL", 1.01)
    judged = int8_graphs.measure_quality

    def lenient(voice: Voice, exact: int8_graphs.ExactVoiceRun, exchanged: Mapping[str, RunnableSession]) -> tuple[float, float, float]:
        snr_db, lsd_db, share = judged(voice, exact, exchanged)
        return snr_db, lsd_db, share if "prosody" in exchanged else 2.0

    monkeypatch.setattr(int8_graphs, "measure_quality", lenient)
    folder = tmp_path / "copy"
    folder.mkdir()
    again = prepare_voice(prepared, folder).manifest
    assert again.fast is not None
    assert again.fast.graphs.keys() == {"decoder"}
    assert {name: graph.why for name, graph in again.refused.items()} == {"flow": "failed", "prosody": "lengths"}
    assert open_speaker(str(folder), "cpu", graph_precision="fast", force_bert=True).fast_graphs == {"decoder"}


def test_parts_that_only_hold_alone_are_left_out_one_by_one(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All three together miss the limit, as if their noise added up; the noisiest goes."""
    voice = read_prepared_voice(prepared)
    assert voice.manifest.fast is not None
    noisiest = min(voice.manifest.fast.graphs, key=lambda name: voice.manifest.fast.graphs[name].snr_db)
    judged = int8_graphs.measure_quality

    def together(voice: Voice, exact: int8_graphs.ExactVoiceRun, exchanged: Mapping[str, RunnableSession]) -> tuple[float, float, float]:
        snr_db, lsd_db, share = judged(voice, exact, exchanged)
        return (0.0 if len(exchanged) == len(ALL) else snr_db), lsd_db, share

    accept_all_int8(monkeypatch)
    monkeypatch.setattr(int8_graphs, "measure_quality", together)
    folder = tmp_path / "copy"
    folder.mkdir()
    again = prepare_voice(prepared, folder).manifest
    assert again.fast is not None
    assert again.fast.graphs.keys() == ALL - {noisiest}
    assert {name: graph.why for name, graph in again.refused.items()} == {noisiest: "together"}


def test_a_voice_from_before_speaks_with_its_int8_decoder(prepared: Path, tmp_path: Path) -> None:
    values = json.loads((prepared / "voice.json").read_text("utf-8"))
    del values["fast"]
    values["decoder_int8"] = {"file": "decoder_int8.onnx", "snr_db": 40.0, "lsd_db": 0.3}
    (tmp_path / "voice.json").write_text(json.dumps(values), encoding="utf-8")
    assert read_manifest(tmp_path).fast == Int8Result({"decoder": Int8Graph("decoder_int8.onnx", 40.0, 0.3)}, 40.0, 0.3)
