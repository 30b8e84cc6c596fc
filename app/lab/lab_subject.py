"""A subject of the lab: a voice or a BERT, as it came and as it is prepared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.common.errors import InputError
from app.common.language import localize
from app.voices.bert_models import BertModel
from app.voices.prepared_voice import GraphSources, Voice
from app.voices.voice_manifest import map_int8_files

GraphForm = Literal["source", "prepared"]
BERT_GRAPHS_BY_PRECISION = {"float32": "bert", "int8": "bert_int8"}


@dataclass(frozen=True, slots=True)
class LabSubject:
    """A voice or a BERT.

    Attributes:
        name: shown to people.
        source: graphs as they came, by name (`whole` or `bert`); empty where only the prepared voice is there, or the file holds weights only.
        prepared: graphs as they run, by name; int8 ones end in `_int8`.
        voice, bert: one of them is there, unless only a graph is: of a stranger, or of a BERT that voices cannot use. A voice that cannot
            be prepared is its opaque self.
        reason: why a voice stays in one graph, a BERT in its own, or why there is neither; empty where there is nothing to say.
        weights: the safetensors file that it was prepared from, if any.
        installed: it lies in the library, and was proved before it came there; any other may be a stranger's.
    """

    name: str
    source: GraphSources = field(default_factory=dict)
    prepared: GraphSources = field(default_factory=dict)
    voice: Voice | None = None
    bert: BertModel | None = None
    reason: str = ""
    weights: Path | None = None
    installed: bool = False

    def require_runnable(self) -> None:
        """Raise InputError if the subject is neither a voice nor a BERT, so that it can neither speak nor read."""
        if self.voice is None and self.bert is None:
            still = localize(
                "グラフの構成、想定時間、割り当ては表示できます。", "Its graphs, expected times and placement can be shown all the same."
            )
            raise InputError(
                localize(
                    f"「{self.name}」は声でも、声が使用できる BERT でもありません。",
                    f"“{self.name}” is neither a voice nor a BERT that voices can use.",
                ),
                f"{self.reason} {still}".strip(),
            )

    def iterate_graphs(self) -> Iterator[tuple[GraphForm, str, Path | bytes]]:
        """Yield form, name and file of every graph."""
        for name, graph in self.source.items():
            yield "source", name, graph
        for name, graph in self.prepared.items():
            yield "prepared", name, graph


def create_bert_subject(bert: BertModel) -> LabSubject:
    """Create the subject of a prepared BERT."""
    prepared: GraphSources = {BERT_GRAPHS_BY_PRECISION[precision]: graph for precision, graph in bert.graphs.items()}
    return LabSubject(bert.name, {}, prepared, bert=bert, reason=bert.kept_whole)


def create_voice_subject(voice: Voice, source: GraphSources, reason: str = "") -> LabSubject:
    """Create the subject of a voice with its int8 graphs, if there are some."""
    prepared = dict(voice.graphs)
    for name, file in map_int8_files(voice.manifest).items():
        if (voice.path / file).is_file():
            prepared[f"{name}_int8"] = voice.path / file
    return LabSubject(voice.manifest.name, source, prepared, voice, reason=reason)
