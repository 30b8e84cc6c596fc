"""Where a voice speaks when that is left to the program."""

from __future__ import annotations

from dataclasses import replace

from app.adapters.ort.optimized_graphs import identity_of
from app.adapters.ort.placement import CPU_ONLY, Placement, parse_placement
from app.adapters.ort.providers import known_devices
from app.compose.stores import probe_memory
from app.errors import AppError
from app.voices.bert import Bert
from app.voices.voice import Voice

STARTER = "starter"  # the format of the voice we ship, which the CPU speaks faster than a device is asked


def known_choice(voice: Voice, bert: Bert) -> Placement:
    """Where this voice was measured to speak fastest on this machine; a first guess where nothing was measured."""
    chosen = probe_memory().chosen(*choice_facts(voice, bert))
    try:
        return first_guess(voice) if chosen is None else parse_placement(chosen)
    except AppError:  # the memory is a cache, which may hold anything
        return CPU_ONLY


def first_guess(voice: Voice) -> Placement:
    """Where a voice speaks before anything is measured: its decoder, which is most of the work, on an adapter with memory of its own."""
    if voice.manifest.format == STARTER or voice.manifest.opaque:
        return CPU_ONLY
    fastest = next((device.place for device in known_devices() if device.rank == 0 and device.memory_mb is not None), "cpu")
    return replace(CPU_ONLY, decoder=fastest)


def choice_facts(voice: Voice, bert: Bert) -> list[str]:
    """What a measured choice depends on, of the models."""
    return [identity_of(graph) for graph in (*voice.graphs.values(), *bert.graphs.values())]
