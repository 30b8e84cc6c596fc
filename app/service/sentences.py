"""The sentences of accent phrases: as their text is read, where one is known, else as they are spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from app.core.accents import phrases_of
from app.core.line_reading import read_line
from app.core.phones import apply_tones, mora_count
from app.core.pipeline import Pipeline
from app.core.shaped import ShapedSentence, read_sentences
from app.core.types import Overrides, SynthesisRequest
from app.core.words import phrase_heights
from app.errors import InputError
from app.service.layout import Layout, layout_of
from app.service.phrases import phones_of_mora
from app.service.query import AccentPhrase
from app.service.spelled import spelled


def sentences_for(
    pipeline: Pipeline, phrases: Sequence[AccentPhrase], texts: Iterable[str], request: SynthesisRequest, cancelled: Callable[[], bool]
) -> list[ShapedSentence]:
    """Sentences with the phones and tones of the phrases: of the first text that reads so, else as they are spelled."""
    for text in texts:
        try:
            sentences = read_sentences(pipeline, replace(request, text=text), cancelled)
        except InputError:
            continue
        layout = layout_of([sentence.phones for sentence in sentences])
        if _fits(phrases, sentences, layout):
            return sentences if _has_tones(phrases, sentences, layout) else _toned(pipeline, text, phrases, sentences)
    return spelled(phrases, emoji=pipeline.voice.emoji)


def _fits(phrases: Sequence[AccentPhrase], sentences: Sequence[ShapedSentence], layout: Layout) -> bool:
    """Whether the text has the phones of the phrases, and a gap wherever they pause; and asks where they ask."""
    read = [tuple(sentences[at].phones.phones[place] for at, place in places) for places in layout.moras]
    given = [phones_of_mora(mora) for phrase in phrases for mora in phrase.moras]
    ends = list(accumulate(len(phrase.moras) for phrase in phrases))
    if [("".join(phones[:-1]), phones[-1]) for phones in read] != [("".join(phones[:-1]), phones[-1]) for phones in given]:
        return False
    pauses = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.pause_mora is not None and end < len(read)}
    asks = {end for end, places in layout.gaps.items() if any(sentences[at].phones.phones[place] == "?" for at, place in places)}
    asked = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.is_interrogative}
    return pauses <= layout.pauses.keys() and asks - {0} == asked


def _has_tones(phrases: Sequence[AccentPhrase], sentences: Sequence[ShapedSentence], layout: Layout) -> bool:
    """Whether the text was read with the accents of the phrases, so that it need not be read word by word for them."""
    heights = (tone for phrase in phrases for tone in phrase_heights(len(phrase.moras), phrase.accent))
    return all(
        sentences[at].phones.tones[place] == tone for places, tone in zip(layout.moras, heights, strict=True) for at, place in places
    )


def _toned(pipeline: Pipeline, text: str, phrases: Sequence[AccentPhrase], sentences: Sequence[ShapedSentence]) -> list[ShapedSentence]:
    """The sentences with the accents of the phrases; a phrase that is as it was read keeps its tones, whatever the rule says."""
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji)
    read = {(phrase.start, phrase.end): phrase for phrase in phrases_of(reading, Overrides())}
    tones: list[int] = []
    for phrase in phrases:
        start, size = len(tones), len(phrase.moras)
        same = read.get((start, start + size))
        kept = same is not None and phrase.accent in (same.accent, size if same.accent == 0 else same.accent)
        tones += same.tones if same is not None and kept else phrase_heights(size, phrase.accent)
    toned, at = [], 0
    for sentence in sentences:
        count = mora_count(sentence.phones.phones)
        toned.append(replace(sentence, phones=apply_tones(sentence.phones, dict(enumerate(tones[at : at + count])))))
        at += count
    return toned
