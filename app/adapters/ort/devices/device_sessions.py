"""Sessions of places other than the CPU, and of any place that a caller names.

A session that ends up on another provider than the one asked for is never silent: `OpenedSession.fallback_reason` says what happened.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import onnxruntime as ort

from app.adapters.ort import session_errors
from app.adapters.ort.backends import BACKENDS, CPU_PLACES, format_device_name, parse_backend
from app.adapters.ort.devices.device_thread import DeviceHungError, run_on_device
from app.adapters.ort.devices.ort_devices import build_provider_options, find_plugin_devices, list_backends
from app.adapters.ort.graph_session import GraphSession, open_cpu_session
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.runtime_session import PythonSession, open_for_target
from app.adapters.ort.session_options import CPU_PROVIDER_NAME, ProviderTarget, create_session_options
from app.common.errors import BackendError
from app.common.language import localize

_OUT_OF_MEMORY_SIGNS = (
    "8007000e", "out of memory", "failed to allocate", "bfcarena", "bad allocation",
    # Vulkan's, and those of Dawn, by which WebGPU runs.
    "out_of_device_memory", "out_of_host_memory", "outofmemory", "failed to create gpu buffer", "exceeds the max buffer size",
)  # fmt: skip
_UNSUPPORTED_SIGNS = ("80070057", "not_implemented", "invalid_argument", "not implemented", "invalid argument")
_DEVICE_LOST_SIGNS = (
    # Removed, hung, reset, internal error of the driver.
    "887a0005", "887a0006", "887a0007", "887a0020",
    # Vulkan's, and those of Dawn; the last one is its answer to whatever is asked of a device that was lost.
    "error_device_lost", "device lost", "devicelost", "device is lost", "] is lost",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session and its backend; a fallback that is none of a failure had no room there, or no form."""

    session: GraphSession
    backend: str
    fallback_reason: str | None
    has_failed: bool = True


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """The reason of a failed run, in the language of the user. One that is `is_lost` is lost for all graphs, one without room only for this one."""

    reason: str
    is_lost: bool = False
    is_out_of_memory: bool = False


def identify_fault(exc: BackendError) -> DeviceFault:
    """Return what the error of a run means."""
    if isinstance(exc.__cause__, DeviceHungError):
        return DeviceFault(exc.message, is_lost=True)
    words = session_errors.describe_ort_error(exc.__cause__) if exc.__cause__ is not None else f"{exc.message} {exc.hint}".strip()
    if session_errors.is_driver_crash(exc.__cause__):
        return DeviceFault(localize(f"ドライバーが異常終了しました。（{words}）", f"its driver crashed. ({words})"), is_lost=True)
    signs = words.lower()
    if any(sign in signs for sign in _OUT_OF_MEMORY_SIGNS):
        return DeviceFault(localize(f"メモリーが足りません。（{words}）", f"it ran out of memory. ({words})"), is_out_of_memory=True)
    if any(sign in signs for sign in _UNSUPPORTED_SIGNS):
        return DeviceFault(localize(f"この計算に対応していません。（{words}）", f"it does not support this computation. ({words})"))
    if any(sign in signs for sign in _DEVICE_LOST_SIGNS):
        return DeviceFault(localize(f"デバイスが停止しました。（{words}）", f"the device stopped. ({words})"), is_lost=True)
    return DeviceFault(localize(f"計算に失敗しました。（{words}）", f"the computation failed. ({words})"))


def open_session(model: Path | bytes, place: str, name: str, store: GraphStore | None = None) -> OpenedSession:
    """Open a graph on a place (see `ort_devices`), or on the CPU if that refuses it, with a notice.

    Raises:
        BackendError: a driver crashed meanwhile (`is_driver_crash`), and its device must not be used again.
    """
    fallback, failed = None, True
    if place not in CPU_PLACES:
        try:
            return OpenedSession(_open_in_device_thread(model, place, name), parse_backend(place), None)
        except BackendError as exc:
            if session_errors.is_driver_crash(exc.__cause__):
                raise
            failed = not (fault := identify_fault(exc)).is_out_of_memory
            fallback = describe_fallback(place, exc.hint) if failed else session_errors.describe_staying_on_cpu(name, place, fault.reason)
            logging.getLogger("koebako").info("%s: %s", name, fallback)
    return OpenedSession(open_cpu_session(model, name, store), "cpu", fallback, failed)


