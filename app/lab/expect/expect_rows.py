"""Rows of `expect`: how long each graph should take by its multiply-adds, how long it takes, and what is to blame."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from app.bench.repeated_runs import Repeats
from app.common.errors import VoiceError
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.lab.graph_sandbox import SandboxRow, reject_malformed, run_in_sandbox
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row, make_row
from app.lab.synthetic_runs import InputSizes

GOOD_EFFICIENCY = 0.5  # of the time is multiplying: then a graph runs well, and only less work is faster
MAX_BLAMED_OPERATORS = 5  # operators that are named
COUNTED_KINDS = ("convolution", "product", "convolution_int8", "product_int8")
MUCH_WORK, INEFFICIENT = "much work", "inefficient"


def build_expect_rows(subject: LabSubject, sizes: InputSizes, repeats: Repeats, report: Report = ignore_report) -> Iterator[Row]:
    """Yield the speed that the machine reaches, then each graph and each kind of operator in it; raise VoiceError if none is there, or one asks for too much."""
    if not list(subject.iterate_graphs()):
        raise VoiceError(localize("測定できるグラフがありません。", "There is no graph to time."), subject.reason)
    if subject.voice is not None:
        sizes = replace(sizes, hop=subject.voice.manifest.hop_length)
    peaks: dict[str, float] = {}
    for result in run_in_sandbox("expect", subject, [asdict(sizes), asdict(repeats)], report):
        with reject_malformed(subject):
            if result["kind"] == "peaks":
                peaks = {name: float(result["gmac_s"][name]) for name in COUNTED_KINDS}
                yield make_row("peak", **{f"{name}_gmac_s": reached for name, reached in peaks.items()})
            elif "failed" in result:
                words = localize("測定できませんでした: ", "Not timed: ")
                yield make_row("note", graph=result["graph"], form=result["form"], note=words + result["failed"])
            else:
                yield from build_graph_rows(result, peaks)


def build_graph_rows(result: SandboxRow, peaks: Mapping[str, float]) -> Iterator[Row]:
    """Yield the rows of one graph from what the child found and the billions of multiply-adds a second by kind."""
    name = result["graph"] if result["form"] == "prepared" else f"{result['graph']} (source)"
    macs: Mapping[str, int] = result["macs"]
    lost = _compute_lost_ms(result["operators"], macs, peaks)
    yield _build_row(name, sum(macs.values()), compute_expected_ms(macs, peaks), result["measured_ms"], lost, result["runs"])
    for kind in (*COUNTED_KINDS, None):
        times_ms = {operator: ms for operator, (is_of, ms) in result["operators"].items() if is_of == kind}
        if times_ms:
            work = {kind: macs.get(kind, 0)} if kind else {}
            blamed = {operator: lost[operator] for operator in times_ms}
            part = f"{name}: {kind or 'other'}"
            yield _build_row(part, sum(work.values()), compute_expected_ms(work, peaks), sum(times_ms.values()), blamed, result["runs"])


def compute_expected_ms(macs: Mapping[str, int], peaks: Mapping[str, float]) -> float:
    """Return the least time that these multiply-adds take."""
    return sum(count / peaks[kind] / 1e6 for kind, count in macs.items())


def _compute_lost_ms(operators: Mapping[str, Any], macs: Mapping[str, int], peaks: Mapping[str, float]) -> dict[str, float]:
    """Return by operator the milliseconds that are not multiplying; operators of one kind share the work by their time."""
    whole = {kind: sum(ms for is_of, ms in operators.values() if is_of == kind) for kind in COUNTED_KINDS}
    lost_ms = {}
    for operator, (kind, ms) in operators.items():
        due = compute_expected_ms({kind: macs.get(kind, 0)}, peaks) * ms / whole[kind] if kind and whole[kind] else 0.0
        lost_ms[operator] = max(0.0, ms - due)
    return lost_ms


def _build_row(part: str, macs: int, expected: float, measured: float, lost: Mapping[str, float], runs: int) -> Row:
    """Build a row. Only parts with multiply-adds have an efficiency and a verdict: the others are neither good nor bad at it."""
    efficiency = expected / measured if measured else 0.0
    verdict = (MUCH_WORK if efficiency >= GOOD_EFFICIENCY else INEFFICIENT) if macs else None
    worst = sorted(lost.items(), key=lambda item: -item[1])[:MAX_BLAMED_OPERATORS]
    return make_row(
        "expect",
        part=part,
        macs=macs,
        expected_ms=expected,
        measured_ms=measured,
        efficiency=efficiency if macs else None,
        verdict=verdict,
        runs=runs,
        operators={name: round(ms, 4) for name, ms in worst if ms > 0},
    )
