"""What preparing changed: part by part, and which operators went, with the rewrite that did it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from app.lab.confined import Found
from app.lab.rows import Row
from app.language import localized

BY_MASK = ("NonZero", "GatherND", "ScatterND", "ScatterElements", "GatherElements")
SIZES = (
    "Constant", "ConstantOfShape", "Shape", "Range", "Expand", "Unsqueeze", "Squeeze", "Gather", "Concat", "Cast", "Identity",
    "Reshape", "Transpose", "Slice", "Equal", "Where", "Not", "And", "Less", "GreaterOrEqual", "LessOrEqual", "Size", "If", "Loop", "Tile",
    "Max", "Min", "Mod", "CastLike", "Split", "Pad", "Greater",
)  # fmt: skip
Words = tuple[str, str]
VOICE: tuple[tuple[tuple[str, ...], Words], ...] = (
    (("RandomNormalLike", "RandomNormal"), ("乱数はシードから外で作る", "noise is made outside, from the seed")),
    (
        ("MatMul", "Gemm"),
        (
            "相対位置は必要な対角だけ。フレームへの展開は行列積でなく複写",
            "of relative positions only the diagonals that count; expanding to frames is copying, not a product",
        ),
    ),
    (("Ceil", "ReduceMax", "CumSum"), ("音素の長さはグラフの外で数える", "durations are counted outside of the graphs")),
    (BY_MASK, ("マスクによる選択を、全要素の計算と Where に", "picking by mask became computing all and a Where")),
    (SIZES, ("サイズと並びの計算を事前に。バッチの軸なし", "sizes and layout are worked out beforehand; no batch axis")),
    (
        ("Add", "Mul", "Sub", "Div", "Pow", "Sqrt", "ReduceMean", "ReduceSum", "Exp", "Relu", "Erf", "Softplus"),
        ("定数とマスクの計算を事前に", "constants and masks are worked out beforehand"),
    ),
)
VOICE_REST: Words = ("三つのグラフには不要", "none of the three graphs needs it")
BERT: tuple[tuple[tuple[str, ...], Words], ...] = (
    (
        ("MatMul", "Gemm"),
        ("Q、K、V を一つの行列積に。位置の射影は事前に", "queries, keys and values are one product; positions are projected beforehand"),
    ),
    (
        (*BY_MASK, "Sign", "Abs", "Log", "Ceil", "Clip", "Neg"),
        ("相対位置は表から。スコアは Slice でずらす", "relative positions come from a table; scores are shifted by a slice"),
    ),
    (SIZES, ("バッチとパディングなし", "one text at a time: no batch axis, no padding, no mask")),
)
BERT_REST: Words = ("簡潔な DeBERTa に書き換え", "written as a lean DeBERTa")
Key = tuple[str, str]


def difference_rows(facts: Mapping[Key, Found], work: Mapping[Key, Found]) -> Iterator[Row]:
    """Rows `diff`, of all and of each part, and `rewrite`; none where one of the two forms is missing, or a voice stayed in its one graph.

    The exact graphs count: those in int8 are further ones.
    """
    source = {key: item for key, item in facts.items() if key[0] == "source"}
    prepared = {key: item for key, item in facts.items() if key[0] == "prepared" and not key[1].endswith("_int8")}
    if not source or not prepared or ("prepared", "whole") in prepared:
        return
    yield _total(source, prepared, work)
    if all(item["nodes"] is not None for item in source.values()):
        yield from _parts([work.get(key, {}) for key in source], [work.get(key, {}) for key in prepared])
        yield from _operators(source, prepared, work)


def _total(source: Mapping[Key, Found], prepared: Mapping[Key, Found], work: Mapping[Key, Found]) -> Row:
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
    return row | {"macs_saved": _saved(row["source_macs"], row["prepared_macs"])}


def _parts(source: list[Found], prepared: list[Found]) -> Iterator[Row]:
    """Modules that both forms name, or that do all the work of one."""
    sides = [_summed(source), _summed(prepared)]
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
                "macs_saved": _saved(macs, macs_now),
            }


def _summed(found: list[Found]) -> dict[str, tuple[int, int]]:
    total: dict[str, tuple[int, int]] = {}
    for item in found:
        for name, (nodes, macs) in item.get("modules", {}).items():
            before = total.get(name, (0, 0))
            total[name] = before[0] + nodes, before[1] + macs
    return total


def _saved(before: object, now: object) -> float | None:
    """Share of the multiply-adds that is gone; negative where there are more."""
    return 1 - now / before if isinstance(before, int) and isinstance(now, int) and before else None


def _operators(source: Mapping[Key, Found], prepared: Mapping[Key, Found], work: Mapping[Key, Found]) -> Iterator[Row]:
    """What came and went, with the multiply-adds that such operators do."""
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
            yield row | {"rewrite": rewrite_of(operator, change, bert=bert)}


def rewrite_of(operator: str, change: int, *, bert: bool) -> str:
    """Which rewrite takes such operators away, or puts them in."""
    if change > 0:
        if operator in BY_MASK:
            return localized("相対位置の対角を添字で読み書き", "diagonals of relative positions, read and written by index")
        return localized("なくなった演算子の代わり", "stands in for what went")
    words = next((words for operators, words in (BERT if bert else VOICE) if operator in operators), BERT_REST if bert else VOICE_REST)
    return localized(*words)
