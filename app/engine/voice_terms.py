"""Opens the voices that a command or a worker was given, each on terms of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.open_voices import OpeningRequest
from app.settings.graph_precision import GraphPrecision
from app.settings.user_settings import PrecisionChoice

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


@dataclass(frozen=True, slots=True)
class VoiceTerms:
    """The terms on which a voice is opened; see `app.compose.speaker_opening.open_speaker`.

    Attributes:
        reference: id, name or path of the voice.
        waits_for_devices: it does not speak before every graph runs where it was asked to.
    """

    reference: str | None
    backend: str = "auto"
    bert_precision: PrecisionChoice | None = None
    graph_precision: GraphPrecision | None = None
    force_bert: bool = False
    convert: bool = True
    waits_for_devices: bool = False


def create_opener(find_terms: Callable[[str], VoiceTerms]) -> Callable[[OpeningRequest], Speaker]:
    """Return what opens voices by their ids, on the terms that `find_terms` returns for each."""
    return lambda opening: open_on_terms(opening, find_terms(opening.voice), next(iter(opening.newest_first), None))


def open_on_terms(opening: OpeningRequest, terms: VoiceTerms, reuse_from: Speaker | None) -> Speaker:
    """Open a voice; raise VoiceError.

    Args:
        reuse_from: an open voice whose caches are taken over, and its BERT where it is the same.
    """
    from app.compose.speaker_opening import open_speaker

    speaker = open_speaker(
        terms.reference,
        terms.backend,
        force_bert=terms.force_bert,
        precision=terms.bert_precision,
        graph_precision=terms.graph_precision,
        reuse_from=reuse_from,
        caches=opening.caches,
        failures=opening.failures,
        convert=terms.convert,
    )
    if terms.waits_for_devices:
        speaker.wait_for_devices()
    return speaker
