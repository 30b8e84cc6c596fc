"""Runs the graphs of a voice or a BERT on a few sentences; their other forms are made and judged by what is recorded here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RecordedRun, RecordingSession, RunnableSession, open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert
from app.common.files import paths
from app.compose.graph_sessions import build_acoustic_model
from app.compose.text_front_end import open_g2p
from app.core.sound.acoustic import AcousticModel
from app.core.sound.durations import expand_to_phones
from app.core.sound.melody import build_melody_of_symbols
from app.core.sound.ports import Prosody, ProsodyInput
from app.core.sound.result_metrics import compute_equal_share
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones, SynthesisRequest
from app.install.bert_preparation import build_test_texts
from app.voices.bert_models import BERT_PRECISIONS, BertModel, BertPrecision, list_installed_berts, read_bert, read_vocabulary
from app.voices.prepared_voice import Voice, read_prepared_voice

FRAME_SENTENCE_COUNT = 6  # sentences whose frames are looked at
MAX_CALIBRATION_FRAMES = 100  # of a sentence
MAX_CALIBRATION_SYMBOL_FRAMES = 20  # with features of another BERT, or of none, a symbol may become very long
CALIBRATION_NOISE = 0.6  # as a request has it by default

# 1,600 symbols: the share is then known to half a percent.
VOICE_CALIBRATION_SENTENCES = (
    "こんにちは。",
    "本当にそう思いますか？",
    "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。",
    "昨日の会議では、新しい計画について三時間も話し合いました！",
    "電車が遅れたため、約束の時間に間に合わないかもしれません。",
    "すみません、もう少しゆっくり話していただけますか？",
    "東京都では、来週から気温が下がる見込みです。",
    "彼女は静かに本を閉じて、窓の外の雪を眺めていた。",
    "夕方には家に帰って、温かいお茶を飲みながら本を読みました。",
    "この件につきましては、後ほど担当者からご連絡いたします。",
    "雨が止んだら、みんなで海を見に行こうよ！",
    "そのとき、遠くで鐘の音が静かに鳴り響いた。",
    "申し訳ありませんが、その質問にはお答えできません。",
    "朝早く起きて、庭の花に水をやるのが日課です。",
    "新しい技術が、人々の暮らしを少しずつ変えている。",
    "何か困ったことがあれば、いつでも言ってくださいね。",
)
NOISE_W, SDP_RATIO = 0.8, 0.2  # as a request has them by default


@dataclass(frozen=True, slots=True)
class CalibrationSentence:
    """One sentence as the prosody graph is given it; `number` seeds its noise, and `phones` say its melody."""

    number: int
    values: ProsodyInput
    phones: Phones


class CalibrationVoice:
    """A voice's three graphs, each in one form or another."""

    def __init__(self, voice: Voice, sessions: Mapping[str, RunnableSession]) -> None:
        self._model = build_acoustic_model(voice, sessions)

    def run_prosody(self, sentence: CalibrationSentence) -> tuple[Prosody, Int64]:
        """Log durations with the prior, and frames per symbol."""
        prosody = self._model.predict_prosody(sentence.values)
        return prosody, np.minimum(self._model.compute_frames(prosody), MAX_CALIBRATION_SYMBOL_FRAMES)

    def build_decoder_input(self, sentence: CalibrationSentence, prosody: Prosody, frames: Int64) -> Float32:
        """Build the decoder's input, (D, F), F at most LONGEST_FRAMES."""
        values = sentence.values
        traits, phones = self._model.voice, sentence.phones
        request = SynthesisRequest(phones.text, speaker=values.speaker)
        z = self._model.compute_flow(
            prosody,
            frames,
            noise=_draw_noise(sentence, (len(prosody.mean), int(frames.sum()))),
            noise_scale=CALIBRATION_NOISE,
            length_scale=1.0,
            speaker=values.speaker,
            style_vector=values.style_vector,
            melody=build_melody_of_symbols(phones, traits.encode_phones(phones).edges, frames, request, traits),
        )
        return z[:, :MAX_CALIBRATION_FRAMES]

    def decode_samples(self, sentence: CalibrationSentence, z: Float32) -> Float32:
        traits = self._model.voice
        noise = _draw_noise(sentence, (z.shape[1] * traits.hop_length,)) if traits.decoder_noise else None
        values = sentence.values
        return self._model.decode_all_frames(z, noise=noise, speaker=values.speaker, style_vector=values.style_vector)


def _draw_noise(sentence: CalibrationSentence, shape: tuple[int, ...]) -> Float32:
    return np.random.default_rng(sentence.number).standard_normal(shape, dtype=np.float32)


def build_prosody_input(voice: Voice, phones: Phones, tokens: Float32, *, speaker: int, style: int, seed: int = 0) -> ProsodyInput:
    """Return the input of one sentence as a request has it by default; `tokens` are features of its BERT tokens (n, 1024)."""
    traits = voice.build_traits()
    ids = traits.encode_phones(phones)
    noise = np.random.default_rng(seed).standard_normal((2, len(ids.phones)), dtype=np.float32) * np.float32(NOISE_W)
    return ProsodyInput(
        phones=ids.phones,
        tones=ids.tones,
        language=ids.language,
        features=expand_to_phones(tokens, ids.word2ph) if voice.manifest.bert else None,
        style_vector=traits.build_style_vector(speaker, style, 1.0),
        speaker=speaker,
        sdp_ratio=SDP_RATIO,
        sdp_noise=noise,
        kinds=ids.kinds,
    )


