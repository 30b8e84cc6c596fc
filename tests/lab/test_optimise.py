"""`koebako lab optimise`: mechanics where the answer is known, and the report on what we ship."""

import json
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import open_cpu_session, open_unoptimized
from app.adapters.ort.lab_sessions import estimate_runtime_bytes, read_required_operators
from app.bench.repeated_runs import Repeats
from app.cli.main import main
from app.common.errors import VoiceError
from app.common.files.paths import find_resources_dir
from app.common.progress import ignore_report
from app.core.sound.result_metrics import compute_snr_db
from app.install.bert_calibration_sentences import BERT_CALIBRATION_SENTENCES
from app.install.bert_preparation import BERT_TEST_TEXT, measure_means_by_session
from app.lab.lab_subject import LabSubject
from app.lab.optimise import candidate_run
from app.lab.optimise.candidate_measures import compare_results
from app.lab.optimise.candidate_run import OptimiseOptions, run_candidates
from app.lab.optimise.graph_candidates import fit_projection, measure_head_importance, write_projected
from app.lab.recorded_inputs import record_inputs
from app.lab.report_charts import draw_candidates
from app.lab.report_rows import Row
from app.voices.prepare.bert.lean_deberta import Int8Options, write_lean_deberta, write_product_content_graph
from app.voices.prepare.bert.open_weights import open_deberta_weights
from app.voices.prepare.variants.graph_variants import (
    add_projection,
    count_layers,
    cut_layers,
    list_products,
    prune_heads,
    quantise_products,
    write_all_layers,
    write_changed_copy,
)
from tests.brief_preparation import calibrate_briefly
from tests.voices.prepare.bert.deberta_files import write_published

