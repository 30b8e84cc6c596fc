"""The longest times of each stage, by the product's own guide: on the CPU and on a graphics adapter."""

from __future__ import annotations

from collections.abc import Mapping

from app.adapters.ort.backends import is_on_processor
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES

SYNTHESIS = ("prosody", "flow", "decode")
CPU_MS = {"g2p": 50.0, "bert": 300.0, "expand": 20.0, "synthesis": 200.0, "audio": 10.0, "total": 580.0}
GPU_MS = {"g2p": 30.0, "bert": 50.0, "expand": 5.0, "synthesis": 50.0, "audio": 5.0, "total": 140.0}


def find_target_ms(row: str, backends: Mapping[str, str]) -> float | None:
    """Return the target of a stage, of `synthesis` (all graphs of the voice) or of `total`; None if the guide has none.

    Args:
        backends: where each stage runs; the whole is measured as its decoder is.
    """
    return (CPU_MS if is_on_processor(find_row_backend(row, backends)) else GPU_MS).get(row)


def find_row_backend(row: str, backends: Mapping[str, str]) -> str:
    """Return where it runs; the whole counts as its decoder does, and what is no graph as the CPU's."""
    decoder = backends.get("decode", backends.get("synthesis", "cpu"))
    return decoder if row in ("synthesis", "total") else backends.get(row, "cpu")


def list_rows(*, is_single_graph: bool) -> tuple[str, ...]:
    """Return what is measured of a voice, in order: its stages, all of its graphs together, the first sound, and the whole."""
    stages = (
        SINGLE_GRAPH_STAGES
        if is_single_graph
        else (*PIPELINE_STAGES[: PIPELINE_STAGES.index("decode") + 1], "synthesis", *PIPELINE_STAGES[PIPELINE_STAGES.index("decode") + 1 :])
    )
    return (*stages, "first_audio", "total")
