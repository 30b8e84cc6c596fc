"""Whether a backend suits a graph, in a sentence that names the stage and what to do."""

from __future__ import annotations

from collections import Counter

from app.lab.place.forms import Given
from app.lab.place.look import Look
from app.lab.rows import INT8
from app.lab.value_words import graph_name
from app.language import localized

NAMED = 3  # operators
PREPARED = ("whole", "bert")
"""Graphs as they came of which we make others."""


def verdict(item: Given, backend: str, found: Look) -> str:
    """In the language of the user.

    Args:
        backend: its name for people.
    """
    stage = graph_name(item.graph.removesuffix(INT8))
    if found.lacking is None:
        return _unknown(stage, backend) if found.assigned is None else _as_assigned(stage, backend, found.assigned)
    if item.small:
        return localized(
            f"{stage}: モデルが小さく、CPU のほうが高速です。CPU のままで使用してください。",
            f"{stage}: small enough to be faster on the CPU; leave it there.",
        )
    if item.graph.endswith(INT8) and found.lacking:
        return localized(
            f"{stage}: int8 のグラフは CPU 用です。{backend} では int8 以外のグラフが使われます。",
            f"{stage}: the int8 graph is for the CPU; {backend} is given the other one.",
        )
    if item.unfit:
        return localized(
            f"{stage}: {backend} 用の固定サイズの形式に変換できません（{item.unfit}）。CPU で実行されます。",
            f"{stage}: has no form of fixed sizes for {backend} ({item.unfit}); it runs on the CPU.",
        )
    if not found.lacking:
        return localized(
            f"{stage}: {found.nodes} 個の演算子をすべて {backend} で実行できます。",
            f"{stage}: {backend} can run all {found.nodes} operators.",
        )
    return _partly(item, stage, backend, found)


def _partly(item: Given, stage: str, backend: str, found: Look) -> str:
    lacking: Counter[str] = Counter()
    for one in found.lacking or ():
        lacking[one.op] += one.count
    names = ", ".join(f"{kind} × {count}" for kind, count in lacking.most_common(NAMED)) + (" …" if len(lacking) > NAMED else "")
    what = localized(
        f"{stage}: {found.nodes} 個の演算子のうち {lacking.total()} 個（{names}）は {backend} で実行できません。"
        f"1 回の実行で {found.boundaries} 回コピーが発生し、そのうち {found.in_a_row} 回は順番に待ちます。",
        f"{stage}: {backend} cannot run {lacking.total()} of {found.nodes} operators ({names}); "
        f"a run makes {found.boundaries} copies, {found.in_a_row} of them one after another.",
    )
    if item.form == "source" and item.graph in PREPARED:
        return what + localized(
            " Koebako に追加すると、実行しやすい形式に変換されます。", " Add it to Koebako: the prepared graph suits it better."
        )
    return what + localized(" この処理は CPU で実行してください。", " Keep this stage on the CPU.")


def _unknown(stage: str, backend: str) -> str:
    return localized(
        f"{stage}: {backend} を含む ONNX Runtime で開くと確認できます。",
        f"{stage}: known once a session opens, with an ONNX Runtime that includes {backend}.",
    )


def _as_assigned(stage: str, backend: str, assigned: dict[str, int]) -> str:
    left, total = assigned.get("cpu", 0), sum(assigned.values())
    if left:
        return localized(
            f"{stage}: {total} 個の演算子のうち {left} 個は CPU で実行されます。`lab compare` で時間を比べてください。",
            f"{stage}: {left} of {total} operators are left to the CPU; compare times with `lab compare`.",
        )
    return localized(f"{stage}: すべて {backend} で実行されます。", f"{stage}: all of it runs on {backend}.")
