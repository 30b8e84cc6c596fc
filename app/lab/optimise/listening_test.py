"""A candidate and the exact graph, compared by ear: the same lines with the same noise, in a project that holds a sealed blind test."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert
from app.audition.blind_test import BlindTestPlan, begin_blind_test, generate_seed
from app.audition.blind_test_data import dump_blind_test
from app.audition.take_store import TakeStore, find_sound_folder
from app.bench.stage_timing import build_bench_request
from app.common.errors import InputError
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.compose.graph_sessions import build_synthesizer
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import Float32
from app.install.calibration_runs import VOICE_CALIBRATION_SENTENCES
from app.interchange.character_assignment import clear_shipped_voice
from app.interchange.koebako_files import write_project
from app.lab.lab_subject import LabSubject
from app.lab.optimise.candidate_measures import find_voice_for
from app.lab.report_rows import Row, make_row
from app.lab.row_labels import format_candidate
from app.voices.bert_models import VOCABULARY_NAME
from app.voices.installed_voices import find_shipped_voice_id

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
        return _make_test_row(graph, candidate, None, names, rows, note)
    test = begin_blind_test(BlindTestPlan("abx", tuple(rows), names), generate_seed())
    script = clear_shipped_voice(Script(tuple(lines)), find_shipped_voice_id() or "")
    write_project(file, Project(script, tests=(dump_blind_test(test),)))
    note = localize("Koebako で開き、「ブラインドテスト」を選ぶと始まります。", "Open it with Koebako and choose “Blind test” to begin.")
    return _make_test_row(graph, candidate, str(file), names, rows, note)


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
