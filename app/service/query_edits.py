"""From a query to phones, frames and moved pitches: what the client left as it was keeps its sound, what it edited is obeyed."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise

from app.core.sound.fixed_durations import FixedSentence, measure_durations
from app.core.sound.line_edits import set_mora_pitches
from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import OnStage
from app.core.symbols import EMOJI_IDS
from app.core.synthesis_types import BOUNDS, Overrides, SynthesisRequest
from app.core.text.pronunciation import compute_phrase_heights
from app.service.request_fields import RefusalError, create_refusal
from app.service.voicevox_query import (
    DEVOICED_VOWELS,
    HIGH,
    LOW,
    SILENT_VOWELS,
    AccentPhrase,
    AudioQuery,
    MoraAlignment,
    PhoneOffset,
    QueryMora,
    align_moras,
    map_frames,
)

MAX_SPEED_TRIES = 3
MeasureSentences = Callable[[SynthesisRequest], Sequence[FixedSentence]]

EDIT_TOLERANCE = 0.0075  # in VOICEVOX's unit: above what two decimals lose, below a step of its editor
_SEMITONES_PER_UNIT = 12 / math.log(2)


def check_unedited(pipeline: Pipeline, wanted_s: Mapping[PhoneOffset, float], frames: Mapping[PhoneOffset, int]) -> None:
    """Raise RefusalError for lengths that are not the voice's own, both at speed 1: to ignore an edit would be worse."""
    frame_s, name = pipeline.voice.hop_length / pipeline.voice.sampling_rate, pipeline.voice.name
    if frames and any(abs(length_s - frames[offset] * frame_s) > frame_s for offset, length_s in wanted_s.items()):
        reason = f"声「{name}」では、間や音の長さを変更できません。", f"Pauses and lengths cannot be changed with “{name}”."
        raise create_refusal(422, *reason)


def fit_speed(
    sentences: Sequence[FixedSentence],
    request: SynthesisRequest,
    wanted_s: float,
    spare_s: float,
    measure: MeasureSentences,
    offsets: Collection[PhoneOffset],
    frame_s: float,
) -> tuple[Sequence[FixedSentence], SynthesisRequest, float]:
    """Return sentences that last as long as their query states: a single-graph voice rounds up each length at its speed, not their sum.

    Args:
        wanted_s: from the first mora to the last, which `offsets` are, as the query has it.
        spare_s: of silence after the last mora, which may take in what is left.

    Returns:
        The sentences, the request that they were measured for, and what is left: more than -`spare_s` wherever a higher speed can reach it.
    """

    def compute_left_s() -> float:
        frames = map_frames(sentences)
        return wanted_s - sum(frames[offset] for offset in offsets) * frame_s

    left_s = compute_left_s()
    for _ in range(MAX_SPEED_TRIES):
        if left_s >= -spare_s or request.speed >= BOUNDS["speed"].high:
            break
        request = replace(request, speed=min(BOUNDS["speed"].high, request.speed * (wanted_s - left_s) / wanted_s))
        sentences = measure(request)
        left_s = compute_left_s()
    return sentences, request, left_s


MAX_SOUND_S = 600.0


@dataclass(frozen=True, slots=True)
class LineDurations:
    """A line that is ready to sound."""

    sentences: tuple[FixedSentence, ...]  # with all their frames
    opening: int  # opening, closing: frames before the first mora and after the last, which the silences of the query take in
    closing: int
    pre: int  # pre, post: samples before the first mora and after the last
    post: int
    devoiced: tuple[int, ...] = ()  # indices of the morae that sound without voice, in order

    def count_samples(self, hop: int) -> int:
        """Return the samples of the whole sound, silences included."""
        return self.pre + self.post + (sum(sentence.total for sentence in self.sentences) - self.opening - self.closing) * hop

    def list_devoiced_spans(self, hop: int) -> list[tuple[int, int]]:
        """Return the samples [start, end) of the whole sound that have no voice; neighbours become one span."""
        frames, spans = map_frames(self.sentences), list[tuple[int, int]]()
        if not (self.devoiced and frames):
            return spans
        moras = align_moras([sentence.phones for sentence in self.sentences]).moras
        starts = dict(zip(frames, accumulate(frames.values(), initial=-self.opening), strict=False))
        for mora in self.devoiced:
            first, last = moras[mora][0], moras[mora][-1]
            start, end = (self.pre + frame * hop for frame in (starts[first], starts[last] + frames[last]))
            if spans and spans[-1][1] == start:
                start = spans.pop()[0]
            spans.append((start, end))
        return spans


