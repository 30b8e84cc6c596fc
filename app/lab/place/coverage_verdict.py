"""Says whether a backend suits a graph, in a sentence that names the stage and what to do."""

from __future__ import annotations

from collections import Counter

from app.common.language import localize
from app.lab.place.backend_graphs import BackendGraph
from app.lab.place.kernel_coverage import KernelCoverage
from app.lab.report_rows import INT8_SUFFIX
from app.lab.value_labels import format_graph

MAX_NAMED_OPERATORS = 3  # operators
PREPARABLE_GRAPHS = ("whole", "bert")
"""Graphs as they came of which we make others."""


def describe_verdict(graph: BackendGraph, backend: str, coverage: KernelCoverage) -> str:
    """Describe the verdict in the language of the user.

    Args:
        backend: its name for people.
    """
    stage = format_graph(graph.graph.removesuffix(INT8_SUFFIX))
    if coverage.lacking is None:
        return _describe_unknown(stage, backend) if coverage.assigned is None else _describe_assigned(stage, backend, coverage.assigned)
    if graph.is_small:
        return localize(
            f"{stage}: モデルが小さく、CPU のほうが高速です。CPU のままで使用してください。",
            f"{stage}: small enough to be faster on the CPU; leave it there.",
        )
    if graph.graph.endswith(INT8_SUFFIX) and coverage.lacking:
        return localize(
            f"{stage}: int8 のグラフは CPU 用です。{backend} では int8 以外のグラフが使われます。",
            f"{stage}: the int8 graph is for the CPU; {backend} is given the other one.",
        )
    if graph.unfit:
        return localize(
            f"{stage}: {backend} 用の固定サイズの形式に変換できません（{graph.unfit}）。CPU で実行されます。",
            f"{stage}: has no form of fixed sizes for {backend} ({graph.unfit}); it runs on the CPU.",
        )
    if not coverage.lacking:
        return localize(
            f"{stage}: {coverage.nodes} 個の演算子をすべて {backend} で実行できます。",
            f"{stage}: {backend} can run all {coverage.nodes} operators.",
        )
    return _describe_partial(graph, stage, backend, coverage)


def _describe_partial(graph: BackendGraph, stage: str, backend: str, coverage: KernelCoverage) -> str:
    lacking: Counter[str] = Counter()
    for one in coverage.lacking or ():
        lacking[one.op] += one.count
    names = ", ".join(f"{kind} × {count}" for kind, count in lacking.most_common(MAX_NAMED_OPERATORS)) + (
        " …" if len(lacking) > MAX_NAMED_OPERATORS else ""
    )
    what = localize(
        f"{stage}: {coverage.nodes} 個の演算子のうち {lacking.total()} 個（{names}）は {backend} で実行できません。"
        f"1 回の実行で {coverage.boundaries} 回コピーが発生し、そのうち {coverage.in_a_row} 回は順番に待ちます。",
        f"{stage}: {backend} cannot run {lacking.total()} of {coverage.nodes} operators ({names}); "
        f"a run makes {coverage.boundaries} copies, {coverage.in_a_row} of them one after another.",
    )
    if graph.form == "source" and graph.graph in PREPARABLE_GRAPHS:
        return what + localize(
            " Koebako に追加すると、実行しやすい形式に変換されます。", " Add it to Koebako: the prepared graph suits it better."
        )
    return what + localize(" この処理は CPU で実行してください。", " Keep this stage on the CPU.")


def _describe_unknown(stage: str, backend: str) -> str:
    return localize(
        f"{stage}: {backend} を含む ONNX Runtime で開くと確認できます。",
        f"{stage}: known once a session opens, with an ONNX Runtime that includes {backend}.",
    )


def _describe_assigned(stage: str, backend: str, assigned: dict[str, int]) -> str:
    left, total = assigned.get("cpu", 0), sum(assigned.values())
    if left:
        return localize(
            f"{stage}: {total} 個の演算子のうち {left} 個は CPU で実行されます。`lab compare` で時間を比べてください。",
            f"{stage}: {left} of {total} operators are left to the CPU; compare times with `lab compare`.",
        )
    return localize(f"{stage}: すべて {backend} で実行されます。", f"{stage}: all of it runs on {backend}.")