IDS = np.array([1, 7, 8, 9, 10, 11, 12, 13, 2])
BRIEFLY = ("--turns", "1", "--warmup", "0", "--seconds", "0")
OUTPUT = "encoder.layer.{}.attention.output.dense.weight"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of random weights: three layers of four heads."""
    return write_published(tmp_path_factory.mktemp("bert"), hidden=64, heads=4, inner=128, layers=3)


@pytest.fixture(scope="module")
def lean(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lean") / "bert.onnx"
    write_lean_deberta(open_deberta_weights(published), path, ignore_report)
    return path


def features(graph: Path) -> np.ndarray:
    return open_cpu_session(graph, "BERT").run_graph({"input_ids": IDS})[0]


def test_a_head_that_adds_nothing_goes_without_any_change(lean: Path, published: Path, tmp_path: Path) -> None:
    """One of the first layer and two of the last, so that layers have different numbers of heads; they are found by what they add."""
    idle = {0: [2], 2: [0, 3]}

    def silence(model: onnx.ModelProto) -> None:
        for item in model.graph.initializer:
            for layer, heads in idle.items():
                if item.name == OUTPUT.format(layer):
                    matrix = numpy_helper.to_array(item).reshape(4, 16, 64).copy()
                    matrix[heads] = 0
                    item.CopyFrom(numpy_helper.from_array(matrix.reshape(64, 64), item.name))

    silenced = write_changed_copy(lean, tmp_path, "silenced", silence)
    tokenizer = CharTokenizer(published.parent / "vocab.txt")
    found = measure_head_importance(silenced, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES[:4]])
    assert {layer: sorted(heads) for layer, heads in found.list_least_heads(3 / 12).items()} == idle
    pruned = write_changed_copy(silenced, tmp_path, "pruned", lambda model: prune_heads(model, idle, found.means))
    np.testing.assert_array_equal(features(pruned), features(silenced))
    assert not np.allclose(features(silenced), features(lean), atol=0.1)


def test_every_layer_keeps_a_head(lean: Path) -> None:
    found = measure_head_importance(lean, [IDS])
    assert all(len(heads) == 3 for heads in found.list_least_heads(1.0).values())
    with pytest.raises(ValueError, match="no head"):
        prune_heads(onnx.load(lean), {1: [0, 1, 2, 3]}, found.means)


def test_what_is_the_same_for_every_token_goes_into_the_bias(lean: Path, published: Path, tmp_path: Path) -> None:
    """With means nearer to what was there than with none."""
    tokenizer = CharTokenizer(published.parent / "vocab.txt")
    found = measure_head_importance(lean, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    exact, least = features(lean), found.list_least_heads(0.25)
    errors = []
    for name, means in (("with", found.means), ("without", [0 * mean for mean in found.means])):
        pruned = write_changed_copy(lean, tmp_path, name, lambda model, means=means: prune_heads(model, least, means))
        errors.append(float(np.abs(features(pruned) - exact).mean()))
    assert errors[0] < errors[1]


def test_a_cut_graph_is_the_one_of_fewer_layers(lean: Path, tmp_path: Path) -> None:
    folder = tmp_path / "two"
    write_lean_deberta(
        open_deberta_weights(write_published(folder, hidden=64, heads=4, inner=128, layers=3, num_hidden_layers=4)),
        tmp_path / "two.onnx",
        ignore_report,
    )
    cut = write_changed_copy(lean, tmp_path, "cut", lambda model: cut_layers(model, 2))
    np.testing.assert_array_equal(features(cut), features(tmp_path / "two.onnx"))
    with pytest.raises(VoiceError):
        write_changed_copy(lean, tmp_path, "more", lambda model: cut_layers(model, 4))


def test_all_layers_of_a_published_model_give_the_same_features(tmp_path: Path) -> None:
    """Voices read what the third layer from the top is given."""
    model = write_published(tmp_path / "whole", hidden=64, heads=4, inner=128, layers=3, unread=2)
    lacking = write_published(tmp_path / "lacking", hidden=64, heads=4, inner=128, layers=3)
    write_lean_deberta(open_deberta_weights(model), tmp_path / "read.onnx", ignore_report)
    found = write_all_layers(model, tmp_path, "all")
    session = open_cpu_session(found, "BERT")
    output, last = session.run_graph({"input_ids": IDS})
    np.testing.assert_array_equal(output, features(tmp_path / "read.onnx"))
    assert np.abs(last - output).max() > 0.1
    assert count_layers(onnx.load(found, load_external_data=False).graph) == 5
    with pytest.raises(VoiceError):
        write_all_layers(lacking, tmp_path, "none")


def test_a_base_model_that_is_a_linear_image_is_recovered(lean: Path, published: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    matrix, bias = rng.standard_normal((64, 96)).astype(np.float32), rng.standard_normal(96).astype(np.float32)
    large = write_changed_copy(lean, tmp_path, "large", lambda model: add_projection(model, matrix, bias))
    (tmp_path / "found").mkdir()
    vocabulary = published.parent / "vocab.txt"
    made = write_projected(published, tmp_path / "found", open_cpu_session(large, "large"), vocabulary, BERT_CALIBRATION_SENTENCES)
    exact = features(large)
    assert np.abs(features(made) - exact).max() < 1e-4 * np.abs(exact).max()
    assert sorted(path.name for path in made.parent.iterdir()) == ["bert.bin", "bert.onnx", "vocab.txt"]


def test_a_projection_wants_more_tokens_than_numbers() -> None:
    with pytest.raises(VoiceError, match="not enough"):
        fit_projection([np.eye(8, dtype=np.float32)], [np.ones((8, 16), np.float32)])


def test_one_group_at_a_time_costs_less_than_all(lean: Path, tmp_path: Path) -> None:
    groups = {item.group for item in list_products(onnx.load(lean).graph)}
    assert groups == {
        "encoder.layer.attention.self.joined", "encoder.layer.attention.output.dense", "encoder.layer.intermediate.dense",
        "encoder.layer.output.dense", "encoder.conv",
    }  # fmt: skip
    exact, counts = features(lean), []

    def error(name: str, chosen: set[str]) -> float:
        graph = write_changed_copy(lean, tmp_path, name, lambda model: counts.append(quantise_products(model, 32, chosen)))
        return float(np.abs(features(graph) - exact).mean())

    whole = error("all", groups)
    single = [error(f"one{index}", {group}) for index, group in enumerate(sorted(groups))]
    assert counts == [13, 1, 3, 3, 3, 3]
    assert all(0 < item < whole for item in single)
    assert error("none", set()) == 0


def test_products_in_int8_are_those_that_a_bert_is_installed_with(lean: Path, published: Path, tmp_path: Path) -> None:
    """Centred as there: both are as near to the exact graph, and nearer than without; a layer at a time costs less."""
    tokenizer = CharTokenizer(published.parent / "vocab.txt")
    write_product_content_graph(lean, lean.parent / "watched.onnx")
    found = measure_means_by_session(
        open_unoptimized(lean.parent / "watched.onnx", "BERT"), [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES]
    )
    found = {name: mean for name, mean in found.items() if name != "encoder.conv"}
    write_lean_deberta(open_deberta_weights(published), tmp_path / "installed.onnx", ignore_report, Int8Options(32, found))
    products = list_products(onnx.load(lean).graph)
    texts = [tokenizer.encode(text) for text in (*BERT_CALIBRATION_SENTENCES, BERT_TEST_TEXT)]

    def results(graph: Path) -> list[np.ndarray]:
        session = open_cpu_session(graph, "BERT")
        return [session.run_graph({"input_ids": ids})[0] for ids in texts]

    def noise(name: str, groups: set[str], means: dict[str, np.ndarray]) -> float:
        graph = write_changed_copy(lean, tmp_path, name, lambda model: quantise_products(model, 32, groups, means))
        return compute_snr_db(exact, results(graph))

    exact, whole = results(lean), {item.group for item in products}
    installed, centred = compute_snr_db(exact, results(tmp_path / "installed.onnx")), noise("centred", whole, found)
    assert centred == pytest.approx(installed, abs=0.5)
    assert centred > noise("plain", whole, {}) + 0.5
    assert {item.layer for item in products} == {"layer 0", "layer 1", "layer 2", ""}
    assert all(noise(layer.replace(" ", "_"), {layer}, found) > centred for layer in ("layer 0", "layer 2"))


def test_the_output_that_differs_most_counts() -> None:
    right = [[np.full(4, 1e6), np.ones(4)]]
    assert compare_results(right, [[np.full(4, 1e6), np.full(4, 1.1)]], by_token=False).snr_db == pytest.approx(20)
    assert compare_results(right, [[np.full((1, 4), 1e6)]], by_token=False).max_abs == 0
    assert not compare_results(right, [[np.full(5, 1e6)]], by_token=False).is_comparable


def test_the_bert_that_we_ship(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Real weights: int8 costs no frame, and what is kept is what was measured."""
    before = {path: path.read_bytes() for path in (find_resources_dir() / "bert" / "starter").iterdir()}
    kept, plot = tmp_path / "kept", tmp_path / "plot.svg"
    options = ["--only", "int8-32,fp16,ort", "--keep", "ort", "-o", str(kept), *BRIEFLY, "--plot", str(plot), "--json"]
    assert main(["lab", "optimise", "koebako-starter-v1", *options]) == 0
    rows = {row["candidate"]: row for row in map(json.loads, capsys.readouterr().out.splitlines()[1:])}
    assert list(rows) == ["prepared", "int8-32", "fp16", "ort"]
    assert 30 < rows["int8-32"]["snr_db"] < rows["fp16"]["snr_db"] < rows["ort"]["snr_db"]
    assert rows["int8-32"]["frames_equal"] > 0.99
    assert [row["kept"] for row in rows.values()] == [False, False, False, True]
    assert sorted(path.name for path in kept.iterdir()) == ["bert.ort", "bert.required_operators_and_types.config"]
    assert rows["ort"]["bytes"] == (kept / "bert.ort").stat().st_size
    operators = read_required_operators(kept / "bert.required_operators_and_types.config")
    assert {("", "MatMul"), ("", "LayerNormalization"), ("com.microsoft", "FusedMatMul")} < operators
    sizes = [estimate_runtime_bytes(item) for item in (set(), operators, operators | {("", "Conv")})]
    assert sizes == sorted(set(sizes))
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    assert before == {path: path.read_bytes() for path in (find_resources_dir() / "bert" / "starter").iterdir()}


