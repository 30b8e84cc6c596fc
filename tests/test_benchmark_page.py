"""The benchmarks write their own tables into their page."""

from pathlib import Path

import numpy as np
import pytest

from app.bench.stage_timing import BENCH_LINES
from tests.benchmarks import included_voice
from tests.benchmarks.included_voice import GRAPHS, VOICES, HeardLine, by_graph, find_heard_ms, measured, speed
from tests.benchmarks.page import PAGE, README, put


def test_a_table_replaces_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n", encoding="utf-8")
    put("a", "new\n", page)
    assert page.read_text(encoding="utf-8") == "before\n<!-- a -->\nnew\n<!-- /a -->\nafter\n"
    with pytest.raises(ValueError, match="no place for b"):
        put("b", "new", page)


@pytest.mark.parametrize(
    "name", ["included_voice", "results", "voice_import", "refining", "pitch", "hearing", "exporters", "webgpu", "half_precision"]
)
def test_the_page_has_a_place_for_each(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(f"<!-- {name} -->\n") == text.count(f"<!-- /{name} -->\n") == 1


def test_readme_shows_what_the_lab_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables in both pages have the rows that the command writes."""
    machine = {"type": "machine", "cpu": "X", "threads": 2, "ort": "1.31.1", "busy": False}
    sizes = [{"type": "graph", "graph": graph, "parameters": 1234, "bytes": 5_600_000} for graph in GRAPHS]
    pace = {"type": "expect", "macs": 86_000_000, "expected_ms": 1.0, "measured_ms": 7.7, "efficiency": 0.13}
    answers = {"inspect": sizes, "expect": [pace | {"part": graph} for graph in GRAPHS]}
    monkeypatch.setattr(included_voice, "lab", lambda part, *_options: [machine, *answers[part]])
    found, lines = measured(5), {(voice, name): HeardLine(12.34, 567.8) for voice in VOICES for name in BENCH_LINES}
    assert "X, 2 threads, ONNX Runtime 1.31.1" in speed(found, lines, "en")
    assert "| Kokoro: first sound heard | 12 ms | 12 ms |\n| Kokoro: whole line | 568 ms | 568 ms |" in speed(found, lines, "en")
    assert "| flow | 1,234 | 5,600 kB | 86 M | 1.0 ms | 7.7 ms | 13% |" in by_graph(found)
    machine["busy"] = True
    assert "busy" in speed(found, lines, "en")
    for page, name, table in (
        (README, "speed_en", speed(found, lines, "en")),
        (README, "speed_ja", speed(found, lines, "ja")),
        (PAGE, "included_voice", f"{speed(found, lines, 'en')}\n\n{by_graph(found)}"),
    ):
        text = page.read_text(encoding="utf-8")
        shown = text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0]
        assert first_cells(shown) == first_cells(table), name


def test_silence_before_the_first_sound_counts() -> None:
    silence, speech = np.full(500, 0.004, np.float32), np.full(500, 0.5, np.float32)
    assert find_heard_ms([(0.1, silence), (0.2, speech)], 1000) == pytest.approx(600)
    assert find_heard_ms([(0.1, silence), (0.9, speech)], 1000) == pytest.approx(900), "the second piece came late"


def first_cells(table: str) -> list[tuple[str, int]]:
    """What each row begins with, and how many cells it has."""
    return [(line.split("|")[1].strip(), line.count("|")) for line in table.splitlines() if line.startswith("|")]
