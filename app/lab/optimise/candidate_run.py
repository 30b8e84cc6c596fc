"""The candidates of a subject, one after the other, as rows: each is made, opened, timed in turns and compared; the chosen one is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession
from app.adapters.ort.ort_format import describe_missing_tools, estimate_runtime_bytes, read_required_operators
from app.bench.bench_texts import BENCH_LINES
from app.bench.graph_recording import RecordedGraphRun
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.core.sound.result_metrics import MAX_SNR_DB
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.optimise.bert_candidates import BERT_GRAPH, list_bert_candidates
from app.lab.optimise.bert_candidates import BERT_GRAPH as BERT
from app.lab.optimise.candidate_measures import CallResults, CandidateRow, compare_results, measure_speedup, open_graph, run_calls
from app.lab.optimise.candidate_speech import CandidateSpeech, create_candidate_speech
from app.lab.optimise.frames_by_bert import FramesByBert, find_voice_for
from app.lab.optimise.general_candidates import OPERATORS_CONFIG_NAME
from app.lab.optimise.graph_candidate import AS_IT_CAME, INSTALLED, PREPARED, CandidateFiles, GraphCandidate, measure_graph_bytes
from app.lab.optimise.optimise_options import OptimiseOptions
from app.lab.optimise.voice_candidates import build_source_row, list_voice_candidates
from app.lab.recorded_inputs import RecordedInputs, build_bert_values, record_inputs

SINGLE_GRAPH = "whole"


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

    def build_row(self) -> CandidateRow:
        """Build the row of the prepared graph itself."""
        has_frames = self.frames is not None or self.graph == "prosody"
        return CandidateRow(
            graph=self.graph,
            candidate=PREPARED,
            speedup=1.0,
            bytes=measure_graph_bytes(self.path),
            snr_db=MAX_SNR_DB,
            cosine=1.0,
            frames_equal=1.0 if has_frames else None,
        )


def run_candidates(subject: LabSubject, options: OptimiseOptions, report: Report = ignore_report) -> Iterator[CandidateRow]:
    """Yield rows as they come; raise InputError, before anything is spoken or measured, if a named graph or candidate does not exist."""
    subject.require_runnable()
    speech = cache(partial(create_candidate_speech, subject))
    found = {graph: _list_candidates(subject, graph, speech, options) for graph in options.select_graphs(_list_graphs(subject))}
    sources = {AS_IT_CAME} if _has_source(subject) else set[str]()
    options.check_names({item.name for candidates in found.values() for item in candidates} | sources)
    planned = {graph: [item for item in candidates if options.should_measure(item.name)] for graph, candidates in found.items()}
    options.check_kept_graph([graph for graph, candidates in planned.items() if options.keep in [item.name for item in candidates]])
    if not planned:
        return
    given = record_inputs(subject)
    if sources and (not options.only or AS_IT_CAME in options.only):
        assert subject.voice is not None
        yield build_source_row(subject.voice, subject.source["whole"], given.calls["prosody"], options.repeats)
    total, done = max(1, sum(map(len, planned.values()))), 0
    for graph, candidates in planned.items():
        exact = open_exact_graph(subject, graph, given, speech())
        yield exact.build_row()
        for candidate in candidates:
            report("measuring", done / total)
            done += 1
            yield measure_candidate(exact, candidate, options)


def _list_graphs(subject: LabSubject) -> list[str]:
    """Return the graphs that candidates can replace: not that of a single-graph voice."""
    return [BERT_GRAPH] if subject.voice is None else [graph for graph in subject.voice.graphs if graph != SINGLE_GRAPH]


def _has_source(subject: LabSubject) -> bool:
    """Return whether there is one graph that the graphs of the voice were cut from."""
    return subject.voice is not None and not subject.voice.manifest.is_single_graph and "whole" in subject.source


def _list_candidates(
    subject: LabSubject, graph: str, speech: Callable[[], CandidateSpeech | None], options: OptimiseOptions
) -> list[GraphCandidate]:
    if subject.voice is None:
        return list(list_bert_candidates(subject, options.base, options.texts, by_group=options.by_group))
    return list(list_voice_candidates(subject, graph, speech, by_group=options.by_group))


def open_exact_graph(subject: LabSubject, graph: str, inputs: RecordedInputs, speech: CandidateSpeech | None) -> ExactGraph:
    """Open a prepared graph and run it."""
    path, calls = subject.prepared[graph], inputs.calls[graph]
    session = open_graph(path, graph)
    voice = find_voice_for(subject.bert.id) if graph == BERT and subject.bert is not None else None
    frames = None
    if voice is not None and subject.bert is not None:
        frames = FramesByBert(voice, subject.bert.vocabulary)
        frames.record_expected(session)
    return ExactGraph(graph, path, session, calls, run_calls(session, calls), frames, speech)


def measure_candidate(exact: ExactGraph, candidate: GraphCandidate, options: OptimiseOptions) -> CandidateRow:
    """Measure a candidate and return its row; that of a candidate that cannot be built or run states the reason."""
    with create_scratch_folder() as folder:
        try:
            made = CandidateFiles(candidate.make(folder), folder)
            return _compare_candidate(exact, candidate, made, options)
        except AppError as error:
            return CandidateRow(graph=exact.graph, candidate=candidate.name, note=f"{error.message} {error.hint}")


def _compare_candidate(exact: ExactGraph, candidate: GraphCandidate, files: CandidateFiles, options: OptimiseOptions) -> CandidateRow:
    name = candidate.name
    session = open_graph(files.graph, exact.graph)
    calls = exact.calls if files.vocabulary is None else _tokenize_sentences(files.vocabulary)
    difference = compare_results(exact.results, run_calls(session, calls), by_token=exact.graph == BERT)
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
    return CandidateRow(
        graph=exact.graph, candidate=name, speedup=faster, bytes=files.size_bytes, snr_db=difference.snr_db, cosine=difference.cosine,
        frames_equal=frames, speech_snr_db=heard.snr_db if heard else None, speech_lsd_db=heard.lsd_db if heard else None, kept=kept, note=note,
    )  # fmt: skip


def _tokenize_sentences(vocabulary: Path) -> list[RecordedGraphRun]:
    """Return the sentences in the tokens of a vocabulary of its own."""
    tokenizer = CharTokenizer(vocabulary)
    return [RecordedGraphRun(name, build_bert_values(tokenizer.encode(text))) for name, text in BENCH_LINES.items()]


def _keep_files(files: CandidateFiles, folder: Path) -> None:
    """Keep the graph, its weights and the files beside it that belong to it."""
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_variants import list_weight_files

    own = files.graph.parent == files.folder
    for path in sorted(files.folder.iterdir()) if own else [files.graph, *list_weight_files(files.graph)]:
        shutil.copyfile(path, folder / path.name)


def describe_library_size(folder: Path) -> str:
    """Return one sentence about a candidate in ONNX Runtime's own format; empty for any other."""
    if not any(folder.glob("*.ort")):
        return ""
    config = next(folder.glob(OPERATORS_CONFIG_NAME.format(graph="*")), None)
    if config is None:
        hint = describe_missing_tools()
        return localize(
            f"必要な演算子の一覧は作成できません。{hint}", f"ONNX Runtime's tools, which list its operators, are not available. {hint}"
        )
    operators = read_required_operators(config)
    size = estimate_runtime_bytes(operators)
    if size is None:
        return localize(f"演算子 {len(operators)} 種", f"{len(operators)} operators")
    return localize(
        f"演算子 {len(operators)} 種だけの ONNX Runtime は約 {size / 1e6:.0f} MB（推定）",
        f"{len(operators)} operators; an ONNX Runtime with these alone takes about {size / 1e6:.0f} MB (estimate)",
    )
