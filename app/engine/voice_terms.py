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

    def open_voice(opening: OpeningRequest) -> Speaker:
        from app.compose.speaker_opening import open_speaker

        terms = find_terms(opening.voice)
        speaker = open_speaker(
            terms.reference,
            terms.backend,
            force_bert=terms.force_bert,
            precision=terms.bert_precision,
            graph_precision=terms.graph_precision,
            reuse_from=next(iter(opening.newest_first), None),
            caches=opening.caches,
            failures=opening.failures,
            convert=terms.convert,
        )
        if terms.waits_for_devices:
            speaker.wait_for_devices()
        return speaker

    return open_voice
