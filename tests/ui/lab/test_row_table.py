"""A table of rows says first what came of each, whatever order the rows have."""

from pytestqt.qtbot import QtBot

from app.lab.report_rows import Row
from app.ui.lab.row_table import LabRowTable


def shown(table: LabRowTable) -> list[str]:
    header = table.horizontalHeader()
    names = (table.rows.columns[header.logicalIndex(place)] for place in range(header.count()))
    return [name for name in names if not table.isColumnHidden(table.rows.columns.index(name))]


def test_conclusions_stand_next_to_what_they_are_about(qtbot: QtBot) -> None:
    table = LabRowTable("comparison")
    qtbot.addWidget(table)
    rows: list[Row] = [
        {"type": "compare", "candidate": "cpu", "graph": "flow", "runs": 10, "mean_ms": 2.0, "median_ms": 1.9, "winner": True},
        {
            "type": "compare",
            "candidate": "ort",
            "graph": "flow",
            "runs": 10,
            "mean_ms": 4.0,
            "median_ms": 3.9,
            "winner": False,
            "slower": 2.0,
        },
    ]
    table.add_rows(rows[:1])
    assert shown(table) == ["candidate", "graph", "winner", "median_ms", "runs", "mean_ms"]
    table.add_rows(rows[1:])
    assert shown(table) == ["candidate", "graph", "winner", "median_ms", "slower", "runs", "mean_ms"]
    table.selectAll()
    assert table.format_selected_rows().splitlines()[0].split("\t") == [
        "candidate",
        "graph",
        "runs",
        "mean_ms",
        "median_ms",
        "winner",
        "slower",
    ]


def test_a_verdict_in_words_stands_after_what_it_is_about_and_figures_end_the_table(qtbot: QtBot) -> None:
    table = LabRowTable("placement")
    qtbot.addWidget(table)
    table.add_rows([{"type": "place", "graph": "flow", "backend": "cpu", "nodes": 160, "verdict": "runs here", "assigned": {"cpu": 160}}])
    assert shown(table) == ["graph", "backend", "verdict", "nodes", "assigned"]
    assert table.horizontalHeader().stretchLastSection()
    table.add_rows([{"type": "place", "graph": "decoder", "backend": "cpu", "nodes": 99, "boundaries": 3}])
    assert shown(table)[-1] == "boundaries"
    assert not table.horizontalHeader().stretchLastSection(), "figures would stand far from the others"
