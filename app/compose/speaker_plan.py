"""The plan of a speaker, before anything is opened: its voice, BERT, precision and placement, also where the user leaves that to the program."""

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.adapters.ort.backends import parse_backend
from app.adapters.ort.device_placement import CPU_ONLY, DevicePlacement, parse_placement
from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.common.errors import AppError
from app.common.files import paths
from app.compose.disk_stores import open_probe_memory
from app.settings.user_settings import GraphPrecision, PrecisionChoice, Settings
from app.voices.bert_models import BertModel, apply_graph_precision, choose_bert_precision, find_bert
from app.voices.installed_voices import find_voice
from app.voices.prepared_voice import Voice

STARTER = "starter"  # the format of the voice we ship, which the CPU speaks faster than a device is asked


@dataclass(frozen=True, slots=True)
class SpeakerPlan:
    """A voice, its BERT and where their graphs go."""

    voice: Voice
    bert: BertModel | None  # bert, bert_graph: none for a voice that needs no BERT
    bert_graph: Path | None
    placement: DevicePlacement
    bert_id: str  # bert_id, graphs_id: names for all that shapes the features and the sound of the voice
    graphs_id: str
    # Of the BERT and the voice, as the user chose them, whatever graphs there are.
    wanted_precisions: tuple[PrecisionChoice, GraphPrecision]
    is_measured: bool = False  # it was measured on that placement, or is being measured: graphs without a form run there as they are
    should_convert: bool = True  # graphs for a device, where that was not done yet


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


def plan_speaker(
    wanted: str | None, requested_placement: DevicePlacement, settings: Settings, chosen_bert: str | None, force_bert: bool
) -> SpeakerPlan:
    """Return what a voice that is asked for so is made of; errors as `find_voice` and `find_bert` raise them."""
    need_bert = partial(
        find_bert, folders=paths.list_bert_dirs(), chosen_id=chosen_bert, allow_mismatch=force_bert, preferred_id=settings.bert
    )
    voice = find_voice(wanted, paths.list_voice_dirs(), need_bert)
    bert = need_bert(voice.manifest.bert) if voice.manifest.bert else None
    placement = requested_placement.resolve_auto(choose_placement(voice, bert)) if requested_placement.has_auto else requested_placement
    measured = requested_placement.has_auto and open_probe_memory().find_placement(*collect_choice_facts(voice, bert)) is not None
    bert_graph, bert_id = None, ""
    if bert is not None:
        bert_graph = bert.graphs[choose_bert_precision(voice, bert, settings.bert_precision, parse_backend(placement.bert))]
        bert_id = _hash_facts(bert.id, compute_graph_identity(bert_graph), placement.bert)
    sound, decoder = parse_backend(placement.prosody), parse_backend(placement.decoder)
    wanted_precision = settings.precision_preference.find_precision(voice.manifest.id)
    voice = apply_graph_precision(voice, wanted_precision, {"prosody": sound, "flow": sound, "decoder": decoder})
    graphs = [compute_graph_identity(graph) for graph in voice.graphs.values()]
    sound_id = _hash_facts(repr(voice.manifest), *graphs, placement.prosody, placement.decoder)
    return SpeakerPlan(voice, bert, bert_graph, placement, bert_id, sound_id, (settings.bert_precision, wanted_precision), measured)


def _hash_facts(*facts: str) -> str:
    return hashlib.sha256("\0".join((*facts, ORT_VERSION)).encode("utf-8", "surrogateescape")).hexdigest()
