"""Profiles a voice or a BERT: speaks, and says where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.adapters.ort.devices.device_trace import trace_runs
from app.common.progress import Report
from app.lab.lab_subject import LabSubject
from app.lab.profile.chrome_trace import format_trace
from app.lab.profile.operator_modules import OperatorModules, read_modules
from app.lab.profile.profile_diff import compare_profiles
from app.lab.profile.profile_rows import build_memory_rows, build_operator_rows, build_stage_rows
from app.lab.profile.profile_turns import ProfileTurn, choose_typical_turn, measure_turns
from app.lab.profile.profiled_speech import SpeakingWays, open_ways
from app.lab.repeat_rule import Repeats
from app.lab.report_rows import Row

COPY_COLUMNS = ("copy_in_ms", "run_ms", "copy_out_ms")


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Options of a profile: the text, the device and the number of runs.

    Attributes:
        bert: id or folder; None is the one that the voice names.
        depth: how many names of a module's path are kept.
    """

    text: str
    backend: str = "cpu"
    bert: str | None = None
    depth: int = 1
    repeats: Repeats = field(default_factory=Repeats)


@dataclass(frozen=True, slots=True)
class VoiceProfile:
    """All that was measured."""

    turns: Sequence[ProfileTurn]
    modules: dict[str, OperatorModules]
    rows: list[Row]
    memory: list[Row]

    def build_trace(self) -> str:
        """Return a typical turn as a Chrome trace."""
        return format_trace(choose_typical_turn(self.turns), self.modules, self.rows)

    def build_rows(self, earlier: Sequence[Row] | None) -> Iterator[Row]:
        """Yield all rows, beside those of an earlier profile if there is one."""
        yield from self.rows if earlier is None else compare_profiles(self.rows, earlier)
        yield from self.memory


def run_profile(subject: LabSubject, options: ProfileOptions, report: Report) -> VoiceProfile:
    """Profile a subject; raise the errors of opening a voice or BERT and of speaking."""
    ways = open_ways(subject, options.text, options.backend, options.bert)
    modules = {name: read_modules(name, graph, options.depth) for name, graph in ways.graphs.items()}
    turns = measure_turns(ways, options.repeats, report)
    rows = [*build_stage_rows(turns, _measure_copies(ways)), *build_operator_rows(turns, modules)]
    return VoiceProfile(turns, modules, rows, list(build_memory_rows(turns)))


def _measure_copies(ways: SpeakingWays) -> dict[str, Row]:
    """Return by graph the time for copying in, running and copying out, for the runs of one turn; nothing is copied on the CPU."""
    found: dict[str, Row] = {}
    for name, session in ways.sessions.items():
        parts = []
        for part in session.list_sessions():
            model, place, free = part.opened
            parts += [trace_runs(model, place, name, part.calls, free)] if part.calls else []
        if parts and all("error" not in part for part in parts):
            found[name] = {key: None if parts[0][key] is None else sum(part[key] for part in parts) for key in COPY_COLUMNS}
    return found
