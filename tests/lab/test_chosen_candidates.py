"""A candidate that was chosen is heard beside the exact graph, and installed where Koebako has a place for it."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.audition.blind_test import find_blind_trial
from app.audition.blind_test_data import parse_readable_blind_tests
from app.audition.take_store import TakeStore, find_sound_folder
from app.bench.stage_timing import build_bench_request
from app.cli.main import main
from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.install import int8_exchange
from app.install.voice_licence import accept_licence
from app.interchange.koebako_files import read_project
from app.lab.optimise import candidate_measures, candidate_run
from app.lab.optimise.candidate_measures import LISTENING_SENTENCES
from app.lab.recorded_inputs import record_inputs
from app.voices import int8_result
from app.voices.bert_models import read_bert
from app.voices.installed_voices import find_voice
from app.voices.prepared_voice import MANIFEST_NAME, VoiceManifest, read_manifest
from tests.brief_preparation import calibrate_briefly
from tests.lab.conftest import Lab

BRIEFLY = ("--turns", "1", "--warmup", "0", "--seconds", "0")
INT8 = ("--graph", "flow", "--only", "int8-32", "--keep", "int8-32", *BRIEFLY)


@pytest.fixture(autouse=True)
def _few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged is not looked at here, only what becomes of the judgement."""
    calibrate_briefly(monkeypatch)
    monkeypatch.setattr(candidate_run, "record_inputs", partial(record_inputs, texts={"short": "はい。"}))


@pytest.fixture
def own() -> Path:
    """The voice that we ship, as one of the user's own."""
    voice = paths.find_data_dir() / "voices" / "own"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", voice)
    file = voice / "voice.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"id": "own"}), encoding="utf-8")
    accept_licence(find_voice("own", paths.list_voice_dirs()))
    return voice


def spoken(sound: str) -> np.ndarray:
    speaker = open_speaker("own", "cpu", precision="float32", graph_precision=sound)  # type: ignore[arg-type]
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(build_bench_request(speaker, LISTENING_SENTENCES[0]))])


def contents(voice: Path) -> tuple[VoiceManifest, dict[str, bytes]]:
    """What it says of itself, and all other files."""
    return read_manifest(voice), {path.name: path.read_bytes() for path in voice.iterdir() if path.is_file() and path.name != MANIFEST_NAME}


