"""The options that all sessions of ONNX Runtime share, the provider that one is opened for, and its file, whose name may not open on Windows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import onnxruntime as ort
import psutil

CPU_PROVIDER_NAME = "CPUExecutionProvider"
WEIGHTS_FOLDER_OPTION = "session.model_external_initializers_file_folder_path"


@dataclass(frozen=True, slots=True)
class ProviderTarget:
    """The provider, device and fixed sizes that a session is opened for."""

    provider: str = CPU_PROVIDER_NAME  # provider, settings: the execution provider and what it is given
    settings: Mapping[str, str] = field(default_factory=dict)
    fixed_dims: Mapping[str, int] = field(default_factory=dict)  # sizes that are open in the graph and fixed in the session, by name
    # Of a provider that a plug-in brings, as ONNX Runtime lists them; empty for one that is built in.
    devices: tuple[ort.OrtEpDevice, ...] = ()
    disabled_optimizers: tuple[str, ...] = ()  # fusions that the provider computes wrong, as ONNX Runtime calls them


CPU_TARGET = ProviderTarget()


def create_session_options(
    level: ort.GraphOptimizationLevel = ort.GraphOptimizationLevel.ORT_ENABLE_ALL, *, weights: Path | None = None
) -> ort.SessionOptions:
    """Return what all sessions share, each with its why; `weights` is the folder of those of a serialised model."""
    options = ort.SessionOptions()
    # Failures are shown in our own messages; a windowed program has no stderr at all.
    options.log_severity_level = 4
    options.intra_op_num_threads = count_intra_threads()
    options.inter_op_num_threads = 1
    # DirectML demands it; our graphs have no parallel branches to gain from.
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = level
    # Several sessions take turns; threads that spin after one graph's end would steal cores from the next.
    # Measured on two busy cores: spinning made a real voice's graphs 1.7 to 2.8 times slower.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # A plan of memory for every length that ever came: no faster here, a fifth more memory for the decoder, and DirectML forbids it.
    # The arena itself stays: without it the flow of a real voice took 1.4 times as long; its size settles with the longest sentence.
    options.enable_mem_pattern = False
    if weights is not None:
        options.add_session_config_entry(WEIGHTS_FOLDER_OPTION, str(weights))
    return options


def count_intra_threads() -> int:
    """Return the number of physical cores, less one for the window and the sound card if there are more than two."""
    cores = psutil.cpu_count(logical=False) or 1
    return max(1, cores - 1 if cores > 2 else cores)


def convert_to_openable(model: Path | bytes, options: ort.SessionOptions) -> str | bytes:
    """Return the file's path, or its content if its name has letters that the code page of this Windows lacks; a serialised model unchanged.

    ONNX Runtime before 1.25 (what Windows users run is 1.24.4) writes down a model's name in that code page and stumbles over any other
    letter: https://github.com/microsoft/onnxruntime/pull/27724. Names of folders do it no harm.

    Args:
        options: are given the folder of the weights next to the file.
    """
    if isinstance(model, bytes):
        return model
    if _is_in_code_page(model.name):
        return str(model)
    try:
        content = model.read_bytes()
    except OSError:
        return str(model)  # ONNX Runtime says why
    options.add_session_config_entry(WEIGHTS_FOLDER_OPTION, str(model.parent))
    return content


def _is_in_code_page(name: str) -> bool:
    if os.name != "nt":
        return True
    try:
        name.encode("mbcs")
    except UnicodeEncodeError:
        return False
    return True
