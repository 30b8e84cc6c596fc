"""Compares a candidate with the prepared graph: times in turns, results for the same inputs, and how it changes the speech of a voice.

Speech is judged by the very functions that decide which graphs in int8 a voice gets; by ear in a project that holds a sealed blind test of
the same lines with the same noise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert
from app.audition.blind_test import BlindTestPlan, SoundSource, begin_blind_test, generate_seed
from app.audition.blind_test_data import dump_blind_test
from app.audition.take_store import TakeStore, find_sound_folder
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.repeated_runs import Repeats, measure_speed_ratio
from app.bench.stage_timing import build_bench_request
from app.common.errors import InputError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.compose.graph_sessions import build_synthesizer
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.compose.text_front_end import open_g2p
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.sound.result_metrics import ResultDifference, compute_difference, compute_equal_share
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones
from app.install.calibration_runs import VOICE_CALIBRATION_SENTENCES, open_prosody_model, predict_symbol_frames
from app.install.int8_graphs import ExactVoiceRun, is_close_enough, measure_graph_timing, measure_quality, run_exact_voice
from app.interchange.character_assignment import clear_shipped_voice
from app.interchange.koebako_files import write_project
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row, make_row
from app.lab.row_labels import format_candidate
from app.voices.bert_models import VOCABULARY_NAME
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices
from app.voices.int8_result import MAX_INT8_LSD_DB, MIN_FRAMES_EQUAL, MIN_INT8_GAIN, MIN_INT8_SNR_DB
from app.voices.prepared_voice import Voice
from app.voices.voice_labels import format_voice_name

CallResults = list[list[np.ndarray]]


def make_candidate_row(graph: str, candidate: str, **figures: Any) -> Row:
    """Return the row of a candidate against the prepared graph; without figures where it cannot be made or run.

    Speedup is the time of the prepared graph ÷ that of the candidate, `frames_equal` the share of symbols that last as long as before; `note`
    says why there are no figures, or what else is known.
    """
    columns = ("speedup", "bytes", "snr_db", "cosine", "frames_equal", "speech_snr_db", "speech_lsd_db")
    return make_row("optimise", graph=graph, candidate=candidate, **dict.fromkeys(columns), kept=False, note="") | figures


def measure_speedup(
    exact: RunnableSession,
    other: RunnableSession,
    calls: Sequence[RecordedGraphRun],
    own_calls: Sequence[RecordedGraphRun],
    repeats: Repeats,
) -> float:
    """Return how many times faster a candidate is: the median over turns, which it takes with the prepared graph, each with its inputs."""
    return measure_speed_ratio(partial(run_calls, exact, calls), partial(run_calls, other, own_calls), repeats).median


def run_calls(session: RunnableSession, calls: Sequence[RecordedGraphRun]) -> CallResults:
    """Return all outputs of every call."""
    return [session.run_graph(dict(call.values)) for call in calls]


def compare_results(expected: CallResults, results: CallResults, *, by_token: bool) -> ResultDifference:
    """Return the difference of the output that differs most. Axes of size 1 do not count; a candidate may have fewer outputs, which then are the first."""
    outputs = [
        [(a, _match_shape(b, a)) for a, b in zip(exact_output, output, strict=True)]
        for exact_output, output in zip(zip(*expected, strict=True), zip(*results, strict=True), strict=False)
    ]
    each = [compute_difference([a for a, _ in pairs], [b for _, b in pairs], by_token=by_token) for pairs in outputs]
    return min(each, key=lambda item: item.snr_db)


def _match_shape(result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    squeezed = [size for size in result.shape if size > 1] == [size for size in expected.shape if size > 1]
    return result.reshape(expected.shape) if squeezed else result


@dataclass(slots=True)
class FramesByBert:
    """Sentences read with one BERT and spoken by one voice, up to how long each symbol lasts."""

    voice: Voice
    vocabulary: Path
    _sentences: list[Phones] = field(default_factory=list)
    _exact: list[Int64] = field(default_factory=list)

    def record_expected(self, exact: RunnableSession) -> None:
        """Record the frames that follow from the exact graph."""
        g2p = open_g2p()
        self._sentences = [g2p.convert_sentence(text) for text in VOICE_CALIBRATION_SENTENCES]
        self._exact = self._predict_frames(exact, self.vocabulary)

    def compute_equal_share(self, session: RunnableSession, vocabulary: Path | None) -> float:
        """Return the share, 0 … 1, of equal frames with another graph of this BERT, which may have a vocabulary of its own."""
        return compute_equal_share(self._exact, self._predict_frames(session, vocabulary or self.vocabulary))

    def _predict_frames(self, session: RunnableSession, vocabulary: Path) -> list[Int64]:
        tokenizer, runner = CharTokenizer(vocabulary), OrtBert(session, "", BERT_WIDTH)
        model = open_prosody_model(self.voice)
        features: list[Float32] = [runner.run_graph(tokenizer.encode(phones.text)) for phones in self._sentences]
        return [predict_symbol_frames(self.voice, model, *sentence) for sentence in zip(self._sentences, features, strict=True)]


def find_voice_for(bert_id: str) -> Voice | None:
    """Return an installed voice that was trained with this BERT, or None."""
    usable = (
        voice for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert == bert_id and "prosody" in voice.graphs
    )
    return next(usable, None)


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """The sound with one graph of a voice exchanged, durations as they are, and the share of symbols that last as long."""

    snr_db: float
    lsd_db: float
    frames_equal: float


@dataclass(frozen=True, slots=True)
class CandidateSpeech:
    """A voice, and what it says exactly."""

    voice: Voice
    exact: ExactVoiceRun

    def score_graph(self, graph: str, session: RunnableSession) -> CandidateScores:
        """Return the scores with this session in place of the exact graph's."""
        return CandidateScores(*measure_quality(self.voice, self.exact, {graph: session}))

    def describe_int8_use(self, graph: str, session: RunnableSession, scores: CandidateScores) -> str:
        """Return one sentence: whether adding the voice here would keep this int8 graph, or why not."""
        gain = measure_graph_timing(self.exact, graph, session).gain
        conditions = {
            localize(f"速さ {gain:.2f} 倍（{MIN_INT8_GAIN:g} 倍以上が必要）", f"{gain:.2f} times faster, {MIN_INT8_GAIN:g} needed"): gain
            >= MIN_INT8_GAIN,
            localize(
                f"SNR {scores.snr_db:g} dB（{MIN_INT8_SNR_DB:g} dB 以上が必要）", f"SNR {scores.snr_db:g} dB, {MIN_INT8_SNR_DB:g} needed"
            ): (scores.snr_db >= MIN_INT8_SNR_DB),
            localize(
                f"LSD {scores.lsd_db:g} dB（{MAX_INT8_LSD_DB:g} dB 以下が必要）", f"LSD {scores.lsd_db:g} dB, at most {MAX_INT8_LSD_DB:g}"
            ): (scores.lsd_db <= MAX_INT8_LSD_DB),
            localize(
                f"同じ長さの記号 {scores.frames_equal:.1%}（{MIN_FRAMES_EQUAL:.0%} 以上が必要）",
                f"{scores.frames_equal:.1%} of the symbols as long, {MIN_FRAMES_EQUAL:.0%} needed",
            ): scores.frames_equal >= MIN_FRAMES_EQUAL,
        }
        if gain >= MIN_INT8_GAIN and is_close_enough(scores.snr_db, scores.lsd_db, scores.frames_equal):
            return localize(
                f"声を追加すると「高速」で使われます（{gain:.2f} 倍）。", f"Fast uses it when the voice is added ({gain:.2f} times faster)."
            )
        reasons = "; ".join(words for words, holds in conditions.items() if not holds)
        return localize(f"「高速」では使われません: {reasons}", f"Fast does not use it: {reasons}")


