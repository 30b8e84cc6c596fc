"""The file formats that a report can be exported to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.common.files.atomic_write import LARGEST_BYTES, READABLE, read_with_retry, save_bytes
from app.common.language import localize
from app.lab.report_rows import Row
from app.ui.lab.lab_commands import FILE_OPTIONS
from app.ui.lab.lab_runner import LabReport
from app.ui.playback.sound_save_dialog import build_file_title


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A file format.

    Attributes:
        suffix: The file's suffix with its dot.
        build_content: Builds the file's bytes from a report; None where the report has nothing for this format.
    """

    name: str
    suffix: str
    build_content: Callable[[LabReport], bytes | None]


def list_formats() -> dict[str, ReportFormat]:
    """Return all formats by a short name."""
    return {
        "html": ReportFormat(localize("レポート（HTML）…", "Report (HTML)…"), ".html", _build_html),
        "csv": ReportFormat(localize("表（CSV）…", "Table (CSV)…"), ".csv", _build_csv),
        "markdown": ReportFormat(localize("表（Markdown）…", "Table (Markdown)…"), ".md", _build_markdown),
        "json": ReportFormat(localize("データ（JSON）…", "Data (JSON)…"), ".json", _build_json),
        "svg": ReportFormat(localize("図（SVG）…", "Picture (SVG)…"), ".svg", _build_svg),
        "png": ReportFormat(localize("図（PNG）…", "Picture (PNG)…"), ".png", _build_png),
        "--trace": ReportFormat(
            localize("Chrome トレース（JSON）…", "Chrome trace (JSON)…"), f".trace{FILE_OPTIONS['--trace']}", _create_file_reader("--trace")
        ),
        "--junit": ReportFormat(
            localize("テスト結果（JUnit）…", "Test results (JUnit)…"), FILE_OPTIONS["--junit"], _create_file_reader("--junit")
        ),
    }


def is_exportable(name: str, report: LabReport) -> bool:
    """Return whether a report has anything for this format."""
    if name in FILE_OPTIONS:
        return name in report.files
    return bool(report.picture) if name in ("svg", "png") else bool(report.rows)


def write_report(report_format: ReportFormat, report: LabReport, target: Path) -> None:
    """Write a report to a file. Raise OutputFileError where that fails."""
    content = report_format.build_content(report)
    if content is not None:
        save_bytes(target, content, localize("書き出せません", "The file could not be written"), READABLE)


def build_file_name(report: LabReport, report_format: ReportFormat) -> str:
    """Return the suggested name of a file."""
    return f"{build_file_title(report.name) or 'lab'}-{report.command_name}{report_format.suffix}"


def _build_csv(report: LabReport) -> bytes:
    from app.lab.report_tables import format_as_csv

    # Spreadsheets recognise UTF-8 by the byte order mark; without it they assume the system's encoding.
    return ("\ufeff" + format_as_csv(report.rows) + "\n").encode("utf-8", "replace")


def _build_markdown(report: LabReport) -> bytes:
    from app.lab.report_tables import format_as_markdown

    return (format_as_markdown(report.rows) + "\n").encode("utf-8", "replace")


def _build_html(report: LabReport) -> bytes:
    from app.lab.report_page import format_as_html

    return format_as_html(report.rows, f"Koebako lab {report.command_name}: {report.name}").encode("utf-8", "replace")


def _build_json(report: LabReport) -> bytes:
    return format_json_rows(report.rows).encode("utf-8", "replace")


def _build_svg(report: LabReport) -> bytes | None:
    from app.ui.lab.report_picture import apply_theme

    return apply_theme(report.picture).encode() if report.picture else None


def _build_png(report: LabReport) -> bytes | None:
    from app.ui.lab.report_picture import apply_theme, render_png

    return render_png(apply_theme(report.picture)) if report.picture else None


def _create_file_reader(option: str) -> Callable[[LabReport], bytes | None]:
    return lambda report: read_with_retry(report.files[option], LARGEST_BYTES) if option in report.files else None


def format_json_rows(rows: list[Row]) -> str:
    """Format rows as a JSON array with one row a line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
