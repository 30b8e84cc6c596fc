"""How Koebako speaks. Read this first, then `app.core.stages`.

A request goes through the stages sentence by sentence. The pipeline is a generator: whoever consumes it may wait as long as it
likes without that being measured, and every `yield` is a place to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from app.core.cache import LRUCache
from app.core.edits import Place, edited_tones
from app.core.limits import check_request
from app.core.ports import G2P, BertRunner, OpaqueSynthesizer, Synthesizer, Tokenizer
from app.core.sentences import split_sentences
from app.core.stages import Stages
from app.core.style import style_vector
from app.core.timing import OnStage, StageClock, ignore_stage
from app.core.types import AudioChunk, Float32, Phones, SynthesisRequest
from app.core.voice import VoiceTraits
from app.core.waveform import silence
from app.errors import BackendError, InputError, VoiceError
from app.language import say

WARM_UP_TEXT = "風の中を、行ってきました。"  # homographs: they bring in the dictionary that tells them apart


def never() -> bool:
    """For callers that do not cancel."""
    return False


@dataclass(slots=True)
class Pipeline:
    """Everything needed to speak with one voice.

    Attributes:
        bert_id: names the BERT in cache keys.
        phones, features: caches; share them between pipelines so that a change of voice keeps them.
        warm: stages that have run since the sessions were opened.
    """

    g2p: G2P
    tokenizer: Tokenizer
    bert: BertRunner
    bert_id: str
    synthesizer: Synthesizer | OpaqueSynthesizer
    opaque: bool
    voice: VoiceTraits
    phones: LRUCache[Phones] = field(default_factory=lambda: LRUCache(2048, 16 << 20))
    features: LRUCache[Float32] = field(default_factory=lambda: LRUCache(1024, 64 << 20))
    warm: set[str] = field(default_factory=set)

    def synthesize(
        self, request: SynthesisRequest, on_stage: OnStage = ignore_stage, cancelled: Callable[[], bool] = never
    ) -> Iterator[AudioChunk]:
        """Speaks a request.

        Yields:
            The silence before the first sound, sound in pieces as soon as each is ready, and a last chunk (the silence after).
            Nothing more once `cancelled()` is true.

        Raises:
            InputError: a parameter is out of range, or nothing in the text can be read.
            VoiceError: the voice has no such style or speaker.
            BackendError: a graph failed.
        """
        check_request(request)
        self._check_voice(request)
        try:
            yield from self._line(request, StageClock(request.id, on_stage, self.warm), cancelled)
        except BackendError:
            if not cancelled():  # else the graph was stopped on purpose
                raise

    def warm_up(self, cancelled: Callable[[], bool] = never) -> None:
        """Runs every graph once, so that the first request is as fast as the ones after it."""
        request = SynthesisRequest(WARM_UP_TEXT, style=min(self.voice.styles, default=0), speaker=min(self.voice.speakers, default=0))
        for _ in self.synthesize(request, ignore_stage, cancelled):
            pass

    def _line(self, request: SynthesisRequest, clock: StageClock, cancelled: Callable[[], bool]) -> Iterator[AudioChunk]:
        stages = Stages(self, request, clock, style_vector(self.voice.style_vectors, request.style, request.style_weight))
        sentences = split_sentences(request.text, self.g2p.words)
        place = Place()
        spoken = False
        while not cancelled():
            clock.start()
            sentence = next(sentences, None)
            if sentence is None:
                break
            clock.sentence = sentence.index
            clock.stop("text")
            phones = stages.g2p(sentence)
            if phones.reading:
                if not spoken:
                    yield self._silence(request, request.pre_silence_s)
                spoken = True
                edited = edited_tones(phones, request.overrides, place)
                for chunk in stages.speak(edited, place, cancelled):
                    yield chunk
                    if cancelled():
                        return
            place = place.after(phones)
        if cancelled():
            return
        if not spoken:
            raise InputError(
                say("読み上げられる文字がありません。", "There is nothing in this text that can be read aloud."),
                say("かな・漢字・英数字を含む文を入力してください。", "Enter text with kana, kanji, letters or digits."),
            )
        yield self._silence(request, request.post_silence_s, last=True)

    def _silence(self, request: SynthesisRequest, length_s: float, *, last: bool = False) -> AudioChunk:
        rate = self.voice.sampling_rate
        return AudioChunk(silence(length_s, rate), rate, request.id, 0, silence=True, last=last)

    def _check_voice(self, request: SynthesisRequest) -> None:
        edits = request.overrides
        if self.opaque and (request.pauses or edits.pauses or any(edit.length_s is not None for edit in edits.moras)):
            raise InputError(
                say(
                    f"声「{self.voice.name}」では間や音の長さを変えられません。",
                    f'The voice "{self.voice.name}" does not let pauses and lengths be set.',
                ),
                say("一つのグラフのまま開いた声では、長さは声が決めます。", "A voice opened as one graph decides all lengths itself."),
            )
        for wanted, known, ja, en in (
            (request.style, self.voice.styles, "スタイル", "style"),
            (request.speaker, self.voice.speakers, "話者", "speaker"),
        ):
            if wanted not in known:
                raise VoiceError(
                    say(f"声「{self.voice.name}」に{ja} {wanted} はありません。", f'The voice "{self.voice.name}" has no {en} {wanted}.'),
                    say("選べるもの: ", "Choose one of: ") + ", ".join(f"{number} {name}" for number, name in list(known.items())[:12]),
                )
