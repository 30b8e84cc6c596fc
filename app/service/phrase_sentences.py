"""The sentences of accent phrases: as their text is read, where one is known, else as they are spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from app.common.errors import InputError
from app.core.accent_edits import list_phrases
from app.core.accent_phrases import compute_phrase_heights
from app.core.fixed_durations import FixedSentence, read_sentences
from app.core.line_reading import read_line
from app.core.phone_ids import apply_tones, count_moras
from app.core.pipeline import Pipeline
from app.core.synthesis_types import Overrides, SynthesisRequest
from app.service.kana_phones import spell_phrases
from app.service.mora_alignment import MoraAlignment, align_moras
from app.service.voicevox_phrases import list_phones
from app.service.voicevox_query import AccentPhrase


def find_sentences(
    pipeline: Pipeline, phrases: Sequence[AccentPhrase], texts: Iterable[str], request: SynthesisRequest, cancelled: Callable[[], bool]
) -> list[FixedSentence]:
    """Sentences with the phones and tones of the phrases: of the first text that reads so, else as they are spelled."""
    for text in texts:
        try:
            sentences = read_sentences(pipeline, replace(request, text=text), cancelled)
        except InputError:
            continue
        layout = align_moras([sentence.phones for sentence in sentences])
        if _has_matching_phones(phrases, sentences, layout):
            return sentences if _has_same_tones(phrases, sentences, layout) else _apply_accents(pipeline, text, phrases, sentences)
    return spell_phrases(phrases, emoji=pipeline.voice.emoji)


def _has_matching_phones(phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence], layout: MoraAlignment) -> bool:
    """Return whether the text has the phones of the phrases, a gap wherever they pause, and a question wherever they have one."""
    read = [tuple(sentences[at].phones.phones[place] for at, place in places) for places in layout.moras]
    given = [list_phones(mora) for phrase in phrases for mora in phrase.moras]
    ends = list(accumulate(len(phrase.moras) for phrase in phrases))
    if [("".join(phones[:-1]), phones[-1]) for phones in read] != [("".join(phones[:-1]), phones[-1]) for phones in given]:
        return False
    pauses = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.pause_mora is not None and end < len(read)}
    asks = {end for end, places in layout.gaps.items() if any(sentences[at].phones.phones[place] == "?" for at, place in places)}
    asked = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.is_interrogative}
    return pauses <= layout.pauses.keys() and asks - {0} == asked


def _has_same_tones(phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence], layout: MoraAlignment) -> bool:
    """Return whether the text was read with the accents of the phrases, so that it need not be read word by word for them."""
    heights = (tone for phrase in phrases for tone in compute_phrase_heights(len(phrase.moras), phrase.accent))
    return all(
        sentences[at].phones.tones[place] == tone for places, tone in zip(layout.moras, heights, strict=True) for at, place in places
    )


def _apply_accents(
    pipeline: Pipeline, text: str, phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence]
) -> list[FixedSentence]:
    """The sentences with the accents of the phrases; a phrase that is as it was read keeps its tones, whatever the rule says."""
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji)
    read = {(phrase.start, phrase.end): phrase for phrase in list_phrases(reading, Overrides())}
    tones: list[int] = []
    for phrase in phrases:
        start, size = len(tones), len(phrase.moras)
        same = read.get((start, start + size))
        kept = same is not None and phrase.accent in (same.accent, size if same.accent == 0 else same.accent)
        tones += same.tones if same is not None and kept else compute_phrase_heights(size, phrase.accent)
    toned, at = [], 0
    for sentence in sentences:
        count = count_moras(sentence.phones.phones)
        toned.append(replace(sentence, phones=apply_tones(sentence.phones, dict(enumerate(tones[at : at + count])))))
        at += count
    return toned
