"""Opens the graphs of a voice on devices, each in the form that its place needs; imported only where a graph is put on one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import cast

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.adapters.ort.devices.device_crash_journal import DeviceCrashJournal
from app.adapters.ort.devices.device_memory import find_memory_limit
from app.adapters.ort.devices.device_openings import DeviceOpenings, NoFixedShapeGraphError
from app.adapters.ort.devices.device_sessions import OpenedSession, explain_unusable, open_session
from app.adapters.ort.devices.failed_devices import FailedDevices
from app.adapters.ort.devices.failover_session import FailoverSession
from app.adapters.ort.devices.fixed_shape_graph import FixedShapeGraph
from app.adapters.ort.devices.fixed_shape_session import DeviceOpening, FixedShapeSession
from app.adapters.ort.devices.fixed_shape_store import create_fixed_shape_store, find_or_make_fixed_shape_graph
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimized_graphs import GraphStore, compute_graph_identity
from app.adapters.ort.session_errors import describe_staying_on_cpu
from app.common.files import paths
from app.common.language import localize
from app.compose.auto_placement import STARTER
from app.compose.disk_stores import open_graph_store
from app.compose.speaker_plan import SpeakerPlan
from app.compose.stored_features import is_slow_bert

# Of an adapter's memory: the other graphs, which are smaller and more of the work, have room as well.
BERT_SHARE = 0.5


@cache
def _open_device_journal(folder: Path) -> DeviceCrashJournal:
    return DeviceCrashJournal(folder)


def open_device_journal() -> DeviceCrashJournal:
    """Return what is known of devices from before."""
    return _open_device_journal(paths.find_data_dir() / "cache" / "devices")


@cache
def _open_fixed_shape_store(folder: Path) -> GraphStore:
    return create_fixed_shape_store(folder)


def open_fixed_shape_store() -> GraphStore:
    """Return where graphs are kept as devices run them."""
    return _open_fixed_shape_store(paths.find_data_dir() / "cache" / "forms")


def create_failed_devices(*, is_probe: bool) -> FailedDevices:
    """Return an empty list of failures; a probe judges devices by itself."""
    return FailedDevices(journal=None if is_probe else open_device_journal())


class DeviceGraphOpener:
    """Opens the graphs of one voice.

    Attributes:
        failures: what its sessions know of devices that fail.
    """

    def __init__(self, plan: SpeakerPlan, failures: FailedDevices) -> None:
        self.failures = failures
        self._plan = plan
        self._openings = DeviceOpenings()

    def start_opening(self) -> None:
        """Start opening the waiting graphs in the background, once all are known."""
        self._openings.start_opening()

    def open_graph(self, graph: str, name: str, model: Path | bytes) -> FailoverSession:
        """Open a session on its place, in the few sizes of its fixed-shape graph if it has one."""
        place, identity = self._plan.placement.find_place(graph), compute_graph_identity(model)

        def open_at(where: str) -> OpenedSession:
            return open_session(model, where, name, open_graph_store())

        def create_session(opened: OpenedSession | FixedShapeSession, open_cpu: Callable[[], GraphSession]) -> FailoverSession:
            return FailoverSession(graph, opened, place, open_cpu, self.failures, identity)

        formed = isinstance(model, Path) and graph != "whole" and not self._is_small(graph)
        away = self.failures.find_reason(place) or explain_unusable(place)
        if away or (not formed and (self._plan.is_measured or BACKENDS[parse_backend(place)].takes_any_size)):
            return create_session(self.failures.open_session(open_at, place, identity), lambda: open_at("cpu").session)
        cpu = open_at("cpu").session
        is_int8 = self._plan.bert is not None and model == self._plan.bert.graphs.get("int8")
        unfit = _describe_missing_graph(place) if not formed else _describe_int8(place) if is_int8 else None
        if unfit:
            return create_session(OpenedSession(cpu, "cpu", unfit, has_failed=False), lambda: cpu)
        sized = FixedShapeSession(cpu, name, self._plan_opening(graph, place, identity))
        find = partial(
            find_or_make_fixed_shape_graph, open_fixed_shape_store(), graph, cast(Path, model), may_make=self._plan.should_convert
        )
        if not self._plan.should_convert and not _has_fixed_shape_graph(find, is_exact=sized.needs_exact):
            return create_session(OpenedSession(cpu, "cpu", None), lambda: cpu)
        self._openings.add_session(graph, sized, lambda exact: find(is_exact=exact))
        return create_session(sized, lambda: cpu)

    def _is_small(self, graph: str) -> bool:
        """Return whether fixed sizes would gain nothing."""
        if graph == "bert" and self._plan.bert is not None:
            return not is_slow_bert(self._plan.bert)
        return self._plan.voice.manifest.format == STARTER

    def _plan_opening(self, graph: str, place: str, identity: str) -> DeviceOpening:
        room = int(find_memory_limit(place) * (BERT_SHARE if graph == "bert" else 1))
        return DeviceOpening(graph, identity, place, self.failures, room)


def _has_fixed_shape_graph(find: Callable[..., FixedShapeGraph], *, is_exact: bool) -> bool:
    try:
        find(is_exact=is_exact)
    except NoFixedShapeGraphError:
        return False
    return True


def _describe_missing_graph(device: str) -> str:
    return localize(
        f"このモデルは {format_device_name(device)} 用の形式に変換できないため、CPU で動作します。",
        f"This model has no form for {format_device_name(device)}; it runs on the CPU.",
    )


def _describe_int8(place_id: str) -> str:
    device = format_device_name(place_id)
    reason = localize(
        f"int8 は CPU 用です。{device} で動かすには、BERT の精度を自動か float32 にしてください。",
        f"int8 is for the CPU. To run it on {device}, set the precision of the BERT to Auto or float32.",
    )
    return describe_staying_on_cpu("BERT", place_id, reason)
