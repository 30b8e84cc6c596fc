"""Opens the graphs of a voice on devices, each in the form that its place needs; imported only where a graph is put on one."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.adapters.ort.devices.device_sessions import OpenedSession, explain_unusable, open_session
from app.adapters.ort.devices.failed_devices import DeviceCrashJournal, FailedDevices
from app.adapters.ort.devices.failover_session import FailoverSession, SizedSession
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.adapters.ort.session_errors import describe_staying_on_cpu
from app.common.files import paths
from app.common.language import localize
from app.common.stages import STAGE_OF_GRAPH, find_stage_label
from app.compose.disk_stores import is_slow_bert, open_graph_store
from app.compose.speaker_plan import STARTER, SpeakerPlan
from app.voices.containers.onnx_metadata import has_operator

if TYPE_CHECKING:
    from app.compose.fixed_shape_opening import FixedShapeOpener


_open_device_journal = cache(DeviceCrashJournal)


def open_device_journal() -> DeviceCrashJournal:
    """Return what is known of devices from before."""
    return _open_device_journal(paths.find_data_dir() / "cache" / "devices")


def create_failed_devices(*, is_probe: bool) -> FailedDevices:
    """Return an empty list of failures; a probe judges devices by itself."""
    return FailedDevices(journal=None if is_probe else open_device_journal())


class DeviceGraphOpener:
    """Opens the graphs of one voice; `failures`: what its sessions know of devices that fail."""

    def __init__(self, plan: SpeakerPlan, failures: FailedDevices) -> None:
        self.failures = failures
        self._plan = plan
        self._fixed_shapes: FixedShapeOpener | None = None

    def start_opening(self) -> None:
        """Start opening the waiting graphs in the background, once all are known."""
        if self._fixed_shapes is not None:
            self._fixed_shapes.start_opening()

    def open_graph(self, graph: str, name: str, model: Path | bytes) -> FailoverSession:
        """Open a session on its place, in the few sizes of its fixed-shape graph if it has one."""
        device, identity = self._plan.placement.find_place(graph), compute_graph_identity(model)

        def open_at(where: str) -> OpenedSession:
            return open_session(model, where, name, open_graph_store())

        def create_session(opened: OpenedSession | SizedSession, open_cpu: Callable[[], GraphSession]) -> FailoverSession:
            return FailoverSession(graph, opened, device, open_cpu, self.failures, identity)

        backend = BACKENDS[parse_backend(device)]
        is_slow = (
            is_slow_bert(self._plan.bert)
            if graph == "bert" and self._plan.bert is not None
            else self._plan.voice.manifest.format != STARTER
        )
        formed = backend.takes_forms and isinstance(model, Path) and graph != "whole" and is_slow  # else fixed sizes would gain nothing
        away = self.failures.find_reason(device) or explain_unusable(device)
        unfit = None if away else self._explain_unfit(graph, name, model, formed=formed)
        if away or (not unfit and not formed):
            return create_session(self.failures.open_session(open_at, device, identity), lambda: open_at("cpu").session)
        cpu = open_at("cpu").session
        if unfit:
            return create_session(OpenedSession(cpu, "cpu", unfit, has_failed=False), lambda: cpu)
        if self._fixed_shapes is None:
            # Imported for a backend that wants graphs in fixed sizes only.
            from app.compose.fixed_shape_opening import FixedShapeOpener

            self._fixed_shapes = FixedShapeOpener(failures=self.failures, may_make=self._plan.should_convert)
        sized = self._fixed_shapes.add_graph(graph, model=cast(Path, model), name=name, place=device, identity=identity, cpu=cpu)
        return create_session(sized or OpenedSession(cpu, "cpu", None), lambda: cpu)

    def _explain_unfit(self, graph: str, name: str, model: Path | bytes, *, formed: bool) -> str | None:
        """Return why a graph stays on the CPU whatever its place is, in the language of the user; None where it may go there."""
        device = self._plan.placement.find_place(graph)
        backend = BACKENDS[parse_backend(device)]
        rounds = bool(backend.unfit_operators) and has_operator(model, backend.unfit_operators, name)
        if (formed or rounds) and self._plan.bert is not None and model == self._plan.bert.graphs.get("int8"):
            shown = format_device_name(device)
            reason = localize(
                f"int8 は CPU 用です。{shown} で動かすには、BERT の精度を自動か float32 にしてください。",
                f"int8 is for the CPU. To run it on {shown}, set the precision of the BERT to Auto or float32.",
            )
            return describe_staying_on_cpu("BERT", device, reason)
        if rounds:
            reason = localize(
                "丸め誤差を大きくする計算を含むため、結果が正しいかどうかを CPU と比べられません。",
                "it makes rounding errors large, so its results cannot be compared with the CPU's.",
            )
            return describe_staying_on_cpu(find_stage_label(STAGE_OF_GRAPH.get(graph, graph)), device, reason)
        if formed or self._plan.is_measured or backend.takes_any_size:
            return None
        return localize(
            f"このモデルは {format_device_name(device)} 用の形式に変換できないため、CPU で動作します。",
            f"This model has no form for {format_device_name(device)}; it runs on the CPU.",
        )
