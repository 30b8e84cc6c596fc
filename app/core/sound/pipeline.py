"""The synthesis pipeline. Read this module first, then `app.core.sound.sentence_stages`.

A request passes the stages sentence by sentence. The pipeline is a generator: its consumer may wait as long as it
likes without affecting the measured times, and every `yield` is a place to stop.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from app.common.errors import BackendError, InputError, NothingToReadError, VoiceError
from app.common.language import localize
from app.core.sound.acoustic import SentenceContext
from app.core.sound.edit_targets import LineOffset, apply_edited_tones, build_frame_targets
from app.core.sound.line_edits import move_overrides_to_text
from app.core.sound.line_reading import LineReading, read_line
from app.core.sound.phrase_gate import SpeakingPace
from app.core.sound.render_caches import RenderCaches
from app.core.sound.sentence_stages import SentenceStages, convert_to_phones
from app.core.sound.stage_clock import OnStage, RequestStopped, StageClock, ignore_cancellation, ignore_stage
from app.core.sound.waveform import create_silence
from app.core.synthesis_types import AudioChunk, ReadingOverride, StageTiming, SynthesisRequest, check_request
from app.core.text.sentence_splitting import split_sentences

WARM_UP_TEXT = "風の中を、行ってきました。"  # 風 and 行って are homographs: they load the dictionary that distinguishes readings before the first request
PREPARE_AHEAD_S = 2.0  # seconds of queued sound before the next sentence is prepared: several times what the preparation takes

SHORTEST_SILENT_LINE_S = 0.1


def report_empty_queue() -> float:
    """Return 0 s, for callers that do not play the sound while it is made."""
    return 0.0


@dataclass(slots=True)
class Pipeline(SentenceContext):
    """The pipeline of one voice: speaks requests."""

    warm: set[str] = field(default_factory=set)  # stages that have run since the sessions were opened
    pace: SpeakingPace | None = None  # learns from every request how fast the voice is; None where nobody asks

    def synthesize(
        self,
        request: SynthesisRequest,
        on_stage: OnStage = ignore_stage,
        cancelled: Callable[[], bool] = ignore_cancellation,
        queued_s: Callable[[], float] = report_empty_queue,
    ) -> Iterator[AudioChunk]:
        """Speak a request.

        Args:
            on_stage: called with each stage after it has ended.
            queued_s: returns the seconds of sound still to be played; with enough of them the next sentence is prepared ahead of its turn.

        Yields:
            The silence before the first sound, sound in pieces as soon as each is ready, and a last chunk (the silence after).
            Nothing more once `cancelled()` is true.

        Raises:
            InputError for a parameter out of range, VoiceError for a style or speaker that the voice does not have, NothingToReadError before
            any chunk, BackendError where a graph failed, and RequestStopped where one was stopped although `cancelled()` is not true.
        """
        check_request(request)
        self.check_voice(request)
        try:
            clock = StageClock(request.id, self._measure_pace(on_stage), cancelled, self.warm)
            yield from self._synthesize_line(self.resolve_edits(request), clock, queued_s)
        except (RequestStopped, BackendError):
            # What ends a cancelled request is no failure. Sound that was cut short otherwise must not pass as whole.
            if not cancelled():
                raise

    def _measure_pace(self, on_stage: OnStage) -> OnStage:
        pace = self.pace
        if pace is None:
            return on_stage

        def add_stage(timing: StageTiming) -> None:
            pace.add_stage(timing)
            on_stage(timing)

        return add_stage

    def warm_up(self, cancelled: Callable[[], bool] = ignore_cancellation) -> None:
        """Run every graph over windows of several sizes with empty caches, so that the first request is as fast as later ones.

        It is over as soon as a graph is stopped, whether `cancelled()` is true by then or not.
        """
        request = SynthesisRequest(WARM_UP_TEXT, style=min(self.voice.styles, default=0), speaker=min(self.voice.speakers, default=0))
        with suppress(RequestStopped):
            for _ in replace(self, caches=RenderCaches()).synthesize(request, ignore_stage, cancelled):
                pass

    def _synthesize_line(self, request: SynthesisRequest, clock: StageClock, queued_s: Callable[[], float]) -> Iterator[AudioChunk]:
        sentences = self.iterate_sentences(request, clock)
        first = next(sentences, None)
        if first is None:
            raise create_nothing_to_read_error()
        yield self._create_silence(request, request.pre_silence_s)
        prepared = (_prepare_stages(stages) for stages in itertools.chain([first], sentences))
        ahead: deque[SentenceStages] = deque()
        while (stages := ahead.popleft() if ahead else next(prepared, None)) is not None:
            for chunk in stages.render_chunks():
                yield chunk
                # Sentences in order are already in the order of their deadlines, so this moves none of them:
                # the work only leaves the moment in which the queue is short.
                if not ahead and queued_s() > PREPARE_AHEAD_S:
                    ahead.extend(itertools.islice(prepared, 1))
        if not clock.cancelled():
            yield self._create_silence(request, request.post_silence_s, last=True)

    def resolve_edits(self, request: SynthesisRequest) -> SynthesisRequest:
        """Return the request with its edits counted over its own text. Raises InputError for a given reading that is not kana."""
        memos = request.memos or self.g2p.should_skip_memos
        how = {"emoji": self.voice.emoji, "memos": memos, "english": self.voice.architecture.should_read_english(request)}
        overrides = move_overrides_to_text(request.overrides, request.text, self._read_line, **how)
        return self.voice.limit_numbers(replace(request, overrides=overrides, memos=memos))

    def _read_line(self, text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
        return read_line(text, readings, self.g2p, self.caches.phones, emoji=emoji, memos=memos, english=english)

    def iterate_sentences(self, request: SynthesisRequest, clock: StageClock) -> Iterator[SentenceStages]:
        """Yield the readable sentences of a request, each one converted only when the caller takes it."""
        style = self.voice.build_style_vector(request.speaker, request.style, request.style_weight)
        sentences = split_sentences(request.text, self.g2p.split_words, memos=request.memos or self.g2p.should_skip_memos)
        offset = LineOffset()
        while True:
            clock.start_stage()
            sentence = next(sentences, None)
            if sentence is None:
                return
            sentence_clock = replace(clock, sentence=sentence.index)
            sentence_clock.stop_stage("text")
            phones = convert_to_phones(self, request, sentence, sentence_clock)
            if phones.is_spoken:
                yield SentenceStages(self, request, sentence_clock, style, apply_edited_tones(phones, request.overrides, offset), offset)
            offset = offset.advance_past(phones)

    def _create_silence(self, request: SynthesisRequest, length_s: float, *, last: bool = False) -> AudioChunk:
        rate = self.voice.sampling_rate
        return AudioChunk(create_silence(length_s, rate), rate, request.id, 0, silence=True, last=last)

    def check_voice(self, request: SynthesisRequest) -> None:
        """Check a request: InputError for edits that this voice does not allow, VoiceError for a style or speaker it does not have."""
        edits = request.overrides
        if self.is_single_graph and (request.pauses or edits.pauses or any(edit.length_s is not None for edit in edits.moras)):
            raise InputError(
                localize(
                    f"声「{self.voice.name}」では、間や音の長さを変更できません。",
                    f"Pauses and lengths cannot be changed with “{self.voice.name}”.",
                ),
                localize("一体型の声では、音の長さを調整できません。", "A single-graph voice determines all lengths itself."),
            )
        for number_asked, names, ja, en in (
            (request.style, self.voice.styles, "スタイル", "style"),
            (request.speaker, self.voice.speakers, "話者", "speaker"),
        ):
            if number_asked not in names:
                raise VoiceError(
                    localize(
                        f"声「{self.voice.name}」に{ja} {number_asked} はありません。",
                        f"The voice “{self.voice.name}” has no {en} {number_asked}.",
                    ),
                    localize("使用できるもの: ", "Available: ")
                    + ", ".join(f"{number} {name}" for number, name in list(names.items())[:12]),
                )


def create_nothing_to_read_error() -> NothingToReadError:
    """Return the error for a text without any sound."""
    return NothingToReadError(
        localize("読み上げられる文字がありません。", "There is nothing in this text to read aloud."),
        localize("かな、漢字、英数字を含むテキストを入力してください。", "Enter text with kana, kanji, letters or digits."),
    )


def _prepare_stages(stages: SentenceStages) -> SentenceStages:
    stages.prepare_sentence()
    return stages


def synthesize_or_silence(
    pipeline: Pipeline,
    request: SynthesisRequest,
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = ignore_cancellation,
    queued_s: Callable[[], float] = report_empty_queue,
) -> Iterator[AudioChunk]:
    """Yield chunks as `Pipeline.synthesize` does, but one chunk of silence where nothing can be read."""
    try:
        yield from pipeline.synthesize(request, on_stage, cancelled, queued_s)
    except NothingToReadError:
        rate = pipeline.voice.sampling_rate
        yield AudioChunk(create_silence(compute_silence_s(pipeline, request), rate), rate, request.id, 0, silence=True, last=True)


def compute_silence_s(pipeline: Pipeline, request: SynthesisRequest) -> float:
    """Return the seconds of such a line: the silences around it and the pauses set for its marks; other marks add nothing."""
    request, voice = pipeline.resolve_edits(request), pipeline.voice
    clock, offset, frames = StageClock(request.id, ignore_stage), LineOffset(), 0
    for sentence in split_sentences(request.text, pipeline.g2p.split_words):
        phones = convert_to_phones(pipeline, request, sentence, clock)
        targets = build_frame_targets(
            phones, voice.encode_phones(phones).edges, request.overrides, request.pauses, offset, 1 / request.speed, voice
        )
        frames += sum(target.frames for target in targets)
        offset = offset.advance_past(phones)
    pauses_s = frames * voice.hop_length / voice.sampling_rate
    return max(SHORTEST_SILENT_LINE_S, request.pre_silence_s + pauses_s + request.post_silence_s)
