"""A report as a file, in each of its formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.data_file import LARGEST_BYTES, READABLE, read_patiently, save_bytes
from app.lab.rows import Row
from app.language import localized
from app.ui.lab.parts import FILES
from app.ui.lab.runs import Report
from app.ui.playback.save_dialog import title


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Attributes:
        suffix: with the dot.
        of: what of a report goes into it; None where the report has nothing of the kind.
    """

    name: str
    suffix: str
    of: Callable[[Report], bytes | None]


def formats() -> dict[str, Format]:
    """All of them, by a short name."""
    return {
        "html": Format(localized("レポート（HTML）…", "Report (HTML)…"), ".html", _html),
        "csv": Format(localized("表（CSV）…", "Table (CSV)…"), ".csv", _csv),
        "markdown": Format(localized("表（Markdown）…", "Table (Markdown)…"), ".md", _markdown),
        "json": Format(localized("データ（JSON）…", "Data (JSON)…"), ".json", _json),
        "svg": Format(localized("図（SVG）…", "Picture (SVG)…"), ".svg", _svg),
        "png": Format(localized("図（PNG）…", "Picture (PNG)…"), ".png", _png),
        "--trace": Format(localized("Chrome トレース（JSON）…", "Chrome trace (JSON)…"), f".trace{FILES['--trace']}", _file("--trace")),
        "--junit": Format(localized("テスト結果（JUnit）…", "Test results (JUnit)…"), FILES["--junit"], _file("--junit")),
    }


def is_possible(name: str, report: Report) -> bool:
    """Whether a report has anything for this format."""
    if name in FILES:
        return name in report.files
    return bool(report.picture) if name in ("svg", "png") else bool(report.rows)


def write(form: Format, report: Report, target: Path) -> None:
    """Writes a file; OutputFileError where that is not possible."""
    content = form.of(report)
    if content is not None:
        save_bytes(target, content, localized("書き出せません", "The file could not be written"), READABLE)


def file_name(report: Report, form: Format) -> str:
    """What a file is called unless the user calls it otherwise."""
    return f"{title(report.name) or 'lab'}-{report.part}{form.suffix}"


def _csv(report: Report) -> bytes:
    from app.lab.tables import as_csv

    return ("\ufeff" + as_csv(report.rows) + "\n").encode("utf-8", "replace")  # with the mark that spreadsheets know UTF-8 by


def _markdown(report: Report) -> bytes:
    from app.lab.tables import as_markdown

    return (as_markdown(report.rows) + "\n").encode("utf-8", "replace")


def _html(report: Report) -> bytes:
    from app.lab.page import as_html

    return as_html(report.rows, f"Koebako lab {report.part}: {report.name}").encode("utf-8", "replace")


def _json(report: Report) -> bytes:
    return json_list(report.rows).encode("utf-8", "replace")


def _svg(report: Report) -> bytes | None:
    from app.ui.lab.picture import in_theme

    return in_theme(report.picture).encode() if report.picture else None


def _png(report: Report) -> bytes | None:
    from app.ui.lab.picture import as_png, in_theme

    return as_png(in_theme(report.picture)) if report.picture else None


def _file(option: str) -> Callable[[Report], bytes | None]:
    return lambda report: read_patiently(report.files[option], LARGEST_BYTES) if option in report.files else None


def json_list(rows: list[Row]) -> str:
    """A list with a line a row."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
