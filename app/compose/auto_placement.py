"""Chooses the placement of a voice when the user leaves it to the program."""

from __future__ import annotations

from dataclasses import replace

from app.adapters.ort.device_placement import CPU_ONLY, DevicePlacement, parse_placement
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.common.errors import AppError
from app.compose.disk_stores import open_probe_memory
from app.voices.bert_models import BertModel
from app.voices.prepared_voice import Voice

# The format of the voice we ship, which the CPU speaks faster than a device is asked.
STARTER = "starter"


def choose_placement(voice: Voice, bert: BertModel | None) -> DevicePlacement:
    """Return where this voice was measured to speak fastest on this machine; a first guess where nothing was measured."""
    chosen = open_probe_memory().find_placement(*collect_choice_facts(voice, bert))
    try:
        return guess_placement(voice) if chosen is None else parse_placement(chosen)
    except AppError:  # the memory is a cache, which may hold anything
        return CPU_ONLY


def guess_placement(voice: Voice) -> DevicePlacement:
    """Return where a voice speaks before anything is measured: its decoder, which is most of the work, on an adapter with memory of its own."""
    if voice.manifest.format == STARTER or voice.manifest.is_single_graph:
        return CPU_ONLY
    # Most voices that speak without a measurement are the included one, which asks for no device.
    from app.adapters.ort.devices.ort_devices import list_devices

    fastest = next((device.place for device in list_devices() if device.rank == 0 and device.memory_mb is not None), "cpu")
    return replace(CPU_ONLY, decoder=fastest)


def collect_choice_facts(voice: Voice, bert: BertModel | None) -> list[str]:
    """Return what a measured choice depends on, of the models."""
    graphs = [*voice.graphs.values(), *(bert.graphs.values() if bert is not None else ())]
    return [compute_graph_identity(graph) for graph in graphs]
