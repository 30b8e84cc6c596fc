"""A sentence decoded window by window, as it is streamed, against the same decoded at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.session import GraphSession, open_as_it_is
from app.core.windows import Window, plan_fixed_windows, plan_windows
from app.lab.rows import Row
from app.lab.spoken import Calls
from app.lab.verify.comparison import row_of
from app.lab.verify.figures import exact_limit, figures_of, loudness_difference
from app.voices.voice import Voice

Plan = Callable[[int, Sequence[int], int], list[Window]]
PLANS: dict[str, Plan] = {"windows": plan_windows, "windows of devices": plan_fixed_windows}


def window_rows(voice: Voice, files: Mapping[str, Path], calls: Calls) -> Iterator[Row]:
    """A row a plan and sentence; nothing for a voice in one graph, which is not streamed."""
    if "decoder" not in files or "flow" not in files:
        return
    session, info, limit = open_as_it_is(files["decoder"], _decoder_name(voice)), voice.manifest, exact_limit("decoder")
    for call in calls["decoder"]:
        whole = session.run(dict(call.values), ["audio"])[0]
        for case, plan in PLANS.items():
            parts = [_decoded(session, call.values, item, info.hop_length) for item in _planned(plan, voice, call.values)]
            streamed = np.concatenate(parts)
            figures = figures_of("decoder", [whole], [streamed])
            loudness = loudness_difference(whole, streamed, info.sampling_rate) if len(whole) == len(streamed) else None
            frames = len(whole) == len(streamed)
            ok = limit.holds(figures)
            yield row_of("decoder", f"{case}: {call.request}", figures, limit, ok=ok, frames=frames, loudness=loudness)


def _decoder_name(voice: Voice) -> str:
    """What the decoder is called in messages."""
    return f"{voice.manifest.name}: decoder"


def _planned(plan: Plan, voice: Voice, values: Mapping[str, Any]) -> list[Window]:
    return plan(values["z"].shape[-1], voice.manifest.windows, voice.manifest.margin_frames)


def _decoded(session: GraphSession, values: Mapping[str, Any], window: Window, hop: int) -> np.ndarray:
    """The new samples of a window."""
    first, last = window.exact - window.start, window.last - window.start
    given = {**values, "z": values["z"][:, window.start : window.end], "first": np.array([first]), "last": np.array([last])}
    if "noise" in values:
        given["noise"] = values["noise"][window.start * hop : window.end * hop]
    samples = session.run(given, ["audio"])[0]
    if "first" not in session.inputs:
        samples = samples[first * hop : last * hop]
    return samples[(window.first - window.exact) * hop :]
