"""Nanairo voices as they may turn up: in folders, in AIVM containers of tools that do not know them, and as files that nobody can make yet."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.graph_session import open_cpu_session
from app.cli.main import main
from app.common.errors import VoiceError
from app.compose.graph_runner import PreparedRunner
from app.compose.graph_sessions import build_synthesizer
from app.compose.text_front_end import open_g2p
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.voices.containers.container_facts import NANAIRO_ARCHITECTURE, is_nanairo_config
from app.voices.containers.voice_descriptions import build_voice_card
from app.voices.containers.voice_sources import find_checkpoints, read_source_facts, read_voice_source
from app.voices.voice_card_data import read_card
from tests.core.numpy_voice import NumpyVoice
from tests.voices.fuzz import small_voices
from tests.voices.safetensors_file import write_safetensors

JP_EXTRA = "Style-Bert-VITS2 (JP-Extra)"
NEW_DATA_KEYS = ("use_nanairo", "use_speaker_embedding")


@pytest.fixture
def folder(tiny_models: Path) -> Path:
    return tiny_models / "nanairo-tiny"


def all_tensors(folder: Path) -> dict[str, np.ndarray]:
    """The whole numbers too, one of them of rank 0."""
    data = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8 : 8 + size]), data[8 + size :]
    kinds = {"F32": np.float32, "I64": np.int64}
    return {
        name: np.frombuffer(rest[slice(*entry["data_offsets"])], kinds[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items()
    }


def dressed_up(folder: Path, target: Path, **changes: Any) -> Path:
    """An AIVM as a tool of today makes it of a Nanairo voice: it says JP-Extra, and the keys that are new are gone."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["data"] = {name: value for name, value in config["data"].items() if name not in NEW_DATA_KEYS}
    new = ("duration_", "use_transformer_duration", "use_duration", "speaker_adapter", "use_speaker_adapter")
    config["model"] = {name: value for name, value in config["model"].items() if not name.startswith(new)}
    speakers = copy.deepcopy(small_voices.MANIFEST["speakers"])[:1]
    manifest = small_voices.MANIFEST | {"name": "装った声", "speakers": speakers, "model_format": "Safetensors"}
    texts = small_voices.metadata(manifest, config | changes, (folder / "style_vectors.npy").read_bytes())
    return write_safetensors(target, all_tensors(folder), texts)


def test_settings_tell_by_key_or_by_version() -> None:
    assert is_nanairo_config({"version": "2.7.0-Nanairo"})
    assert is_nanairo_config({"version": "2.7.0", "data": {"use_nanairo": True}})
    assert not is_nanairo_config({"version": "2.7.0-JP-Extra", "data": {"use_nanairo": False}})
    assert not is_nanairo_config({"version": None, "data": "Nanairo"})


@pytest.mark.parametrize("version", ["2.7.0-Nanairo", "2.7.0-JP-Extra", ""])
def test_dressed_up_as_jp_extra_it_is_known_by_its_tensors(folder: Path, tmp_path: Path, version: str) -> None:
    source = dressed_up(folder, tmp_path / "voice.aivm", version=version)
    assert [item.format for item in find_checkpoints(source, None)] == ["aivm"]
    facts, voice = read_source_facts(source), read_voice_source(source)
    assert facts.aivm_manifest["model_architecture"] == JP_EXTRA
    assert voice.manifest.emoji
    assert not voice.manifest.multilingual
    assert build_voice_card(facts.config, facts.aivm_manifest, tmp_path, emoji=voice.manifest.emoji).architecture == NANAIRO_ARCHITECTURE


def test_dressed_up_as_jp_extra_it_speaks_as_the_reference(shared: Path, tmp_path: Path) -> None:
    reference = shared / "reference" / "nanairo-tiny"
    voice = read_voice_source(dressed_up(reference, tmp_path / "voice.aivm", version=""))
    case = np.load(reference / "expected.npz")
    inputs = {name.removeprefix("case2."): case[name] for name in case.files if name.startswith("case2.")}
    samples, _ = PreparedRunner(voice)(inputs)
    assert np.abs(samples - inputs["output"].reshape(-1)).max() <= 1e-5


