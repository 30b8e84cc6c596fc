"""Opens the graphs of a voice where they were put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.backends import CPU_PLACES
from app.adapters.ort.graph_session import CpuSession, RunnableSession, SpeakerSession, open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtSingleGraphSynthesizer, OrtSynthesizer
from app.compose.disk_stores import open_graph_store
from app.compose.speaker_plan import SpeakerPlan
from app.core.sound.acoustic import AcousticModel
from app.core.sound.voice_traits import VoiceTraits
from app.voices.prepared_voice import Voice

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices


def open_sessions(
    plan: SpeakerPlan, same_bert: SpeakerSession | None, failures: FailedDevices | None, *, is_probe: bool
) -> tuple[dict[str, SpeakerSession], FailedDevices | None]:
    """Open the sessions by graph; also return the devices that failed, None if no voice of this program was on a device yet."""
    info = plan.voice.manifest
    models: dict[str, tuple[str, Path | bytes]] = {}
    if same_bert is None and plan.bert_graph is not None:
        models["bert"] = ("BERT", plan.bert_graph)
    models |= {graph: (f"{info.name}: {graph}", model) for graph, model in plan.voice.graphs.items()}
    opener = None
    if any(plan.placement.find_place(graph) not in CPU_PLACES for graph in models):
        # All that is about devices comes with it, and most people have none.
        from app.compose.device_opening import DeviceGraphOpener, create_failed_devices

        opener = DeviceGraphOpener(plan, failures or create_failed_devices(is_probe=is_probe))
    sessions: dict[str, SpeakerSession] = {} if same_bert is None else {"bert": same_bert}
    for graph, (name, model) in models.items():
        device = plan.placement.find_place(graph)
        if opener is None or device in CPU_PLACES:
            sessions[graph] = CpuSession(open_cpu_session(model, name, open_graph_store()), device)
        else:
            sessions[graph] = opener.open_graph(graph, name, model)
    if opener is None:
        return sessions, failures
    opener.start_opening()
    return sessions, opener.failures


def build_synthesizer(voice: Voice, graphs: Mapping[str, RunnableSession]) -> OrtSynthesizer | OrtSingleGraphSynthesizer:
    return OrtSingleGraphSynthesizer(graphs["whole"]) if voice.manifest.is_single_graph else _build_split_synthesizer(voice, graphs)


def build_acoustic_model(voice: Voice, graphs: Mapping[str, RunnableSession]) -> AcousticModel:
    """Return the acoustic model of a voice of several graphs; a graph that the caller will not run may be missing."""
    synthesizer = _build_split_synthesizer(voice, graphs)
    return AcousticModel(synthesizer=synthesizer, voice=add_graph_traits(voice.build_traits(), synthesizer))


def add_graph_traits(traits: VoiceTraits, synthesizer: OrtSynthesizer) -> VoiceTraits:
    """Return the traits with what only the graphs of a voice say."""
    return replace(traits, decoder_noise=synthesizer.takes_decoder_noise, flow_pitch_offset=synthesizer.takes_pitch_offset)


def _build_split_synthesizer(voice: Voice, graphs: Mapping[str, RunnableSession]) -> OrtSynthesizer:
    # A graph that is not run needs no session of its own: opening one takes seconds.
    unused = next(iter(graphs.values()))
    return OrtSynthesizer(
        graphs.get("prosody", unused), graphs.get("flow"), graphs.get("decoder", unused), multilingual=voice.manifest.multilingual
    )
