"""The results of preparing a file; the work itself is in `app.install.voice_preparation` and `app.install.bert_preparation`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.common.progress import Report
from app.voices.bert_models import BertPrecision
from app.voices.prepare.bert.deberta_weights import DebertaSizes
from app.voices.prepared_voice import VoiceManifest


@dataclass(frozen=True, slots=True)
class PreparationResult:
    """The result of preparing a voice."""

    manifest: VoiceManifest
    max_abs_diff: float | None  # of a sample from the source; None where there is no graph to compare with (weights, opaque voices)
    reason: str | None  # why the voice stays in one graph ("opaque"), in the language of the user; None when it does not


PrepareVoice = Callable[[Path, Path, Report], PreparationResult]  # writes the prepared voice of a source into an empty folder


@dataclass(frozen=True, slots=True)
class BertPreparationResult:
    """The result of preparing a BERT file."""

    architecture: DebertaSizes
    files: dict[BertPrecision, str]  # name of the graph by precision
    max_rel_diff: float  # from the source, relative to the largest feature
    int8_cosine: float | None = None  # of int8 and float32 features, at worst; None where int8 did not pass
    int8_block: int | None = None  # how many numbers share a scale in int8; None where it did not pass
    kept_whole: str | None = None  # why the source's own graph is used; None when the lean one is

    def build_description(self) -> dict[str, Any]:
        """Return the results as `bert.json` has them."""
        values = {
            "hidden_size": self.architecture.hidden,
            "layers": self.architecture.layers,
            "files": self.files,
            "max_rel_diff": self.max_rel_diff,
            "int8_cosine": self.int8_cosine,
            "int8_block": self.int8_block,
            "kept_whole": self.kept_whole,
        }
        return {key: value for key, value in values.items() if value is not None}
