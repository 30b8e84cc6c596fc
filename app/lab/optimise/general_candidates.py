"""Candidates to replace any graph: lower precision, all at once or a group of operators at a time, ONNX Runtime's own format; and those of voices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.ort_format import write_ort, write_required_operators
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.repeated_runs import Repeats, measure_speed_ratio
from app.common.errors import BackendError
from app.compose.graph_runner import PreparedRunner
from app.core.synthesis_types import Float32
from app.install.bert_preparation import INT8_BLOCK_SIZES
from app.install.int8_graphs import CALIBRATING, INT8_GRAPH_SUFFIX, quantise_graph
from app.lab.lab_subject import LabSubject
from app.lab.optimise.candidate_measures import CandidateSpeech, compare_results, make_candidate_row
from app.lab.optimise.candidate_slot import AS_IT_CAME, INSTALLED, GraphCandidate, measure_graph_bytes
from app.lab.recorded_inputs import build_public_inputs
from app.lab.report_rows import Row
from app.voices.prepared_voice import Voice

CANDIDATE_BLOCKS = INT8_BLOCK_SIZES
GROUP_BLOCK = CANDIDATE_BLOCKS[-1]
OPERATORS_CONFIG_NAME = "{graph}.required_operators_and_types.config"
MeasureCentres = Callable[[], Mapping[str, Float32]]  # product → mean of its content; measured when it is first asked for

CalibrationInputs = Sequence[dict[str, Any]]  # what a graph is given, a sentence each


def list_general_candidates(graph: str, exact: Path | bytes, *, by_group: bool, centred: MeasureCentres = dict) -> Iterator[GraphCandidate]:
    """Yield the candidates in the order of the report; `by_group` also each kind of products and each layer in int8. `centred` is for `quantise_products`."""
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


def list_voice_candidates(
    subject: LabSubject, graph: str, speech: Callable[[], CandidateSpeech | None], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield the candidates of one graph in the order of the report, the product's own first; `speech` speaks once one in int8 is made."""
    exact = subject.prepared[graph]

    def collect_inputs() -> CalibrationInputs:
        spoken = speech()
        # The voice has several graphs.
        assert spoken is not None
        return spoken.exact.graph_inputs[graph][:CALIBRATING]

    yield from _list_int8_candidates(subject, graph, collect_inputs, by_group=by_group)
    yield from list_general_candidates(graph, exact, by_group=by_group)


def _list_int8_candidates(
    subject: LabSubject, graph: str, collect_inputs: Callable[[], CalibrationInputs], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield int8 candidates: all convolutions, and a group at a time; `list_general_candidates` has the products."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import group_convolutions

    exact = subject.prepared[graph]
    groups = group_convolutions(load_graph(exact).graph)
    installed_graph = subject.prepared.get(f"{graph}{INT8_GRAPH_SUFFIX}")
    if isinstance(installed_graph, Path):
        yield GraphCandidate(INSTALLED, lambda _folder: installed_graph)
    elif groups:
        yield GraphCandidate(INSTALLED, partial(_write_int8_convolutions, graph, exact, collect_inputs, None))
    for name, results in groups.items() if by_group else ():
        yield GraphCandidate(f"{INSTALLED}: {name}", partial(_write_int8_convolutions, graph, exact, collect_inputs, results))


def _write_int8_convolutions(
    graph: str, exact: Path | bytes, collect_inputs: Callable[[], CalibrationInputs], result_names: Sequence[str] | None, folder: Path
) -> Path:
    file = quantise_graph(exact, graph, collect_inputs(), folder, result_names)
    # There are convolutions, or it would be no candidate.
    assert file is not None
    return folder / file


def build_source_row(voice: Voice, source: Path | bytes, calls: Sequence[RecordedGraphRun], repeats: Repeats) -> Row:
    """Build the row of the original graph against the whole voice, both without noise and optimised as far as possible."""
    # Onnx is slow to import.
    from app.voices.prepare.source_graphs import build_noiseless_graph

    cases = [build_public_inputs(call, multilingual=voice.manifest.multilingual) for call in calls]
    session, runner = open_cpu_session(build_noiseless_graph(source)[0], "source"), PreparedRunner(voice)
    faster = measure_speed_ratio(
        lambda: [runner(case) for case in cases], lambda: [session.run_graph(dict(case)) for case in cases], repeats
    ).median
    exact = [[runner(case)[0]] for case in cases]
    results = [[session.run_graph(dict(case), session.outputs[:1])[0].reshape(-1)] for case in cases]
    sound = compare_results(exact, results, by_token=False)
    size = len(source) if isinstance(source, bytes) else measure_graph_bytes(source)
    return make_candidate_row("voice", AS_IT_CAME, speedup=faster, bytes=size, snr_db=sound.snr_db, cosine=sound.cosine)
