"""The provider that ONNX Runtime has given each node of a graph to, as a session itself reports when it opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from app.adapters.ort.graph_session import create_session
from app.adapters.ort.session_options import create_session_options


def count_nodes_by_provider(
    model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int] | None:
    """Return the nodes by provider before their last fusion; None if this ONNX Runtime does not report it.

    Raise the errors of `create_session`.
    """
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    session = create_session(model, place, name, options, fixed_dims)
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    found: Counter[str] = Counter()
    for part in session.get_provider_graph_assignment_info():
        found[part.ep_name] += len(part.get_nodes())
    return dict(found.most_common())
