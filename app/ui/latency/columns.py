"""What the columns of the latency table say of a stage, and in which colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.language import localized
from app.ui.labels import backends_shown, milliseconds
from app.ui.latency.target_words import target_words
from app.ui.synthesis.measurements import KEPT, Row
from app.ui.theme.theme import Theme


@dataclass(frozen=True, slots=True)
class Figures:
    """One row: a stage, the first audio or the total.

    Attributes:
        stage: its name in the program; empty for the first audio.
        target_ms: what it should take at most; None where that is not said.
        over: it took longer the last time.
        copies_ms: into the device, computing there and out of it, as measured; None where it was not.
    """

    stage: str
    name: str
    row: Row
    target_ms: float | None
    over: bool
    copies_ms: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column; to add one, add it to `columns`.

    Attributes:
        text: of a row.
        color: of a row, None for the table's own.
        meaning: what its figures are; empty where the header says it.
    """

    header: str
    text: Callable[[Figures], str]
    color: Callable[[Figures, Theme], str | None] = lambda _figures, _theme: None
    meaning: str = ""


def columns(*, devices: bool = False) -> tuple[Column, ...]:
    """All columns in their order, the name of the stage first; what computed it only where that is not the CPU alone."""
    where = (Column(localized("実行先", "Runs on"), lambda item: backends_shown(item.row.backends), lambda _item, theme: theme.muted),)
    return (
        Column("ms", lambda item: item.name),
        Column(localized("直近", "Last"), _last, lambda item, theme: theme.error_text if item.over else None),
        Column(localized("中央値", "Median"), lambda item: milliseconds(item.row.median), meaning=_computed_words()),
        Column("p95", lambda item: milliseconds(item.row.p95), meaning=_computed_words()),
        Column(localized("キャッシュ", "Cached"), _cached, lambda _item, theme: theme.muted, _cached_words()),
        Column(localized("目標", "Target"), _target, lambda _item, theme: theme.muted, target_words()),
        *(where if devices else ()),
    )


def cached() -> str:
    """What the last figure of a stage is that came from a cache."""
    return localized("キャッシュ", "cached")


def widest() -> tuple[str, ...]:
    """Figures that need as much room as any."""
    return cached(), f"{KEPT}: {milliseconds(1000.0)}"


def _last(item: Figures) -> str:
    return cached() if item.row.cached else milliseconds(item.row.last)


def _computed_words() -> str:
    return localized("キャッシュの結果を含みません。", "Without results from the cache.")


def _cached_words() -> str:
    return localized("キャッシュの結果を使った回数と、その中央値。", "How often the cache was used, and the median of those times.")


def _cached(item: Figures) -> str:
    """Their number, and the median of their own."""
    return f"{item.row.cached_runs}: {milliseconds(item.row.cached_median)}" if item.row.cached_runs else ""


def _target(item: Figures) -> str:
    return "" if item.target_ms is None else f"{item.target_ms:.0f}"


def explained(item: Figures) -> str:
    """Where a stage was computed, and what of that was not computing; empty where there is nothing to say."""
    if item.stage == "total":
        return localized("待ち時間を除く処理時間の合計", "Processing time without waiting")
    lines = [backends_shown(item.row.backends)] if set(item.row.backends) - {"cpu"} else []
    if item.row.new_ms:
        lines.append(
            localized(
                f"新しい長さの準備を含む: {milliseconds(item.row.new_ms)} ms（次に同じ長さのときは速くなります）",
                f"includes preparing for a new length: {milliseconds(item.row.new_ms)} ms (the same length is faster next time)",
            )
        )
    if item.row.waited_ms:
        lines.append(
            localized(
                f"デバイスがこの長さをまだ計算できないため CPU で計算: {milliseconds(item.row.waited_ms)} ms",
                f"computed on the CPU, as the device is not ready for this length: {milliseconds(item.row.waited_ms)} ms",
            )
        )
    if item.copies_ms is not None and set(item.row.backends) - {"cpu"}:
        there, run, back = map(milliseconds, item.copies_ms)
        lines.append(
            localized(
                f"測定時: デバイスへの転送 {there} ms、計算 {run} ms、デバイスからの転送 {back} ms",
                f"as measured: copying in {there} ms, computing {run} ms, copying out {back} ms",
            )
        )
    return "\n".join(lines)