def explain_unusable(place: str) -> str | None:
    """Return why nothing can run on a place, in the language of the user; None where it is there."""
    try:
        _build_target(place)
    except BackendError as exc:
        return describe_fallback(place, exc.hint)
    return None


def describe_fallback(place: str, reason: str | None) -> str:
    """Return the notice that a place is not there, with the reason."""
    return localize(
        f"{format_device_name(place)} を使えないため、CPU で動作します: {reason}",
        f"{format_device_name(place)} is not available; running on the CPU: {reason}",
    )


def _open_in_device_thread(model: Path | bytes, place: str, name: str) -> GraphSession:
    try:
        return run_on_device(
            lambda: open_with_fixed_dims(model, place, name, {}), BACKENDS[parse_backend(place)].opening_timeout_s, stop=lambda: None
        )
    except DeviceHungError as exc:
        raise session_errors.build_start_error(place, localize("デバイスが応答しません", "the device does not respond")) from exc


def create_session(
    model: Path | bytes,
    place: str,
    name: str,
    options: ort.SessionOptions | None = None,
    fixed_dims: Mapping[str, int] = MappingProxyType({}),
) -> PythonSession:
    """Open a bare session; raise VoiceError if even the CPU cannot open it, BackendError with the reason in its hint for other places."""
    with _prepare_target(model, place, name, fixed_dims) as target:
        session = PythonSession(model, options or create_session_options(), target)
    return _check_enabled(session, place)


def open_with_fixed_dims(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> GraphSession:
    """Open a graph on a place with open sizes fixed, by name; raise the errors of `create_session`."""
    with _prepare_target(model, place, name, fixed_dims) as target:
        session = open_for_target(model, create_session_options(), target)
    return GraphSession(_check_enabled(session, place) if isinstance(session, PythonSession) else session, name, place)


def _build_target(place: str) -> ProviderTarget:
    """Return what a place means to ONNX Runtime; BackendError where it is not there."""
    backend = parse_backend(place)
    # What a plug-in lacks, the package or an adapter, it says itself.
    if not BACKENDS[backend].plugin and backend not in list_backends():
        raise session_errors.build_start_error(
            place, localize("この ONNX Runtime には含まれていません", "this ONNX Runtime does not include it")
        )
    try:
        return ProviderTarget(
            BACKENDS[backend].provider,
            build_provider_options(place),
            devices=find_plugin_devices(place),
            disabled_optimizers=BACKENDS[backend].disabled_optimizers,
        )
    except BackendError as exc:
        raise session_errors.build_start_error(place, f"{exc.message} {exc.hint}") from exc


def _check_enabled(session: PythonSession, place: str) -> PythonSession:
    if session.get_providers()[0] != BACKENDS[parse_backend(place)].provider:
        raise session_errors.build_start_error(place, localize("ONNX Runtime で有効になりませんでした", "ONNX Runtime did not enable it"))
    return session


@contextmanager
def _prepare_target(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> Iterator[ProviderTarget]:
    """Yield what a session is opened for in the block, whose errors become ours."""
    target = _build_target(place)
    try:
        with _open_engine_cache(model, place, fixed_dims) as engine_settings:
            yield replace(target, fixed_dims=fixed_dims, settings={**target.settings, **engine_settings})
    except Exception as exc:  # no common base, and DirectML raises a bare RuntimeError
        if target.provider == CPU_PROVIDER_NAME:
            raise session_errors.build_open_error(name, exc) from exc
        raise session_errors.build_start_error(place, session_errors.describe_start_failure(exc)) from exc


@contextmanager
def _open_engine_cache(model: Path | bytes, place: str, fixed_dims: Mapping[str, int]) -> Iterator[Mapping[str, str]]:
    """Open the engine cache, imported only for a backend that keeps its compiled engines."""
    if not BACKENDS[parse_backend(place)].cache_options:
        yield {}
        return
    from app.adapters.ort.devices.engine_cache import open_engine_cache

    with open_engine_cache(model, place, fixed_dims) as engine_settings:
        yield engine_settings