def create_too_long_refusal() -> RefusalError:
    """Return the refusal for lengths that no sound may have."""
    return create_refusal(422, "音声が長すぎます。", f"The sound would be longer than {MAX_SOUND_S:g} s.")


def resolve_query_durations(
    pipeline: Pipeline,
    query: AudioQuery,
    sentences: Sequence[FixedSentence],
    request: SynthesisRequest,
    on_stage: OnStage,
    cancelled: Callable[[], bool],
) -> tuple[LineDurations, SynthesisRequest]:
    """Return how a query sounds, and the request to the pipeline; raise RefusalError for lengths that this voice or no sound may have."""
    voice, layout = pipeline.voice, align_moras([sentence.phones for sentence in sentences])
    frame_s, left_s = voice.hop_length / voice.sampling_rate, 0.0

    def measure_at(measured_request: SynthesisRequest) -> list[FixedSentence]:
        return measure_durations(pipeline, measured_request, sentences, on_stage, cancelled)

    measured: Sequence[FixedSentence] = measure_at(request)
    frames = map_frames(measured)
    lengths_s = dict(_compute_phone_lengths_s(query, layout, frames, frame_s))
    if not pipeline.is_single_graph:
        # Whole frames, whose running sum never strays by more than a half.
        edges = [int(end_s / frame_s + 0.5) for end_s in accumulate(lengths_s.values(), initial=0.0)]
        frames |= {offset: end - start for offset, (start, end) in zip(lengths_s, pairwise(edges), strict=True)}
    elif frames:
        plain = map_frames(measure_at(replace(request, speed=1.0)))
        check_unedited(pipeline, dict(_compute_phone_lengths_s(replace(query, speed=1.0), layout, plain, frame_s)), plain)
        fitting = sum(lengths_s.values()), query.post_s, measure_at, lengths_s.keys(), frame_s
        measured, request, left_s = fit_speed(measured, request, *fitting)
        frames = map_frames(measured)
    if sum(frames.values()) * frame_s > MAX_SOUND_S:
        raise create_too_long_refusal()

    def collect_frames(at: int) -> tuple[int, ...]:
        return tuple(frames[at, index] for index in range(len(sentences[at].phones.phones)))

    shaped = [replace(sentence, frames=collect_frames(at)) for at, sentence in enumerate(sentences)] if frames else list(measured)
    opening, closing = layout.count_outer_frames(frames)
    trailing = query.accent_phrases[-1].pause_mora if query.accent_phrases else None
    post_s = max(0.0, query.post_s + left_s) + (0.0 if trailing is None else _compute_pause_s(query, trailing.vowel_length) / query.speed)
    pre, post = (round(length_s * voice.sampling_rate) for length_s in (query.pre_s, post_s))
    return LineDurations(tuple(shaped), opening, closing, pre, post), request


def _compute_phone_lengths_s(
    query: AudioQuery, alignment: MoraAlignment, frames: Mapping[PhoneOffset, int], frame_s: float
) -> Iterator[tuple[PhoneOffset, float]]:
    """Yield the seconds of every phone from the first mora to the last, in order; a length that is not edited is the voice's own."""
    at, pauses = 0, alignment.pauses
    for phrase in query.accent_phrases:
        for mora in phrase.moras:
            *consonants, last = alignment.moras[at]
            voice_lengths_s = [frames.get(offset, 0) * frame_s for offset in consonants]
            consonant_s, total = (mora.consonant_length or 0.0) / query.speed, sum(voice_lengths_s)
            yield from (
                (offset, consonant_s * length / total if consonant_s and total else length)
                for offset, length in zip(consonants, voice_lengths_s, strict=True)
            )
            yield last, mora.vowel_length / query.speed or frames.get(last, 0) * frame_s
            at += 1
            if at in pauses and mora is not phrase.moras[-1]:
                # The client joined what a mark had parted.
                yield from ((offset, 0.0) for offset in pauses[at])
        if phrase.moras and at in pauses:
            places = pauses[at]
            voice_lengths_s = [frames.get(offset, 0) * frame_s for offset in places]
            pause = phrase.pause_mora
            length_s = (
                0.0 if pause is None else _compute_pause_s(query, pause.vowel_length or sum(voice_lengths_s) * query.speed) / query.speed
            )
            share = [length / sum(voice_lengths_s) if sum(voice_lengths_s) else 1 / len(voice_lengths_s) for length in voice_lengths_s]
            yield from ((offset, length_s * share_of_pause) for offset, share_of_pause in zip(places, share, strict=True))


