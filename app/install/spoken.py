"""What the graphs of a voice are given for a few sentences, and how they sound: by these its other forms are made and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import paths
from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import GraphSession, Session, open_session
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.compose.text import open_g2p
from app.core.durations import expand, symbol_frames
from app.core.ports import Prosody, ProsodyInput
from app.core.types import BERT_WIDTH, Float32, Int64, Phones
from app.install.sentences import SENTENCES, prosody_input
from app.voices.bert import installed_berts
from app.voices.manifest import VoiceManifest
from app.voices.voice import Voice

FRAMES_OF = 6  # sentences whose frames are looked at
LONGEST_FRAMES = 100  # of a sentence
LONGEST_SYMBOL_FRAMES = 20  # with features of another BERT, or of none, a symbol may become very long
NOISE = 0.6  # as a request has it by default

Watch = Callable[[str, GraphSession], Session]


class Watched:
    """A session that keeps what it is given.

    Attributes:
        given: of every run, the values that the graph declares.
    """

    def __init__(self, session: Session) -> None:
        self.given: list[dict[str, Any]] = []
        self.inputs, self.outputs, self.terminate = session.inputs, session.outputs, session.terminate
        self._session = session

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As the session's own."""
        self.given.append({name: value for name, value in values.items() if name in self.inputs})
        return self._session.run(values, outputs)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as the prosody graph is given it; `number` seeds its noise."""

    number: int
    values: ProsodyInput


class Voiced:
    """A voice's three graphs, each in one form or another."""

    def __init__(self, manifest: VoiceManifest, sessions: dict[str, Session]) -> None:
        self._info = manifest
        flow = sessions.get("flow")
        self._synthesizer = OrtSynthesizer(sessions["prosody"], flow, sessions["decoder"], manifest.multilingual)

    def prosody(self, sentence: Sentence) -> tuple[Prosody, Int64]:
        """Log durations with the prior, and frames per symbol."""
        found = self._synthesizer.prosody(sentence.values)
        return found, np.minimum(symbol_frames(found.logw, 1.0, self._info.durations), LONGEST_SYMBOL_FRAMES)

    def z(self, sentence: Sentence, prosody: Prosody, frames: Int64) -> Float32:
        """What the decoder is given, (D, F), F at most LONGEST_FRAMES."""
        values = sentence.values
        noise = np.random.default_rng(sentence.number)
        given = expand(prosody, frames, noise, NOISE, 1.0, values.speaker, values.style_vector)
        return self._synthesizer.flow(given)[:, :LONGEST_FRAMES]

    def samples(self, sentence: Sentence, z: Float32) -> Float32:
        """The sound of it."""
        count, noise = z.shape[1], None
        if self._synthesizer.decoder_noise:
            noise = np.random.default_rng(sentence.number).standard_normal(count * self._info.hop_length, dtype=np.float32)
        return self._synthesizer.decode(z, noise, sentence.values.speaker, (0, count))

    def speak(self, sentence: Sentence, frames: Int64) -> Float32:
        """From text to sound, with durations that are given."""
        prosody, _ = self.prosody(sentence)
        return self.samples(sentence, self.z(sentence, prosody, frames))


def sentences_of(voice: Voice, texts: Sequence[str] = SENTENCES) -> list[Sentence]:
    """The sentences with features of the voice's own BERT, noise where that is missing; speakers and styles take turns."""
    g2p = open_g2p()
    phones = [g2p.convert(text) for text in texts]
    found = zip(phones, _token_features(voice.manifest.bert, phones), strict=True)
    return [Sentence(number, _values(voice, number, *given)) for number, given in enumerate(found)]


def spoken_frames(voice: Voice, watch: Watch) -> list[tuple[Float32, int]]:
    """What the decoder of a voice is given for some sentences, z (D, F) and the speaker.

    Args:
        watch: may put something between us and the sessions of prosody and flow.
    """
    names = [name for name in ("prosody", "flow") if name in voice.graphs]
    sessions = {name: watch(name, open_session(voice.graphs[name], "cpu", voice.manifest.name).session) for name in names}
    voiced = Voiced(voice.manifest, sessions | {"decoder": sessions["prosody"]})  # nothing is decoded
    sentences = sentences_of(voice, SENTENCES[1 : 1 + FRAMES_OF])
    return [(voiced.z(item, *voiced.prosody(item)), item.values.speaker) for item in sentences]


def _token_features(bert_id: str, sentences: Iterable[Phones]) -> list[Float32]:
    """Token features (n, 1024); noise where the BERT is missing."""
    bert = next((item for item in installed_berts(paths.bert_dirs()) if item.id == bert_id), None)
    if bert is None:
        rng = np.random.default_rng(0)
        return [rng.standard_normal((len(phones.word2ph), BERT_WIDTH), dtype=np.float32) for phones in sentences]
    tokenizer = CharTokenizer(bert.vocabulary)
    runner = OrtBert(open_session(bert.graphs.get("int8", bert.graphs["float32"]), "cpu", "BERT").session, bert.id)
    return [runner.run(tokenizer.encode(phones.text)) for phones in sentences]


def _values(voice: Voice, number: int, phones: Phones, tokens: Float32) -> ProsodyInput:
    info = voice.manifest
    speaker, style = (items[number % len(items)].id if items else 0 for items in (info.speakers, info.styles))
    return prosody_input(voice, phones, tokens, speaker=speaker, style=style, seed=number)
