"""Rows of `inspect`: what each graph is made of, and what it does for a sentence of a chosen size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.sandbox_limits import UnsafeFileError
from app.lab.graph_sandbox import SandboxRow, reject_malformed, run_in_sandbox
from app.lab.inspect.preparation_diff import build_difference_rows
from app.lab.inspect.weight_file_facts import read_weight_file_facts
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row
from app.lab.synthetic_inputs import InputSizes

GRAPHS_BY_FRAME = ("flow", "flow_int8", "decoder", "decoder_int8", "whole")
"""Graphs whose work is stated by frame, too."""
GraphKey = tuple[str, str]


def build_inspect_rows(subject: LabSubject, sizes: InputSizes, report: Report = ignore_report) -> Iterator[Row]:
    """Yield a row for each graph, then its inputs and outputs, weights and parts, then the changes by preparing, and notes at the end."""
    if subject.voice is not None:
        sizes = replace(sizes, hop=subject.voice.manifest.hop_length)
    facts, work, stopped = _collect_facts(subject, sizes, report)
    with reject_malformed(subject):
        yield from _build_rows(facts, work, stopped, sizes)
        whys = [subject.reason, next((item["why"] for item in facts.values() if item.get("why")), "")]
    # What it means for the user, then what in the graph it is.
    for why in dict.fromkeys(filter(None, whys)):
        yield {"type": "reason", "reason": why}


def _build_rows(facts: dict[GraphKey, SandboxRow], work: dict[GraphKey, SandboxRow], stopped: str, sizes: InputSizes) -> Iterator[Row]:
    yield from (_build_graph_row(item, work.get(key, {}), sizes) for key, item in facts.items())
    for key, item in facts.items():
        yield from _build_value_rows(item, work.get(key, {}))
    for key, item in facts.items():
        yield from _build_weight_rows(item)
        yield from _build_part_rows(item, work.get(key, {}))
    yield from build_difference_rows(facts, work)
    yield from _build_notes(facts, work, stopped)


def _collect_facts(
    subject: LabSubject, sizes: InputSizes, report: Report
) -> tuple[dict[GraphKey, SandboxRow], dict[GraphKey, SandboxRow], str]:
    """Return facts and work by form and graph, and why counting ended early."""
    facts: dict[GraphKey, SandboxRow] = {}
    work: dict[GraphKey, SandboxRow] = {}
    if subject.weights is not None:
        facts["source", "weights"] = {"form": "source", "graph": "weights"} | read_weight_file_facts(subject.weights)
    graphs = list(subject.iterate_graphs())
    try:
        for found in run_in_sandbox("inspect", subject, [sizes.convert_to_dict()], report) if graphs else ():
            (facts if found["kind"] == "facts" else work)[found["form"], found["graph"]] = found
    except UnsafeFileError as exc:
        if len(facts) < len(graphs):
            raise
        return facts, work, exc.message
    return facts, work, ""


def _build_graph_row(facts: SandboxRow, work: SandboxRow, sizes: InputSizes) -> Row:
    row: Row = {"type": "graph"} | {name: facts[name] for name in ("graph", "form", "nodes", "opset", "parameters", "bytes")}
    macs, frames = work.get("macs"), None
    if facts["graph"] in GRAPHS_BY_FRAME:
        frames = work.get("frames") or _count_given_frames(work, sizes)
    row |= {"macs": macs, "macs_per_frame": round(macs / frames) if macs is not None and frames else None, "frames": frames}
    row |= {"macs_int8": work.get("macs_int8"), "operators": facts["operators"]}
    return row | ({"domains": facts["domains"]} if facts["domains"] else {})


def _count_given_frames(work: SandboxRow, sizes: InputSizes) -> int:
    shapes = work.get("given", {})
    return next((int(shapes[name][-1]) for name in ("z", "z_p") if shapes.get(name)), sizes.frames)


def _build_value_rows(facts: SandboxRow, work: SandboxRow) -> Iterator[Row]:
    for direction in ("input", "output"):
        for name, dtype, shape in facts[f"{direction}s"]:
            counted = work.get("given", {}).get(name) if direction == "input" else None
            yield _begin_row(facts, "value") | {
                "direction": direction,
                "name": name,
                "dtype": dtype,
                "shape": shape,
                "counted_with": counted,
            }


def _build_weight_rows(facts: SandboxRow) -> Iterator[Row]:
    for dtype, (tensors, parameters, size) in facts["weights"].items():
        yield _begin_row(facts, "weights") | {"dtype": dtype, "tensors": tensors, "parameters": parameters, "bytes": size}
    for name, dtype, shape, size in facts["largest"]:
        yield _begin_row(facts, "weight") | {"name": name, "dtype": dtype, "shape": shape, "bytes": size}


def _build_part_rows(facts: SandboxRow, work: SandboxRow) -> Iterator[Row]:
    parts = {name: counts for name, counts in work.get("parts", {}).items() if name}
    for name, (nodes, macs) in parts.items():
        share = macs / work["macs"] if work["macs"] else 0.0
        yield _begin_row(facts, "part") | {"part": name, "nodes": nodes, "macs": macs, "share": share}


def _build_notes(facts: dict[GraphKey, SandboxRow], work: dict[GraphKey, SandboxRow], stopped: str) -> Iterator[Row]:
    for key, item in facts.items():
        failed = work.get(key, {}).get("failed") or (stopped if key not in work and "kind" in item else "")
        if failed:
            words = localize("積和演算を数えられませんでした: ", "Multiply-adds were not counted: ")
            yield _begin_row(item, "note") | {"note": words + failed}


def _begin_row(facts: SandboxRow, kind: str) -> dict[str, Any]:
    return {"type": kind, "graph": facts["graph"], "form": facts["form"]}