def _compute_pause_s(query: AudioQuery, length_s: float) -> float:
    return (length_s if query.pause_s is None else query.pause_s) * query.pause_scale


def find_pitch_edits(
    client_phrases: Sequence[AccentPhrase], our_phrases: Sequence[AccentPhrase], draw_as_read: Callable[[], Sequence[AccentPhrase] | None]
) -> Overrides:
    """Return the morae whose pitch a client has moved as edits, in semitones from ours; `draw_as_read` is asked only where that decides.

    Clients that change an accent alone send the pitches of the old one along: those are no edits, for the accent counts.
    A pitch of 0 is no edit, see `find_devoiced_moras`; a mora without a pitch of its own cannot get one.
    """
    pictured = [_is_accent_picture(phrase) for phrase in client_phrases for _ in phrase.moras]
    pairs = list(zip(_iterate_moras(client_phrases), _iterate_moras(our_phrases), strict=True))
    moved = {
        index: mora.pitch - ours.pitch for index, (mora, ours) in enumerate(pairs) if not pictured[index] and _has_other_pitch(mora, ours)
    }
    if not moved:
        return Overrides()
    as_read = draw_as_read()
    read_pairs = () if as_read is None else zip(_iterate_moras(client_phrases), _iterate_moras(as_read), strict=True)
    unmoved = {index for index, (mora, ours) in enumerate(read_pairs) if not _has_other_pitch(mora, ours)}
    semitones = {index: distance * _SEMITONES_PER_UNIT for index, distance in moved.items() if index not in unmoved}
    return set_mora_pitches(Overrides(), semitones)


def find_devoiced_moras(phrases: Sequence[AccentPhrase]) -> tuple[int, ...]:
    """Return the indices of the morae that sound without voice: those whose vowel is devoiced, and those whose pitch is 0.

    Where no mora of the line has a pitch, its client knows nothing of pitches, and leaves them to the voice, as it does with lengths.
    """
    knows_pitches = any(mora.pitch > 0 for mora in _iterate_moras(phrases))
    return tuple(
        index
        for index, mora in enumerate(_iterate_moras(phrases))
        if mora.vowel in DEVOICED_VOWELS
        or (knows_pitches and mora.pitch <= 0 and mora.vowel not in SILENT_VOWELS and mora.text not in EMOJI_IDS)
    )


def _iterate_moras(phrases: Sequence[AccentPhrase]) -> chain[QueryMora]:
    return chain.from_iterable(phrase.moras for phrase in phrases)


def _has_other_pitch(mora: QueryMora, ours: QueryMora) -> bool:
    return mora.pitch > 0 and ours.pitch > 0 and abs(mora.pitch - ours.pitch) > EDIT_TOLERANCE


def _is_accent_picture(phrase: AccentPhrase) -> bool:
    """Return whether all pitches of a phrase are `LOW` and `HIGH` as some accent has them, be it another one or that of another voice."""
    # Which of both each pitch is, 0 for a mora without one, None for any other pitch.
    tones = [
        next((tone for tone in (LOW, HIGH) if abs(mora.pitch - tone) <= EDIT_TOLERANCE), None) if mora.pitch > 0 else 0.0
        for mora in phrase.moras
    ]
    last_high = max((number for number, tone in enumerate(tones, 1) if tone == HIGH), default=0)
    if not last_high:
        return False
    heights = compute_phrase_heights(len(tones), last_high)
    return all(tone == 0.0 or tone == (HIGH if height else LOW) for tone, height in zip(tones, heights, strict=True))
