"""The options that all sessions of ONNX Runtime share."""

from __future__ import annotations

import onnxruntime as ort

from app.adapters.ort.ort_devices import count_intra_threads


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
