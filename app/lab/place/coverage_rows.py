"""A row a graph and backend, in the form that it gets: what has a kernel there, what has none, how often that costs a copy, and whether it is worth it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, find_backend_name, parse_backend
from app.adapters.ort.devices.ort_devices import list_usable_backends
from app.adapters.ort.fixed_shapes.fixed_shape_graph import FULL_NAME, GRAPH_NAME
from app.adapters.sandbox.sandbox_process import SandboxProcess
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.compose.disk_stores import is_slow_bert
from app.compose.speaker_plan import STARTER
from app.install.sandboxed_import import compute_limits
from app.lab.graph_sandbox import find_subject_kind, read_sandbox_rows, reject_malformed
from app.lab.lab_subject import LabSubject, create_scratch_folder, ensure_file
from app.lab.place.kernel_coverage import KernelCoverage, find_coverage, parse_coverage, read_kernel_table
from app.lab.report_rows import INT8_SUFFIX, Row, make_row
from app.lab.row_labels import format_graph

MAX_NAMED_OPERATORS = 3  # operators
PREPARABLE_GRAPHS = ("whole", "bert")  # graphs as they came of which we make others
CoverageByGraph = dict[tuple[str, str], KernelCoverage]
FIXED_SHAPE_GRAPHS = ("bert", "prosody", "flow", "decoder")


@dataclass(frozen=True, slots=True)
class BackendGraph:
    """A graph in the form for a backend: `free` is the size that is fixed, `is_small` leaves it on the CPU, `unfit` is why there is no device form."""

    graph: str
    form: str
    model: Path
    free: str = ""
    is_small: bool = False
    unfit: str = ""


def build_coverage_rows(subject: LabSubject, places: Sequence[str], report: Report) -> Iterator[Row]:
    """Yield rows of coverage; what is not there yet is judged by its table. Raise VoiceError if a graph cannot be read, or asks for too much."""
    source_coverage = find_source_coverage(subject, places, build_part_report(report, 0.0, 0.5))
    for number, device in enumerate(places):
        with write_backend_graphs(subject, parse_backend(device)) as graphs:
            for index, item in enumerate(graphs):
                report("checking", 0.5 + 0.5 * (number + index / len(graphs)) / len(places))
                yield _build_row(
                    item,
                    device,
                    source_coverage[device, item.graph]
                    if item.form == "source"
                    else find_coverage(item.model, item.graph, device, item.free),
                )


def list_known_devices() -> list[str]:
    """Return the backends that have a table or are available."""
    usable = list_usable_backends()
    return [key for key in BACKENDS if read_kernel_table(key) is not None or key in usable]


def _build_row(graph: BackendGraph, device: str, coverage: KernelCoverage) -> Row:
    kernels, lacking = read_kernel_table(parse_backend(device)), coverage.lacking
    return make_row(
        "place",
        graph=graph.graph,
        form=graph.form,
        backend=device,
        kernels=kernels.runtime if kernels is not None else None,
        nodes=coverage.nodes,
        supported=None if lacking is None else coverage.nodes - sum(kernel.count for kernel in lacking),
        unsupported=None if lacking is None else [asdict(kernel) | {"types": list(kernel.types)} for kernel in lacking],
        boundaries=None if lacking is None else coverage.boundaries,
        boundaries_in_a_row=None if lacking is None else coverage.in_a_row,
        assigned=coverage.assigned,
        verdict=describe_verdict(graph, find_backend_name(parse_backend(device)), coverage),
    )


def describe_verdict(graph: BackendGraph, backend: str, coverage: KernelCoverage) -> str:
    """Describe the verdict in the language of the user, with the backend's name for people."""
    stage = format_graph(graph.graph.removesuffix(INT8_SUFFIX))
    if coverage.lacking is None and coverage.assigned is not None:
        return _describe_assigned(stage, backend, coverage.assigned)
    if coverage.lacking is None:
        return localize(
            f"{stage}: {backend} を含む ONNX Runtime で開くと確認できます。",
            f"{stage}: known once a session opens, with an ONNX Runtime that includes {backend}.",
        )
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
    for kernel in coverage.lacking or ():
        lacking[kernel.op] += kernel.count
    names = ", ".join(f"{kind} × {count}" for kind, count in lacking.most_common(MAX_NAMED_OPERATORS)) + (
        " …" if len(lacking) > MAX_NAMED_OPERATORS else ""
    )
    sentence = localize(
        f"{stage}: {coverage.nodes} 個の演算子のうち {lacking.total()} 個（{names}）は {backend} で実行できません。"
        f"1 回の実行で {coverage.boundaries} 回コピーが発生し、そのうち {coverage.in_a_row} 回は順番に待ちます。",
        f"{stage}: {backend} cannot run {lacking.total()} of {coverage.nodes} operators ({names}); "
        f"a run makes {coverage.boundaries} copies, {coverage.in_a_row} of them one after another.",
    )
    if graph.form == "source" and graph.graph in PREPARABLE_GRAPHS:
        return sentence + localize(
            " Koebako に追加すると、実行しやすい形式に変換されます。", " Add it to Koebako: the prepared graph suits it better."
        )
    return sentence + localize(" この処理は CPU で実行してください。", " Keep this stage on the CPU.")


