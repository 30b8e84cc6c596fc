"""Our path and the reference configuration on the same files, in one process, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from app.adapters.ort.bert import OrtBert
from app.adapters.ort.reference import open_as_exported
from app.bench.home import Originals, OursReady
from app.bench.reference import Reference
from app.bench.stages import Figures, request_of, run_once
from app.bench.texts import LINES, text_of
from app.bench.turns import Ratio, column, ratio, take_turns
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.core.ports import BertRunner
from app.core.types import Float32, Int64, SynthesisRequest
from app.install.bert_check import least_cosine
from app.settings import PrecisionChoice
from app.sound_choice import SoundPrecision

BERT_TOKENS = 20
Turns = Callable[[str], Iterable[int]]


@dataclass(frozen=True, slots=True)
class BertResult:
    """How BERT did at BERT_TOKENS.

    Attributes:
        precision: that a user gets with this voice.
        ms: median by way: reference, exported, exact, auto.
        against_reference, against_exported: `exact` and `auto` → times faster.
        cosine_min: the token whose features are least like the reference's, `exact` and `auto`.
    """

    tokens: int
    precision: str
    ms: Mapping[str, float]
    against_reference: Mapping[str, Ratio]
    against_exported: Mapping[str, Ratio]
    cosine_min: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LineResult:
    """How one line did. `auto` is what a user gets, `exact` is float32 throughout, `fast` is `auto` with the voice's int8 graphs.

    Attributes:
        phones: symbols, blanks counted.
        frames: of each way.
        ms: median by way, the whole line.
        first_audio_ms: likewise, until the first sound.
        first_audio: the reference's whole line against our first sound.
        whole_line: against our whole line.
        synthesiser: the reference's one graph against our three.
        turns: every turn's total by way.
    """

    line: str
    phones: int
    tokens: int
    frames: Mapping[str, int]
    ms: Mapping[str, float]
    first_audio_ms: Mapping[str, float]
    first_audio: Mapping[str, Ratio]
    whole_line: Mapping[str, Ratio]
    synthesiser: Mapping[str, Ratio]
    turns: Mapping[str, list[float]] = field(repr=False)

    def values(self) -> dict[str, Any]:
        """For a JSON line."""
        return {key: value for key, value in asdict(self).items() if key != "turns"}


@dataclass(slots=True)
class Comparison:
    """Everything that takes turns, opened.

    Attributes:
        ours: way → speaker.
    """

    reference: Reference
    exported: OrtBert | None
    ours: dict[str, Speaker]

    @classmethod
    def opened(cls, originals: Originals, ready: OursReady) -> Comparison:
        """Opens both sides; the benchmark's own home has to be in force."""
        exported = OrtBert(open_as_exported(originals.exported, "BERT"), "") if originals.exported is not None else None
        return cls(Reference(originals), exported, open_ours(ready))

    def bert(self, turns: Turns) -> BertResult:
        """BERT alone."""
        ids = self.reference.tokenizer.encode(text_of(BERT_TOKENS))
        runners: dict[str, BertRunner] = {"reference": self.reference.bert}
        if self.exported is not None:
            runners["exported"] = self.exported
        runners |= {way: self.ours[way].pipeline.bert for way in ("exact", "auto")}
        rows: dict[str, Float32] = {}
        ways = {way: lambda way=way, runner=runner: _timed(way, runner, ids, rows) for way, runner in runners.items()}
        found = take_turns(ways, turns("BERT"))
        ms = {way: column(figures, "ms") for way, figures in found.items()}
        ours = [way for way in ms if way not in ("reference", "exported")]
        return BertResult(
            tokens=len(ids),
            precision=precision_of(self.ours["auto"]),
            ms={way: float(np.median(values)) for way, values in ms.items()},
            against_reference={way: ratio(ms["reference"], ms[way]) for way in ours},
            against_exported={way: ratio(ms["exported"], ms[way]) for way in ours} if "exported" in ms else {},
            cosine_min={way: least_cosine([rows["reference"]], [rows[way]]) for way in ours},
        )

    def line(self, name: str, turns: Turns) -> LineResult:
        """One line, from text to sound, nothing remembered."""
        request = request_of_line(self.ours["auto"], LINES[name])
        ways: dict[str, Callable[[], Figures]] = {"reference": lambda: self.reference.speak(request)}
        ways |= {way: lambda speaker=speaker: run_once(speaker, request, cached=False) for way, speaker in self.ours.items()}  # type: ignore[misc]
        found = take_turns(ways, turns(name))
        whole = {way: column(figures, "total") for way, figures in found.items()}
        first = {way: column(figures, "first_audio") for way, figures in found.items()}
        phones = self.ours["auto"].pipeline.g2p.convert(LINES[name])
        return LineResult(
            line=name,
            phones=2 * len(phones.phones) + 1,
            tokens=len(phones.text) + 2,
            frames={way: round(figures[-1]["frames"]) for way, figures in found.items()},
            ms={way: float(np.median(values)) for way, values in whole.items()},
            first_audio_ms={way: float(np.median(values)) for way, values in first.items()},
            first_audio={way: ratio(whole["reference"], first[way]) for way in self.ours},
            whole_line={way: ratio(whole["reference"], whole[way]) for way in self.ours},
            synthesiser={way: ratio(column(found["reference"], "synthesis"), column(found[way], "synthesis")) for way in self.ours},
            turns=whole,
        )


def open_ours(ready: OursReady) -> dict[str, Speaker]:
    """Speakers by way; `fast` where graphs of the voice passed their check in int8."""
    ours = {"auto": open_one(ready), "exact": open_one(ready, precision="float32")}
    faster = open_one(ready, sound="fast", like=ours["auto"])
    return ours | ({"fast": faster} if faster.fast_graphs else {})


def open_one(
    ready: OursReady, precision: PrecisionChoice = "auto", sound: SoundPrecision = "exact", like: Speaker | None = None
) -> Speaker:
    """A speaker as a user has it, but that features are never taken from the disk."""
    speaker = open_speaker(ready.voice, "cpu", bert=ready.bert, force_bert=True, precision=precision, sound=sound, like=like)
    speaker.pipeline.caches.stored = None
    return speaker


def precision_of(speaker: Speaker) -> str:
    """That its BERT runs in."""
    return "int8" if "int8" in speaker.models["bert"].stem else "float32"


def request_of_line(speaker: Speaker, text: str) -> SynthesisRequest:
    """Durations without noise, so that both sides speak equally long; that changes nothing of what is computed."""
    return replace(request_of(speaker, text), noise_w=0.0, sdp_ratio=0.0)


def whole_line(lines: Iterable[LineResult], way: str) -> Ratio | None:
    """All lines together, turn by turn; None where there is no such way."""
    known = list(lines)
    if any(way not in item.turns for item in known):
        return None
    slow, fast = (np.sum([item.turns[name] for item in known], axis=0) for name in ("reference", way))
    return ratio(slow.tolist(), fast.tolist())


def _timed(way: str, runner: BertRunner, ids: Int64, rows: dict[str, Float32]) -> Figures:
    began = time.perf_counter()
    rows[way] = runner.run(ids)
    return {"ms": (time.perf_counter() - began) * 1000}
