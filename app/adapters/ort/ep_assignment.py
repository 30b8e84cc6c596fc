"""The providers that a session gave the nodes of a graph to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.graph_session import create_session
from app.adapters.ort.session_options import create_session_options


@dataclass(frozen=True, slots=True)
class EpAssignment:
    """Nodes after optimisation.

    Attributes:
        own_nodes: how many the wanted provider took.
        other_nodes: operator → how many were left to another one, most first.
    """

    own_nodes: int
    other_nodes: Mapping[str, int]


def read_ep_assignment(model: Path | bytes, place: str, name: str) -> EpAssignment | None:
    """Open a graph on a place and return the assignment of its nodes; None if this ONNX Runtime (before 1.24) does not report it.

    Raise VoiceError or BackendError if it does not open.
    """
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    session = create_session(model, place, name, options)
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    here, elsewhere, wanted = 0, Counter[str](), BACKENDS[parse_backend(place)].provider
    for part in session.get_provider_graph_assignment_info():
        kinds = [node.op_type for node in part.get_nodes()]
        if part.ep_name == wanted:
            here += len(kinds)
        else:
            elsewhere.update(kinds)
    return EpAssignment(here, dict(elsewhere.most_common()))
