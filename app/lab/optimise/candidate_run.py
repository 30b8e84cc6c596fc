"""The candidates of a subject, one after the other, as rows, and what is asked for: each is made, opened, timed in turns and compared; the chosen one is kept."""

import shutil
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.adapters.ort.lab_sessions import describe_missing_tools, estimate_runtime_bytes, read_required_operators
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.repeated_runs import Repeats
from app.bench.stage_timing import BENCH_LINES
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.core.sound.result_metrics import MAX_SNR_DB
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.optimise.candidate_measures import (
    CallResults,
    CandidateSpeech,
    FramesByBert,
    compare_results,
    create_candidate_speech,
    find_voice_for,
    make_candidate_row,
    measure_speedup,
    run_calls,
)
from app.lab.optimise.candidate_slot import AS_IT_CAME, INSTALLED, PREPARED, CandidateFiles, GraphCandidate, measure_graph_bytes
from app.lab.optimise.graph_candidates import (
    BERT_GRAPH,
    OPERATORS_CONFIG_NAME,
    build_source_row,
    list_bert_candidates,
    list_voice_candidates,
)
from app.lab.recorded_inputs import RecordedInputs, build_bert_values, record_inputs
from app.lab.report_rows import Row

SINGLE_GRAPH = "whole"


@dataclass(frozen=True, slots=True)
class ExactGraph:
    """The prepared graph, open, with what it computes of every sentence; frames for a BERT with an installed voice, speech for a voice."""

    graph: str
    path: Path | bytes
    session: RunnableSession
    calls: Sequence[RecordedGraphRun]
    results: CallResults
    frames: FramesByBert | None
    speech: CandidateSpeech | None

    def build_row(self) -> Row:
        """Build the row of the prepared graph itself."""
        return make_candidate_row(
            self.graph,
            PREPARED,
            speedup=1.0,
            bytes=measure_graph_bytes(self.path),
            snr_db=MAX_SNR_DB,
            cosine=1.0,
            frames_equal=1.0 if self.frames is not None or self.graph == "prosody" else None,
        )


@dataclass(frozen=True, slots=True)
class OptimiseOptions:
    """Options of a run of `optimise`; empty or None is all, and `one_kept` says that `keep` is for something that takes one graph."""

    only: Sequence[str] = ()
    graph: str | None = None
    keep: str | None = None
    folder: Path | None = None
    one_kept: bool = False
    repeats: Repeats = field(default_factory=Repeats)
    by_group: bool = False
    base: Path | None = None
    texts: Sequence[str] = ()

    def select_graphs(self, graph_names: Sequence[str]) -> list[str]:
        """Return the requested ones of a subject's graphs; raise InputError if it has none of a name."""
        if self.graph not in (None, *graph_names):
            raise InputError(
                localize(f"グラフ「{self.graph}」はありません。", f"There is no graph “{self.graph}”."),
                localize("使用できるもの: ", "Available: ") + ", ".join(graph_names)
                if graph_names
                else localize("候補はありません。", "There are none."),
            )
        return [graph for graph in graph_names if self.graph in (None, graph)]

    def check_kept_graph(self, graphs: Sequence[str]) -> None:
        """Raise InputError if `keep` needs one graph and could mean several or none."""
        if self.one_kept and len(graphs) != 1:
            raise InputError(
                localize(f"候補「{self.keep}」は 1 つのグラフに絞れません。", f"The candidate “{self.keep}” must stand for one graph."),
                localize("例: ", "For example: ") + "--graph decoder",
            )

    def check_names(self, candidate_names: Set[str]) -> None:
        """Raise InputError if a named candidate does not exist."""
        chosen_names = [*self.only, *([self.keep] if self.keep else [])]
        unknown = next((name for name in chosen_names if name not in candidate_names), None)
        if unknown is None:
            return
        available = localize("使用できるもの: ", "Available: ") + ", ".join(sorted(candidate_names))
        raise InputError(
            localize(f"候補「{unknown}」はありません。", f"There is no candidate “{unknown}”."),
            available if candidate_names else localize("候補はありません。", "There are none."),
        )


