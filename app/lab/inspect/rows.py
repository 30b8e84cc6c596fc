"""Rows of `inspect`: what each graph is made of, and what it does for a sentence of a chosen size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.install.proof_limits import UnsafeError
from app.lab.confined import Found, believing, found_by
from app.lab.given import Sizes
from app.lab.inspect.differences import difference_rows
from app.lab.inspect.weight_files import weight_file_facts
from app.lab.rows import Row
from app.lab.subject import Subject
from app.language import localized
from app.progress import Report, unreported

BY_FRAME = ("flow", "flow_int8", "decoder", "decoder_int8", "whole")
"""Graphs whose work is stated by frame, too."""
Key = tuple[str, str]


def inspect_rows(subject: Subject, sizes: Sizes, report: Report = unreported) -> Iterator[Row]:
    """A row a graph, then its inputs and outputs, weights and parts, then what preparing changed; at last what there is to say."""
    if subject.voice is not None:
        sizes = replace(sizes, hop=subject.voice.manifest.hop_length)
    facts, work, stopped = _found(subject, sizes, report)
    with believing(subject):
        yield from _rows(facts, work, stopped, sizes)
        whys = [subject.reason, next((item["why"] for item in facts.values() if item.get("why")), "")]
    for why in dict.fromkeys(filter(None, whys)):  # what it means for the user, then what in the graph it is
        yield {"type": "reason", "reason": why}


def _rows(facts: dict[Key, Found], work: dict[Key, Found], stopped: str, sizes: Sizes) -> Iterator[Row]:
    yield from (_graph_row(item, work.get(key, {}), sizes) for key, item in facts.items())
    for key, item in facts.items():
        yield from _value_rows(item, work.get(key, {}))
    for key, item in facts.items():
        yield from _weight_rows(item)
        yield from _part_rows(item, work.get(key, {}))
    yield from difference_rows(facts, work)
    yield from _notes(facts, work, stopped)


def _found(subject: Subject, sizes: Sizes, report: Report) -> tuple[dict[Key, Found], dict[Key, Found], str]:
    """By form and graph, and why counting ended early."""
    facts: dict[Key, Found] = {}
    work: dict[Key, Found] = {}
    if subject.weights is not None:
        facts["source", "weights"] = {"form": "source", "graph": "weights"} | weight_file_facts(subject.weights)
    graphs = list(subject.forms())
    try:
        for found in found_by("inspect", subject, [sizes.values()], report) if graphs else ():
            (facts if found["kind"] == "facts" else work)[found["form"], found["graph"]] = found
    except UnsafeError as exc:
        if len(facts) < len(graphs):
            raise
        return facts, work, exc.message
    return facts, work, ""


def _graph_row(facts: Found, work: Found, sizes: Sizes) -> Row:
    row: Row = {"type": "graph"} | {name: facts[name] for name in ("graph", "form", "nodes", "opset", "parameters", "bytes")}
    macs, frames = work.get("macs"), None
    if facts["graph"] in BY_FRAME:
        frames = work.get("frames") or _frames_given(work, sizes)
    row |= {"macs": macs, "macs_per_frame": round(macs / frames) if macs is not None and frames else None, "frames": frames}
    row |= {"macs_int8": work.get("macs_int8"), "operators": facts["operators"]}
    return row | ({"domains": facts["domains"]} if facts["domains"] else {})


def _frames_given(work: Found, sizes: Sizes) -> int:
    shapes = work.get("given", {})
    return next((int(shapes[name][-1]) for name in ("z", "z_p") if shapes.get(name)), sizes.frames)


def _value_rows(facts: Found, work: Found) -> Iterator[Row]:
    for direction in ("input", "output"):
        for name, dtype, shape in facts[f"{direction}s"]:
            counted = work.get("given", {}).get(name) if direction == "input" else None
            yield _named(facts, "value") | {"direction": direction, "name": name, "dtype": dtype, "shape": shape, "counted_with": counted}


def _weight_rows(facts: Found) -> Iterator[Row]:
    for dtype, (tensors, parameters, size) in facts["weights"].items():
        yield _named(facts, "weights") | {"dtype": dtype, "tensors": tensors, "parameters": parameters, "bytes": size}
    for name, dtype, shape, size in facts["largest"]:
        yield _named(facts, "weight") | {"name": name, "dtype": dtype, "shape": shape, "bytes": size}


def _part_rows(facts: Found, work: Found) -> Iterator[Row]:
    parts = {name: counts for name, counts in work.get("parts", {}).items() if name}
    for name, (nodes, macs) in parts.items():
        share = macs / work["macs"] if work["macs"] else 0.0
        yield _named(facts, "part") | {"part": name, "nodes": nodes, "macs": macs, "share": share}


def _notes(facts: dict[Key, Found], work: dict[Key, Found], stopped: str) -> Iterator[Row]:
    for key, item in facts.items():
        failed = work.get(key, {}).get("failed") or (stopped if key not in work and "kind" in item else "")
        if failed:
            words = localized("積和演算を数えられませんでした: ", "Multiply-adds were not counted: ")
            yield _named(item, "note") | {"note": words + failed}


def _named(facts: Found, kind: str) -> dict[str, Any]:
    return {"type": kind, "graph": facts["graph"], "form": facts["form"]}