def create_candidate_speech(subject: LabSubject) -> CandidateSpeech | None:
    """Return the speech of a candidate, or None if there is no voice of several graphs; raise AppError if the voice does not speak."""
    if subject.voice is None or subject.voice.manifest.is_single_graph:
        return None
    return CandidateSpeech(subject.voice, run_exact_voice(subject.voice))


LISTENING_SENTENCES = VOICE_CALIBRATION_SENTENCES[:4]  # short, a question, long, an exclamation
SampledSound = tuple[Float32, int]


def write_listening_test(
    subject: LabSubject, graph: str, candidate: str, graph_path: Path, file: Path, report: Report = ignore_report
) -> Row:
    """Speak the lines both ways, and write a project with a blind test of those that differ; raise InputError if no installed voice uses this BERT."""
    speaker = _open_speaker(subject)
    store, names = TakeStore(find_sound_folder(file)), (localize("元のグラフ", "Exact"), format_candidate(candidate))
    rows, lines = list[tuple[str, str]](), list[Line]()
    for number, (text, *sounds) in enumerate(_speak_pairs(speaker, graph, graph_path), 1):
        report("measuring", number / len(LISTENING_SENTENCES))
        exact_name, candidate_name = (store.keep_sound(*sound).name for sound in sounds)
        if exact_name != candidate_name:
            rows.append((exact_name, candidate_name))
            lines.append(Line(text, LineSettings(voice=speaker.voice.manifest.id)))
    if not rows:
        note = localize("どの文でも元のグラフと同じ音声です。", "It sounds exactly like the exact graph in every line.")
        return _make_test_row(graph, candidate, None, names, rows, note) | {"texts": [], "voice": ""}
    texts, source = tuple(line.text for line in lines), SoundSource(format_voice_name(speaker.voice.manifest))
    test = begin_blind_test(BlindTestPlan("abx", tuple(rows), names, texts=texts, sources=((source, source),) * len(rows)), generate_seed())
    script = clear_shipped_voice(Script(tuple(lines)), find_shipped_voice_id() or "")
    write_project(file, Project(script, tests=(dump_blind_test(test),)))
    note = localize("Koebako で開き、「ブラインドテスト」を選ぶと始まります。", "Open it with Koebako and choose “Blind test” to begin.")
    return _make_test_row(graph, candidate, str(file), names, rows, note) | {"texts": list(texts), "voice": source.voice}