def run_candidates(subject: LabSubject, options: OptimiseOptions, report: Report = ignore_report) -> Iterator[Row]:
    """Yield rows as they come; raise InputError, before anything is spoken or measured, if a named graph or candidate does not exist."""
    subject.require_runnable()
    speech = cache(partial(create_candidate_speech, subject))
    voice = subject.voice
    graphs = [BERT_GRAPH] if voice is None else [graph for graph in voice.graphs if graph != SINGLE_GRAPH]
    candidates_by_graph = {
        graph: list(
            list_bert_candidates(subject, options.base, options.texts, by_group=options.by_group)
            if voice is None
            else list_voice_candidates(subject, graph, speech, by_group=options.by_group)
        )
        for graph in options.select_graphs(graphs)
    }
    # Of the one graph that the graphs of a voice were cut from.
    sources = {AS_IT_CAME} if voice is not None and not voice.manifest.is_single_graph and "whole" in subject.source else set[str]()
    options.check_names({item.name for candidates in candidates_by_graph.values() for item in candidates} | sources)
    planned = {
        graph: [item for item in candidates if not options.only or item.name in (*options.only, options.keep)]
        for graph, candidates in candidates_by_graph.items()
    }
    options.check_kept_graph([graph for graph, candidates in planned.items() if options.keep in [item.name for item in candidates]])
    if not planned:
        return
    inputs = record_inputs(subject)
    if sources and (not options.only or AS_IT_CAME in options.only):
        assert voice is not None
        yield build_source_row(voice, subject.source["whole"], inputs.calls["prosody"], options.repeats)
    total, done = max(1, sum(map(len, planned.values()))), 0
    for graph, candidates in planned.items():
        exact = open_exact_graph(subject, graph, inputs, speech())
        yield exact.build_row()
        for candidate in candidates:
            report("measuring", done / total)
            done += 1
            yield measure_candidate(exact, candidate, options)


def open_exact_graph(subject: LabSubject, graph: str, inputs: RecordedInputs, speech: CandidateSpeech | None) -> ExactGraph:
    path, calls = subject.prepared[graph], inputs.calls[graph]
    session = open_cpu_session(path, graph)
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
            return _compare_candidate(exact, candidate, CandidateFiles(candidate.make(folder), folder), options)
        except AppError as error:
            return make_candidate_row(exact.graph, candidate.name, note=f"{error.message} {error.hint}")


def _compare_candidate(exact: ExactGraph, candidate: GraphCandidate, files: CandidateFiles, options: OptimiseOptions) -> Row:
    name = candidate.name
    session = open_cpu_session(files.graph, exact.graph)
    calls = exact.calls
    if files.vocabulary is not None:  # its own, so the sentences have other tokens
        tokenizer = CharTokenizer(files.vocabulary)
        calls = [RecordedGraphRun(name, build_bert_values(tokenizer.encode(text))) for name, text in BENCH_LINES.items()]
    difference = compare_results(exact.results, run_calls(session, calls), by_token=exact.graph == BERT_GRAPH)
    frames = exact.frames.compute_equal_share(session, files.vocabulary) if exact.frames is not None else None
    scores, note = None, candidate.note or describe_library_size(files.folder)
    if exact.speech is not None:
        scores = exact.speech.score_graph(exact.graph, session)
        frames = scores.frames_equal if exact.graph == "prosody" else None
        note = exact.speech.describe_int8_use(exact.graph, session, scores) if name == INSTALLED else note
    faster = measure_speedup(exact.session, session, exact.calls, calls, options.repeats)
    is_kept = options.keep == name and options.folder is not None
    if is_kept:
        assert options.folder is not None
        _keep_files(files, options.folder)
    return make_candidate_row(
        exact.graph, name, speedup=faster, bytes=files.size_bytes, snr_db=difference.snr_db, cosine=difference.cosine,
        frames_equal=frames, speech_snr_db=scores.snr_db if scores else None, speech_lsd_db=scores.lsd_db if scores else None, kept=is_kept, note=note,
    )  # fmt: skip


def _keep_files(files: CandidateFiles, folder: Path) -> None:
    """Keep the graph, its weights and the other files in its own folder."""
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_variants import list_weight_files

    is_own = files.graph.parent == files.folder
    for path in sorted(files.folder.iterdir()) if is_own else [files.graph, *list_weight_files(files.graph)]:
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