def _describe_assigned(stage: str, backend: str, assigned: dict[str, int]) -> str:
    left, total = assigned.get("cpu", 0), sum(assigned.values())
    if left:
        return localize(
            f"{stage}: {total} 個の演算子のうち {left} 個は CPU で実行されます。`lab compare` で時間を比べてください。",
            f"{stage}: {left} of {total} operators are left to the CPU; compare times with `lab compare`.",
        )
    return localize(f"{stage}: すべて {backend} で実行されます。", f"{stage}: all of it runs on {backend}.")


def find_source_coverage(subject: LabSubject, places: Sequence[str], report: Report) -> CoverageByGraph:
    """Return the coverage by place and graph of the source; raise VoiceError if one cannot be read, UnsafeFileError if the child exceeds a limit or answers nonsense."""
    graphs, kind = subject.source, find_subject_kind(subject)
    if not graphs:
        return {}
    with create_scratch_folder() as folder:
        files = [[name, str(ensure_file(graph, folder / f"{number}.onnx"))] for number, (name, graph) in enumerate(graphs.items())]
        keys = [(device, name) for device in places for name in graphs]
        with SandboxProcess("--lab", "look", [files, [*places]], compute_limits(kind), folder) as child, reject_malformed(subject):
            results = read_sandbox_rows(child, kind, compute_limits(kind), report)
            return {key: parse_coverage(values) for key, values in zip(keys, results, strict=True)}


@contextmanager
def write_backend_graphs(subject: LabSubject, backend: str) -> Iterator[list[BackendGraph]]:
    """Write every graph in the form in which the backend gets it; device forms exist until the block ends."""
    with create_scratch_folder() as folder:
        yield [
            _write_backend_graph(subject, backend, form, name, ensure_file(model, folder / f"{form}-{name}.onnx"), folder)
            for form, name, model in subject.iterate_graphs()
        ]


def _write_backend_graph(subject: LabSubject, backend: str, form: str, name: str, model: Path, folder: Path) -> BackendGraph:
    if BACKENDS[backend].takes_any_size or form == "source":
        return BackendGraph(name, form, model)
    is_starter = subject.voice is not None and subject.voice.manifest.format == STARTER
    if is_starter if subject.bert is None else not is_slow_bert(subject.bert):
        return BackendGraph(name, form, model, is_small=True)
    if name not in FIXED_SHAPE_GRAPHS:
        return BackendGraph(name, form, model)
    # Onnx is slow to import.
    from app.voices.prepare.device.fixed_shape_writer import FREE_SIZE_NAMES, write_fixed_shape_graphs
    from app.voices.prepare.graph_walk import UnknownGraphError

    graph_folder = folder / name
    graph_folder.mkdir()
    try:
        write_fixed_shape_graphs(model, name, graph_folder, half=True)
    except UnknownGraphError as exc:
        return BackendGraph(name, form, model, unfit=str(exc))
    full = graph_folder / FULL_NAME
    return BackendGraph(name, "device", full if full.is_file() else graph_folder / GRAPH_NAME, free=FREE_SIZE_NAMES[name])