def _make_test_row(graph: str, candidate: str, file: str | None, names: Sequence[str], pairs: Sequence[Sequence[str]], note: str) -> Row:
    """Return the row of a test of so many lines; `sounds` are names of sounds, a pair a line."""
    sounds = [list(pair) for pair in pairs]
    return make_row("test", graph=graph, candidate=candidate, lines=len(pairs), file=file, names=list(names), sounds=sounds, note=note)


def _open_speaker(subject: LabSubject) -> Speaker:
    if subject.voice is not None:
        return open_speaker(str(subject.voice.path), "cpu", force_bert=True, precision="float32", graph_precision="exact")
    assert subject.bert is not None
    voice = find_voice_for(subject.bert.id)
    if voice is None:
        raise InputError(
            localize("この BERT を使う声がありません。", "No installed voice uses this BERT."),
            localize("先に声を追加してください。", "Add one first."),
        )
    return open_speaker(str(voice.path), "cpu", bert=str(subject.bert.folder), precision="float32", graph_precision="exact")


def _speak_pairs(speaker: Speaker, graph: str, graph_path: Path) -> Iterator[tuple[str, SampledSound, SampledSound]]:
    """Yield text, exact sound and the candidate's sound; requests and therefore seeds are the same."""
    session = open_cpu_session(graph_path, graph)
    exact = replace(speaker.pipeline, caches=RenderCaches(), warm=set())
    if graph == "bert":
        vocabulary = graph_path.with_name(VOCABULARY_NAME)
        tokenizer = CharTokenizer(vocabulary) if vocabulary.is_file() else exact.tokenizer
        changed = replace(exact, bert=OrtBert(session, ""), tokenizer=tokenizer, caches=RenderCaches(), warm=set())
    else:
        changed = replace(
            exact, synthesizer=build_synthesizer(speaker.voice, {**speaker.sessions, graph: session}), caches=RenderCaches(), warm=set()
        )
    for text in LISTENING_SENTENCES:
        yield text, _speak_text(exact, speaker, text), _speak_text(changed, speaker, text)


def _speak_text(pipeline: Pipeline, speaker: Speaker, text: str) -> SampledSound:
    chunks = list(pipeline.synthesize(build_bench_request(speaker, text)))
    return np.concatenate([chunk.samples for chunk in chunks]), chunks[0].sampling_rate
