"""What the lab looks at: a voice or a BERT, as it came and as it is prepared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.errors import InputError
from app.language import localized
from app.voices.bert import Bert
from app.voices.manifest import fast_files
from app.voices.voice import Graphs, Voice

Form = Literal["source", "prepared"]
BERT_GRAPHS = {"float32": "bert", "int8": "bert_int8"}


@dataclass(frozen=True, slots=True)
class Subject:
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
    source: Graphs = field(default_factory=dict)
    prepared: Graphs = field(default_factory=dict)
    voice: Voice | None = None
    bert: Bert | None = None
    reason: str = ""
    weights: Path | None = None
    installed: bool = False

    def require_runs(self) -> None:
        """Raises InputError where it is neither a voice nor a BERT, so that nothing can be spoken or read."""
        if self.voice is None and self.bert is None:
            still = localized(
                "グラフの構成、想定時間、割り当ては表示できます。", "Its graphs, expected times and placement can be shown all the same."
            )
            raise InputError(
                localized(
                    f"「{self.name}」は声でも、声が使用できる BERT でもありません。",
                    f"“{self.name}” is neither a voice nor a BERT that voices can use.",
                ),
                f"{self.reason} {still}".strip(),
            )

    def forms(self) -> Iterator[tuple[Form, str, Path | bytes]]:
        """Every graph there is: form, name and file."""
        for name, graph in self.source.items():
            yield "source", name, graph
        for name, graph in self.prepared.items():
            yield "prepared", name, graph


def of_bert(bert: Bert) -> Subject:
    """A prepared BERT."""
    prepared: Graphs = {BERT_GRAPHS[precision]: graph for precision, graph in bert.graphs.items()}
    return Subject(bert.name, {}, prepared, bert=bert, reason=bert.kept_whole)


def of_voice(voice: Voice, source: Graphs, reason: str = "") -> Subject:
    """A voice with its int8 graphs, where it has some."""
    prepared = dict(voice.graphs)
    for name, file in fast_files(voice.manifest).items():
        if (voice.path / file).is_file():
            prepared[f"{name}_int8"] = voice.path / file
    return Subject(voice.manifest.name, source, prepared, voice, reason=reason)
