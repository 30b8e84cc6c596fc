"""Shows the changes that preparation made: part by part, and the operators that went, with the rewrite that removed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from app.common.language import localize
from app.lab.graph_sandbox import SandboxRow
from app.lab.report_rows import Row

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
GraphKey = tuple[str, str]


def build_difference_rows(facts: Mapping[GraphKey, SandboxRow], work: Mapping[GraphKey, SandboxRow]) -> Iterator[Row]:
    """Yield the rows `diff`, of the whole and of each part, and `rewrite`; none if one of the two forms is missing, or if a voice stayed a
    single graph.

    The exact graphs count: those in int8 are further ones.
    """
    source = {key: item for key, item in facts.items() if key[0] == "source"}
    prepared = {key: item for key, item in facts.items() if key[0] == "prepared" and not key[1].endswith("_int8")}
    if not source or not prepared or ("prepared", "whole") in prepared:
        return
    yield _build_total_row(source, prepared, work)
    if all(item["nodes"] is not None for item in source.values()):
        yield from _build_part_rows([work.get(key, {}) for key in source], [work.get(key, {}) for key in prepared])
        yield from _build_operator_rows(source, prepared, work)


def _build_total_row(
    source: Mapping[GraphKey, SandboxRow], prepared: Mapping[GraphKey, SandboxRow], work: Mapping[GraphKey, SandboxRow]
) -> Row:
    row: Row = {"type": "diff", "part": "all", "graphs": [name for _, name in prepared]}
    for side, items in (("source", source), ("prepared", prepared)):
        macs: list[Any] = [work.get(key, {}).get("macs") for key in items]
        nodes = [item["nodes"] for item in items.values()]
        row |= {
            f"{side}_nodes": None if None in nodes else sum(nodes),
            f"{side}_parameters": sum(item["parameters"] for item in items.values()),
            f"{side}_bytes": sum(item["bytes"] for item in items.values()),
            f"{side}_macs": None if None in macs else sum(macs),
        }
    return row | {"macs_saved": _compute_saved_share(row["source_macs"], row["prepared_macs"])}


def _build_part_rows(source: list[SandboxRow], prepared: list[SandboxRow]) -> Iterator[Row]:
    """Yield rows of the modules that both forms name, or that do all the work of one."""
    sides = [_sum_by_part(source), _sum_by_part(prepared)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        (nodes, macs), (nodes_now, macs_now) = (side.get(name, (0, 0)) for side in sides)
        if name and (macs or macs_now):
            yield {
                "type": "diff",
                "part": name,
                "source_nodes": nodes,
                "prepared_nodes": nodes_now,
                "source_macs": macs,
                "prepared_macs": macs_now,
                "macs_saved": _compute_saved_share(macs, macs_now),
            }


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
            row: Row = {"type": "rewrite", "operator": operator, "source": before[operator], "prepared": now[operator], "change": change}
            row |= {"source_macs": macs_before[operator], "prepared_macs": macs_now[operator]}
            yield row | {"rewrite": find_rewrite(operator, change, bert=bert)}


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
