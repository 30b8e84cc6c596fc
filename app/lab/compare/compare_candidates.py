"""The candidates of a comparison, and the time of every graph in turns; the processors' energy too, where Linux reports it (RAPL).

A candidate is a backend, a precision, a level of optimisation and a form of the graphs.
"""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.graph_session import RunnableSession
from app.adapters.ort.lab_sessions import open_at_level, write_ort
from app.bench.repeated_runs import Repeats, take_turns
from app.bench.stage_timing import RunFigures
from app.common.progress import Report, ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import open_subject
from app.lab.report_rows import INT8_SUFFIX

CANDIDATE_FORMS = ("source", "prepared", "ort")
CANDIDATE_PRECISIONS = ("float32", "int8")

TOTAL_FIGURE = "total"
JOULES_FIGURE = "joules"
ValuesByGraph = Mapping[str, Mapping[str, Any]]  # graph → what it is given
POWERCAP = Path("/sys/class/powercap")


@dataclass(frozen=True, slots=True)
class CompareCandidate:
    """One way to run all graphs of a subject."""

    place: str
    precision: str
    level: str
    form: str

    @property
    def name(self) -> str:
        return f"{self.place} {self.precision} {self.level} {self.form}"


@dataclass(frozen=True, slots=True)
class CandidateSessions:
    """A candidate that can run: its sessions, which graphs are its own and not the exact candidate's, and what opening all of them took."""

    candidate: CompareCandidate
    sessions: Mapping[str, RunnableSession]
    own_graphs: frozenset[str]
    open_ms: float


@dataclass(frozen=True, slots=True)
class CandidateGraphs:
    """Files of graphs by name: the prepared ones and those that came."""

    prepared: Mapping[str, Path]
    source: Mapping[str, Path]

    def choose_files(self, candidate: CompareCandidate) -> dict[str, Path]:
        """Return the files of a candidate, in int8 if there are some."""
        if candidate.form == "source":
            return dict(self.source)
        exact = {name: file for name, file in self.prepared.items() if not name.endswith(INT8_SUFFIX)}
        if candidate.precision == "float32":
            return exact
        return {name: self.prepared.get(name + INT8_SUFFIX, file) for name, file in exact.items()}


def list_candidates(
    graphs: CandidateGraphs, places: Sequence[str], levels: Sequence[str], precisions: Sequence[str], forms: Sequence[str]
) -> list[CompareCandidate]:
    """Return all possible candidates: original graphs are exact only, and ONNX Runtime's own format is made for the CPU and optimised already."""
    combinations = (CompareCandidate(*parts) for parts in itertools.product(places, precisions, levels, forms))
    return [item for item in combinations if _is_possible(item, graphs)]


def _is_possible(candidate: CompareCandidate, graphs: CandidateGraphs) -> bool:
    if candidate.precision == "int8" and not any(name.endswith(INT8_SUFFIX) for name in graphs.prepared):
        return False
    if candidate.form == "source":
        return bool(graphs.source) and candidate.precision == "float32"
    if candidate.form == "ort":
        return candidate.place == "cpu" and candidate.level == "all"
    return BACKENDS[parse_backend(candidate.place)].takes_any_size or (candidate.level, candidate.precision) == ("all", "float32")


def open_candidate(candidate: CompareCandidate, subject: LabSubject, graphs: CandidateGraphs, folder: Path) -> CandidateSessions:
    """Open all graphs of a candidate, one after the other, ONNX Runtime's own format in a folder; raise AppError if one does not open."""
    if not BACKENDS[parse_backend(candidate.place)].takes_any_size and subject.voice is not None:
        return _open_as_spoken(candidate, subject)
    files = graphs.choose_files(candidate)
    if candidate.form == "ort":
        files = {name: _write_ort_copy(name, file, candidate, folder) for name, file in files.items()}
    began = time.perf_counter()
    sessions: dict[str, RunnableSession] = {
        name: open_at_level(file, candidate.level, f"{candidate.name}: {name}", place=candidate.place) for name, file in files.items()
    }
    spent = (time.perf_counter() - began) * 1000
    own_graphs = {name for name in files if candidate.precision == "float32" or name + INT8_SUFFIX in graphs.prepared}
    return CandidateSessions(candidate, sessions, frozenset(own_graphs), spent)


