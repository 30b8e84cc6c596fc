"""Rows of `expect`: how long each graph should take by its multiply-adds, how long it takes, and what is to blame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from app.errors import VoiceError
from app.lab.confined import Found, believing, found_by
from app.lab.given import Sizes
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.subject import Subject
from app.language import localized
from app.progress import Report, unreported

WELL = 0.5  # of the time is multiplying: then a graph runs well, and only less work is faster
BLAMED = 5  # operators that are named
KINDS = ("convolution", "product", "convolution_int8", "product_int8")
MUCH_WORK, INEFFICIENT = "much work", "inefficient"


def expect_rows(subject: Subject, sizes: Sizes, repeats: Repeats, report: Report = unreported) -> Iterator[Row]:
    """What the machine reaches, then for each graph a row of its own and one for each kind of operator in it.

    Raises:
        VoiceError: no graph is there, or one asks for too much.
    """
    if not list(subject.forms()):
        raise VoiceError(localized("測定できるグラフがありません。", "There is no graph to time."), subject.reason)
    if subject.voice is not None:
        sizes = replace(sizes, hop=subject.voice.manifest.hop_length)
    peaks: dict[str, float] = {}
    for found in found_by("expect", subject, [sizes.values(), asdict(repeats)], report):
        with believing(subject):
            if found["kind"] == "peaks":
                peaks = {name: float(found["gmac_s"][name]) for name in KINDS}
                yield {"type": "peak"} | {f"{name}_gmac_s": reached for name, reached in peaks.items()}
            elif "failed" in found:
                words = localized("測定できませんでした: ", "Not timed: ")
                yield {"type": "note", "graph": found["graph"], "form": found["form"], "note": words + found["failed"]}
            else:
                yield from graph_rows(found, peaks)


def graph_rows(found: Found, peaks: Mapping[str, float]) -> Iterator[Row]:
    """The rows of one graph.

    Args:
        found: `macs` by kind, `measured_ms`, and `operators`: kind and milliseconds by name.
        peaks: thousands of millions of multiply-adds a second by kind.
    """
    name = found["graph"] if found["form"] == "prepared" else f"{found['graph']} (source)"
    macs: Mapping[str, int] = found["macs"]
    lost = _lost(found["operators"], macs, peaks)
    yield _row(name, sum(macs.values()), expected_ms(macs, peaks), found["measured_ms"], lost, found["runs"])
    for kind in (*KINDS, None):
        here = {operator: ms for operator, (is_of, ms) in found["operators"].items() if is_of == kind}
        if here:
            work = {kind: macs.get(kind, 0)} if kind else {}
            blamed = {operator: lost[operator] for operator in here}
            part = f"{name}: {kind or 'other'}"
            yield _row(part, sum(work.values()), expected_ms(work, peaks), sum(here.values()), blamed, found["runs"])


def expected_ms(macs: Mapping[str, int], peaks: Mapping[str, float]) -> float:
    """The least that these multiply-adds take."""
    return sum(count / peaks[kind] / 1e6 for kind, count in macs.items())


def _lost(operators: Mapping[str, Any], macs: Mapping[str, int], peaks: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds by operator that are not multiplying; operators of one kind share the work by their time."""
    whole = {kind: sum(ms for is_of, ms in operators.values() if is_of == kind) for kind in KINDS}
    found = {}
    for operator, (kind, ms) in operators.items():
        due = expected_ms({kind: macs.get(kind, 0)}, peaks) * ms / whole[kind] if kind and whole[kind] else 0.0
        found[operator] = max(0.0, ms - due)
    return found


def _row(part: str, macs: int, expected: float, measured: float, lost: Mapping[str, float], runs: int) -> Row:
    """Only what counts has an efficiency and a verdict: what multiplies nothing is neither good nor bad at it."""
    efficiency = expected / measured if measured else 0.0
    verdict = (MUCH_WORK if efficiency >= WELL else INEFFICIENT) if macs else None
    worst = sorted(lost.items(), key=lambda item: -item[1])[:BLAMED]
    row: Row = {"type": "expect", "part": part, "macs": macs, "expected_ms": expected, "measured_ms": measured}
    row["efficiency"] = efficiency if macs else None
    return row | {"verdict": verdict, "runs": runs, "operators": {name: round(ms, 4) for name, ms in worst if ms > 0}}
