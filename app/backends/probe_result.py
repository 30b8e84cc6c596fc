"""The result of a candidate, whether it is good enough, and the choice of the fastest one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.adapters.ort.device_placement import GRAPH_GROUPS, GROUP_OF_GRAPH, DevicePlacement, parse_placement
from app.adapters.ort.devices.output_difference import find_tolerance
from app.common.errors import BackendError
from app.common.language import localize

# What first audio and total must both come down to, on the average, before the CPU is left.
MIN_COST_GAIN = 0.9


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


def evaluate_trial(place: str, trial_line: dict[str, Any]) -> ProbeResult:
    """Return whether what a trial found is good enough. Differences that are not finite came as null."""
    diffs: dict[str, float | None] = trial_line["max_abs_diff"]
    tolerance = find_tolerance(parse_placement(place).list_places(), is_half_precision=trial_line["half"])
    wrong = [group for group, value in diffs.items() if value is None or value > tolerance]
    worst = None if None in diffs.values() else max((value for value in diffs.values() if value is not None), default=None)
    reason = trial_line["fallback"]
    if wrong and reason is None:
        reason = localize("計算結果が CPU と異なります: ", "Its results differ from the CPU's: ") + ", ".join(wrong)
    return ProbeResult(
        backend=place,
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


def parse_result(place: str, stored: dict[str, Any]) -> ProbeResult:
    """Return a result as it was kept; raise ValueError if the data are none."""
    values = {name: stored[name] for name in _FIELD_CHECKS if name in stored}
    if not all(_FIELD_CHECKS[name](value) for name, value in values.items()):
        raise ValueError("no finding")
    return ProbeResult(place, **values)


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
            wanted = getattr(placement, group)
            where = "cpu" if _is_on_cpu(finding, group) else wanted
            # Times of graphs that did not stay where they were put say nothing new.
            if where == wanted:
                best[group] = min(best.get(group, (float("inf"), "")), (finding.group_ms[group], where))
    if len({place for _, place in best.values()}) < 2:
        return None
    return str(
        DevicePlacement(**{group: best.get(group, (0.0, "cpu"))[1] for group in GRAPH_GROUPS})
    )  # an opaque voice has no prosody of its own


def _is_on_cpu(finding: ProbeResult, group: str) -> bool:
    return any(backend == "cpu" for graph, backend in finding.ran_on.items() if GROUP_OF_GRAPH[graph] == group)


def choose_fastest(results: list[ProbeResult]) -> ProbeResult:
    """Return the usable result with the least cost: the CPU's unless another is clearly faster."""
    cpu = results[0]
    if not cpu.ok:
        raise BackendError(localize("CPU での音声合成に失敗しました。", "Synthesis failed even on the CPU."), cpu.reason or "")
    best = min((item for item in results if item.ok), key=lambda item: item.cost)
    return best if best.cost <= MIN_COST_GAIN**2 * cpu.cost else cpu
