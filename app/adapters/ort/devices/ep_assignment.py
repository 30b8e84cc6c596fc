"""The providers that a session gave the nodes of a graph to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.device_sessions import create_session
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
    parts = _list_assigned_parts(model, place, name, {})
    if parts is None:
        return None
    here, elsewhere, wanted = 0, Counter[str](), BACKENDS[parse_backend(place)].provider
    for provider, kinds in parts:
        if provider == wanted:
            here += len(kinds)
        else:
            elsewhere.update(kinds)
    return EpAssignment(here, dict(elsewhere.most_common()))


def count_nodes_by_provider(
    model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int] | None:
    """Return the nodes by provider before their last fusion; None if this ONNX Runtime does not report it.

    Raise the errors of `create_session`.
    """
    parts = _list_assigned_parts(model, place, name, fixed_dims)
    if parts is None:
        return None
    found: Counter[str] = Counter()
    for provider, kinds in parts:
        found[provider] += len(kinds)
    return dict(found.most_common())


def _list_assigned_parts(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> list[tuple[str, list[str]]] | None:
    """Return provider and operators of each part of a graph."""
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    session = create_session(model, place, name, options, fixed_dims)
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    return [(part.ep_name, [node.op_type for node in part.get_nodes()]) for part in session.get_provider_graph_assignment_info()]
