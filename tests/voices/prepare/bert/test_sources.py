"""Weights read back from whatever an exporter left: the lean graph computes what the file computes."""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from app.common.errors import VoiceError
from app.common.progress import ignore_report
from app.core.sound.result_metrics import compute_relative_difference
from app.install.bert_preparation import build_test_texts, compute_features
from app.voices.prepare.bert.deberta_weights import compute_reference_features
from app.voices.prepare.bert.lean_deberta import write_lean_deberta
from app.voices.prepare.bert.onnx_index import open_onnx_index, write_float32_copy
from app.voices.prepare.bert.open_weights import find_bert_file, open_deberta_weights
from tests.voices.prepare.bert import deberta_files as files

WIDTH = 64
CHANGES: list[files.Change] = [
    files.renamed,
    files.int32_and_token_types,
    files.turned_output,
    files.products_and_sums,
    files.turned_gemm,
    files.older_opset,
    files.unfolded_positions,
]


@pytest.fixture
def tiny(tiny_models: Path) -> Path:
    return tiny_models / "deberta-tiny"


def lean_features(model: Path, folder: Path, texts: list[np.ndarray]) -> list[np.ndarray]:
    write_lean_deberta(open_deberta_weights(model), folder / "lean.onnx", ignore_report)
    return compute_features(folder / "lean.onnx", texts, WIDTH)


def source_features(model: Path, folder: Path, texts: list[np.ndarray]) -> list[np.ndarray]:
    write_float32_copy(open_onnx_index(model), folder / "copy.onnx")
    return compute_features(folder / "copy.onnx", texts, WIDTH)


def test_the_exported_file(tiny: Path, tmp_path: Path) -> None:
    expected = np.load(tiny / "expected.npz")
    texts = [expected[f"case{case}.input_ids"][0] for case in range(5)]
    rows = [expected[f"case{case}.output"] for case in range(5)]
    assert [len(text) for text in texts] == [3, 12, 40, 130, 300]
    assert compute_relative_difference(rows, lean_features(tiny / "model.onnx", tmp_path, texts)) < 1e-6
    assert compute_relative_difference(rows, compute_reference_features(open_deberta_weights(tiny / "model.onnx"), texts)) < 2e-6


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["model.onnx", "model_fp16.onnx"])
def test_every_exporters_way(change: files.Change, name: str, tiny: Path, tmp_path: Path) -> None:
    if name == "model_fp16.onnx" and change in (files.older_opset, files.unfolded_positions):
        pytest.skip("these are written in float32")
    model = onnx.load(str(tiny / name))
    change(model)
    onnx.save(model, str(tmp_path / "model.onnx"))
    texts = build_test_texts(tiny / "vocab.txt", 500)
    expected = source_features(tmp_path / "model.onnx", tmp_path, texts)
    assert compute_relative_difference(expected, lean_features(tmp_path / "model.onnx", tmp_path, texts)) < 2e-6
    if change is not files.unfolded_positions:
        assert compute_relative_difference(source_features(tiny / name, tmp_path, texts), expected) < 2e-6  # the change kept the function


def test_half_weights_differ_by_their_rounding_only(tiny: Path, tmp_path: Path) -> None:
    texts = build_test_texts(tiny / "vocab.txt", 500)
    half = source_features(tiny / "model_fp16.onnx", tmp_path, texts)
    assert compute_relative_difference(half, lean_features(tiny / "model_fp16.onnx", tmp_path, texts)) < 2e-6
    assert 1e-4 < compute_relative_difference(source_features(tiny / "model.onnx", tmp_path, texts), half) < 5e-3


