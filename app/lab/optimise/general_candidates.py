"""Candidates to replace any graph: lower precision, all at once or a group of operators at a time, and ONNX Runtime's own format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from app.adapters.ort.ort_format import write_ort, write_required_operators
from app.common.errors import BackendError
from app.core.synthesis_types import Float32
from app.install.bert_preparation import INT8_BLOCK_SIZES
from app.lab.optimise.graph_candidate import GraphCandidate

CANDIDATE_BLOCKS = INT8_BLOCK_SIZES
GROUP_BLOCK = CANDIDATE_BLOCKS[-1]
OPERATORS_CONFIG_NAME = "{graph}.required_operators_and_types.config"
MeasureCentres = Callable[[], Mapping[str, Float32]]
"""Product → mean of its content; measured when it is first asked for."""


def list_general_candidates(graph: str, exact: Path | bytes, *, by_group: bool, centred: MeasureCentres = dict) -> Iterator[GraphCandidate]:
    """Yield the candidates in the order of the report.

    Args:
        by_group: also each kind of products, and each layer, in int8 while all others stay exact.
        centred: what the content of products is quantised without; see `quantise_products`.
    """
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import list_products

    products = list_products(load_graph(exact).graph)
    groups = list(dict.fromkeys(item.group for item in products))
    layers = list(dict.fromkeys(item.layer for item in products if item.layer))
    for block in CANDIDATE_BLOCKS if groups else ():
        yield GraphCandidate(f"int8-{block}", partial(_write_quantised, graph, exact, block, groups, centred))
    for group in [*groups, *layers] if by_group else ():
        yield GraphCandidate(f"int8-{GROUP_BLOCK}: {group}", partial(_write_quantised, graph, exact, GROUP_BLOCK, [group], centred))
    yield GraphCandidate("fp16", partial(_write_float16, graph, exact))
    if isinstance(exact, Path):
        yield GraphCandidate("ort", partial(_write_ort_format, graph, exact))


def _write_quantised(graph: str, exact: Path | bytes, block: int, groups: list[str], centred: MeasureCentres, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import quantise_products, write_changed_copy

    return write_changed_copy(exact, folder, graph, lambda model: quantise_products(model, block, groups, centred()))


def _write_float16(graph: str, exact: Path | bytes, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import convert_graph_to_half, write_changed_copy

    return write_changed_copy(exact, folder, graph, convert_graph_to_half)


def _write_ort_format(graph: str, exact: Path, folder: Path) -> Path:
    target = folder / f"{graph}.ort"
    write_ort(exact, target)
    # Without the tool there is no list of operators; `describe_library_size` says so.
    with suppress(BackendError):
        write_required_operators([target], folder / OPERATORS_CONFIG_NAME.format(graph=graph))
    return target
