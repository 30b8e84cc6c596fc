"""A candidate beside the exact graph for the ears: the same lines with the same noise, in a project that holds a sealed blind test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import open_session
from app.audition.blind_test import Plan
from app.audition.blind_test_data import blind_test_to_data
from app.audition.positions import new_seed
from app.audition.take_store import TakeStore, folder_of
from app.audition.trials import begin
from app.bench.stages import request_of
from app.compose.opening import open_speaker
from app.compose.sessions import synthesizer_of
from app.compose.speaker import Speaker
from app.core.pipeline import Pipeline
from app.core.project import Project
from app.core.renderings import Caches
from app.core.script import Line, LineSettings, Script
from app.core.types import Float32
from app.errors import InputError
from app.install.sentences import SENTENCES
from app.interchange.assign import without_shipped
from app.interchange.koebako import write_project
from app.lab.candidate_words import candidate_name
from app.lab.optimise.frames import voice_for
from app.lab.rows import Row
from app.lab.subject import Subject
from app.language import localized
from app.progress import Report, unreported
from app.voices.library import shipped_voice
from app.voices.vocabulary import VOCABULARY_NAME

HEARD = SENTENCES[:4]  # short, a question, long, an exclamation
Sound = tuple[Float32, int]


def write_test(subject: Subject, graph: str, candidate: str, made: Path, file: Path, report: Report = unreported) -> Row:
    """Speaks the lines both ways and writes a project whose blind test is open; lines that sound the same are left out.

    Args:
        made: the candidate's graph; a vocabulary beside it is its own.
        file: of the project; the sounds lie beside it.

    Raises:
        InputError: no installed voice was trained with this BERT.
        AppError: as speaking raises them, and where nothing can be written.
    """
    speaker = _speaker(subject)
    store, names = TakeStore(folder_of(file)), (localized("元のグラフ", "Exact"), candidate_name(candidate))
    rows, lines = list[tuple[str, str]](), list[Line]()
    for number, (text, *sounds) in enumerate(_pairs(speaker, graph, made), 1):
        report("measuring", number / len(HEARD))
        one, other = (store.keep(*sound).name for sound in sounds)
        if one != other:
            rows.append((one, other))
            lines.append(Line(text, LineSettings(voice=speaker.voice.manifest.id)))
    row: Row = {"type": "test", "graph": graph, "candidate": candidate, "lines": len(rows)}
    if not rows:
        return row | {"file": None, "names": list(names), "sounds": [], "note": same_words()}
    test = begin(Plan("abx", tuple(rows), names), new_seed())
    script = without_shipped(Script(tuple(lines)), shipped_voice() or "")
    write_project(file, Project(script, tests=(blind_test_to_data(test),)))
    note = localized("Koebako で開き、「ブラインドテスト」を選ぶと始まります。", "Open it with Koebako and choose “Blind test” to begin.")
    return row | {"file": str(file), "names": list(names), "sounds": [list(pair) for pair in rows], "note": note}


def same_words() -> str:
    """What is said where there is nothing to listen for."""
    return localized("どの文でも元のグラフと同じ音声です。", "It sounds exactly like the exact graph in every line.")


def _speaker(subject: Subject) -> Speaker:
    if subject.voice is not None:
        return open_speaker(str(subject.voice.path), "cpu", force_bert=True, precision="float32", sound="exact")
    assert subject.bert is not None
    voice = voice_for(subject.bert.id)
    if voice is None:
        raise InputError(
            localized("この BERT を使う声がありません。", "No installed voice uses this BERT."),
            localized("先に声を追加してください。", "Add one first."),
        )
    return open_speaker(str(voice.path), "cpu", bert=str(subject.bert.folder), precision="float32", sound="exact")


def _pairs(speaker: Speaker, graph: str, made: Path) -> Iterator[tuple[str, Sound, Sound]]:
    """Text, exact sound and the candidate's; requests and so seeds are the same."""
    session = open_session(made, "cpu", graph).session
    exact = replace(speaker.pipeline, caches=Caches(), warm=set())
    if graph == "bert":
        vocabulary = made.with_name(VOCABULARY_NAME)
        tokenizer = CharTokenizer(vocabulary) if vocabulary.is_file() else exact.tokenizer
        other = replace(exact, bert=OrtBert(session, ""), tokenizer=tokenizer, caches=Caches(), warm=set())
    else:
        other = replace(exact, synthesizer=synthesizer_of(speaker.voice, {**speaker.sessions, graph: session}), caches=Caches(), warm=set())
    for text in HEARD:
        yield text, _spoken(exact, speaker, text), _spoken(other, speaker, text)


def _spoken(pipeline: Pipeline, speaker: Speaker, text: str) -> Sound:
    chunks = list(pipeline.synthesize(request_of(speaker, text)))
    return np.concatenate([chunk.samples for chunk in chunks]), chunks[0].sampling_rate
