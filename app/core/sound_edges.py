"""Moves the borders between the phones of a sentence and its pauses to where its sound begins and ends.

A voice says how many frames each phone has, but its sound may begin late in a phone, or fade long before the frames of the last one end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.core.phone_ids import NO_INDEX, map_phones_to_moras
from app.core.synthesis_types import Float32, PhoneTiming

AUDIBLE_SHARE = 0.01
"""Of the highest peak of a sentence, -40 dB: what stays below is heard as silence."""
LEAST_SILENCE_S = 0.02
# A devoiced vowel at the end has no sound of its own, and a stop at the beginning little; each keeps this much.
LEAST_PHONE_S = 0.02


def find_sounding_span(peaks: Float32, bin_s: float) -> tuple[float, float] | None:
    """Return the seconds [start, end) in which a sentence is heard, None where it nowhere is; `peaks` (n,) has one of each `bin_s`."""
    audible = np.flatnonzero(_find_audible_bins(peaks))
    return (float(audible[0]) * bin_s, float(audible[-1] + 1) * bin_s) if len(audible) else None


def fit_timings_to_sound(timings: Sequence[PhoneTiming], peaks: Float32, bin_s: float) -> tuple[PhoneTiming, ...]:
    """Return the timings of a sentence with each pause where nothing is heard.

    Args:
        timings: of all its phones, as the voice's frames have them.
        peaks: the loudest sample of every `bin_s`, float32 (n,), from the first sample of the sentence on.
        bin_s: in seconds.
    """
    audible = _find_audible_bins(peaks)
    if not audible.any():
        return tuple(timings)
    borders = [timings[0].start_s, *(timing.end_s for timing in timings)]
    for first, end in _iterate_pauses([timing.phone for timing in timings]):
        if (silence := _find_silence(borders, first, end, audible, bin_s)) is not None:
            _move_borders(borders, first, end, *silence)
    # A phone between two pauses may be shorter than what each of them leaves to it.
    ordered = np.minimum(np.maximum.accumulate(borders), borders[-1]).tolist()
    return tuple(replace(timing, start_s=start, end_s=end) for timing, start, end in zip(timings, ordered[:-1], ordered[1:], strict=True))


def _find_audible_bins(peaks: Float32) -> NDArray[np.bool_]:
    audible: NDArray[np.bool_] = peaks > AUDIBLE_SHARE * peaks.max(initial=0.0)
    return audible


def _iterate_pauses(phones: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the indices [first, end) of each run of marks and `_`."""
    is_pause = [mora == NO_INDEX for mora in map_phones_to_moras(phones)]
    for first in range(len(phones)):
        if is_pause[first] and not (first and is_pause[first - 1]):
            yield first, next((index for index in range(first, len(phones)) if not is_pause[index]), len(phones))


def _find_silence(borders: Sequence[float], first: int, end: int, audible: NDArray[np.bool_], bin_s: float) -> tuple[float, float] | None:
    """Return the seconds of the longest silence between the last phone before a pause and the first one behind it, None where there is none."""
    is_opening, is_closing = first == 0, end == len(borders) - 1
    # The last phone may have sounded before its own frames, in its consonant; the first one may be heard after them, as a stop's burst.
    searched_s = borders[max(0, first - 2)], borders[min(end + 2, len(borders) - 1)]
    low, high = (min(len(audible), round(second / bin_s)) for second in searched_s)
    sounding = np.flatnonzero(audible[low:high]) + low
    if not len(sounding):
        return None
    # What is outside the sentence is silent, whatever is heard of its sound.
    edges = np.concatenate(([low - 1 if is_opening else sounding[0]], sounding, [high if is_closing else sounding[-1]]))
    gap = 0 if is_opening else len(edges) - 2 if is_closing else int(np.argmax(np.diff(edges)))
    start_s, end_s = float(edges[gap] + 1) * bin_s, float(edges[gap + 1]) * bin_s
    start_s, end_s = borders[0] if is_opening else start_s, borders[-1] if is_closing else end_s
    touches_pause = start_s <= borders[end] and end_s >= borders[first]
    return (start_s, end_s) if is_opening or is_closing or (touches_pause and end_s - start_s >= LEAST_SILENCE_S) else None


def _move_borders(borders: list[float], first: int, end: int, start_s: float, end_s: float) -> None:
    """Put a pause of the phones [first, end) into these seconds, in place; the phones around it keep a little of the sound."""
    if first:
        borders[first] = start_s
        borders[first - 1] = min(borders[first - 1], max(borders[max(0, first - 2)], start_s - LEAST_PHONE_S))
    if end < len(borders) - 1:
        borders[end] = end_s
        borders[end + 1] = max(borders[end + 1], min(end_s + LEAST_PHONE_S, borders[min(end + 2, len(borders) - 1)]))
    for index in range(first + 1, end):
        borders[index] = min(max(borders[index], start_s), end_s)
