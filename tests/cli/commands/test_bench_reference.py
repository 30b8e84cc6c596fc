"""`koebako bench --reference`, with models that are small: whether the figures are right, not whether they are good."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.bench import reference_comparison
from app.bench.reference_comparison import LineComparisonResult, OriginalFiles, PreparedFiles, find_originals, prepare_files, use_bench_home
from app.bench.repeated_runs import compute_ratio
from app.cli.commands.bench import reference_report
from app.cli.main import main
from app.common.files import paths
from app.common.progress import Report
from app.core.synthesis_types import BERT_WIDTH
from app.install import install_bert
from app.install.bert_preparation import prepare_bert
from app.install.install_bert import add_bert
from app.install.refinement_runs import RefinementOutcome, refine_installed
from app.install.refinement_work import list_pending_berts, list_pending_voices
from app.install.voice_import import add_voice, find_user_voices_dir
from app.install.voice_licence import AskLicence
from app.voices.bert_models import BertModel
from app.voices.prepared_voice import Voice, read_manifest
from tests.install.test_install_bert import refine_narrow
from tests.voices.both_precisions import FAST, quick_pending, quick_refined
from tests.voices.prepare.bert.deberta_files import write_published


@pytest.fixture
def bert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A BERT as wide as voices need, for both sides: no exporter makes small ones of that width, so the reference runs a graph of ours."""
    weights = write_published(tmp_path / "published", hidden=BERT_WIDTH, heads=16, inner=64)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv(paths.HOME_VARIABLE, str(tmp_path / "source"))
        graph = add_bert(weights).bert.exact_graph

    def prepare(originals: OriginalFiles, home: Path, ask: AskLicence, report: Report) -> PreparedFiles:
        return prepare_files(replace(originals, bert=weights), home, ask, report)

    monkeypatch.setattr(reference_report, "prepare_files", prepare)
    return graph


@pytest.mark.slow
def test_both_sides_speak_the_same_in_turns(tiny_models: Path, bert: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = tiny_models / "jp-extra-tiny"
    assert main(["bench", "--reference", "--voice", str(voice), "--bert", str(bert), "--turns", "2", "--json"]) == 0
    shown = capsys.readouterr()
    assert "not that product" in shown.err
    found: list[dict[str, Any]] = [json.loads(line) for line in shown.out.splitlines()]
    of_bert, short, long, memory, summary = found
    assert of_bert["cosine_min"]["exact"] == pytest.approx(1, abs=1e-5)
    assert [line["phones"] for line in (short, long)] == [61, 211]
    assert [line["tokens"] for line in (short, long)] == [16, 45]
    for line in (short, long):
        assert line["frames"]["exact"] == line["frames"]["reference"]
        assert line["first_audio"]["auto"]["median"] >= line["whole_line"]["auto"]["p25"]
    assert set(summary) == {"summary", "bert", "first_audio", "whole_line", "fast", "memory", "lines", "turns", "threads", "ort", "cpu"}
    assert set(summary["bert"]) == {"ratio", "exact_ratio", "cosine_min", "p25", "p75"}
    assert summary["bert"]["ratio"] == of_bert["against_reference"]["auto"]["median"]
    assert summary["bert"]["p25"] <= summary["bert"]["ratio"] <= summary["bert"]["p75"]
    assert set(summary["first_audio"]) == {"short", "long"}
    assert set(summary["whole_line"]) == {"exact", "int8"}
    assert summary["fast"] is None or set(summary["fast"]) == {"first_audio", "whole_line", "snr_db", "lsd_db", "frames_equal"}
    assert summary["whole_line"]["exact"] > 0
    assert summary["memory"] == {"ours_mb": memory["ours"]["peak_mb"], "reference_mb": memory["reference"]["peak_mb"]}
    assert all(50 < value < 2000 for value in summary["memory"].values())
    assert [set(line) for line in summary["lines"]] == [{"phones", "tokens", "frames"}] * 2
    assert summary["turns"] == 2


def test_nothing_is_measured_while_it_is_being_refined(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, float]] = []

    def refine(installed: Voice | BertModel, report: Report) -> RefinementOutcome:
        return refine_installed(installed, report, refine=quick_refined if isinstance(installed, Voice) else refine_narrow)

    monkeypatch.setattr(reference_comparison, "add_voice", partial(add_voice, prepare=quick_pending))
    monkeypatch.setattr(reference_comparison, "refine_installed", refine)
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64, is_quick=True))
    bert = write_published(tmp_path / "narrow", hidden=64, heads=4, inner=128)
    originals = OriginalFiles(tiny_models / "jp-extra-tiny" / "model.aivmx", bert, None)
    with use_bench_home() as home:
        made = prepare_files(originals, home, lambda _licence: True, lambda *step: steps.append(step))
        assert not list_pending_voices()
        assert not list_pending_berts()
        assert read_manifest(find_user_voices_dir() / made.voice).fast == FAST
        assert not made.notes
        assert ("cutting", 0.725) in steps, "what `quick_refined` reports, in the voice's part of the whole"
        assert [part for _, part in steps] == sorted(part for _, part in steps)
        again: list[tuple[str, float]] = []
        assert prepare_files(originals, home, lambda _licence: True, lambda *step: again.append(step)) == made
        assert ("cutting", 0.725) not in again


def test_the_summary_tells_how_close_fast_comes() -> None:
    times = {"reference": [300.0, 330.0], "auto": [200.0, 200.0], "exact": [200.0, 200.0], "fast": [100.0, 110.0]}
    ratios = {way: compute_ratio(times["reference"], times[way]) for way in ("auto", "exact", "fast")}
    lines = [LineComparisonResult(name, 61, 16, {}, {}, {}, ratios, ratios, ratios, times) for name in ("short", "long")]
    assert reference_report.build_fast_summary(lines, FAST) == {
        "first_audio": {"short": 3.0, "long": 3.0},
        "whole_line": 3.0,
        "snr_db": FAST.snr_db,
        "lsd_db": FAST.lsd_db,
        "frames_equal": FAST.frames_equal,
    }
    assert reference_report.build_fast_summary(lines, None) is None


def test_users_models_stay_as_they_are(tmp_path: Path) -> None:
    before = paths.find_data_dir()
    with use_bench_home() as home:
        assert paths.find_data_dir() in (home, Path(paths.extend_windows_path(str(home)))), "long paths are written otherwise on Windows"
        assert home.is_relative_to(before / "cache")
        (home / "voices").mkdir(parents=True)
    assert paths.find_data_dir() == before
    older = home.with_name("made-by-an-older-program")
    older.mkdir()
    with use_bench_home():
        assert not older.exists()
        assert (home / "voices").is_dir()


def test_a_voice_of_weights_has_nothing_to_compare(tiny_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights, bert = tiny_models / "jp-extra-tiny" / "model.safetensors", tiny_models / "deberta-tiny"
    assert main(["bench", "--reference", "--voice", str(weights), "--bert", str(bert), "--turns", "1"]) == 2
    assert "ONNX form" in capsys.readouterr().err
    assert main(["bench", "--reference", "--voice", str(weights), "--bert", str(weights.parent / "nothing")]) == 2
    assert "model_fp16.onnx" in capsys.readouterr().err


def test_the_float16_file_is_taken_and_the_float32_one_compared(tiny_models: Path) -> None:
    reference = tiny_models
    found = find_originals(str(reference / "jp-extra-tiny"), str(reference / "deberta-tiny"))
    assert (found.voice.name, found.bert.name) == ("model.onnx", "model_fp16.onnx")
    assert found.exported == reference / "deberta-tiny" / "model.onnx"
