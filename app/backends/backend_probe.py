"""Tries every backend with one voice, each in a child process with a time limit, and remembers the fastest that computes right.

A driver may crash, hang or compute nonsense: the child is what suffers. One that crashed or hung is left alone for a growing while.
"""

import math
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.adapters.ort.backends import find_tolerance
from app.adapters.ort.device_placement import CPU_ONLY, GRAPH_GROUPS, GROUP_OF_GRAPH, DevicePlacement, parse_placement
from app.adapters.ort.devices.ort_devices import BackendDevice, find_effective_device, has_device, list_places
from app.adapters.ort.optimized_graphs import measure_graph_bytes
from app.common.errors import AppError, BackendError, InternalError
from app.common.files import paths
from app.common.files.untrusted_json import parse_object_lines
from app.common.language import choose_by_frontend, localize
from app.common.processes.launch import run_own_program
from app.common.progress import Report, ignore_report
from app.common.system_errors import describe_reason
from app.compose.device_opening import open_device_journal
from app.compose.disk_stores import open_probe_memory
from app.compose.speaker_plan import collect_choice_facts, guess_placement
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import find_bert
from app.voices.installed_voices import find_voice

RESERVED_DEVICE_MB = 512  # what a desktop and the activations of a long sentence take in addition to the weights

TRIAL_TIME_LIMIT_S = 300.0
RECORD_TRIAL = "record"

MIN_COST_GAIN = 0.9  # what first audio and total must both come down to, on the average, before the CPU is left


@dataclass(frozen=True, slots=True)
class TrialExit:
    """The end of a child: a line, or an error."""

    line: dict[str, Any] | None = None
    error: str | None = None
    has_crashed: bool = False


