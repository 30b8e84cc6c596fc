"""Which provider a session gave the nodes of a graph to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, backend_of
from app.adapters.ort.options import session_options
from app.adapters.ort.session import create_session


@dataclass(frozen=True, slots=True)
class Assigned:
    """Nodes after optimisation.

    Attributes:
        here: how many the wanted provider took.
        elsewhere: operator → how many were left to another one, most first.
    """

    here: int
    elsewhere: Mapping[str, int]


def assigned_nodes(model: Path | bytes, place: str, name: str) -> Assigned | None:
    """Opens a graph on a place. None where this ONNX Runtime (before 1.24) does not report it; VoiceError or BackendError where it does not open."""
    options = session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    session = create_session(model, place, name, options)
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    here, elsewhere, wanted = 0, Counter[str](), BACKENDS[backend_of(place)].provider
    for part in session.get_provider_graph_assignment_info():
        kinds = [node.op_type for node in part.get_nodes()]
        if part.ep_name == wanted:
            here += len(kinds)
        else:
            elsewhere.update(kinds)
    return Assigned(here, dict(elsewhere.most_common()))
