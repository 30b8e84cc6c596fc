"""One candidate beside the prepared graph: made, opened, timed in turns, compared on the same sentences, kept where it was chosen."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession
from app.bench.bench_texts import BENCH_LINES
from app.bench.graph_recording import RecordedGraphRun
from app.common.errors import AppError
from app.core.result_metrics import MAX_SNR_DB
from app.lab.lab_subject import LabSubject
from app.lab.optimise.bert_candidates import BERT_GRAPH
from app.lab.optimise.candidate_measures import CallResults, compare_results, measure_speedup, open_graph, run_calls
from app.lab.optimise.candidate_row import build_candidate_row
from app.lab.optimise.candidate_speech import CandidateSpeech
from app.lab.optimise.frames_by_bert import FramesByBert, find_voice_for
from app.lab.optimise.graph_candidate import INSTALLED, PREPARED, CandidateFiles, GraphCandidate, measure_graph_bytes
from app.lab.optimise.library_size import describe_library_size
from app.lab.optimise.optimise_options import OptimiseOptions
from app.lab.recorded_inputs import RecordedInputs, build_bert_values
from app.lab.report_rows import Row
from app.lab.scratch_folder import create_scratch_folder


@dataclass(frozen=True, slots=True)
class ExactGraph:
    """The prepared graph, open, with what it computes of every sentence.

    Attributes:
        frames: for a BERT that an installed voice was trained with.
        speech: of the voice that the graph belongs to; None for a BERT.
    """

    graph: str
    path: Path | bytes
    session: RunnableSession
    calls: Sequence[RecordedGraphRun]
    results: CallResults
    frames: FramesByBert | None
    speech: CandidateSpeech | None

    def build_row(self) -> Row:
        """Build the row of the prepared graph itself."""
        has_frames = self.frames is not None or self.graph == "prosody"
        return build_candidate_row(
            self.graph,
            PREPARED,
            speedup=1.0,
            size_bytes=measure_graph_bytes(self.path),
            snr_db=MAX_SNR_DB,
            cosine=1.0,
            frames_equal=1.0 if has_frames else None,
        )


def open_exact_graph(subject: LabSubject, graph: str, inputs: RecordedInputs, speech: CandidateSpeech | None) -> ExactGraph:
    """Open a prepared graph and run it."""
    path, calls = subject.prepared[graph], inputs.calls[graph]
    session = open_graph(path, graph)
    voice = find_voice_for(subject.bert.id) if graph == BERT_GRAPH and subject.bert is not None else None
    frames = None
    if voice is not None and subject.bert is not None:
        frames = FramesByBert(voice, subject.bert.vocabulary)
        frames.record_expected(session)
    return ExactGraph(graph, path, session, calls, run_calls(session, calls), frames, speech)


def measure_candidate(exact: ExactGraph, candidate: GraphCandidate, options: OptimiseOptions) -> Row:
    """Measure a candidate and return its row; that of a candidate that cannot be built or run states the reason."""
    with create_scratch_folder() as folder:
        try:
            made = CandidateFiles(candidate.make(folder), folder)
            return _compare_candidate(exact, candidate, made, options)
        except AppError as error:
            return build_candidate_row(exact.graph, candidate.name, note=f"{error.message} {error.hint}")


def _compare_candidate(exact: ExactGraph, candidate: GraphCandidate, files: CandidateFiles, options: OptimiseOptions) -> Row:
    name = candidate.name
    session = open_graph(files.graph, exact.graph)
    calls = exact.calls if files.vocabulary is None else _tokenize_sentences(files.vocabulary)
    difference = compare_results(exact.results, run_calls(session, calls), by_token=exact.graph == BERT_GRAPH)
    frames = exact.frames.compute_equal_share(session, files.vocabulary) if exact.frames is not None else None
    heard, note = None, candidate.note or describe_library_size(files.folder)
    if exact.speech is not None:
        heard = exact.speech.score_graph(exact.graph, session)
        frames = heard.frames_equal if exact.graph == "prosody" else None
        note = exact.speech.describe_int8_use(exact.graph, session, heard) if name == INSTALLED else note
    faster = measure_speedup(exact.session, session, exact.calls, calls, options.repeats)
    kept = options.keep == name and options.folder is not None
    if kept:
        assert options.folder is not None
        _keep_files(files, options.folder)
    return build_candidate_row(
        exact.graph, name, speedup=faster, size_bytes=files.size_bytes, snr_db=difference.snr_db, cosine=difference.cosine,
        frames_equal=frames, scores=heard, kept=kept, note=note,
    )  # fmt: skip


def _tokenize_sentences(vocabulary: Path) -> list[RecordedGraphRun]:
    """Return the sentences in the tokens of a vocabulary of its own."""
    tokenizer = CharTokenizer(vocabulary)
    return [RecordedGraphRun(name, build_bert_values(tokenizer.encode(text))) for name, text in BENCH_LINES.items()]


def _keep_files(files: CandidateFiles, folder: Path) -> None:
    """Keep the graph, its weights and the files beside it that belong to it."""
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_copies import list_weight_files

    own = files.graph.parent == files.folder
    for path in sorted(files.folder.iterdir()) if own else [files.graph, *list_weight_files(files.graph)]:
        shutil.copyfile(path, folder / path.name)
