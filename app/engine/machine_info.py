"""Looks around, in the synthesis thread: what this machine offers, and what an opened voice is. ONNX Runtime is imported here, late."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.common.errors import AppError
from app.engine.synthesis_results import MachineInfo, OpenedVoice
from app.voices.licence_terms import format_licence_terms
from app.voices.voice_labels import format_voice_name

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


def find_machine_info() -> MachineInfo:
    """Return the backends and audio outputs of this machine."""
    from app.adapters.ort.backends import BACKENDS, find_backend_name
    from app.adapters.ort.devices.ort_devices import list_devices, list_places
    from app.adapters.portaudio.audio_devices import list_output_devices

    try:
        devices = tuple(dict.fromkeys(device.label for device in list_output_devices()))
    except AppError:
        devices = ()  # reported when something is to be played
    shown = ((key, find_backend_name(key)) for key in ("auto", *BACKENDS))
    names = (*shown, *((item.place, f"{find_backend_name(item.backend)} {item.name}") for item in list_devices()))
    return MachineInfo(names, ("auto", *(place for place in list_places() if place != "cpu"), "cpu"), devices)


def use_unblocking_sessions() -> None:
    """Let sessions be created in a way that does not block the window."""
    from app.adapters.ort.optimized_session import keep_window_responsive

    keep_window_responsive()


def describe_voice(speaker: Speaker, requested: str, voice: str = "") -> OpenedVoice:
    """Return what the window shows of the voice that lines call `voice` and that was asked to run on the backend `requested`."""
    info = speaker.voice.manifest
    return OpenedVoice(
        name=format_voice_name(info),
        description=info.description,
        licence=format_licence_terms(speaker.voice.path, info.licence),
        is_starter=info.format == "starter",
        is_single_graph=info.is_single_graph,
        sampling_rate=info.sampling_rate,
        speakers=tuple((item.id, item.name) for item in info.speakers),
        styles=tuple((item.id, item.name) for item in info.styles),
        requested_backend=requested,
        backends=tuple(speaker.backends.items()),
        fallback=speaker.fallback,
        is_device_lost=speaker.is_device_lost,
        is_fallback_failure=speaker.has_failed,
        id=voice,
        architecture=speaker.pipeline.voice.architecture,
        is_fast=bool(speaker.fast_graphs),
        has_forced_bert=speaker.bert != info.bert,
        measurements=_find_measurements(voice),
        recipe=info.recipe,
    )


def _find_measurements(voice: str) -> tuple[dict[str, Any], ...]:
    """Return what is remembered of the backends for a voice; nothing where that is unknown."""
    from app.backends.backend_probe import BackendProbe

    try:
        return tuple(asdict(finding) for finding in BackendProbe(voice or None).list_known_results() if finding.ok is not None)
    except (AppError, OSError):
        return ()
