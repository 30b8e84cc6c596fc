"""What could stand for any graph: lower precision, all at once or a group of operators at a time, and ONNX Runtime's own format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from app.adapters.ort.ort_format import write_ort, write_required_operators
from app.core.types import Float32
from app.errors import BackendError
from app.install.bert_prepare import INT8_BLOCKS
from app.lab.optimise.candidate import Candidate

BLOCKS = INT8_BLOCKS
GROUP_BLOCK = BLOCKS[-1]
CONFIG_NAME = "{graph}.required_operators_and_types.config"
Centred = Callable[[], Mapping[str, Float32]]
"""Product → mean of its content; measured when it is first asked for."""


def general_candidates(graph: str, exact: Path | bytes, *, by_group: bool, centred: Centred = dict) -> Iterator[Candidate]:
    """In the order of the report.

    Args:
        by_group: also each kind of products, and each layer, in int8 while all others stay exact.
        centred: what the content of products is quantised without; see `quantise_products`.
    """
    from app.voices.prepare.store import load_graph  # onnx is slow to import
    from app.voices.prepare.variants.products import products_of

    products = products_of(load_graph(exact).graph)
    groups = list(dict.fromkeys(item.group for item in products))
    layers = list(dict.fromkeys(item.layer for item in products if item.layer))
    for block in BLOCKS if groups else ():
        yield Candidate(f"int8-{block}", partial(_quantised, graph, exact, block, groups, centred))
    for group in [*groups, *layers] if by_group else ():
        yield Candidate(f"int8-{GROUP_BLOCK}: {group}", partial(_quantised, graph, exact, GROUP_BLOCK, [group], centred))
    yield Candidate("fp16", partial(_halved, graph, exact))
    if isinstance(exact, Path):
        yield Candidate("ort", partial(_ort, graph, exact))


def _quantised(graph: str, exact: Path | bytes, block: int, groups: list[str], centred: Centred, folder: Path) -> Path:
    from app.voices.prepare.variants.products import quantise_products
    from app.voices.prepare.variants.stored import changed_copy

    return changed_copy(exact, folder, graph, lambda model: quantise_products(model, block, groups, centred()))


def _halved(graph: str, exact: Path | bytes, folder: Path) -> Path:
    from app.voices.prepare.variants.half import halve_whole
    from app.voices.prepare.variants.stored import changed_copy

    return changed_copy(exact, folder, graph, halve_whole)


def _ort(graph: str, exact: Path, folder: Path) -> Path:
    target = folder / f"{graph}.ort"
    write_ort(exact, target)
    with suppress(BackendError):  # without the tool there is no list of operators; `library_note` says so
        write_required_operators([target], folder / CONFIG_NAME.format(graph=graph))
    return target