def build_calibration_sentences(voice: Voice, texts: Sequence[str] = VOICE_CALIBRATION_SENTENCES) -> list[CalibrationSentence]:
    """Return the sentences with features of the voice's own BERT, or noise if it is missing; speakers and styles take turns."""
    g2p, info = open_g2p(), voice.manifest
    phones = [g2p.convert_sentence(text) for text in texts]
    sentences = []
    for number, (spoken, tokens) in enumerate(zip(phones, _compute_token_features(info.bert, phones), strict=True)):
        speaker, style = (items[number % len(items)].id if items else 0 for items in (info.speakers, info.styles))
        values = build_prosody_input(voice, spoken, tokens, speaker=speaker, style=style, seed=number)
        sentences.append(CalibrationSentence(number, values, spoken))
    return sentences


def record_runs(graph: str, source: Path) -> list[RecordedRun]:
    """Return runs of a graph (bert, prosody, flow or decoder), several sentences; raise VoiceError if its folder holds no voice or BERT."""
    if graph == "bert":
        bert = read_bert(source.parent)
        token_count = len(read_vocabulary(source.parent))
        return [RecordedRun({"input_ids": ids}) for ids in build_test_texts(bert.vocabulary, token_count)]
    voice = read_prepared_voice(source.parent)
    sessions = {
        name: RecordingSession(open_cpu_session(file, voice.manifest.name))
        for name, file in voice.graphs.items()
        if name in ("prosody", "flow")
    }
    speaking = CalibrationVoice(voice, sessions)
    sentences = build_calibration_sentences(voice, VOICE_CALIBRATION_SENTENCES[1 : 1 + FRAME_SENTENCE_COUNT])
    frames = [(speaking.build_decoder_input(item, *speaking.run_prosody(item)), item.values) for item in sentences]
    if graph == "decoder":
        return [
            RecordedRun({"z": z, "sid": values.speaker, "style_vec": values.style_vector, "first": 0, "last": z.shape[1]})
            for z, values in frames
        ]
    return sessions[graph].runs


def fit_to_length(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """Return the values repeated, or cut, to a length along their free axes."""
    fitted = dict(values)
    for name, axis in axes.items():
        array = np.asarray(values[name])
        fitted[name] = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    if "last" in fitted:
        fitted |= {"first": 0, "last": length}
    return fitted


def _compute_token_features(bert_id: str, sentences: Iterable[Phones]) -> list[Float32]:
    """Return token features (n, 1024), or noise if the BERT is missing."""
    bert = next((item for item in list_installed_berts(paths.list_bert_dirs()) if item.id == bert_id), None)
    if bert is None:
        rng = np.random.default_rng(0)
        return [rng.standard_normal((len(phones.word2ph), BERT_WIDTH), dtype=np.float32) for phones in sentences]
    tokenizer = CharTokenizer(bert.vocabulary)
    runner = OrtBert(open_cpu_session(bert.graphs.get("int8", bert.graphs["float32"]), "BERT"), bert.id)
    return [runner.run_graph(tokenizer.encode(phones.text)) for phones in sentences]


@dataclass(frozen=True, slots=True)
class BertReading:
    """A BERT's reading of the sentences: their phones, and their token features (n, 1024) by precision."""

    sentences: list[Phones]
    features: dict[BertPrecision, list[Float32]]


def read_with_bert(bert: BertModel) -> BertReading:
    """Read the sentences with a BERT in both precisions, one after the other: the exact one takes a gigabyte."""
    g2p, tokenizer = open_g2p(), CharTokenizer(bert.vocabulary)
    sentences = [g2p.convert_sentence(text) for text in VOICE_CALIBRATION_SENTENCES]
    texts = [tokenizer.encode(phones.text) for phones in sentences]
    features = {}
    for precision in BERT_PRECISIONS:
        runner = OrtBert(open_cpu_session(bert.graphs[precision], "BERT"), bert.id)
        features[precision] = [runner.run_graph(ids) for ids in texts]
    return BertReading(sentences, features)


def measure_duration_agreement(voice: Voice, reading: BertReading) -> float:
    """Return the share of symbols that last as many frames with int8 features as with exact ones, 0..1; a voice of one graph has none."""
    model = open_prosody_model(voice)
    exact, quantised = (
        [predict_symbol_frames(voice, model, *given) for given in zip(reading.sentences, reading.features[precision], strict=True)]
        for precision in BERT_PRECISIONS
    )
    return compute_equal_share(exact, quantised)


def open_prosody_model(voice: Voice) -> AcousticModel:
    """Open the prosody graph of a voice on the CPU; the model that comes back can do no more than predict prosody."""
    return build_acoustic_model(voice, {"prosody": open_cpu_session(voice.graphs["prosody"], voice.manifest.name)})


def predict_symbol_frames(voice: Voice, model: AcousticModel, phones: Phones, tokens: Float32) -> Int64:
    """Return the frames of each symbol, int64 (T,), with the same noise every time; `tokens` are BERT's features (n, 1024)."""
    info = voice.manifest
    speaker, style = (min((item.id for item in items), default=0) for items in (info.speakers, info.styles))
    values = build_prosody_input(voice, phones, tokens, speaker=speaker, style=style)
    return model.compute_frames(model.predict_prosody(values))
