"""A subject of the lab: a voice or a BERT, as it came and as it is prepared; as plain values for a child, which reads the same files itself; and a scratch folder for its graphs."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from app.common.errors import InputError
from app.common.language import localize
from app.lab.report_rows import INT8_SUFFIX
from app.voices.bert_models import BertModel, read_bert
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepared_voice import GraphSources, Voice, map_int8_files

GraphForm = Literal["source", "prepared"]
BERT_GRAPHS_BY_PRECISION = {"float32": "bert", "int8": "bert_int8"}


@dataclass(frozen=True, slots=True)
class LabSubject:
    """A voice or a BERT."""

    name: str  # shown to people
    # Graphs as they came, by name (`whole` or `bert`); empty where only the prepared voice is there, or the file holds weights only.
    source: GraphSources = field(default_factory=dict)
    prepared: GraphSources = field(default_factory=dict)  # graphs as they run, by name; int8 ones end in `_int8`
    # voice, bert: one of them is there, unless only a graph is: of a stranger, or of a BERT that voices cannot use. A voice that cannot be
    # prepared is its opaque self.
    voice: Voice | None = None
    bert: BertModel | None = None
    reason: str = ""  # why a voice stays in one graph, a BERT in its own, or why there is neither; empty where there is nothing to say
    weights: Path | None = None  # the safetensors file that it was prepared from, if any
    installed: bool = False  # it is in the library, and was proved before it came there; any other may be a stranger's

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
    prepared: GraphSources = {BERT_GRAPHS_BY_PRECISION[precision]: graph for precision, graph in bert.graphs.items()}
    return LabSubject(bert.name, {}, prepared, bert=bert, reason=bert.kept_whole)


def create_voice_subject(voice: Voice, source: GraphSources, reason: str = "") -> LabSubject:
    """Create the subject of a voice with its int8 graphs, if there are some."""
    prepared = dict(voice.graphs)
    for name, file in map_int8_files(voice.manifest).items():
        # The natural voice's fast decoder is in float32, too, so the limits of int8 do not fit it.
        if file.endswith(f"{INT8_SUFFIX}.onnx") and (voice.path / file).is_file():
            prepared[f"{name}{INT8_SUFFIX}"] = voice.path / file
    return LabSubject(voice.manifest.name, source, prepared, voice, reason=reason)


def dump_subject(subject: LabSubject, scratch: Path) -> dict[str, Any]:
    """Return the subject as values that JSON can hold; graphs that are in memory only are written to a folder, which the caller removes."""
    return {
        "name": subject.name,
        "source": {name: str(ensure_file(graph, scratch / f"source-{name}.onnx")) for name, graph in subject.source.items()},
        "voice": str(subject.voice.path.absolute()) if subject.voice is not None else None,
        "bert": str(subject.bert.folder.absolute()) if subject.bert is not None else None,
        "reason": subject.reason,
        "weights": str(subject.weights.absolute()) if subject.weights is not None else None,
        "installed": subject.installed,
    }


def load_subject(values: Mapping[str, Any]) -> LabSubject:
    """Return the subject from its values; raise VoiceError if its files have changed meanwhile."""
    subject = LabSubject(values["name"])
    if values["voice"] is not None:
        subject = create_voice_subject(read_voice_source(Path(values["voice"])), {})
    elif values["bert"] is not None:
        subject = create_bert_subject(read_bert(Path(values["bert"])))
    weights = Path(values["weights"]) if values["weights"] is not None else None
    source: dict[str, Path | bytes] = {name: Path(file) for name, file in values["source"].items()}
    return replace(subject, name=values["name"], source=source, reason=values["reason"], weights=weights, installed=values["installed"])


def write_float32_source(subject: LabSubject, copy: Path) -> Path:
    """Write a BERT as it came in float32, as it is compared when it is prepared, unless that is done; return the file."""
    # Onnx is slow to import.
    from app.voices.prepare.bert.onnx_index import open_onnx_index, write_float32_copy

    source = subject.source["bert"]
    assert isinstance(source, Path)  # BERTs come as files
    if not copy.is_file():
        write_float32_copy(open_onnx_index(source), copy)
    return copy


def ensure_file(graph: Path | bytes, scratch: Path) -> Path:
    """Return a graph as a file: its own, or one written now."""
    if isinstance(graph, Path):
        return graph.absolute()
    scratch.write_bytes(graph)
    return scratch


@contextmanager
def create_scratch_folder() -> Iterator[Path]:
    """Create a folder for copies of graphs and a child's temporary files; it is removed afterwards, also if the child was stopped."""
    with tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
