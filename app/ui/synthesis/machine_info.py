"""Looks around, in the synthesis thread: what this machine offers, and what an opened voice is. ONNX Runtime is imported here, late."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.errors import AppError
from app.ui.synthesis.results import MachineInfo, OpenedVoice
from app.voices.terms import shown_terms
from app.voices.voice_words import shown_name

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


def find_machine_info() -> MachineInfo:
    """Backends and audio outputs of this machine."""
    from app.adapters.ort.backends import BACKENDS, name_of
    from app.adapters.ort.providers import known_devices, places
    from app.adapters.portaudio.devices import output_devices

    try:
        devices = tuple(dict.fromkeys(device.label for device in output_devices()))
    except AppError:
        devices = ()  # reported when something is to be played
    shown = ((key, name_of(key)) for key in ("auto", *BACKENDS))
    names = (*shown, *((item.place, f"{name_of(item.backend)} {item.name}") for item in known_devices()))
    return MachineInfo(names, ("auto", *(place for place in places() if place != "cpu"), "cpu"), devices)


def spare_window() -> None:
    """Lets sessions be created in a way that does not hold up the window."""
    from app.adapters.ort.optimized_session import spare_the_window

    spare_the_window()


def describe_voice(speaker: Speaker, requested: str, voice: str = "") -> OpenedVoice:
    """What the window shows of the voice that lines call `voice` and that was asked to run on the backend `requested`."""
    info = speaker.voice.manifest
    return OpenedVoice(
        name=shown_name(info),
        description=info.description,
        licence=shown_terms(speaker.voice.path, info.licence),
        starter=info.format == "starter",
        opaque=info.opaque,
        sampling_rate=info.sampling_rate,
        speakers=tuple((item.id, item.name) for item in info.speakers),
        styles=tuple((item.id, item.name) for item in info.styles),
        requested=requested,
        backends=tuple(speaker.backends.items()),
        fallback=speaker.fallback,
        lost=speaker.lost,
        failed=speaker.failed,
        id=voice,
        fast=bool(speaker.fast_graphs),
        forced_bert=speaker.bert != info.bert,
        measured=_measured(voice),
    )


def _measured(voice: str) -> tuple[dict[str, Any], ...]:
    """What is remembered of the backends for a voice; nothing where that is unknown."""
    from app.backends.probe import Probe

    try:
        return tuple(asdict(finding) for finding in Probe(voice or None).known() if finding.ok is not None)
    except (AppError, OSError):
        return ()
