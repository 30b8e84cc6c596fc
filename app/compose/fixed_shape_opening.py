"""Opens the graphs of a voice in fixed sizes; speech reaches `app.adapters.ort.fixed_shapes` through this module alone."""

from functools import cache, partial
from pathlib import Path

from app.adapters.ort.devices.failed_devices import FailedDevices
from app.adapters.ort.fixed_shapes.fixed_shape_graph import NoFixedShapeGraphError, create_fixed_shape_store, find_or_make_fixed_shape_graph
from app.adapters.ort.fixed_shapes.fixed_shape_session import DeviceOpening, DeviceOpenings, FixedShapeSession, find_memory_limit
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimized_graphs import GraphStore
from app.common.files import paths

BERT_SHARE = 0.5  # of an adapter's memory: the other graphs, which are smaller and more of the work, have room as well


_open_fixed_shape_store = cache(create_fixed_shape_store)


def open_fixed_shape_store() -> GraphStore:
    """Return where graphs are kept as devices run them."""
    return _open_fixed_shape_store(paths.find_data_dir() / "cache" / "forms")


class FixedShapeOpener:
    """Opens the graphs of one voice in fixed sizes, in the background.

    Args:
        failures: what its sessions know of devices that fail.
        may_make: graphs in fixed sizes that are not there yet are made, which takes up to minutes.
    """

    def __init__(self, *, failures: FailedDevices, may_make: bool) -> None:
        self._failures = failures
        self._may_make = may_make
        self._openings = DeviceOpenings()

    def add_graph(self, graph: str, *, model: Path, name: str, place: str, identity: str, cpu: GraphSession) -> FixedShapeSession | None:
        """Return the session of a graph, which opens once `start_opening` was called; None if it has no fixed sizes and must not get them."""
        limit = int(find_memory_limit(place) * (BERT_SHARE if graph == "bert" else 1))
        session = FixedShapeSession(cpu, name, DeviceOpening(graph, identity, place, self._failures, limit))
        find = partial(find_or_make_fixed_shape_graph, open_fixed_shape_store(), graph, model, may_make=self._may_make)
        if not self._may_make:
            try:
                find(is_exact=session.needs_exact)
            except NoFixedShapeGraphError:
                return None
        self._openings.add_session(graph, session, lambda exact: find(is_exact=exact))
        return session

    def start_opening(self) -> None:
        """Start opening the waiting graphs, once all are known."""
        self._openings.start_opening()