def _open_as_spoken(candidate: CompareCandidate, subject: LabSubject) -> CandidateSessions:
    """Open the sessions that speech uses, on a device that computes fixed sizes only."""
    assert subject.voice is not None
    began = time.perf_counter()
    speaker = open_subject(subject, candidate.place)
    speaker.wait_for_devices()
    spent = (time.perf_counter() - began) * 1000
    sessions = {name: speaker.sessions[name] for name in subject.voice.graphs}
    return CandidateSessions(candidate, sessions, frozenset(sessions), spent)


def _write_ort_copy(name: str, file: Path, candidate: CompareCandidate, folder: Path) -> Path:
    target = folder / f"{name}_{candidate.precision}.ort"
    if not target.is_file():
        write_ort(file, target)
    return target


class EnergyMeter:
    """Counters of all processor packages, if the system reports energy; each starts over at its own limit."""

    def __init__(self, root: Path = POWERCAP) -> None:
        # AMD's are called so, too.
        packages = sorted(root.glob("intel-rapl:*")) if root.is_dir() else []
        self._counters = [folder for folder in packages if folder.name.count(":") == 1 and _read_number(folder / "energy_uj") is not None]
        self.is_available = bool(self._counters)

    def read_counters(self) -> list[int]:
        """Return the microjoules by package."""
        return [_read_number(folder / "energy_uj") or 0 for folder in self._counters]

    def compute_joules_since(self, before: list[int]) -> float:
        """Compute the energy in J that all packages used since a reading, the other programs of the machine included."""
        ranges = [_read_number(folder / "max_energy_range_uj") or 0 for folder in self._counters]
        microjoules = (
            count - earlier if count >= earlier else count - earlier + most
            for earlier, count, most in zip(before, self.read_counters(), ranges, strict=True)
        )
        return sum(microjoules) / 1e6


@dataclass(frozen=True, slots=True)
class CandidateTimings:
    """One candidate on one sentence: milliseconds by graph, those of the first run apart, then turn by turn."""

    opened: CandidateSessions
    cold: RunFigures
    warm: list[RunFigures] = field(default_factory=list)


def measure_candidates(
    opened: Mapping[str, CandidateSessions],
    values: Mapping[str, ValuesByGraph],
    repeats: Repeats,
    meter: EnergyMeter,
    report: Report = ignore_report,
) -> dict[str, CandidateTimings]:
    """Run every candidate on one sentence, in turns; candidates and their inputs are by name."""
    ways = {name: partial(_measure_run, item, values[name], meter) for name, item in opened.items()}
    cold = {name: way() for name, way in ways.items()}
    warm = take_turns(ways, repeats.iterate_turns(len(ways), report))
    return {name: CandidateTimings(opened[name], cold[name], warm[name]) for name in opened}


def _measure_run(opened: CandidateSessions, values: ValuesByGraph, meter: EnergyMeter) -> RunFigures:
    before = meter.read_counters()
    figures = {}
    for name, session in opened.sessions.items():
        inputs = dict(values[name])
        began = time.perf_counter()
        session.run_graph(inputs)
        figures[name] = (time.perf_counter() - began) * 1000
    figures[TOTAL_FIGURE] = sum(figures.values())
    if meter.is_available:
        figures[JOULES_FIGURE] = meter.compute_joules_since(before)
    return figures


def collect_figure(turns: Sequence[RunFigures], graph: str) -> list[float]:
    """Return one figure, turn by turn; empty if it was not measured."""
    return [figures[graph] for figures in turns if graph in figures]


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # only the administrator may read it
        return None
