"""The columns of the latency table: the text and the colour of each cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.common.language import localize
from app.ui.display_names import format_backends, format_ms
from app.ui.latency.target_labels import describe_targets
from app.ui.synthesis.latency_history import MAX_KEPT_UTTERANCES, LatencyRow
from app.ui.theme.theme import Theme


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """The figures of one row: a stage, the first audio or the total.

    Attributes:
        stage: The stage's name in the program; empty for the first audio.
        target_ms: The longest time it should take; None where there is no target.
        is_over_target: Whether its last run took longer.
        copies_ms: The measured times of copying to the device, computing there and copying back; None where they were not measured.
    """

    stage: str
    name: str
    row: LatencyRow
    target_ms: float | None
    is_over_target: bool
    copies_ms: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class LatencyColumn:
    """A column of the table; further ones are added to `list_columns`.

    Attributes:
        format_text: Formats a row's cell.
        choose_color: Returns a cell's colour, or None for the table's own.
        meaning: An explanation of its figures; empty where the header says enough.
    """

    header: str
    format_text: Callable[[LatencyFigures], str]
    choose_color: Callable[[LatencyFigures, Theme], str | None] = lambda _figures, _theme: None
    meaning: str = ""


def list_columns(*, has_devices: bool = False) -> tuple[LatencyColumn, ...]:
    """Return the columns in their order, with the device's column only where a device other than the CPU was used."""
    where = (
        LatencyColumn(localize("実行先", "Runs on"), lambda item: format_backends(item.row.backends), lambda _item, theme: theme.muted),
    )
    return (
        LatencyColumn("ms", lambda item: item.name),
        LatencyColumn(localize("直近", "Last"), _format_last, lambda item, theme: theme.error_text if item.is_over_target else None),
        LatencyColumn(localize("中央値", "Median"), lambda item: format_ms(item.row.median), meaning=_describe_computed()),
        LatencyColumn("p95", lambda item: format_ms(item.row.p95), meaning=_describe_computed()),
        LatencyColumn(localize("キャッシュ", "Cached"), _format_cached, lambda _item, theme: theme.muted, _describe_cached()),
        LatencyColumn(localize("目標", "Target"), _format_target, lambda _item, theme: theme.muted, describe_targets()),
        *(where if has_devices else ()),
    )


def localize_cached() -> str:
    """Return the text shown for a last result that came from a cache."""
    return localize("キャッシュ", "cached")


def list_widest_figures() -> tuple[str, ...]:
    """Return the figures that need the most space."""
    return localize_cached(), f"{MAX_KEPT_UTTERANCES}: {format_ms(1000.0)}"


def _format_last(item: LatencyFigures) -> str:
    return localize_cached() if item.row.is_cached else format_ms(item.row.last)


def _describe_computed() -> str:
    return localize("キャッシュの結果を含みません。", "Without results from the cache.")


def _describe_cached() -> str:
    return localize("キャッシュの結果を使った回数と、その中央値。", "How often the cache was used, and the median of those times.")


def _format_cached(item: LatencyFigures) -> str:
    """Format the number of cached runs and their median (ms)."""
    return f"{item.row.cached_runs}: {format_ms(item.row.cached_median)}" if item.row.cached_runs else ""


def _format_target(item: LatencyFigures) -> str:
    return "" if item.target_ms is None else f"{item.target_ms:.0f}"


def explain_figures(item: LatencyFigures) -> str:
    """Explain where a stage ran and which of its time was not computing; empty where there is nothing to explain."""
    if item.stage == "total":
        return localize("待ち時間を除く処理時間の合計", "Processing time without waiting")
    lines = [format_backends(item.row.backends)] if set(item.row.backends) - {"cpu"} else []
    if item.row.new_ms:
        lines.append(
            localize(
                f"新しい長さの準備を含む: {format_ms(item.row.new_ms)} ms（次に同じ長さのときは速くなります）",
                f"includes preparing for a new length: {format_ms(item.row.new_ms)} ms (the same length is faster next time)",
            )
        )
    if item.row.waited_ms:
        lines.append(
            localize(
                f"デバイスがこの長さをまだ計算できないため CPU で計算: {format_ms(item.row.waited_ms)} ms",
                f"computed on the CPU, as the device is not ready for this length: {format_ms(item.row.waited_ms)} ms",
            )
        )
    if item.copies_ms is not None and set(item.row.backends) - {"cpu"}:
        there, run, back = map(format_ms, item.copies_ms)
        lines.append(
            localize(
                f"測定時: デバイスへの転送 {there} ms、計算 {run} ms、デバイスからの転送 {back} ms",
                f"as measured: copying in {there} ms, computing {run} ms, copying out {back} ms",
            )
        )
    return "\n".join(lines)