def run_trial(trial: str, voice_name: str | None, runs_file: Path) -> TrialExit:
    """Try a placement in a child, or with RECORD_TRIAL keep the CPU's results of every graph in `runs_file`; raise InternalError if no child starts."""
    arguments = ["backends", "--trial", trial, "--calls", str(runs_file), "--json"]
    if voice_name is not None:
        arguments += ["--voice", voice_name]
    try:
        done = run_own_program(*arguments, timeout_s=TRIAL_TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        seconds = round(TRIAL_TIME_LIMIT_S)
        return TrialExit(
            error=localize(f"{seconds} 秒以内に終わりませんでした。", f"It did not finish within {seconds} s."), has_crashed=True
        )
    except OSError as exc:
        raise InternalError(
            localize("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({describe_reason(exc)})"
        ) from exc
    lines = list(parse_object_lines(done.stdout.decode("utf-8", "replace")))
    if not lines:
        return TrialExit(
            error=localize(f"異常終了しました。（コード {done.returncode}）", f"The process crashed (exit code {done.returncode})."),
            has_crashed=True,
        )
    line = lines[-1]
    error = line.get("error")
    if isinstance(error, dict):
        return TrialExit(error=f"{error.get('message', '')} {error.get('hint', '')}".strip())
    return TrialExit(line=line)


@dataclass(slots=True)
class ProbeResult:
    """The result of one candidate, a place or a placement; `ok` is None where it was not tried, and `chosen` is what "auto" takes."""

    backend: str
    adapter: str = ""
    ok: bool | None = None
    max_abs_diff: float | None = None
    first_audio_ms: float | None = None
    total_ms: float | None = None
    chosen: bool = False
    reason: str | None = None
    crashed: bool = False
    ran_on: dict[str, str] = field(default_factory=dict)
    diffs: dict[str, float | None] = field(default_factory=dict)
    group_ms: dict[str, float] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """Return the cost, in which first audio and total count the same."""
        return (self.first_audio_ms or float("inf")) * (self.total_ms or float("inf"))


def evaluate_trial(device: str, trial_line: dict[str, Any]) -> ProbeResult:
    """Return whether what a trial found is good enough. Differences that are not finite came as null."""
    diffs: dict[str, float | None] = trial_line["max_abs_diff"]
    tolerance = find_tolerance(parse_placement(device).list_places(), is_half_precision=trial_line["half"])
    wrong = [group for group, value in diffs.items() if value is None or value > tolerance]
    worst = None if None in diffs.values() else max((value for value in diffs.values() if value is not None), default=None)
    reason = trial_line["fallback"]
    if wrong and reason is None:
        reason = localize("計算結果が CPU と異なります: ", "Its results differ from the CPU's: ") + ", ".join(wrong)
    return ProbeResult(
        backend=device,
        ok=reason is None,
        max_abs_diff=worst,
        first_audio_ms=trial_line["first_audio_ms"],
        total_ms=trial_line["total_ms"],
        reason=reason,
        ran_on=trial_line["ran_on"],
        diffs={group: None if group in wrong else value for group, value in diffs.items()},
        group_ms=trial_line["group_ms"],
        trace=trial_line["trace"],
    )


def parse_result(device: str, stored: dict[str, Any]) -> ProbeResult:
    """Return a result as it was kept; raise ValueError if the data are none."""
    values = {name: stored[name] for name in _FIELD_CHECKS if name in stored}
    if not all(_FIELD_CHECKS[name](value) for name, value in values.items()):
        raise ValueError("no finding")
    return ProbeResult(device, **values)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_number_or_none(value: Any) -> bool:
    return value is None or _is_number(value)


def _check_each(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(check(item) for item in value.values())


_FIELD_CHECKS: dict[str, Callable[[Any], bool]] = {
    "adapter": lambda value: isinstance(value, str),
    "ok": lambda value: value is None or isinstance(value, bool),
    "max_abs_diff": _is_number_or_none,
    "first_audio_ms": _is_number_or_none,
    "total_ms": _is_number_or_none,
    "reason": lambda value: value is None or isinstance(value, str),
    "crashed": lambda value: isinstance(value, bool),
    "ran_on": _check_each(lambda value: isinstance(value, str)),
    "diffs": _check_each(_is_number_or_none),
    "group_ms": _check_each(_is_number),
    "trace": lambda value: isinstance(value, list),
}


def find_best_mix(results: list[ProbeResult]) -> str | None:
    """Return a placement that takes for each group the place where it was fastest and right; None if one place alone is that."""
    best: dict[str, tuple[float, str]] = {}
    for finding in results:
        placement = parse_placement(finding.backend)
        for group in GRAPH_GROUPS:
            if finding.diffs.get(group) is None or group not in finding.group_ms or (group == "prosody" and placement.flow):
                continue
            device = getattr(placement, group)
            is_on_cpu = any(backend == "cpu" for graph, backend in finding.ran_on.items() if GROUP_OF_GRAPH[graph] == group)
            where = "cpu" if is_on_cpu else device
            # Times of graphs that did not stay where they were put say nothing new.
            if where == device:
                best[group] = min(best.get(group, (float("inf"), "")), (finding.group_ms[group], where))
    if len({device_name for _, device_name in best.values()}) < 2:
        return None
    return str(
        DevicePlacement(**{group: best.get(group, (0.0, "cpu"))[1] for group in GRAPH_GROUPS})
    )  # an opaque voice has no prosody of its own


def choose_fastest(results: list[ProbeResult]) -> ProbeResult:
    """Return the usable result with the least cost: the CPU's unless another is clearly faster."""
    cpu = results[0]
    if not cpu.ok:
        raise BackendError(localize("CPU での音声合成に失敗しました。", "Synthesis failed even on the CPU."), cpu.reason or "")
    best = min((item for item in results if item.ok), key=lambda item: item.cost)
    return best if best.cost <= MIN_COST_GAIN**2 * cpu.cost else cpu


class BackendProbe:
    """The candidates of this machine for one voice: its id, name or path; None is the first one."""

    def __init__(self, voice_name: str | None = None) -> None:
        voice = find_voice(voice_name, paths.list_voice_dirs())
        settings = load_usable_settings()
        # For times, any BERT will do; a voice may need none.
        needed = voice.manifest.bert
        bert = find_bert(needed, paths.list_bert_dirs(), allow_mismatch=True, preferred_id=settings.bert) if needed else None
        self._voice_name = voice_name
        self._facts = collect_choice_facts(voice, bert)
        self._guess = str(guess_placement(voice))
        self._weights_mb = {"bert": bert.size_bytes / 2**20 if bert is not None else 0.0}  # by graph
        self._weights_mb |= {name: measure_graph_bytes(graph) / 2**20 for name, graph in voice.graphs.items()}
        self._memory = open_probe_memory()

    def list_known_results(self) -> list[ProbeResult]:
        """Return what is remembered, and what has not been tried."""
        trials = self._memory.find_trials(*self._facts)
        chosen = self._memory.find_placement(*self._facts) or self._guess
        results = [self._restore_result(place, trials.get(place)) for place in dict.fromkeys([*list_places(), *trials, chosen])]
        for finding in results:
            finding.chosen = finding.backend == chosen
        return results

    def run_trials(self, report: Report = ignore_report, *, should_retry: bool = False) -> Iterator[ProbeResult]:
        """Try all candidates, also what crashed not long ago if `should_retry`, and remember the fastest; raise BackendError if not even the CPU speaks."""
        candidates = self.list_candidates()
        with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
            calls = Path(folder) / "calls.npz"
            report("checking", 0.0)
            recorded = run_trial(RECORD_TRIAL, self._voice_name, calls)
            if recorded.error is not None:
                raise BackendError(localize("CPU での音声合成に失敗しました。", "Synthesis failed even on the CPU."), recorded.error)
            results: list[ProbeResult] = []
            for index, place in enumerate(candidates):
                report("checking", (index + 1) / (len(candidates) + 2))
                results.append(_build_skipped_result(place, results) or self._try_place(place, calls, should_retry=should_retry))
            mixed = find_best_mix(results)
            if mixed is not None and mixed not in candidates:
                results.append(self._try_place(mixed, calls, should_retry=should_retry))
            chosen = choose_fastest(results)
            # Other programs may have slowed the CPU down just then: it gets a second chance.
            if chosen is not results[0]:
                results[0] = min(
                    results[0], self._try_place(results[0].backend, calls, should_retry=should_retry), key=lambda finding: finding.cost
                )
                chosen = choose_fastest(results)
        chosen.chosen = True
        self._memory.save_placement(chosen.backend, *self._facts)
        report("checking", 1.0)
        yield from results

    def list_candidates(self) -> list[str]:
        """Return the CPU, then for every device each group of graphs by itself, the decoder first, what it gets by default, and all of them."""
        candidates, groups = ["cpu"], {GROUP_OF_GRAPH[graph] for graph in self._weights_mb}
        for device in filter(has_device, list_places()[1:]):
            candidates += [str(replace(CPU_ONLY, **{group: device})) for group in reversed(GRAPH_GROUPS) if group in groups]
            candidates += [device, str(DevicePlacement(device, device, device))]
        return list(dict.fromkeys(candidates))

    def _try_place(self, place: str, runs_file: Path, *, should_retry: bool) -> ProbeResult:
        if (refusal := self._explain_too_soon(place, should_retry=should_retry)) is not None:
            return ProbeResult(place, _find_device_name(place), False, reason=refusal, crashed=True)
        if (refusal := self._explain_too_small(place)) is not None:
            return ProbeResult(place, _find_device_name(place), False, reason=refusal)
        self._memory.begin_trial(place, *self._facts)
        try:
            done = run_trial(place, self._voice_name, runs_file)
        except KeyboardInterrupt:
            self._memory.cancel_trial(place, *self._facts)
            raise
        finding = _evaluate_exit(place, done)
        finding.adapter = _find_device_name(place)
        self._memory.end_trial(place, asdict(finding), *self._facts)
        if should_retry and finding.ok:
            for item in list_placement_devices(place):
                open_device_journal().forget_device(item)
        return finding

    def _explain_too_soon(self, place: str, *, should_retry: bool) -> str | None:
        """Return whether a place crashed or hung not long ago."""
        wait_s = 0.0 if should_retry or place == "cpu" else self._memory.compute_retry_delay(place, *self._facts)
        if not wait_s:
            return None
        hours = max(1, round(wait_s / 3600))
        words = localize(
            f"前回、異常終了しました。約 {hours} 時間後に再び試します。",
            f"It crashed or hung last time and will be tried again in about {hours} h.",
        )
        return words + choose_by_frontend("", localize("（--retry ですぐに試せます）", " (--retry tries it now)"))

    def _explain_too_small(self, place: str) -> str | None:
        """Return whether a device lacks room for the groups that are put there."""
        placement = parse_placement(place)
        for item in list_placement_devices(place):
            device = _find_device(item)
            needed = RESERVED_DEVICE_MB + sum(size for graph, size in self._weights_mb.items() if placement.find_place(graph) == item)
            if device is not None and device.memory_mb is not None and device.memory_mb < needed:
                return localize(
                    f"メモリーが足りません: {device.memory_mb} MB（約 {needed:.0f} MB 必要です）。",
                    f"Not enough memory: {device.memory_mb} MB, about {needed:.0f} MB required.",
                )
        return None

    def _restore_result(self, device: str, trial: dict[str, Any] | None) -> ProbeResult:
        line = (trial or {}).get("line")
        if isinstance(line, dict):
            with suppress(ValueError):
                return parse_result(device, line)
        elif trial is not None:  # begun and never ended
            reason = localize("測定中に異常終了しました。", "The program ended while it was being tried.")
            return ProbeResult(device, _find_device_name(device), False, reason=reason, crashed=True)
        reason = localize("まだ測定していません。", "Not measured yet.") + choose_by_frontend("", " (koebako backends --probe)")
        return ProbeResult(device, _find_device_name(device), reason=reason)


def _build_skipped_result(device: str, results: list[ProbeResult]) -> ProbeResult | None:
    """Return the result for a place on a device that crashed or hung a moment ago with other graphs, without a trial: each hang takes minutes."""
    crashed: set[str] = set().union(*(list_placement_devices(finding.backend) for finding in results if finding.crashed))
    if not crashed & list_placement_devices(device):
        return None
    reason = localize("このデバイスは直前の測定で異常終了しました。", "The device crashed or hung in the trial before.")
    return ProbeResult(device, _find_device_name(device), False, reason=reason)


def _evaluate_exit(device: str, trial_exit: TrialExit) -> ProbeResult:
    """Return how a trial went; a child that says what no trial says is as good as one that crashed."""
    if trial_exit.line is None:
        return ProbeResult(device, ok=False, reason=trial_exit.error, crashed=trial_exit.has_crashed)
    try:
        # As it will be read again.
        return parse_result(device, asdict(evaluate_trial(device, trial_exit.line)))
    except (ValueError, LookupError, TypeError, AttributeError):
        return ProbeResult(device, ok=False, reason=localize("結果を読み込めません。", "Its result could not be read."), crashed=True)


def list_placement_devices(place: str) -> set[str]:
    """Return the places of a placement that are not the CPU."""
    return parse_placement(place).list_places() - {"cpu"}


def _find_device(place: str) -> BackendDevice | None:
    """Return the adapter of a place, or the first of a placement; None if there is none, or if it was removed."""
    try:
        return next((find_effective_device(item) for item in sorted(list_placement_devices(place))), None)
    except AppError:
        return None


def _find_device_name(place: str) -> str:
    device = _find_device(place)
    return device.name if device else ""
