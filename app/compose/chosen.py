"""What a speaker will be made of, before anything is opened."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app import paths
from app.adapters.ort.backends import backend_of
from app.adapters.ort.optimized_graphs import identity_of
from app.adapters.ort.placement import Placement
from app.adapters.ort.session import VERSION
from app.compose.auto import choice_facts, known_choice
from app.compose.stores import probe_memory
from app.settings import Settings
from app.voices.bert import Bert, find_bert
from app.voices.library import find_voice
from app.voices.precision import choose_precision, with_precision
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Chosen:
    """A voice, its BERT and where their graphs go.

    Attributes:
        bert_id, sound_id: names for all that shapes the features and the sound of the voice.
        convert: graphs for a device, where that was not done yet.
        measured: it was measured on that placement, or is being measured: graphs without a form run there as they are.
    """

    voice: Voice
    bert: Bert
    bert_graph: Path
    placement: Placement
    bert_id: str
    sound_id: str
    measured: bool = False
    convert: bool = True


def choose(wanted: str | None, asked: Placement, settings: Settings, chosen_bert: str | None, force_bert: bool) -> Chosen:
    """What a voice that is asked for so is made of; errors as `find_voice` and `find_bert` raise them."""
    need_bert = partial(find_bert, folders=paths.bert_dirs(), chosen=chosen_bert, force=force_bert, preferred=settings.bert)
    voice = find_voice(wanted, paths.voice_dirs(), need_bert)
    bert = need_bert(voice.manifest.bert)
    placement = asked.resolved(known_choice(voice, bert)) if asked.undecided else asked
    measured = asked.undecided and probe_memory().chosen(*choice_facts(voice, bert)) is not None
    bert_graph = bert.graphs[choose_precision(voice, bert, settings.bert_precision, backend_of(placement.bert))]
    bert_id = _named(bert.id, identity_of(bert_graph), placement.bert)
    sound, decoder = backend_of(placement.prosody), backend_of(placement.decoder)
    voice = with_precision(voice, settings.sound_choice.of(voice.manifest.id), {"prosody": sound, "flow": sound, "decoder": decoder})
    graphs = [identity_of(graph) for graph in voice.graphs.values()]
    sound_id = _named(repr(voice.manifest), *graphs, placement.prosody, placement.decoder)
    return Chosen(voice, bert, bert_graph, placement, bert_id, sound_id, measured)


def _named(*facts: str) -> str:
    """One name for results that nothing else may change."""
    return hashlib.sha256("\0".join((*facts, VERSION)).encode("utf-8", "surrogateescape")).hexdigest()
