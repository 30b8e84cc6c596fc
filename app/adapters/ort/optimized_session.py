"""Opens a graph for the CPU from its optimised copy: no optimising, and its weights stay in the file until touched.

Measured with the three graphs of a real voice, in turns, with ONNX Runtime 1.31 / 1.24: open in 0.17 / 0.06 of the time, and 377 MB of memory
after a run instead of 706. Results are the same to the bit.

Copies are written in a process of their own: `--optimise GRAPH FOLDER`, see `app.compose.decoder_tiles`. What optimising takes for a moment, 170 MB for a real
voice's decoder, would stay with this one; and where ONNX Runtime holds Python's lock while it creates a session (`c_session`), a window would freeze for seconds.
"""

import logging
from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.optimized_graphs import OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME, GraphStore
from app.adapters.ort.runtime_session import PythonSession, RuntimeSession, open_for_target
from app.adapters.ort.session_options import create_session_options
from app.common.processes.launch import run_own_program

_MAX_INLINE_WEIGHT_BYTES = "1024"  # smaller weights stay in the graph, which is read as a whole
_COPY_TIMEOUT_S = 600


def write_in_child(model: Path, folder: Path) -> None:
    """Let a process write the optimised copy of a graph into a folder; raise OSError if that failed."""
    done = run_own_program("--optimise", model, folder, timeout_s=_COPY_TIMEOUT_S)
    if done.returncode:
        raise OSError(f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")


def open_optimized(model: Path, store: GraphStore) -> RuntimeSession | None:
    """Open a session on the CPU; return None if the graph itself has to be opened."""
    flavour = f"onnxruntime {ort.__version__}"

    copy = store.find_or_write_copy(model, flavour, lambda folder: write_in_child(model, folder))
    if copy is None:
        return None
    try:
        return open_for_target(copy, create_session_options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL))
    except Exception as exc:  # ONNX Runtime 1.24 cannot read some of what it wrote: graphs with branches
        logging.getLogger("koebako").info("the optimised copy of %s does not open: %s", model, exc)
        store.refuse_copy(model, flavour)
        return None


def write_copy(model: Path, folder: Path, rewritten: bytes | None = None) -> None:
    """Save the optimised graph by opening it, or one that was made of it, whose weights are still next to it."""
    options = create_session_options(weights=None if rewritten is None else model.parent)
    options.optimized_model_filepath = str(folder / OPTIMIZED_GRAPH_NAME)
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", OPTIMIZED_WEIGHTS_NAME)
    options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", _MAX_INLINE_WEIGHT_BYTES)
    PythonSession(rewritten or model, options)
