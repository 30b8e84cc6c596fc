"""Runs that are stopped on purpose while ONNX Runtime computes them: with its own error, at a chosen graph, and by no clock."""

from collections.abc import Callable
from typing import Any

import pytest

from app.adapters.ort.runtime_session import PythonSession

FLOW, DECODER = "z", "audio"
"""The output by which a graph of a voice is recognised."""


def stop_within_run(monkeypatch: pytest.MonkeyPatch, stop: Callable[[], object], output: str = DECODER) -> list[str]:
    """Call `stop` within the next run that computes this output; the returned list names the runs that ended by it."""
    stopped: list[str] = []
    waiting = [output]
    run = PythonSession.run

    def run_and_stop(session: PythonSession, outputs: list[str] | None, feed: dict[str, Any], options: Any) -> Any:
        if outputs is None or waiting != list(outputs):
            return run(session, outputs, feed, options)
        waiting.clear()
        stop()
        try:
            return run(session, outputs, feed, options)
        except Exception:
            stopped.append(output)
            raise

    monkeypatch.setattr(PythonSession, "run", run_and_stop)
    return stopped
