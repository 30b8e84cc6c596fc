"""The lean graph in every arithmetic, at every length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.install.bert_check import features_of, largest_difference, least_cosine, trial_texts
from app.progress import unreported
from app.voices.prepare.bert.distances import buckets, by_bucket
from app.voices.prepare.bert.lean import write_lean
from app.voices.prepare.bert.open import open_source
from app.voices.prepare.bert.plain import _bucket, plain_features
from app.voices.prepare.bert.products import Arithmetic
from tests.voices.prepare.bert.deberta_files import write_published

WIDTH = 64


def test_buckets_are_those_of_the_definition() -> None:
    found = buckets(512)
    assert len(found) == 1023
    assert [int(row) for row in found] == [min(max(_bucket(distance, 256) + 256, 0), 511) for distance in range(-511, 512)]
    assert np.array_equal(found[511 - 128 : 511 + 129], np.arange(128, 385))  # exact near by
    assert np.all(np.diff(found) >= 0)


@given(st.integers(2, 512), st.data())
@settings(max_examples=30, deadline=None)
def test_one_list_of_rows_serves_both_products(count: int, data: st.DataObject) -> None:
    """A query i meets key j at its bucket of i − j; a key j meets query i at the same."""
    rows = np.arange(512, dtype=np.float32)[:, np.newaxis]
    key_table, query_table = by_bucket(rows, rows + 1000, 1)[..., 0]
    chosen = buckets(512)[512 - count : 511 + count]
    i, j = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
    met = min(max(_bucket(i - j, 256) + 256, 0), 511)
    assert key_table[chosen[count - 1 - i + j]] == met
    assert query_table[chosen[count - 1 - j + i]] == met + 1000


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("bert"), hidden=WIDTH, heads=4, inner=128)


@pytest.mark.parametrize("length", [2, 3, 4, 64, 127, 128, 129, 130, 255, 256, 257, 511, 512])
def test_every_length_up_to_the_longest(length: int, published: Path, tmp_path: Path) -> None:
    source = open_source(published)
    texts = [np.random.default_rng(length).integers(80, size=length)]
    write_lean(source, "float32", tmp_path / "lean.onnx", unreported)
    assert largest_difference(plain_features(source, texts), features_of(tmp_path / "lean.onnx", texts, WIDTH)) < 3e-6


@pytest.mark.parametrize("arithmetic", ["pairs", "blocks"])
def test_int8_stays_near(arithmetic: Arithmetic, published: Path, tmp_path: Path) -> None:
    source = open_source(published)
    texts = trial_texts(published.with_name("vocab.txt"), 80)
    write_lean(source, arithmetic, tmp_path / "lean.onnx", unreported)
    cosine = least_cosine(plain_features(source, texts), features_of(tmp_path / "lean.onnx", texts, WIDTH))
    assert 0.999 < cosine < 1.0


@pytest.mark.parametrize(("outlier", "stands_out_in"), [(100.0, "content"), (0.1, "matrix")])
def test_what_stands_out(outlier: float, stands_out_in: str, tmp_path: Path) -> None:
    model = write_published(tmp_path, hidden=WIDTH, heads=4, inner=128, outlier=outlier)
    source = open_source(model)
    texts = trial_texts(tmp_path / "vocab.txt", 80)[:4]
    exact = plain_features(source, texts)
    cosines = {}
    arithmetics: tuple[Arithmetic, ...] = ("pairs", "blocks")
    for arithmetic in arithmetics:
        write_lean(source, arithmetic, tmp_path / f"{arithmetic}.onnx", unreported)
        results = features_of(tmp_path / f"{arithmetic}.onnx", texts, WIDTH)
        cosines[arithmetic] = least_cosine([rows[:, 1:] for rows in exact], [rows[:, 1:] for rows in results])
    if stands_out_in == "content":
        assert cosines["blocks"] < cosines["pairs"]
        assert cosines["pairs"] > 0.9995
    else:
        assert cosines["pairs"] < 0.999 < cosines["blocks"]


def test_weights_in_float32_lie_beside_the_graph(published: Path, tmp_path: Path) -> None:
    write_lean(open_source(published), "float32", tmp_path / "lean.onnx", unreported)
    assert (tmp_path / "lean.onnx").stat().st_size < (tmp_path / "lean.data").stat().st_size
    write_lean(open_source(published), "pairs", tmp_path / "small.onnx", unreported)
    assert not (tmp_path / "small.data").exists()
