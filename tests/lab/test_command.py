"""`koebako lab` on what everybody has: the voice and the BERT that we ship."""

import copy
import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.cli.commands.lab.lab_part import LabPart, list_commands
from app.cli.commands.lab.lab_parts import LAB_PARTS
from app.cli.main import main
from app.common.command_parser import CommandParser
from app.common.progress import Report
from app.lab.graph_sandbox import SandboxRow, run_in_sandbox
from app.lab.inspect import inspect_rows
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row, format_cell
from app.lab.report_tables import format_as_text

_inspected: dict[str, list[SandboxRow]] = {}


@pytest.fixture(autouse=True)
def _inspected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same subject has the same rows in every format."""

    def inspect(task: str, subject: LabSubject, sizes: Sequence[Any], report: Report) -> Iterator[SandboxRow]:
        key = repr((task, subject.prepared, sizes))
        if key not in _inspected:
            _inspected[key] = list(run_in_sandbox(task, subject, sizes, report))
        yield from copy.deepcopy(_inspected[key])

    monkeypatch.setattr(inspect_rows, "run_in_sandbox", inspect)


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["lab", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_graph_has_a_row_below_that_of_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    machine, *found = lines(capsys, "inspect")
    graphs = [row for row in found if row["type"] == "graph"]
    assert machine.keys() == {"type", "ort", "cpu", "threads", "busy", "backend"}
    assert [(row["form"], row["graph"]) for row in graphs] == [("prepared", "prosody"), ("prepared", "flow"), ("prepared", "decoder")]
    assert next(row["graph"] for row in lines(capsys, "inspect", "koebako-starter-v1")[1:]) == "bert"


def test_a_report_comes_as_tables_and_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert main(["lab", "inspect", "--csv", "--html", str(page)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["type"] for row in rows][:5] == ["machine", "graph", "graph", "graph", "value"]
    assert json.loads(rows[1]["operators"])["MatMul"] > 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<table>") == len({row["type"] for row in rows}) > 2
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', ""), "it loads nothing from elsewhere"
    assert main(["lab", "inspect", "--markdown"]) == 0
    assert "| prosody | prepared |" in capsys.readouterr().out


def test_a_terminal_shows_what_says_something() -> None:
    """Columns without a value, crosses where nothing was chosen, and operators that hardly count are left to the other formats."""
    shares = {"MatMul": 0.9, "Add": 0.0002, "Sub": 0.0001}
    rows: list[Row] = [
        {"type": "profile", "scope": "operator", "name": name, "share": share, "kept": False, "copy": None}
        for name, share in shares.items()
    ]
    heading, columns, first, more = format_as_text(rows).splitlines()
    assert (heading, columns.split(), first.split()) == ("profile", ["scope", "name", "share"], ["operator", "MatMul", "0.9"])
    assert more.strip().startswith("2 more rows")
    assert "kept" in format_as_text([rows[0] | {"kept": True}])
    assert "c0ffee" not in format_as_text([{"type": "test", "lines": 1, "sounds": [["c0ffee", "beef"]]}]), "names of files are for programs"
    lacking = {"op": "Loop", "version": 16, "types": ["bool"], "count": 2}
    assert [format_cell(["T"], "shape"), format_cell(["T"])] == ["[T]", "T"]
    assert [format_cell(False, name) for name in ("winner", "ok")] == ["", "✗"]
    assert [format_cell(value) for value in ([1, 1024, "T"], ["a", "b"], [lacking, lacking | {"op": "Add"}])] == [
        "[1, 1024, T]", "a; b", "Loop (opset 16) × 2; Add (opset 16) × 2",
    ]  # fmt: skip


@pytest.mark.parametrize("option", ["--html", "--plot"])
def test_a_file_of_another_format_is_refused_before_any_work(capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str) -> None:
    assert main(["lab", "inspect", option, str(tmp_path / "report.pdf")]) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("part", ["compare", "verify", "place"])
def test_a_backend_that_nobody_knows_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str], part: str) -> None:
    assert main(["lab", part, "--backend", "foo"]) == 4
    assert "Unknown backend “foo”" in capsys.readouterr().err


def test_programs_learn_which_parts_there_are_and_how_far_work_is(capsys: pytest.CaptureFixture[str]) -> None:
    *parts, places = lines(capsys, "parts")
    assert [part["part"] for part in parts] == list(LAB_PARTS)
    assert all(part["summary"] and isinstance(part["options"], list) for part in parts)
    assert "cpu" in places["places"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "kind", "default"),
    [
        ({"type": int, "default": 10}, "number", 10),
        ({"type": float, "default": 3.0}, "number", 3.0),
        ({"action": "store_true"}, "switch", False),
        ({"default": "auto", "metavar": "NAME"}, "text", "auto"),
        ({"type": int, "nargs": "+", "default": [5, 20]}, "text", "5 20"),
        ({"choices": ("a", "b")}, "text", ""),
    ],
)
def test_every_form_of_an_option_is_described(given: dict[str, Any], kind: str, default: object) -> None:
    class Part(LabPart):
        summary = "部", "part"

        def add_options(self, parser: CommandParser) -> None:
            parser.add_argument("-x", "--some", **given)

    row, _places = list_commands({"some": Part()})
    options: Any = row["options"]
    (option,) = options
    assert (option["option"], option["kind"], option["default"]) == ("--some", kind, default)
    assert option["choices"] == list(given.get("choices", ()))
    assert option["many"] == ("nargs" in given)
