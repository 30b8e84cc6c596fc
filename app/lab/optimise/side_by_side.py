"""One candidate beside the prepared graph: made, opened, timed in turns, compared on the same sentences, kept where it was chosen."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.session import Session
from app.bench.recorded import Call
from app.bench.texts import LINES
from app.errors import AppError
from app.lab.optimise.bert import GRAPH as BERT
from app.lab.optimise.candidate import INSTALLED, PREPARED, Candidate, Made, size_of
from app.lab.optimise.expected_size import library_note
from app.lab.optimise.frames import FramesByBert, voice_for
from app.lab.optimise.measure import Results, compared, opened, results_of, speedup
from app.lab.optimise.rows import candidate_row
from app.lab.optimise.speech import Speech
from app.lab.optimise.wishes import Wishes
from app.lab.rows import Row
from app.lab.scratch import scratch_folder
from app.lab.spoken import Spoken, bert_values
from app.lab.subject import Subject
from app.voices.likeness import BEST_DB


@dataclass(frozen=True, slots=True)
class Exact:
    """The prepared graph, open, with what it computes of every sentence.

    Attributes:
        frames: for a BERT that an installed voice was trained with.
        speech: of the voice that the graph belongs to; None for a BERT.
    """

    graph: str
    path: Path | bytes
    session: Session
    calls: Sequence[Call]
    results: Results
    frames: FramesByBert | None
    speech: Speech | None

    def row(self) -> Row:
        """Of the prepared graph itself."""
        has_frames = self.frames is not None or self.graph == "prosody"
        return candidate_row(
            self.graph,
            PREPARED,
            speedup=1.0,
            size_bytes=size_of(self.path),
            snr_db=BEST_DB,
            cosine=1.0,
            frames_equal=1.0 if has_frames else None,
        )


def exact_of(subject: Subject, graph: str, given: Spoken, speech: Speech | None) -> Exact:
    """Opens a prepared graph and runs it."""
    path, calls = subject.prepared[graph], given.calls[graph]
    session = opened(path, graph)
    voice = voice_for(subject.bert.id) if graph == BERT and subject.bert is not None else None
    frames = None
    if voice is not None and subject.bert is not None:
        frames = FramesByBert(voice, subject.bert.vocabulary)
        frames.expect(session)
    return Exact(graph, path, session, calls, results_of(session, calls), frames, speech)


def measured(exact: Exact, candidate: Candidate, wishes: Wishes) -> Row:
    """Its row; one that cannot be made or run says why."""
    with scratch_folder() as folder:
        try:
            made = Made(candidate.make(folder), folder)
            return _compared(exact, candidate, made, wishes)
        except AppError as error:
            return candidate_row(exact.graph, candidate.name, note=f"{error.message} {error.hint}")


def _compared(exact: Exact, candidate: Candidate, made: Made, wishes: Wishes) -> Row:
    name = candidate.name
    session = opened(made.graph, exact.graph)
    calls = exact.calls if made.vocabulary is None else _read(made.vocabulary)
    difference = compared(exact.results, results_of(session, calls), by_token=exact.graph == BERT)
    frames = exact.frames.equal_share(session, made.vocabulary) if exact.frames is not None else None
    heard, note = None, candidate.note or library_note(made.folder)
    if exact.speech is not None:
        heard = exact.speech.heard(exact.graph, session)
        frames = heard.frames_equal if exact.graph == "prosody" else None
        note = exact.speech.installed(exact.graph, session, heard) if name == INSTALLED else note
    faster = speedup(exact.session, session, exact.calls, calls, wishes.repeats)
    kept = wishes.keep == name and wishes.folder is not None
    if kept:
        assert wishes.folder is not None
        _keep(made, wishes.folder)
    return candidate_row(
        exact.graph, name, speedup=faster, size_bytes=made.size_bytes, snr_db=difference.snr_db, cosine=difference.cosine,
        frames_equal=frames, heard=heard, kept=kept, note=note,
    )  # fmt: skip


def _read(vocabulary: Path) -> list[Call]:
    """The sentences in the tokens of a vocabulary of its own."""
    tokenizer = CharTokenizer(vocabulary)
    return [Call(name, bert_values(tokenizer.encode(text))) for name, text in LINES.items()]


def _keep(made: Made, folder: Path) -> None:
    """Graph, weights and what lies beside it that belongs to it."""
    from app.voices.prepare.variants.stored import weights_of  # onnx is slow to import

    own = made.graph.parent == made.folder
    for path in sorted(made.folder.iterdir()) if own else [made.graph, *weights_of(made.graph)]:
        shutil.copyfile(path, folder / path.name)
