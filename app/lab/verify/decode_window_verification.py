"""A sentence decoded window by window, as it is streamed, against the same decoded at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.core.decode_windows import DecodeWindow, plan_fixed_windows, plan_windows
from app.lab.recorded_inputs import CallsByGraph
from app.lab.report_rows import Row
from app.lab.verify.graph_comparison import build_verify_row
from app.lab.verify.verify_limits import choose_exact_limit, compute_figures, measure_loudness_difference
from app.voices.prepared_voice import Voice

PlanWindows = Callable[[int, Sequence[int], int], list[DecodeWindow]]
DECODE_WINDOW_PLANS: dict[str, PlanWindows] = {"windows": plan_windows, "windows of devices": plan_fixed_windows}


def verify_decode_windows(voice: Voice, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Yield a row for each plan and sentence; none for a single-graph voice, which is not streamed."""
    if "decoder" not in files or "flow" not in files:
        return
    session, info, limit = open_unoptimized(files["decoder"], _name_decoder(voice)), voice.manifest, choose_exact_limit("decoder")
    for call in calls["decoder"]:
        whole = session.run_graph(dict(call.values), ["audio"])[0]
        for case, plan in DECODE_WINDOW_PLANS.items():
            parts = [_decode_window(session, call.values, item, info.hop_length) for item in _plan_windows(plan, voice, call.values)]
            streamed = np.concatenate(parts)
            figures = compute_figures("decoder", [whole], [streamed])
            loudness = measure_loudness_difference(whole, streamed, info.sampling_rate) if len(whole) == len(streamed) else None
            frames = len(whole) == len(streamed)
            ok = limit.is_met(figures)
            yield build_verify_row("decoder", f"{case}: {call.request}", figures, limit, ok=ok, frames=frames, loudness=loudness)


def _name_decoder(voice: Voice) -> str:
    """Return the name of the decoder in messages."""
    return f"{voice.manifest.name}: decoder"


def _plan_windows(plan: PlanWindows, voice: Voice, values: Mapping[str, Any]) -> list[DecodeWindow]:
    return plan(values["z"].shape[-1], voice.manifest.windows, voice.manifest.margin_frames)


def _decode_window(session: GraphSession, values: Mapping[str, Any], window: DecodeWindow, hop: int) -> np.ndarray:
    """Return the new samples of a window."""
    first, last = window.exact - window.start, window.last - window.start
    given = {**values, "z": values["z"][:, window.start : window.end], "first": np.array([first]), "last": np.array([last])}
    if "noise" in values:
        given["noise"] = values["noise"][window.start * hop : window.end * hop]
    samples = session.run_graph(given, ["audio"])[0]
    if "first" not in session.inputs:
        samples = samples[first * hop : last * hop]
    return samples[(window.first - window.exact) * hop :]
