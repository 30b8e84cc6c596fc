"""ONNX Runtime for the lab and to compare ours with: sessions at each level of optimisation, as the closest product opens them, by default.

Also its own format of a graph, and what an ONNX Runtime has to contain that runs nothing else.
"""

import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.graph_session import GraphSession, create_cpu_session
from app.adapters.ort.session_options import CPU_PROVIDER_NAME, count_intra_threads, create_session_options
from app.common.errors import BackendError
from app.common.files.paths import is_frozen
from app.common.language import localize

OPTIMIZATION_LEVELS = {
    "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def open_at_level(model: Path | bytes, level: str, name: str, *, place: str = "cpu", weights: Path | None = None) -> GraphSession:
    """Open a session as for speaking, but with another level of optimisation; raise VoiceError if the CPU cannot open it, BackendError for another place."""
    options = create_session_options(OPTIMIZATION_LEVELS[level], weights=weights)
    return GraphSession(create_session(model, place, name, options), name, place)


def list_batch_inputs(model: Path, name: str) -> list[str]:
    """Return the inputs whose first axis is open and that have further axes, or take one number a row: the batch axis; empty if sizes are fixed."""
    session = create_session(model, "cpu", name, create_session_options(OPTIMIZATION_LEVELS["none"]))
    first = [(item.name, item.shape[0] if item.shape else None, len(item.shape)) for item in session.get_inputs()]
    named = {size for _, size, rank in first if rank > 1 and isinstance(size, str)}
    return [name for name, size, _ in first if size in named]


def open_like_reference(model: Path | bytes, name: str, *, has_arena: bool) -> GraphSession:
    """Open a graph without optimisation; `has_arena` is off for the reference's BERT."""
    options = _create_options()
    options.graph_optimization_level = OPTIMIZATION_LEVELS["none"]
    options.enable_cpu_mem_arena = has_arena
    return GraphSession(create_cpu_session(model, name, options), name)


def open_with_ort_defaults(model: Path, name: str) -> GraphSession:
    """Open a graph with all of ONNX Runtime's optimisations and all else by default."""
    return GraphSession(create_cpu_session(model, name, _create_options()), name)


def _create_options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = count_intra_threads()
    return options


RUNTIME_CORE_SHARE = 0.35
"""Of the library that is no kernel: loading, optimising, threads, memory. A published build for one transformer had 11 of 27 MB left."""


def write_ort(model: Path, target: Path) -> None:
    """Optimise a graph for this machine's processor and write it as `.ort`, weights included; raise VoiceError if it does not open."""
    options = create_session_options()
    options.optimized_model_filepath = str(target)
    options.add_session_config_entry("session.save_model_format", "ORT")
    create_cpu_session(model, model.name, options)


def write_required_operators(models: Sequence[Path], target: Path) -> None:
    """Write which operators and types `.ort` files need, for ONNX Runtime's build option `--include_ops_by_config`."""
    with _import_ort_tools():
        from onnxruntime.tools.ort_format_model import create_config_from_models
    logging.getLogger("ort_format_model.utils").setLevel(logging.WARNING)
    with warnings.catch_warnings():
        # It leaves its files to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        create_config_from_models(list(models), target, True)


def read_required_operators(config: Path) -> set[tuple[str, str]]:
    """Return domain and operator of every line of such a file."""
    required = set()
    for line in config.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#!":
            domain, _version, operators = line.split(";", 2)
            required |= {(_normalise_domain(domain), name) for name in _parse_operator_names(operators)}
    return required


def estimate_runtime_bytes(operators: Iterable[tuple[str, str]]) -> int | None:
    """Return the approximate size of an ONNX Runtime with these operators alone, by its share of the kernels; None if this one does not list its own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    if not hasattr(state, "get_all_opkernel_def"):
        return None
    needed = {(_normalise_domain(domain), name) for domain, name in operators}
    kernels = [
        (_normalise_domain(item.domain), item.op_name) for item in state.get_all_opkernel_def() if item.provider == CPU_PROVIDER_NAME
    ]
    share = sum(kernel in needed for kernel in kernels) / max(1, len(kernels))
    whole = max((path.stat().st_size for path in Path(state.__file__).parent.iterdir() if path.is_file()), default=0)
    return round(whole * (RUNTIME_CORE_SHARE + (1 - RUNTIME_CORE_SHARE) * share))


def _normalise_domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def write_fused_graph(model: Path, target: Path, heads: int, hidden: int) -> None:
    """Fuse additions with layer norms and biases with activations of a BERT, as ONNX Runtime's own tool does before a session sees it. Raises BackendError.

    Without the tool's shape inference, which needs sympy: sentences (n, width) of one text have no batch axis, so it would only stop the tool.
    """
    # They expect the models of torch only, and say so.
    for name in ("onnxruntime.transformers", "fusion_base", "fusion_skiplayernorm", "fusion_utils"):
        logging.getLogger(name).setLevel(logging.ERROR)
    with _import_ort_tools():
        from onnxruntime.transformers.fusion_options import FusionOptions
        from onnxruntime.transformers.optimizer import optimize_model

        options = FusionOptions("bert")
        options.enable_shape_inference = False
        # Imports, too.
        fused = optimize_model(
            str(model), model_type="bert", num_heads=heads, hidden_size=hidden, optimization_options=options, opt_level=0
        )
    fused.save_model_to_file(str(target), use_external_data_format=True)


@contextmanager
def _import_ort_tools() -> Iterator[None]:
    try:
        yield
    except ImportError as exc:
        raise BackendError(
            localize("ONNX Runtime のツールを使えません。", "ONNX Runtime's tools are not available."),
            describe_missing_tools(exc.name),
        ) from exc


def describe_missing_tools(missing: str | None = None) -> str:
    """Return a hint for users who lack ONNX Runtime's tools, or their requirements, such as the missing module."""
    if is_frozen() or missing is None:
        return localize("Koebako の Python パッケージ版では使えます。", "Koebako as a Python package can use them.")
    return localize(f"Python パッケージ「{missing}」をインストールしてください。", f"Install the Python package “{missing}”.")


def _parse_operator_names(operators: str) -> Iterable[str]:
    """Yield operator names: `Add,MatMul{"inputs": {"0": ["float"]}}` → Add, MatMul."""
    depth, name = 0, ""
    for letter in operators + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield name
            name = ""
        elif depth == 0 and letter not in "{}":
            name += letter
