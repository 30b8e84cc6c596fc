"""Finds out what shapes the sound of an export beside its lines: the voices as they are opened here, the words, the program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.openjtalk.reading_choices import find_link_reading, should_find_memos_everywhere, should_use_built_in_words
from app.adapters.user_dictionary import load_dictionary
from app.common.errors import AppError
from app.common.version import VERSION
from app.core.text.dictionary_entries import DictionaryEntry, merge_entries
from app.export.render_keys import DIGEST_BYTES, SoundConditions, VoiceFacts
from app.settings.user_settings import Settings
from app.voices.content_digest import compute_file_digests
from app.voices.prepared_voice import GraphSources, Voice
from app.voices.voice_card_data import read_card
from app.voices.voice_manifest import FIRST_RECIPE

if TYPE_CHECKING:
    from app.compose.speaker_plan import SpeakerPlan


def collect_sound_conditions(
    voices: Mapping[str, str | None],
    project_words: Iterable[DictionaryEntry],
    settings: Settings,
    *,
    backend: str,
    force_bert: bool = False,
) -> SoundConditions:
    """Return the conditions under which an export speaks; reads the files of voices that it has not met yet.

    Args:
        voices: what finds a voice, by the id that lines have; None finds the first one.
        settings: with the precisions in which graphs are opened.
        backend: as `open_speaker` takes it.
    """
    user_words, _ = load_dictionary()
    facts = {voice: _read_voice_facts(wanted, settings, backend, force_bert=force_bert) for voice, wanted in voices.items()}
    return SoundConditions(
        (VERSION, str(should_use_built_in_words()), find_link_reading(), str(should_find_memos_everywhere())),
        {voice: found for voice, found in facts.items() if found is not None},
        merge_entries(user_words, project_words),
    )


def _read_voice_facts(wanted: str | None, settings: Settings, backend: str, *, force_bert: bool) -> VoiceFacts | None:
    """Return what is known of a voice; None for one that cannot be opened, of which no file comes."""
    # With ONNX Runtime, which the window does not wait for.
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    try:
        plan = plan_speaker(wanted, parse_placement(backend), settings, None, force_bert)
        manifest = plan.voice.manifest
        names = [tuple(item.name for item in items) for items in (manifest.speakers, manifest.styles)]
        return VoiceFacts(compute_voice_fingerprint(plan), *names)
    except (AppError, OSError):
        return None


def compute_voice_fingerprint(plan: SpeakerPlan) -> str:
    """Return one name for all that a voice brings to samples and credits: its content and its BERT's, precision, place and runtime.

    By content and not by place, so that it is the same wherever the voice is installed; by its exact graphs and the wanted precision, so
    that faster graphs, which are made of the exact ones while the voice speaks already, change no file. Raises VoiceError, OSError.
    """
    from app.adapters.ort.graph_session import ORT_VERSION
    from app.adapters.ort.optimized_graphs import list_graph_files

    # What is found out later about faster graphs changes nothing.
    manifest = replace(plan.voice.manifest, fast=None, refused={}, graphs={}, description="")
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    digest.update(repr(manifest).encode("utf-8", "surrogateescape"))
    if manifest.recipe != FIRST_RECIPE:
        digest.update(f"recipe {manifest.recipe}".encode())
    digest.update(repr(read_card(plan.voice.path).creators if plan.voice.path.is_dir() else ()).encode("utf-8", "surrogateescape"))
    digest.update(plan.voice.style_vectors.tobytes())
    for name, graph in sorted(_find_exact_graphs(plan.voice).items()):
        contents = [hashlib.sha256(graph).hexdigest()] if isinstance(graph, bytes) else compute_file_digests(list_graph_files(graph))
        digest.update(" ".join((name, *contents)).encode())
    if plan.bert is not None:
        contents = compute_file_digests([*list_graph_files(plan.bert.graphs["float32"]), plan.bert.vocabulary])
        digest.update(" ".join((plan.bert.id, *contents, plan.placement.bert)).encode("utf-8", "surrogateescape"))
    digest.update(" ".join((plan.placement.prosody, plan.placement.decoder, ORT_VERSION, *plan.wanted_precisions)).encode())
    return digest.hexdigest()


def _find_exact_graphs(voice: Voice) -> GraphSources:
    """Return the graphs of a voice as they are without any faster ones; those of a voice that is not prepared are its own."""
    names = voice.manifest.graphs
    return {name: voice.path / names[name] if isinstance(graph, Path) else graph for name, graph in voice.graphs.items()}