@pytest.mark.parametrize(
    "options",
    [
        ["--keep", "fp16"],
        ["--only", "int9"],
        ["--graph", "decode"],
        ["--turns", "0"],
        ["--keep", "fp16", "-o", "."],
        ["--keep", "fp16", "--test", "fp16.koebako"],
    ],
)
def test_wishes_that_cannot_be_met_are_refused_before_any_work(
    options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of the voice that ships: several of its graphs have a form in fp16, and a test is of one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "occupied").touch()
    monkeypatch.setattr(candidate_run, "record_inputs", lambda _subject: pytest.fail("something is spoken"))
    monkeypatch.setattr(candidate_run, "create_candidate_speech", lambda _subject: pytest.fail("something is spoken"))
    assert main(["lab", "optimise", *options, "--json"]) == 2
    assert "speedup" not in capsys.readouterr().out


def test_a_tiny_voice_beside_its_source(tiny: LabSubject, monkeypatch: pytest.MonkeyPatch, at_length: bool) -> None:
    """The graph as it came says the same, and slower; convolutions in int8 cost more together than a group of them."""
    calibrate_briefly(monkeypatch)
    measured: list[tuple[object, object]] = []

    def note_graphs(exact: object, other: object, *_rest: object) -> float:
        measured.append((exact, other))
        return 2.0

    monkeypatch.setattr(candidate_run, "measure_speedup", note_graphs)
    monkeypatch.setattr(candidate_run, "record_inputs", partial(record_inputs, texts={"short": "はい。"}))
    groups = ["int8: Conv 16×16×1×3", "int8: Conv 2×2×1×11"][: 2 if at_length else 1]
    rows = {
        (row["graph"], row["candidate"]): row
        for row in run_candidates(tiny, OptimiseOptions(["as-it-came", "int8", *groups], repeats=Repeats(1, 0, 0), by_group=True))
    }
    prepared, candidates = ({id(pair[side]) for pair in measured} for side in (0, 1))
    assert len(prepared) < len(candidates) == len(measured), "each candidate is measured against the graph that all of its own are"
    assert rows["voice", "as-it-came"]["snr_db"] > 80
    assert rows["decoder", "int8"]["snr_db"] > 15
    assert rows["decoder", "int8"]["speech_snr_db"] > 15
    assert all("Fast" in str(row["note"]) for (_, name), row in rows.items() if name == "int8")
    assert all(rows["decoder", name]["snr_db"] > rows["decoder", "int8"]["snr_db"] for name in groups)


def test_names_in_the_chart_do_not_touch() -> None:
    rows: list[Row] = [
        {"type": "optimise", "graph": "bert", "candidate": name, "speedup": 1.0, "snr_db": 40.0, "kept": False}
        for name in ("one", "two", "three")
    ]
    rows.append({"type": "optimise", "graph": "bert", "candidate": "failed", "speedup": None, "snr_db": None, "kept": False})
    found = {item.text: item.attrib for item in ElementTree.fromstring(draw_candidates(rows)).iter() if item.tag.endswith("text")}
    places = {(found[name]["text-anchor"], float(found[name]["y"])) for name in ("one", "two", "three")}
    assert {anchor for anchor, _ in places} == {"start", "end"}, "right of the dot, left of it, then below"
    assert len({anchor for anchor, _ in places} | {height for _, height in places}) == 4
    heights = sorted({height for _, height in places})
    assert heights[1] - heights[0] >= 14
    assert "failed" not in found
