"""How Koebako speaks. Read this first, then `app.core.stages`.

A request goes through the stages sentence by sentence. The pipeline is a generator: its consumer may wait as long as it
likes without that being measured, and every `yield` is a place to stop.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from app.core.edits import Place, edited_tones
from app.core.limits import check_request
from app.core.line_reading import LineReading, read_line
from app.core.rebased_edits import rebase
from app.core.renderings import Caches
from app.core.sentence_context import SentenceContext
from app.core.sentences import split_sentences
from app.core.stages import Stages, phones_of
from app.core.style import style_vector
from app.core.timing import OnStage, StageClock, Stopped, ignore_stage, never
from app.core.types import AudioChunk, ReadingOverride, SynthesisRequest
from app.core.waveform import silence
from app.errors import BackendError, InputError, NothingToReadError, VoiceError
from app.language import localized

WARM_UP_TEXT = "風の中を、行ってきました。"  # homographs: they bring in the dictionary that distinguishes them
AHEAD_S = 2.0  # sound that must wait before the next sentence is prepared: several times what that takes


def nothing_waits() -> float:
    """For callers whose sound is not played while it is made."""
    return 0.0


@dataclass(slots=True)
class Pipeline(SentenceContext):
    """Speaks with one voice.

    Attributes:
        warm: stages that have run since the sessions were opened.
    """

    warm: set[str] = field(default_factory=set)

    def synthesize(
        self,
        request: SynthesisRequest,
        on_stage: OnStage = ignore_stage,
        cancelled: Callable[[], bool] = never,
        queued_s: Callable[[], float] = nothing_waits,
    ) -> Iterator[AudioChunk]:
        """Speaks a request.

        Args:
            request: what to say, and how.
            on_stage: called with each stage when it is over.
            cancelled: looked at before every stage.
            queued_s: how much sound waits to be heard; where that is enough the next sentence is prepared ahead of its turn.

        Yields:
            The silence before the first sound, sound in pieces as soon as each is ready, and a last chunk (the silence after).
            Nothing more once `cancelled()` is true.

        Raises:
            InputError: a parameter is out of range.
            NothingToReadError: nothing in the text can be read; before any chunk.
            VoiceError: the voice has no such style or speaker.
            BackendError: a graph failed.
        """
        check_request(request)
        self.check_voice(request)
        try:
            yield from self._line(self.settled(request), StageClock(request.id, on_stage, cancelled, self.warm), queued_s)
        except Stopped:
            return
        except BackendError:
            if not cancelled():  # else the graph was stopped on purpose
                raise

    def warm_up(self, cancelled: Callable[[], bool] = never) -> None:
        """Runs every graph over windows of several sizes, whatever is remembered, so that the first request is as fast as later ones."""
        request = SynthesisRequest(WARM_UP_TEXT, style=min(self.voice.styles, default=0), speaker=min(self.voice.speakers, default=0))
        for _ in replace(self, caches=Caches()).synthesize(request, ignore_stage, cancelled):
            pass

    def _line(self, request: SynthesisRequest, clock: StageClock, queued_s: Callable[[], float]) -> Iterator[AudioChunk]:
        sentences = self.sentences(request, clock)
        first = next(sentences, None)
        if first is None:
            raise nothing_to_read()
        yield self._silence(request, request.pre_silence_s)
        prepared = (_prepared(stages) for stages in itertools.chain([first], sentences))
        ahead: deque[Stages] = deque()
        while (stages := ahead.popleft() if ahead else next(prepared, None)) is not None:
            for chunk in stages.sound():
                yield chunk
                if not ahead and queued_s() > AHEAD_S:
                    ahead.extend(itertools.islice(prepared, 1))
        if not clock.cancelled():
            yield self._silence(request, request.post_silence_s, last=True)

    def settled(self, request: SynthesisRequest) -> SynthesisRequest:
        """The request with its edits counted over its own text. Raises InputError for a reading that is none."""
        memos = request.memos or self.g2p.memos
        overrides = rebase(request.overrides, request.text, self._read, emoji=self.voice.emoji, memos=memos)
        return replace(request, overrides=overrides, memos=memos)

    def _read(self, text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool) -> LineReading:
        return read_line(text, readings, self.g2p, self.caches.phones, emoji=emoji, memos=memos)

    def sentences(self, request: SynthesisRequest, clock: StageClock) -> Iterator[Stages]:
        """The sentences of a request that can be read, one when it is asked for."""
        style = style_vector(self.voice.style_vectors, request.style, request.style_weight)
        sentences = split_sentences(request.text, self.g2p.words, memos=request.memos or self.g2p.memos)
        place = Place()
        while True:
            clock.start()
            sentence = next(sentences, None)
            if sentence is None:
                return
            own = replace(clock, sentence=sentence.index)
            own.stop("text")
            phones = phones_of(self, request, sentence, own)
            if phones.is_spoken:
                yield Stages(self, request, own, style, edited_tones(phones, request.overrides, place), place)
            place = place.after(phones)

    def _silence(self, request: SynthesisRequest, length_s: float, *, last: bool = False) -> AudioChunk:
        rate = self.voice.sampling_rate
        return AudioChunk(silence(length_s, rate), rate, request.id, 0, silence=True, last=last)

    def check_voice(self, request: SynthesisRequest) -> None:
        """Raises InputError for edits that this voice does not allow, VoiceError for a style or speaker it does not have."""
        edits = request.overrides
        if self.opaque and (request.pauses or edits.pauses or any(edit.length_s is not None for edit in edits.moras)):
            raise InputError(
                localized(
                    f"声「{self.voice.name}」では、間や音の長さを変更できません。",
                    f"Pauses and lengths cannot be changed with “{self.voice.name}”.",
                ),
                localized("一体型の声では、音の長さを調整できません。", "A single-graph voice determines all lengths itself."),
            )
        for wanted, known, ja, en in (
            (request.style, self.voice.styles, "スタイル", "style"),
            (request.speaker, self.voice.speakers, "話者", "speaker"),
        ):
            if wanted not in known:
                raise VoiceError(
                    localized(
                        f"声「{self.voice.name}」に{ja} {wanted} はありません。", f"The voice “{self.voice.name}” has no {en} {wanted}."
                    ),
                    localized("使用できるもの: ", "Available: ")
                    + ", ".join(f"{number} {name}" for number, name in list(known.items())[:12]),
                )


def nothing_to_read() -> NothingToReadError:
    """The error for a text without a sound in it."""
    return NothingToReadError(
        localized("読み上げられる文字がありません。", "There is nothing in this text to read aloud."),
        localized("かな、漢字、英数字を含むテキストを入力してください。", "Enter text with kana, kanji, letters or digits."),
    )


def _prepared(stages: Stages) -> Stages:
    stages.prepare()
    return stages
