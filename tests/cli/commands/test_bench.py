"""`koebako bench`."""

import csv
import json
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.bench import multiply_adds
from app.bench.stage_timing import STAGE_TABLE_COLUMNS
from app.cli.main import main

QUICK = ["--runs", "2", "--warmup", "1"]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def _peak_of_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of fewer products is one that is still faster than any graph."""
    monkeypatch.setattr(multiply_adds, "measure_gmac_s", partial(multiply_adds.measure_gmac_s, runs=60))


@pytest.fixture
def _any_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that compare nothing with what the processor reaches at best, which takes hundreds of products to find."""
    monkeypatch.setattr(multiply_adds, "measure_gmac_s", partial(multiply_adds.measure_gmac_s, runs=1))


@pytest.mark.usefixtures("_peak_of_few_runs")
def test_every_stage_cold_warm_and_cached_with_its_work_and_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--tokens", "5,20", *QUICK, "--json"]) == 0
    *rows, summary = lines(capsys.readouterr().out)
    assert {row["state"] for row in rows} == {"cold", "warm", "cached"}
    assert {row["tokens"] for row in rows} == {"5", "20"}
    assert all(tuple(row) == STAGE_TABLE_COLUMNS for row in rows)
    medians = {(row["tokens"], row["state"], row["stage"]): row["median_ms"] for row in rows}
    assert medians["20", "cached", "bert"] < medians["20", "warm", "bert"]  # type: ignore[operator]
    assert medians["20", "warm", "first_audio"] <= medians["20", "warm", "total"]  # type: ignore[operator]
    assert summary["summary"] is True
    assert summary["peak_mb"] > 50  # type: ignore[operator]
    warm = {(row["tokens"], row["stage"]): row for row in rows if row["state"] == "warm"}
    for stage in ("bert", "prosody", "flow", "decode", "total"):
        assert 0 < warm["5", stage]["gmac"] < warm["20", stage]["gmac"]  # type: ignore[operator]
    assert warm["20", "g2p"]["gmac"] is None
    total = warm["20", "total"]
    assert total["target_ms"] == 580
    assert total["expected_ms"] == pytest.approx(total["gmac"] * 2000 / summary["peak_float32_gflops"], rel=0.02)  # type: ignore[operator]
    assert total["expected_ms"] < total["median_ms"]  # type: ignore[operator]  # no graph is faster than the best product


@pytest.mark.usefixtures("_any_peak")
def test_as_csv_with_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--tokens", "5", "--lines", "--runs", "1", "--warmup", "0", "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["tokens"] for row in rows} == {"5", "short", "long"}
    assert all(float(row["rtf"]) > 0 for row in rows if row["stage"] == "total")


@pytest.mark.usefixtures("_any_peak")
def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--tokens", "5", *QUICK]) == 0
    shown = capsys.readouterr()
    assert "5 tokens" in shown.out
    assert "580 ✓" in shown.out
    assert "GFLOP/s" in shown.err


@pytest.mark.usefixtures("_any_peak")
def test_several_backends_are_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "bench.svg"
    assert (
        main(["bench", "--backend", "cpu,auto", "--tokens", "5,20", "--runs", "1", "--warmup", "0", "--json", "--plot", str(picture)]) == 0
    )
    *rows, summary = lines(capsys.readouterr().out)
    assert {row["backend"] for row in rows} == {"cpu", "auto"}
    totals = {(row["tokens"], row["backend"]): row["median_ms"] for row in rows if (row["state"], row["stage"]) == ("warm", "total")}
    best = {text: min(("cpu", "auto"), key=lambda name: totals[text, name]) for text in ("5", "20")}  # type: ignore[arg-type,return-value]
    assert summary["winners"] == best
    assert len(summary["cross_overs"]) == (best["5"] != best["20"])  # type: ignore[arg-type]
    texts = [element.text for element in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert {"5 tokens", "cpu", "auto"} <= set(texts)
    assert {"target 580 ms →", "target 580 ms"} & set(texts), "beyond the picture, or within it on a crowded machine"


@pytest.mark.parametrize(("name", "code"), [("a.pdf", 2), ("a.png", 2), ("no/such/folder/a.svg", 7)])
def test_a_picture_that_cannot_be(name: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--tokens", "5", "--runs", "1", "--warmup", "0", "--plot", str(tmp_path / name)]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_a_bert_the_voice_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--bert", "another"]) == 3
    assert "--force-bert" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--tokens", "x"], ["--tokens", "0"], ["--runs", "0"], ["--backend", "cpu,"], ["--reference"]])
def test_nonsense_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err