def test_weights_beside_the_graph(tiny: Path, tmp_path: Path) -> None:
    model = onnx.load(str(tiny / "model.onnx"))
    onnx.save(model, str(tmp_path / "m.onnx"), save_as_external_data=True, location="m.onnx.data", size_threshold=0)
    assert (tmp_path / "m.onnx").stat().st_size < (tmp_path / "m.onnx.data").stat().st_size
    texts = build_test_texts(tiny / "vocab.txt", 500)[:3]
    expected = source_features(tiny / "model.onnx", tmp_path, texts)
    assert compute_relative_difference(expected, lean_features(tmp_path / "m.onnx", tmp_path, texts)) < 2e-6
    (tmp_path / "m.onnx.data").unlink()
    with pytest.raises(VoiceError, match="not a DeBERTa"):
        open_deberta_weights(tmp_path / "m.onnx")


def test_published_weights(tmp_path: Path) -> None:
    model = files.write_published(tmp_path, hidden=WIDTH, heads=4, inner=128)
    texts = build_test_texts(tmp_path / "vocab.txt", 80)
    assert open_deberta_weights(model).architecture.layers == 1  # hidden_states[-3] of three layers
    assert (
        compute_relative_difference(compute_reference_features(open_deberta_weights(model), texts), lean_features(model, tmp_path, texts))
        < 2e-6
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model_type", "bert"),
        ("model_type", "あ" * 3000),
        ("pos_att_type", ["c2p"]),
        ("num_hidden_layers", 2),
        ("hidden_size", 65),
        ("share_att_key", False),
    ],
)
def test_other_kinds_of_published_models(key: str, value: object, tmp_path: Path) -> None:
    model = files.write_published(tmp_path, hidden=WIDTH, heads=4, inner=128)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {key: value}))
    with pytest.raises(VoiceError, match="not a DeBERTa") as caught:
        open_deberta_weights(model)
    assert len(caught.value.message) < 500


def test_published_weights_without_their_configuration(tmp_path: Path) -> None:
    model = files.write_published(tmp_path, hidden=WIDTH, heads=4, inner=128)
    (tmp_path / "config.json").unlink()
    with pytest.raises(VoiceError, match=r"config\.json") as caught:
        open_deberta_weights(model)
    assert "--hub" in caught.value.hint


@pytest.mark.parametrize("damage", ["voice", "text", "empty", "cut", "no query", "no positions", "no matrix", "no text", "no output"])
def test_what_is_no_deberta_is_refused(damage: str, tiny: Path, tiny_models: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    if damage == "voice":
        shutil.copyfile(tiny_models / "jp-extra-tiny" / "model.onnx", path)
    elif damage in ("text", "empty"):
        path.write_bytes(b"no model at all" * (damage == "text"))
    elif damage == "cut":
        path.write_bytes((tiny / "model.onnx").read_bytes()[:-5000])
    elif damage == "no text":
        path.write_bytes((tiny / "model.onnx").read_bytes().replace(b"encoder.layer.0", b"encoder.layer.\xff"))
    elif damage == "no output":
        model = onnx.load(str(tiny / "model.onnx"))
        del model.graph.output[:]
        onnx.save(model, str(path))
    else:
        model = onnx.load(str(tiny / "model.onnx"))
        wanted = {"no query": "layer.1.attention.self.query_proj.bias", "no positions": "layer.2/attention/self/Expand_output_0"}.get(
            damage
        )
        weight = next(node.input[1] for node in model.graph.node if node.op_type == "Gemm")
        target = next(item for item in model.graph.initializer if (item.name.endswith(wanted) if wanted else item.name == weight))
        files._rename_inputs(model.graph, target.name, "something")
        if damage == "no query":
            target.name = "something"
        else:
            model.graph.initializer.remove(target)
        onnx.save(model, str(path))
    with pytest.raises(VoiceError, match="not a DeBERTa"):
        write_lean_deberta(open_deberta_weights(path), tmp_path / "lean.onnx", ignore_report)


def test_the_model_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="no BERT model"):
        find_bert_file(tmp_path)
    for name in ("other.onnx", "model_fp16.onnx", "model.onnx"):
        (tmp_path / name).touch()
        assert find_bert_file(tmp_path).name == name
    assert find_bert_file(tmp_path / "other.onnx").name == "other.onnx"
    with pytest.raises(VoiceError, match="no BERT model"):
        find_bert_file(tmp_path / "vocab.txt")
