"""What is opened, what is taken over, and what is let go."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.common.errors import VoiceError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.compose import disk_stores, speaker_plan
from app.compose.disk_stores import SLOW_BERT_BYTES
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import StageTiming, SynthesisRequest
from app.settings.user_settings import Settings, save_settings
from app.voices.installed_voices import find_voice


class Serialised(bytes):
    """A graph that says when nobody holds it any more."""

    let_go: list[int]

    def __del__(self) -> None:
        self.let_go.append(len(self))


REQUEST = SynthesisRequest("雨が降る。")


def sound(speaker: Speaker, timings: list[StageTiming] | None = None) -> np.ndarray:
    told = [] if timings is None else timings
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(REQUEST, told.append)])


def test_a_voice_opened_again_keeps_the_bert_and_what_is_remembered() -> None:
    first = open_speaker("mei")
    expected = sound(first)
    second = open_speaker("mei", reuse_from=first)
    assert second.sessions["bert"] is first.sessions["bert"]
    assert second.pipeline.synthesizer is not first.pipeline.synthesizer
    timings: list[StageTiming] = []
    assert np.array_equal(sound(second, timings), expected)
    assert {timing.stage for timing in timings if not timing.cache_hit} == {"text", "audio"}


def test_what_is_remembered_outlives_every_session() -> None:
    first = open_speaker("mei")
    expected = sound(first)
    caches = first.pipeline.caches
    del first
    timings: list[StageTiming] = []
    assert np.array_equal(sound(open_speaker("mei", caches=caches), timings), expected)
    assert {timing.stage for timing in timings if not timing.cache_hit} == {"text", "audio"}


def test_two_voices_never_take_each_others_sound(tiny_models: Path) -> None:
    bert = {"force_bert": True}
    starter = open_speaker("mei")
    other = open_speaker(str(tiny_models / "jp-extra-tiny" / "model.safetensors"), reuse_from=starter, **bert)  # type: ignore[arg-type]
    assert other.pipeline.caches is starter.pipeline.caches
    assert not np.array_equal(sound(other), sound(starter))
    assert np.array_equal(sound(other), sound(other))
    assert np.array_equal(sound(starter), sound(open_speaker("mei")))


def test_serialised_graphs_are_let_go(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = find_voice(str(tiny_models / "jp-extra-tiny" / "model.safetensors"), [])
    graphs = {name: Serialised(graph) for name, graph in voice.graphs.items() if isinstance(graph, bytes)}
    let_go: list[int] = []
    for graph in graphs.values():
        graph.let_go = let_go
    given = [replace(voice, graphs=dict(graphs))]
    del voice, graphs, graph
    monkeypatch.setattr(speaker_plan, "find_voice", lambda *_wanted: given.pop())
    speaker = open_speaker(force_bert=True)
    assert len(let_go) == 3
    assert not speaker.voice.graphs
    assert len(sound(speaker))


def test_a_voice_that_is_removed_while_it_opens_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may do so between finding the voice and opening its graphs."""
    voice = find_voice(None, list_voice_dirs())
    gone = replace(voice, graphs=dict.fromkeys(voice.graphs, tmp_path / "gone.onnx"))
    monkeypatch.setattr(speaker_plan, "find_voice", lambda *_wanted: gone)
    with pytest.raises(VoiceError, match=r"removed while|削除されました"):
        open_speaker()


def test_the_starter_voice_needs_no_copies_and_no_file_of_features() -> None:
    speaker = open_speaker("mei")
    sound(speaker)
    assert not (find_data_dir() / "cache").exists()
    assert speaker.pipeline.caches.stored is None


def test_features_of_a_slow_bert_are_found_by_the_next_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_stores, "SLOW_BERT_BYTES", 1)
    assert SLOW_BERT_BYTES > 1
    first = open_speaker("mei")
    expected = sound(first)
    stored = first.pipeline.caches.stored
    assert stored is not None
    stored.close()  # type: ignore[attr-defined]
    timings: list[StageTiming] = []
    assert np.array_equal(sound(open_speaker("mei"), timings), expected)
    assert [timing.stage for timing in timings if timing.cache_hit] == ["tokenize", "bert"]


def test_the_room_for_features_on_the_disk_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_stores, "SLOW_BERT_BYTES", 0)
    for room_mib in (0, 50):
        save_settings(Settings(disk_cache_mib=room_mib))
        stored = open_speaker().pipeline.caches.stored
        assert (stored._max_bytes if stored is not None else 0) == room_mib << 20  # type: ignore[attr-defined]
