"""Rows of `inspect`: what each graph is made of and does for a sentence of a chosen size, what preparing changed, and what a file of weights holds."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import UnsafeFileError
from app.lab.graph_sandbox import SandboxRow, reject_malformed, run_in_sandbox, sanitise_value
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row, make_row
from app.lab.synthetic_runs import InputSizes
from app.voices.untrusted.safetensors_file import SafetensorsFile

GRAPHS_BY_FRAME = ("flow", "flow_int8", "decoder", "decoder_int8", "whole")  # graphs whose work is stated by frame, too
GraphKey = tuple[str, str]
MASK_OPERATORS = ("NonZero", "GatherND", "ScatterND", "ScatterElements", "GatherElements")
SIZE_OPERATORS = (
    "Constant", "ConstantOfShape", "Shape", "Range", "Expand", "Unsqueeze", "Squeeze", "Gather", "Concat", "Cast", "Identity",
    "Reshape", "Transpose", "Slice", "Equal", "Where", "Not", "And", "Less", "GreaterOrEqual", "LessOrEqual", "Size", "If", "Loop", "Tile",
    "Max", "Min", "Mod", "CastLike", "Split", "Pad", "Greater",
)  # fmt: skip
RewriteLabel = tuple[str, str]
VOICE_REWRITES: tuple[tuple[tuple[str, ...], RewriteLabel], ...] = (
    (("RandomNormalLike", "RandomNormal"), ("乱数はシードから外で作る", "noise is made outside, from the seed")),
    (
        ("MatMul", "Gemm"),
        (
            "相対位置は必要な対角だけ。フレームへの展開は行列積でなく複写",
            "of relative positions only the diagonals that count; expanding to frames is copying, not a product",
        ),
    ),
    (("Ceil", "ReduceMax", "CumSum"), ("音素の長さはグラフの外で数える", "durations are counted outside of the graphs")),
    (MASK_OPERATORS, ("マスクによる選択を、全要素の計算と Where に", "picking by mask became computing all and a Where")),
    (SIZE_OPERATORS, ("サイズと並びの計算を事前に。バッチの軸なし", "sizes and layout are worked out beforehand; no batch axis")),
    (
        ("Add", "Mul", "Sub", "Div", "Pow", "Sqrt", "ReduceMean", "ReduceSum", "Exp", "Relu", "Erf", "Softplus"),
        ("定数とマスクの計算を事前に", "constants and masks are worked out beforehand"),
    ),
)
OTHER_VOICE_REWRITE: RewriteLabel = ("三つのグラフには不要", "none of the three graphs needs it")
BERT_REWRITES: tuple[tuple[tuple[str, ...], RewriteLabel], ...] = (
    (
        ("MatMul", "Gemm"),
        ("Q、K、V を一つの行列積に。位置の射影は事前に", "queries, keys and values are one product; positions are projected beforehand"),
    ),
    (
        (*MASK_OPERATORS, "Sign", "Abs", "Log", "Ceil", "Clip", "Neg"),
        ("相対位置は表から。スコアは Slice でずらす", "relative positions come from a table; scores are shifted by a slice"),
    ),
    (SIZE_OPERATORS, ("バッチとパディングなし", "one text at a time: no batch axis, no padding, no mask")),
)
OTHER_BERT_REWRITE: RewriteLabel = ("簡潔な DeBERTa に書き換え", "written as a lean DeBERTa")
MAX_LARGEST_WEIGHTS = 5


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
        yield make_row("reason", reason=why)


def _build_rows(facts: dict[GraphKey, SandboxRow], work: dict[GraphKey, SandboxRow], stopped: str, sizes: InputSizes) -> Iterator[Row]:
    yield from (_build_graph_row(item, work.get(key, {}), sizes) for key, item in facts.items())
    for key, item in facts.items():
        shapes = work.get(key, {}).get("given", {})
        for direction in ("input", "output"):
            for name, dtype, shape in item[f"{direction}s"]:
                counted = shapes.get(name) if direction == "input" else None
                yield make_row("value", **_name_graph(item), direction=direction, name=name, dtype=dtype, shape=shape, counted_with=counted)
    for key, item in facts.items():
        for dtype, (tensors, parameters, size) in item["weights"].items():
            yield make_row("weights", **_name_graph(item), dtype=dtype, tensors=tensors, parameters=parameters, bytes=size)
        for name, dtype, shape, size in item["largest"]:
            yield make_row("weight", **_name_graph(item), name=name, dtype=dtype, shape=shape, bytes=size)
        yield from _build_part_rows(item, work.get(key, {}))
    yield from build_difference_rows(facts, work)
    for key, item in facts.items():
        failed = work.get(key, {}).get("failed") or (stopped if key not in work and "kind" in item else "")
        if failed:
            words = localize("積和演算を数えられませんでした: ", "Multiply-adds were not counted: ")
            yield make_row("note", **_name_graph(item), note=words + failed)


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
        for found in run_in_sandbox("inspect", subject, [asdict(sizes)], report) if graphs else ():
            (facts if found["kind"] == "facts" else work)[found["form"], found["graph"]] = found
    except UnsafeFileError as exc:
        if len(facts) < len(graphs):
            raise
        return facts, work, exc.message
    return facts, work, ""


def _build_graph_row(facts: SandboxRow, work: SandboxRow, sizes: InputSizes) -> Row:
    macs, frames = work.get("macs"), None
    if facts["graph"] in GRAPHS_BY_FRAME:
        shapes = work.get("given", {})
        frames = work.get("frames") or next((int(shapes[name][-1]) for name in ("z", "z_p") if shapes.get(name)), sizes.frames)
    return make_row(
        "graph",
        **{name: facts[name] for name in ("graph", "form", "nodes", "opset", "parameters", "bytes")},
        macs=macs,
        macs_per_frame=round(macs / frames) if macs is not None and frames else None,
        frames=frames,
        macs_int8=work.get("macs_int8"),
        operators=facts["operators"],
        **({"domains": facts["domains"]} if facts["domains"] else {}),
    )


def _build_part_rows(facts: SandboxRow, work: SandboxRow) -> Iterator[Row]:
    parts = {name: counts for name, counts in work.get("parts", {}).items() if name}
    for name, (nodes, macs) in parts.items():
        share = macs / work["macs"] if work["macs"] else 0.0
        yield make_row("part", **_name_graph(facts), part=name, nodes=nodes, macs=macs, share=share)


def _name_graph(facts: SandboxRow) -> dict[str, Any]:
    return {"graph": facts["graph"], "form": facts["form"]}


def build_difference_rows(facts: Mapping[GraphKey, SandboxRow], work: Mapping[GraphKey, SandboxRow]) -> Iterator[Row]:
    """Yield the rows `diff` and `rewrite` of the exact graphs; none if one of the two forms is missing, or if a voice stayed a single graph."""
    source = {key: item for key, item in facts.items() if key[0] == "source"}
    prepared = {key: item for key, item in facts.items() if key[0] == "prepared" and not key[1].endswith("_int8")}
    if not source or not prepared or ("prepared", "whole") in prepared:
        return
    yield _build_total_row(source, prepared, work)
    if all(item["nodes"] is not None for item in source.values()):
        yield from _build_part_difference_rows([work.get(key, {}) for key in source], [work.get(key, {}) for key in prepared])
        yield from _build_operator_rows(source, prepared, work)


def _build_total_row(
    source: Mapping[GraphKey, SandboxRow], prepared: Mapping[GraphKey, SandboxRow], work: Mapping[GraphKey, SandboxRow]
) -> Row:
    figures: dict[str, Any] = {}
    for side, items in (("source", source), ("prepared", prepared)):
        macs: list[Any] = [work.get(key, {}).get("macs") for key in items]
        nodes = [item["nodes"] for item in items.values()]
        figures |= {
            f"{side}_nodes": None if None in nodes else sum(nodes),
            f"{side}_parameters": sum(item["parameters"] for item in items.values()),
            f"{side}_bytes": sum(item["bytes"] for item in items.values()),
            f"{side}_macs": None if None in macs else sum(macs),
        }
    saved = _compute_saved_share(figures["source_macs"], figures["prepared_macs"])
    return make_row("diff", part="all", graphs=[name for _, name in prepared], **figures, macs_saved=saved)


def _build_part_difference_rows(source: list[SandboxRow], prepared: list[SandboxRow]) -> Iterator[Row]:
    """Yield rows of the modules that both forms name, or that do all the work of one."""
    sides = [_sum_by_part(source), _sum_by_part(prepared)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        (nodes, macs), (nodes_now, macs_now) = (side.get(name, (0, 0)) for side in sides)
        if name and (macs or macs_now):
            yield make_row(
                "diff",
                part=name,
                source_nodes=nodes,
                prepared_nodes=nodes_now,
                source_macs=macs,
                prepared_macs=macs_now,
                macs_saved=_compute_saved_share(macs, macs_now),
            )


def _sum_by_part(found: list[SandboxRow]) -> dict[str, tuple[int, int]]:
    total: dict[str, tuple[int, int]] = {}
    for item in found:
        for name, (nodes, macs) in item.get("modules", {}).items():
            before = total.get(name, (0, 0))
            total[name] = before[0] + nodes, before[1] + macs
    return total


def _compute_saved_share(before: object, after: object) -> float | None:
    """Return the share of the multiply-adds that is gone; negative if there are more."""
    return 1 - after / before if isinstance(before, int) and isinstance(after, int) and before else None


def _build_operator_rows(
    source: Mapping[GraphKey, SandboxRow], prepared: Mapping[GraphKey, SandboxRow], work: Mapping[GraphKey, SandboxRow]
) -> Iterator[Row]:
    """Build a row for each operator that came or went, with the multiply-adds that such operators do."""
    sides = []
    for items in (source, prepared):
        counts = sum((Counter(item["operators"]) for item in items.values()), Counter[str]())
        macs = sum((Counter(work.get(key, {}).get("operators", {})) for key in items), Counter[str]())
        sides.append((counts, macs))
    (before, macs_before), (now, macs_now) = sides
    bert = any(name == "bert" for _, name in source)
    for operator in sorted(before.keys() | now.keys(), key=lambda name: (now[name] - before[name], name)):
        change = now[operator] - before[operator]
        if change or macs_before[operator] != macs_now[operator]:
            yield make_row(
                "rewrite",
                operator=operator,
                source=before[operator],
                prepared=now[operator],
                change=change,
                source_macs=macs_before[operator],
                prepared_macs=macs_now[operator],
                rewrite=find_rewrite(operator, change, bert=bert),
            )


def find_rewrite(operator: str, change: int, *, bert: bool) -> str:
    """Return the rewrite that takes such operators away, or puts them in."""
    if change > 0:
        if operator in MASK_OPERATORS:
            return localize("相対位置の対角を添字で読み書き", "diagonals of relative positions, read and written by index")
        return localize("なくなった演算子の代わり", "stands in for what went")
    words = next(
        (words for operators, words in (BERT_REWRITES if bert else VOICE_REWRITES) if operator in operators),
        OTHER_BERT_REWRITE if bert else OTHER_VOICE_REWRITE,
    )
    return localize(*words)


def read_weight_file_facts(path: Path) -> SandboxRow:
    """Return facts in the form of a graph's, from the header alone; raise VoiceError if the file is damaged."""
    file = SafetensorsFile(path)
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    items: list[list[Any]] = []
    for name in file:
        dtype, shape, size = file.find_dtype(name), file.find_shape(name), file.measure_tensor(name)
        items.append([name, dtype, list(shape), size])
        for index, amount in enumerate((1, math.prod(shape), size)):
            kinds[dtype][index] += amount
    facts = {
        "nodes": None,
        "opset": None,
        "domains": {},
        "parameters": sum(counts[1] for counts in kinds.values()),
        "bytes": sum(counts[2] for counts in kinds.values()),
        "operators": {},
        "inputs": [],
        "outputs": [],
        "weights": dict(kinds),
        "largest": sorted(items, key=lambda item: -item[3])[:MAX_LARGEST_WEIGHTS],
    }
    return dict(sanitise_value(facts))
