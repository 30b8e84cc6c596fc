"""`expect`: times follow from the work and this machine's peak; what takes longer is named."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench.multiply_adds import find_operator_kind
from app.bench.repeated_runs import Repeats
from app.cli.main import main
from app.common.errors import VoiceError
from app.lab.expect.expect_rows import COUNTED_KINDS, INEFFICIENT, MUCH_WORK, build_expect_rows, build_graph_rows, compute_expected_ms
from app.lab.expect.graph_timing import LONGEST_S, MAX_TIMED_RUNS, _measure_runs_ms
from app.lab.lab_subject import LabSubject
from app.lab.report_charts import draw_expect_chart
from app.lab.synthetic_runs import InputSizes
from tests.lab.graphs import of_type
from tests.lab.odd_graphs import stated

BRIEFLY = ("--runs", "1", "--warmup", "0", "--seconds", "0")
PEAKS = {"convolution": 100.0, "product": 50.0, "convolution_int8": 400.0, "product_int8": 200.0}
COUNTS = st.dictionaries(st.sampled_from(COUNTED_KINDS), st.integers(1, 10**10))


def found(measured_ms: float, **operators: float) -> dict[str, object]:
    """A decoder of 0.4 GMAC of convolutions and 0.1 of products: 4 and 2 ms at best."""
    return {
        "graph": "decoder",
        "form": "prepared",
        "macs": {"convolution": 400_000_000, "product": 100_000_000},
        "measured_ms": measured_ms,
        "runs": 10,
        "operators": {name: [find_operator_kind(name), ms] for name, ms in operators.items()},
    }


def test_a_graph_that_mostly_multiplies_has_much_work() -> None:
    whole, convolutions, products, other = build_graph_rows(found(10.0, Conv=4.0, MatMul=4.0, Add=2.0), PEAKS)
    assert whole["expected_ms"] == pytest.approx(6)
    assert (whole["efficiency"], whole["verdict"]) == (pytest.approx(0.6), MUCH_WORK)
    assert whole["operators"] == {"MatMul": 2.0, "Add": 2.0}, "whose work explains their time are not blamed"
    assert (convolutions["part"], convolutions["efficiency"]) == ("decoder: convolution", pytest.approx(1))
    assert (products["expected_ms"], products["measured_ms"]) == (pytest.approx(2), 4.0)
    assert (other["part"], other["macs"], other["efficiency"], other["verdict"]) == ("decoder: other", 0, None, None)


def test_a_graph_that_does_other_things_runs_badly_and_says_which() -> None:
    whole, *_ = build_graph_rows(found(60.0, Conv=3.0, FusedConv=5.0, MatMul=2.0, Transpose=40.0, Add=10.0), PEAKS)
    assert (whole["efficiency"], whole["verdict"]) == (pytest.approx(0.1), INEFFICIENT)
    assert list(whole["operators"]) == ["Transpose", "Add", "FusedConv", "Conv"]
    assert whole["operators"]["FusedConv"] == pytest.approx(5 - 4 * 5 / 8)


def test_a_graph_of_two_operators_runs_no_more_often_than_says_something(tmp_path: Path) -> None:
    (tmp_path / "tiny.onnx").write_bytes(stated([1]))
    took_ms = _measure_runs_ms(tmp_path / "tiny.onnx", {"x": np.zeros(1, np.float32)}, Repeats(runs=1, warmup=0, seconds=60))
    assert len(took_ms) <= MAX_TIMED_RUNS
    assert sum(took_ms) < 1000 * (LONGEST_S + 1)


@given(COUNTS, COUNTS)
def test_the_expected_time_of_two_is_that_of_both(one: dict[str, int], other: dict[str, int]) -> None:
    both = {kind: one.get(kind, 0) + other.get(kind, 0) for kind in COUNTED_KINDS}
    assert compute_expected_ms(both, PEAKS) == pytest.approx(compute_expected_ms(one, PEAKS) + compute_expected_ms(other, PEAKS))


def test_the_shipped_bert_is_timed_and_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It takes seconds: the machine's peak is the best of many runs."""
    picture = tmp_path / "expect.svg"
    assert main(["lab", "expect", "koebako-starter-v1", *BRIEFLY, "--tokens", "8", "--json", "--plot", str(picture)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["type"] for row in rows[:2]] == ["machine", "peak"]
    assert all(1 < rows[1][f"{kind}_gmac_s"] < 1e5 for kind in COUNTED_KINDS)
    whole, products, other = of_type(rows, "expect")
    assert (whole["part"], products["part"], other["part"]) == ("bert", "bert: product", "bert: other")
    assert whole["macs"] == products["macs"] > 1e6
    assert whole["expected_ms"] == pytest.approx(whole["macs"] / rows[1]["product_gmac_s"] / 1e6)
    assert products["measured_ms"] + other["measured_ms"] == pytest.approx(whole["measured_ms"])
    assert whole["verdict"] in (MUCH_WORK, INEFFICIENT)
    assert "BERT" in ET.parse(picture).getroot().itertext()
    assert main(["lab", "expect", "--runs", "0"]) == 2


def test_a_picture_of_hostile_names_is_one() -> None:
    rows = list(build_graph_rows(found(60.0, **{"<b>&": 60.0}) | {"graph": "<script>" * 20}, PEAKS))
    texts = list(ET.fromstring(draw_expect_chart(rows)).itertext())
    assert any(text.startswith("<script>") and text.endswith("…") for text in texts)
    assert ET.fromstring(draw_expect_chart([])).tag.endswith("svg")


def test_what_has_no_graph_is_not_timed() -> None:
    with pytest.raises(VoiceError, match="no graph"):
        list(build_expect_rows(LabSubject("weights"), InputSizes(), Repeats()))