def test_the_card_says_what_it_is(tmp_path: Path) -> None:
    assert build_voice_card({"version": "2.7.0-Nanairo"}, {"model_architecture": JP_EXTRA}, tmp_path).architecture == NANAIRO_ARCHITECTURE
    assert build_voice_card({"version": "2.7.0-JP-Extra"}, {}, tmp_path, emoji=True).architecture == NANAIRO_ARCHITECTURE
    assert build_voice_card({"version": "2.7.0-JP-Extra"}, {}, tmp_path).architecture == JP_EXTRA


def test_a_tool_may_learn_its_name(folder: Path, tmp_path: Path) -> None:
    manifest = small_voices.MANIFEST | {"model_architecture": NANAIRO_ARCHITECTURE}
    texts = small_voices.metadata(manifest, json.loads((folder / "config.json").read_text()), (folder / "style_vectors.npy").read_bytes())
    assert read_voice_source(write_safetensors(tmp_path / "voice.aivm", all_tensors(folder), texts)).manifest.emoji


def test_a_graph_of_one_is_refused_by_name(tmp_path: Path) -> None:
    config = small_voices.CONFIG | {"version": "2.7.0-Nanairo"}
    (tmp_path / "voice.aivmx").write_bytes(small_voices.graph(small_voices.metadata(config=config)))
    for action in (read_voice_source, read_source_facts):
        with pytest.raises(VoiceError, match="ONNX files of Nanairo voices") as caught:
            action(tmp_path / "voice.aivmx")
        assert ".safetensors" in caught.value.hint


def test_it_is_added_checked_and_shown(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, source = shared / "reference" / "nanairo-tiny", tmp_path / "nanairo"
    shutil.copytree(folder, source)
    assert main(["voices", "add", str(source), "--json"]) == 0
    capsys.readouterr()
    assert main(["voices", "info", "nanairo-tiny", "--json"]) == 0
    info = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert info["architecture"] == NANAIRO_ARCHITECTURE
    assert read_card(Path(info["path"])).architecture == NANAIRO_ARCHITECTURE
    prepared = Path(info["path"])
    assert json.loads((prepared / "voice.json").read_text(encoding="utf-8"))["emoji"] is True
    for checked in (source, prepared):
        assert main(["voices", "check", str(checked), "--expected", str(folder / "expected.npz"), "--json"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line.get("durations_equal") for line in lines[:4]] == [True] * 4
        assert lines[4:] == [{"case": 4, "skipped": "speaker_embedding"}, {"case": 5, "skipped": "g_adjust"}, lines[-1]]
        assert lines[-1]["worst"] <= 1e-5


@pytest.fixture
def pipeline(folder: Path) -> Pipeline:
    """The fixture with the real front end; what its text means to a BERT does not matter here."""
    voice, bert = read_voice_source(folder), NumpyVoice()
    sessions = {name: open_cpu_session(graph, name) for name, graph in voice.graphs.items()}
    return Pipeline(open_g2p(), bert, bert, "bert", build_synthesizer(voice, sessions), False, voice.build_traits())


def spoken(pipeline: Pipeline, text: str) -> list[AudioChunk]:
    return [chunk for chunk in pipeline.synthesize(SynthesisRequest(text, noise=0.0, noise_w=0.0)) if not chunk.silence]


def test_emoji_are_spoken_each_with_its_own_time(pipeline: Pipeline) -> None:
    chunks = spoken(pipeline, "はあ😮‍💨疲れた。🥱")
    timings = [timing for chunk in chunks for timing in chunk.phones]
    assert "".join(timing.phone for timing in timings).count("💨") == 1
    assert all(timing.end_s > timing.start_s and timing.tone == 0 for timing in timings if timing.phone in "💨🥱")
    assert np.abs(np.concatenate([chunk.samples for chunk in chunks])).max() > 1e-3


def test_a_line_of_emoji_only_is_spoken(pipeline: Pipeline) -> None:
    assert [timing.phone for timing in spoken(pipeline, "🥱")[0].phones] == ["_", "🥱", "_"]


def test_each_emoji_sounds_its_own_way(pipeline: Pipeline) -> None:
    heard = {symbol: np.concatenate([chunk.samples for chunk in spoken(pipeline, f"はい{symbol}")]) for symbol in "🥱😊"}
    yawn, smile = heard.values()
    assert len(yawn) != len(smile) or np.abs(yawn - smile).max() > 1e-4