@pytest.fixture
def _lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests judge no speed, and of the voice that we ship every int8 graph is to pass."""
    for limit, value in (("MIN_INT8_SNR_DB", -50.0), ("MAX_INT8_LSD_DB", 50.0), ("MIN_FRAMES_EQUAL", 0.0)):
        monkeypatch.setattr(int8_result, limit, value)
    monkeypatch.setattr(int8_exchange, "MIN_INT8_GAIN", 0.0)


@pytest.mark.usefixtures("_lenient")
def test_a_candidate_is_heard_and_installed(lab: Lab, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_measures, "LISTENING_SENTENCES", LISTENING_SENTENCES[:1])
    project = tmp_path / "試聴.koebako"
    rows = lab("optimise", "own", *INT8, "--test", str(project), "--install")
    heard, installed = (row for row in rows if row["type"] in ("test", "installed"))
    (test,) = parse_readable_blind_tests(read_project(project).tests)
    assert find_blind_trial(test) is not None, "it is continued where it is opened"
    assert test.plan.names == ("Exact", "int8, blocks of 32")
    assert [list(pair) for pair in test.plan.sounds] == heard["sounds"]
    assert list(test.plan.texts) == heard["texts"] == list(LISTENING_SENTENCES[:1])
    assert {source.voice for source in test.plan.sources[0]} == {heard["voice"]}
    exact, other = (TakeStore(find_sound_folder(project)).read_sound(name)[0] for name in test.plan.sounds[0])
    assert np.abs(exact - spoken("exact")).max() < 1e-3
    assert np.abs(other - spoken("fast")).max() < 1e-3, "what was heard is what was installed"
    manifest = read_manifest(own)
    assert manifest.fast is not None
    assert manifest.fast.graphs["flow"].snr_db == installed["snr_db"]
    assert {"flow_int8.onnx", "flow_int8.bin", "flow.onnx", "MODEL_CARD.md"} <= {path.name for path in own.iterdir()}
    assert manifest.fast.gain > 0, "the card of the voice says how much faster it is"


@pytest.mark.usefixtures("_lenient")
def test_what_was_installed_makes_way_for_the_exact_graph_again(lab: Lab, own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(own)
    for graph in ("prosody", "flow"):
        lab("optimise", "own", "--graph", graph, *INT8[2:], "--install")
    both = read_manifest(own).fast
    (row,) = lab("optimise", "own", "--graph", "prosody", "--keep", "prepared", "--install")
    assert (row["graph"], row["note"]) == ("prosody", "“Mei (starter)” uses the exact graph of prosody again.")
    left = read_manifest(own).fast
    assert both is not None
    assert left is not None
    assert (both.graphs.keys(), left.graphs) == ({"prosody", "flow"}, {"flow": both.graphs["flow"]})
    alone = left.graphs["flow"]
    assert (left.snr_db, left.lsd_db, left.frames_equal) == (alone.snr_db, alone.lsd_db, alone.frames_equal), "judged without the other"
    lab("optimise", "own", "--keep", "prepared", "--install")
    assert contents(own) == before
    assert main(["lab", "optimise", "own", "--graph", "flow", "--keep", "prepared", "--install"]) == 3
    assert "No int8 graph is installed" in capsys.readouterr().err


def test_a_folder_from_anywhere_does_not_change_the_installed_voice_whose_id_it_bears(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = Path(shutil.copytree(own, tmp_path / "stranger"))
    before = {path: path.stat().st_mtime_ns for path in own.iterdir()}
    for candidate in ("int8-32", "prepared"):
        options = ["--graph", "flow", "--only", candidate, "--keep", candidate, *BRIEFLY, "--install"]
        assert main(["lab", "optimise", str(stranger), *options]) == 2
        told = capsys.readouterr()
        assert "has not been added" in told.err
        assert "int8-32" not in told.out, "it is said before anything is measured"
    assert {path: path.stat().st_mtime_ns for path in own.iterdir()} == before


def test_what_is_not_near_enough_is_refused_and_all_stays_as_it_was(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(int8_exchange, "MIN_INT8_GAIN", 1e6)
    before = {path: path.stat().st_mtime_ns for path in own.iterdir()}
    assert main(["lab", "optimise", "own", *INT8, "--install"]) == 3
    assert "cannot be installed" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in own.iterdir()} == before


def test_a_bert_takes_one_too(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(int8_exchange, "MIN_BERT_COSINE", 0.5)
    (shipped,) = (paths.find_resources_dir() / "bert").iterdir()
    folder = paths.find_data_dir() / "bert" / "koebako-starter-v1"
    shutil.copytree(shipped, folder)
    rows = lab("optimise", "koebako-starter-v1", "--only", "int8-32", "--keep", "int8-32", *BRIEFLY, "--install")
    bert = read_bert(folder)
    assert bert.graphs["int8"].is_file()
    assert bert.int8_cosine == rows[-1]["cosine"]
    lab("optimise", "koebako-starter-v1", "--keep", "prepared", "--install")
    bert = read_bert(folder)
    assert (list(bert.graphs), bert.int8_cosine) == (["float32"], None)
    assert not list(folder.glob("bert_int8*"))


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--graph", "flow", "--only", "fp16", "--keep", "fp16", "--install"), 2, "cannot be installed"),
        (("--graph", "flow", "--only", "int8-32", "--keep", "int8-32", "--install"), 3, "comes with Koebako"),
        (("--graph", "flow", "--only", "int9", "--keep", "int9", "--install"), 2, "Available: fp16, int8-256"),
        (("--keep", "fp16"), 2, "-o, --test or --install"),
        (("--only", "fp16", "--keep", "int8-32", "--install"), 2, "--only"),
        (("--graph", "flow", "--only", "fp16", "--keep", "fp16", "--test", "mine.koebako"), 2, "“mine.koebako” already exists"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.koebako").write_text("mine", encoding="utf-8")
    assert main(["lab", "optimise", *BRIEFLY, *options]) == code
    assert words in capsys.readouterr().err
