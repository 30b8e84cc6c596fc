"""The options that all sessions of ONNX Runtime share, and the provider that one is opened for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import onnxruntime as ort
import psutil

CPU_PROVIDER_NAME = "CPUExecutionProvider"


@dataclass(frozen=True, slots=True)
class ProviderTarget:
    """The provider, device and fixed sizes that a session is opened for.

    Attributes:
        provider, settings: the execution provider and what it is given.
        fixed_dims: sizes that are open in the graph and fixed in the session, by name.
        devices: of a provider that a plug-in brings, as ONNX Runtime lists them; empty for one that is built in.
        disabled_optimizers: fusions that the provider computes wrong, as ONNX Runtime calls them.
    """

    provider: str = CPU_PROVIDER_NAME
    settings: Mapping[str, str] = field(default_factory=dict)
    fixed_dims: Mapping[str, int] = field(default_factory=dict)
    devices: tuple[ort.OrtEpDevice, ...] = ()
    disabled_optimizers: tuple[str, ...] = ()

    def replace_dims(self, fixed_dims: Mapping[str, int], settings: Mapping[str, str]) -> ProviderTarget:
        """Return the target with fixed sizes and further settings."""
        return replace(self, fixed_dims=fixed_dims, settings={**self.settings, **settings})


CPU_TARGET = ProviderTarget()


def create_session_options() -> ort.SessionOptions:
    """Return what all sessions share, each with its why."""
    options = ort.SessionOptions()
    # Failures are shown in our own messages; a windowed program has no stderr at all.
    options.log_severity_level = 4
    options.intra_op_num_threads = count_intra_threads()
    options.inter_op_num_threads = 1
    # DirectML demands it; our graphs have no parallel branches to gain from.
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    # Several sessions take turns; threads that spin after one graph's end would steal cores from the next.
    # Measured on two busy cores: spinning made a real voice's graphs 1.7 to 2.8 times slower.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # A plan of memory for every length that ever came: no faster here, a fifth more memory for the decoder, and DirectML forbids it.
    # The arena itself stays: without it the flow of a real voice took 1.4 times as long; its size settles with the longest sentence.
    options.enable_mem_pattern = False
    return options


def count_intra_threads() -> int:
    """Return the number of physical cores, less one for the window and the sound card if there are more than two."""
    cores = psutil.cpu_count(logical=False) or 1
    return max(1, cores - 1 if cores > 2 else cores)
