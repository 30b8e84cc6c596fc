"""The benchmarks write their own tables into their page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.included_voice import TEXTS, table
from tests.benchmarks.page import PAGE, put


def test_a_table_replaces_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n", encoding="utf-8")
    put("a", "new\n", page)
    assert page.read_text(encoding="utf-8") == "before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n"
    with pytest.raises(ValueError, match="no place for b"):
        put("b", "new", page)


@pytest.mark.parametrize("name", ["included_voice", "results"])
def test_the_page_has_a_place_for_each(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(f"<!-- {name} -->\n") == text.count(f"<!-- /{name} -->\n") == 1


def test_the_table_of_the_included_voice_is_made_of_benchs_lines() -> None:
    rows = [
        {"tokens": text, "state": state, "stage": stage, "median_ms": 12.3, "rtf": 0.0071}
        for text in TEXTS
        for state in ("warm", "cached")
        for stage in ("first_audio", "total")
    ]
    shown = table([*rows, {"cpu": "X", "threads": 2, "ort": "1.31.1"}], 5)
    assert "| 20 characters | 12 ms | 12 ms | 0.007 |" in shown
    assert "X, 2 threads, ONNX Runtime 1.31.1" in shown
