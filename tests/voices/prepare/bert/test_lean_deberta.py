"""The lean graph in every arithmetic, at every length."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort.graph_session import open_unoptimized
from app.common.progress import ignore_report
from app.core.sound.result_metrics import compute_min_cosine, compute_relative_difference
from app.install.bert_preparation import build_test_texts, compute_features, measure_means_by_session
from app.voices.prepare.bert import lean_deberta
from app.voices.prepare.bert.deberta_weights import DebertaWeights, _compute_bucket, compute_reference_features
from app.voices.prepare.bert.lean_deberta import (
    Int8Options,
    add_product,
    build_bucket_table,
    merge_position_tables,
    write_lean_deberta,
    write_product_content_graph,
)
from app.voices.prepare.bert.open_weights import open_deberta_weights
from tests.voices.prepare.bert.deberta_files import write_published

WIDTH = 64


def test_buckets_are_those_of_the_definition() -> None:
    found = build_bucket_table(512)
    assert len(found) == 1023
    assert [int(row) for row in found] == [min(max(_compute_bucket(distance, 256) + 256, 0), 511) for distance in range(-511, 512)]
    assert np.array_equal(found[511 - 128 : 511 + 129], np.arange(128, 385))  # exact near by
    assert np.all(np.diff(found) >= 0)


@given(st.integers(2, 512), st.data())
def test_one_list_of_rows_serves_both_products(count: int, data: st.DataObject) -> None:
    """A query i meets key j at its bucket of i − j; a key j meets query i at the same."""
    rows = np.arange(512, dtype=np.float32)[:, np.newaxis]
    key_table, query_table = merge_position_tables(rows, rows + 1000, 1)[..., 0]
    chosen = build_bucket_table(512)[512 - count : 511 + count]
    i, j = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
    met = min(max(_compute_bucket(i - j, 256) + 256, 0), 511)
    assert key_table[chosen[count - 1 - i + j]] == met
    assert query_table[chosen[count - 1 - j + i]] == met + 1000


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("bert"), hidden=WIDTH, heads=4, inner=128)


@pytest.mark.parametrize("length", [2, 3, 4, 64, 127, 128, 129, 130, 255, 256, 257, 511, 512])
def test_every_length_up_to_the_longest(length: int, published: Path, tmp_path: Path) -> None:
    source = open_deberta_weights(published)
    texts = [np.random.default_rng(length).integers(80, size=length)]
    write_lean_deberta(source, tmp_path / "lean.onnx", ignore_report)
    assert (
        compute_relative_difference(compute_reference_features(source, texts), compute_features(tmp_path / "lean.onnx", texts, WIDTH))
        < 3e-6
    )


def found_centres(source: DebertaWeights, texts: list[np.ndarray], folder: Path) -> dict[str, np.ndarray]:
    write_lean_deberta(source, folder / "exact.onnx", ignore_report)
    write_product_content_graph(folder / "exact.onnx", folder / "watched.onnx")
    return measure_means_by_session(open_unoptimized(folder / "watched.onnx", "BERT"), texts)


@pytest.mark.parametrize("block", [256, 32])
def test_int8_stays_near(block: int, published: Path, tmp_path: Path) -> None:
    source = open_deberta_weights(published)
    texts = build_test_texts(published.with_name("vocab.txt"), 80)
    write_lean_deberta(source, tmp_path / "lean.onnx", ignore_report, Int8Options(block, found_centres(source, texts[:3], tmp_path)))
    cosine = compute_min_cosine(compute_reference_features(source, texts), compute_features(tmp_path / "lean.onnx", texts, WIDTH))
    assert 0.999 < cosine < 1.0


def test_there_is_a_centre_for_every_product_and_it_is_the_mean(published: Path, tmp_path: Path) -> None:
    source = open_deberta_weights(published)
    one, two = (np.random.default_rng(seed).integers(80, size=9 + seed) for seed in (0, 1))
    found = found_centres(source, [one, two], tmp_path)
    assert len(found) == 4 * source.architecture.layers + 1  # the convolution is the one more
    apart = [found_centres(source, [ids], tmp_path) for ids in (one, two)]
    for name, mean in found.items():
        np.testing.assert_allclose(mean, (apart[0][name] * 9 + apart[1][name] * 10) / 19, rtol=1e-4, atol=1e-6)


def test_a_centre_moves_nothing_but_what_is_rounded(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With exact products, content that is shifted by anything gives the same features."""
    source = open_deberta_weights(published)
    texts = build_test_texts(published.with_name("vocab.txt"), 80)[:4]
    rng = np.random.default_rng(0)
    shifts = {name: rng.standard_normal(mean.shape, np.float32) for name, mean in found_centres(source, texts[:1], tmp_path).items()}
    exact_product = add_product
    monkeypatch.setattr(lean_deberta, "add_product", lambda graph, _block, *others: exact_product(graph, None, *others))
    monkeypatch.setattr(np, "float16", np.float32)  # tables are halved for int8
    write_lean_deberta(source, tmp_path / "lean.onnx", ignore_report, Int8Options(256, shifts))
    assert (
        compute_relative_difference(compute_reference_features(source, texts), compute_features(tmp_path / "lean.onnx", texts, WIDTH))
        < 1e-5
    )


def test_content_that_stands_out_for_every_token_costs_nothing(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in large models, where few numbers are far from zero in every token: the centre takes them away."""
    source = open_deberta_weights(published)
    tensor = source.read_tensor
    far = np.zeros(WIDTH, np.float32)
    far[0] = 20
    monkeypatch.setattr(
        type(source),
        "read_tensor",
        lambda _, name: tensor(name) + far if name.endswith("attention.output.LayerNorm.bias") else tensor(name),
    )
    texts = build_test_texts(published.with_name("vocab.txt"), 80)[:4]
    exact = [rows[:, 1:] for rows in compute_reference_features(source, texts)]
    cosines = []
    for shifts in (found_centres(source, texts[1:3], tmp_path), {}):
        write_lean_deberta(source, tmp_path / "int8.onnx", ignore_report, Int8Options(256, shifts))
        cosines.append(compute_min_cosine(exact, [rows[:, 1:] for rows in compute_features(tmp_path / "int8.onnx", texts, WIDTH)]))
    assert 1 - cosines[0] < 0.7 * (1 - cosines[1])


def test_matrices_that_stand_out_need_small_blocks(tmp_path: Path) -> None:
    model = write_published(tmp_path, hidden=WIDTH, heads=4, inner=128, outlier=0.1)
    source = open_deberta_weights(model)
    texts = build_test_texts(tmp_path / "vocab.txt", 80)[:4]
    exact = [rows[:, 1:] for rows in compute_reference_features(source, texts)]
    cosines = {}
    for block in (256, 32):
        write_lean_deberta(source, tmp_path / "int8.onnx", ignore_report, Int8Options(block, {}))
        results = compute_features(tmp_path / "int8.onnx", texts, WIDTH)
        cosines[block] = compute_min_cosine(exact, [rows[:, 1:] for rows in results])
    assert cosines[256] < cosines[32]


@pytest.mark.parametrize("int8", [None, Int8Options(32, {})])
def test_weights_lie_beside_the_graph(int8: Int8Options | None, published: Path, tmp_path: Path) -> None:
    write_lean_deberta(open_deberta_weights(published), tmp_path / "lean.onnx", ignore_report, int8)
    assert (tmp_path / "lean.data").stat().st_size > 1 << 16
    assert (tmp_path / "lean.onnx").stat().st_size < 1 << 20
