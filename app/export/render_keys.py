"""Keys that say whether a file would come out the same: one of what is spoken, by whom and how, one of the bytes as well."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.openjtalk.reading_choices import find_link_reading, should_find_memos_everywhere, should_use_built_in_words
from app.adapters.user_dictionary import load_dictionary
from app.common.errors import AppError
from app.common.version import VERSION
from app.core.script.script import CAST_FIELDS, Line, choose_known_name, place_pauses
from app.core.script.script_data import convert_line_to_data
from app.core.text.dictionary_entries import DictionaryEntry, merge_entries
from app.core.text.dictionary_formats import convert_entries_to_data
from app.core.text.normalise import normalise_text
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.settings.user_settings import Settings
from app.voices.file_fact_cache import compute_file_digests
from app.voices.prepared_voice import FIRST_RECIPE
from app.voices.voice_card_data import read_card

if TYPE_CHECKING:
    from app.compose.speaker_plan import SpeakerPlan

DIGEST_BYTES = 16
# They have no part in the sound: who speaks is in the key by the voice's content, and the seed by its value.
_LEFT_OUT_SETTINGS = (*CAST_FIELDS, "seed_locked")
# Everything else counts, also what a later version adds to lines: a file too many is rendered, and never one too few.
# The pause behind a line is in the key as the silences around lines of one file.
_LEFT_OUT_OF_LINES = ("id", "character", "pause_after_s")
_NAMING_SIDECARS = frozenset({"json", "ass"})  # sidecars that name the character


@dataclass(frozen=True, slots=True)
class VoiceFacts:
    """A voice as it is opened here."""

    fingerprint: str  # of all that it brings to samples and credits
    speakers: tuple[str, ...] = ()  # speakers, styles: names, in the order of the voice
    styles: tuple[str, ...] = ()


@dataclass(frozen=True)
class SoundConditions:
    """The conditions under which every line of an export is spoken, in addition to the line itself."""

    program: tuple[str, ...]  # the version of the program and the choices about reading that hold for every text
    voices: Mapping[str, VoiceFacts]  # by the id that lines have; none that cannot speak
    words: tuple[DictionaryEntry, ...] = ()  # of the project, before those of the user; a word of the first hides its like in the second

    @cached_property
    def _kanji_by_word(self) -> tuple[tuple[DictionaryEntry, frozenset[str]], ...]:
        return tuple((word, frozenset(filter(_is_kanji, word.surface))) for word in self.words)

    def select_words(self, text: str) -> list[DictionaryEntry]:
        """Return the words that may shape the reading of a text: those whose kanji all occur in it, as it is written or as it is read."""
        if not self.words:
            return []
        letters = _collect_letters(text)
        return [word for word, kanji in self._kanji_by_word if kanji <= letters]


def compute_sound_key(item: PlannedFile, conditions: SoundConditions) -> str:
    """Return a key of all that shapes the samples of a file before they get its form: equal keys, equal samples."""
    return _hash_data([conditions.program, [_describe_line(line, conditions) for line in place_pauses(item.lines)]])


def compute_file_key(item: PlannedFile, sound_key: str, settings: ExportSettings, gain_db: float | None = None) -> str:
    """Return a key of all that shapes the bytes of a file and of its sidecars, except their names."""
    beside = sorted(settings.sidecars)
    # Ids are written only for files of several lines.
    ids = [line.id for line in item.lines] if "json" in beside and len(item.lines) > 1 else []
    form = (settings.sound, settings.subtype, settings.quality, settings.rate, settings.channels)
    characters = list(item.characters) if _NAMING_SIDECARS.intersection(beside) else []
    return _hash_data([sound_key, form, beside, settings.unit if beside else "", ids, gain_db, *([characters] if any(characters) else [])])


def _describe_line(line: Line, conditions: SoundConditions) -> dict[str, Any]:
    data = {name: value for name, value in convert_line_to_data(line).items() if name not in _LEFT_OUT_OF_LINES}
    voice = conditions.voices.get(line.settings.voice, VoiceFacts(""))
    data["settings"] = {name: value for name, value in data.get("settings", {}).items() if name not in _LEFT_OUT_SETTINGS}
    return data | {
        "voice": voice.fingerprint,
        "speaker": choose_known_name(line.settings.speaker, voice.speakers),
        "style": choose_known_name(line.settings.style, voice.styles),
        "words": convert_entries_to_data(tuple(conditions.select_words(line.text))),
    }


@lru_cache(maxsize=20_000)
def _collect_letters(text: str) -> frozenset[str]:
    """Return the letters of a text as it is written and as the analyser meets it; remembered, as the page plans after every change."""
    return frozenset(text) | frozenset(normalise_text(text, lambda _word: None))


def _is_kanji(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff"


def _hash_data(data: Sequence[Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def collect_sound_conditions(
    voices: Mapping[str, str | None],
    project_words: Iterable[DictionaryEntry],
    settings: Settings,
    *,
    backend: str,
    force_bert: bool = False,
) -> SoundConditions:
    """Return the conditions under which an export speaks with voices by the id that lines have; reads the files of those that are new."""
    user_words, _ = load_dictionary()
    facts = {voice: _read_voice_facts(reference, settings, backend, force_bert=force_bert) for voice, reference in voices.items()}
    return SoundConditions(
        (VERSION, str(should_use_built_in_words()), find_link_reading(), str(should_find_memos_everywhere())),
        {voice: voice_facts for voice, voice_facts in facts.items() if voice_facts is not None},
        merge_entries(user_words, project_words),
    )


def _read_voice_facts(reference: str | None, settings: Settings, backend: str, *, force_bert: bool) -> VoiceFacts | None:
    """Return what is known of a voice; None for one that cannot be opened, of which no file comes."""
    # With ONNX Runtime, which the window does not wait for.
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    try:
        plan = plan_speaker(reference, parse_placement(backend), settings, None, force_bert)
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
    # The exact graphs, without any faster ones; those of a voice that is not prepared are its own.
    names, graphs = plan.voice.manifest.graphs, plan.voice.graphs
    exact = {name: plan.voice.path / names[name] if isinstance(graph, Path) else graph for name, graph in graphs.items()}
    for name, graph in sorted(exact.items()):
        contents = [hashlib.sha256(graph).hexdigest()] if isinstance(graph, bytes) else compute_file_digests(list_graph_files(graph))
        digest.update(" ".join((name, *contents)).encode())
    if plan.bert is not None:
        contents = compute_file_digests([*list_graph_files(plan.bert.graphs["float32"]), plan.bert.vocabulary])
        digest.update(" ".join((plan.bert.id, *contents, plan.placement.bert)).encode("utf-8", "surrogateescape"))
    digest.update(" ".join((plan.placement.prosody, plan.placement.decoder, ORT_VERSION, *plan.wanted_precisions)).encode())
    return digest.hexdigest()
