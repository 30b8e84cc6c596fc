"""One check and how it ended, and all of them as JUnit XML, which services of continuous integration read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from app.lab.report_rows import Row, format_cell, make_row

FAILED_CODE = 3
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def build_check_row(
    check: str, graph: str, case: str, *, passed: bool, value: float | None = None, limit: float | None = None, detail: str = ""
) -> Row:
    """Build a row; JSON has no word for a value that is not finite.

    Args:
        check: parity, placement, shapes or latency.
        case: what was compared or run.
        value, limit: what was measured and what it was held against; None where there is no number.
        detail: why it failed, in the language of the user.
    """
    if value is not None and not math.isfinite(value):
        value = None
    return make_row("check", check=check, graph=graph, case=case, value=value, limit=limit, passed=passed, detail=detail)


def has_all_passed(rows: Iterable[Row]) -> bool:
    """Return whether there was a check and none failed."""
    found = [row["passed"] for row in rows if row["type"] == "check"]
    return bool(found) and all(found)


def format_as_junit(rows: Sequence[Row], name: str) -> bytes:
    """Return a JUnit suite named after the voice or BERT, with a case for each finding; other rows are its properties."""
    cases = [row for row in rows if row["type"] == "check"]
    failures = sum(not row["passed"] for row in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _remove_control_characters(name), **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in ((key, value) for row in rows if row["type"] != "check" for key, value in row.items() if key != "type"):
        ElementTree.SubElement(
            properties, "property", {"name": _remove_control_characters(key), "value": _remove_control_characters(format_cell(value))}
        )
    for row in cases:
        _add_case(suite, row)
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _add_case(suite: ElementTree.Element, row: Row) -> None:
    name = " · ".join(str(row[key]) for key in ("check", "graph", "case"))
    case = ElementTree.SubElement(suite, "testcase", {"classname": f"lab.{row['check']}", "name": _remove_control_characters(name)})
    measured = f"{format_cell(row['value'])} / {format_cell(row['limit'])}" if row["value"] is not None else ""
    words = _remove_control_characters(" ".join(filter(None, (measured, str(row["detail"])))))
    if not row["passed"]:
        ElementTree.SubElement(case, "failure", {"message": words})
    elif words:
        ElementTree.SubElement(case, "system-out").text = words


def _remove_control_characters(text: str) -> str:
    """Return a text without control characters, which XML cannot write."""
    return NOT_IN_XML.sub("\ufffd", text)
