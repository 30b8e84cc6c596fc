"""A sentence decoded window by window, as it is streamed, against the same decoded at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import open_unoptimized
from app.compose.graph_sessions import build_acoustic_model
from app.lab.recorded_inputs import CallsByGraph
from app.lab.report_rows import Row
from app.lab.verify.graph_comparison import build_verify_row
from app.lab.verify.verify_limits import choose_exact_limit, compute_figures, measure_loudness_difference
from app.voices.prepared_voice import Voice


def verify_decode_windows(voice: Voice, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Yield a row for each way to plan windows and each sentence; nothing for a voice in one graph, which is not streamed."""
    if "decoder" not in files or "flow" not in files:
        return
    limit = choose_exact_limit("decoder")
    model = build_acoustic_model(voice, {"decoder": open_unoptimized(files["decoder"], f"{voice.manifest.name}: decoder")})
    models = {"windows": model, "windows of devices": replace(model, voice=replace(model.voice, fixed_windows=True))}
    for call in calls["decoder"]:
        z, noise, speaker = call.values["z"], call.values["noise"], int(np.ravel(call.values["sid"])[0])
        whole = model.decode_all_frames(z, noise=noise, speaker=speaker)
        for case, planned in models.items():
            streamed = np.concatenate(list(planned.decode_windows(z, noise=noise, speaker=speaker)))
            figures = compute_figures("decoder", [whole], [streamed])
            loudness = measure_loudness_difference(whole, streamed, voice.manifest.sampling_rate) if len(whole) == len(streamed) else None
            frames = len(whole) == len(streamed)
            ok = limit.is_met(figures)
            yield build_verify_row("decoder", f"{case}: {call.request}", figures, limit, ok=ok, frames=frames, loudness=loudness)
