"""Reads what an ONNX file says of itself without loading its graph: a listing of 250 MB voices must not take seconds.

An ONNX file is one protobuf message (onnx.proto, ModelProto): field 7 is the graph, field 14 the repeated key/value metadata. Tensors may be in another file, which must be
in the same folder: a voice must not read what else is on the disk.

The graphs of voices are recognised here: their inputs have the public exporters' names, or the same roles (`prepare.input_roles`).
"""

import mmap
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.containers.unsupported_formats import UnsupportedFormatError
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.input_roles import PUBLIC_INPUT_NAMES, InputRoles, find_input_roles
from app.voices.untrusted.onnx_nodes import OnnxNodeGraph, OnnxOutline, ProtobufWalker, parse_onnx_nodes, parse_onnx_outline
from app.voices.untrusted.regular_file import describe_incomplete_download, measure_file, open_regular_file
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES, MAX_METADATA_BYTES

MODEL_GRAPH_FIELD, MODEL_METADATA_FIELD = 7, 14


@dataclass(frozen=True, slots=True)
class OnnxFileInfo:
    """The facts of an ONNX file that can be read before it is opened: its metadata, and an outline of its graph."""

    metadata: dict[str, str]
    outline: OnnxOutline


def read_onnx_metadata(path: Path) -> dict[str, str]:
    """Return metadata values by key; raise VoiceError if the file is no ONNX model."""
    with _map_file(path) as data:
        return _parse_metadata(data)


def read_onnx_info(path: Path) -> OnnxFileInfo:
    """Return metadata and outline; raise VoiceError if the file is no ONNX model."""
    with _map_file(path) as data:
        return OnnxFileInfo(_parse_metadata(data), parse_onnx_outline(data))


def parse_graph_outline(graph: bytes, name: str) -> OnnxOutline:
    """Return the outline of a serialised model; raise VoiceError if it is none."""
    with _raise_not_onnx_errors(name):
        _parse_metadata(memoryview(graph))
        return parse_onnx_outline(memoryview(graph))


def read_graph_nodes(source: Path | bytes, name: str) -> OnnxNodeGraph:
    """Return the nodes of a file or of a serialised model; raise VoiceError if it is none."""
    if isinstance(source, Path):
        with _map_file(source) as data:
            return parse_onnx_nodes(data)
    with _raise_not_onnx_errors(name):
        return parse_onnx_nodes(memoryview(source))


def has_operator(source: Path | bytes, operators: Collection[str], name: str) -> bool:
    """Return whether a graph has one of these operators, those inside its loops left out; raise VoiceError if it is no ONNX model."""
    return any(node.op_type in operators for node in read_graph_nodes(source, name).node)


@contextmanager
def _map_file(path: Path) -> Iterator[memoryview]:
    with open_regular_file(path) as file, _raise_not_onnx_errors(path.name):
        size = measure_file(file)
        if size > MAX_GRAPH_BYTES:
            raise VoiceError(
                localize(f"ファイルが大きすぎます: {path.name}", f"This file is too large: {path.name}"),
                localize("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
            )
        if not size:
            raise ValueError("empty")
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as content, memoryview(content) as data:
            yield data


@contextmanager
def _raise_not_onnx_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as exc:
        raise VoiceError(
            localize(f"ONNX モデルとして読み込めません: {name}", f"This is not a valid ONNX model: {name}"), describe_incomplete_download()
        ) from exc


def _parse_metadata(data: memoryview) -> dict[str, str]:
    walk = ProtobufWalker(data)
    metadata: dict[str, str] = {}
    bytes_left, has_graph = MAX_METADATA_BYTES, False
    for number, start, end in walk.iterate_fields(0, len(data)):
        if number == MODEL_METADATA_FIELD:
            bytes_left -= end - start
            if end < 0 or bytes_left < 0:
                raise ValueError("metadata too large, or no message")
            # A StringStringEntryProto: field 1 is the key, field 2 the value.
            texts = {1: "", 2: ""} | {field: walk.decode_text(*span) for field, *span in walk.iterate_fields(start, end) if field in (1, 2)}
            if texts[1] in metadata:
                raise ValueError("a key occurs twice")
            metadata[texts[1]] = texts[2]
        has_graph |= number == MODEL_GRAPH_FIELD and end >= 0
    if not has_graph:
        raise ValueError("no graph")
    return metadata


def list_external_files(path: Path, outline: OnnxOutline) -> list[Path]:
    """Return the files next to `path` with its tensors; raise VoiceError for one elsewhere, a link, one missing, too short or too large."""
    sizes: dict[str, int] = {}
    bytes_left = MAX_GRAPH_BYTES
    for location in outline.external:
        name = location.get("location", "")
        if name not in sizes:
            sizes[name] = _measure_external_file(path, name)
        tensor_bytes = _measure_tensor_bytes(location, sizes[name])
        if tensor_bytes < 0:
            raise VoiceError(
                localize(f"モデルの重みのファイルが短すぎます: {name}", f"The file with the weights of this model is too short: {name}"),
                localize(f"{path.name} と一緒にもう一度ダウンロードしてください。", f"Download it again together with {path.name}."),
            )
        # Tensors may share their bytes: many that are one on the disk are many in memory.
        bytes_left -= tensor_bytes
        if bytes_left < 0:
            raise VoiceError(
                localize(f"モデルの重みが大きすぎます: {path.name}", f"The weights of this model are too large: {path.name}"),
                localize("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
            )
    return [path.parent / name for name in sizes]


def refuse_external_data(outline: OnnxOutline, name: str) -> None:
    """Raise VoiceError if a graph in an archive needs another file."""
    if outline.external:
        raise _build_outside_folder_error(name, outline.external[0].get("location", ""))


def _measure_external_file(path: Path, name: str) -> int:
    if not re.fullmatch(r"[^/\\:\0]{1,200}", name) or name in (".", ".."):
        raise _build_outside_folder_error(path.name, name)
    try:
        status = (path.parent / name).lstat()
    except (OSError, ValueError) as exc:
        raise VoiceError(
            localize(f"モデルの重みのファイルがありません: {name}", f"The file with the weights of this model is missing: {name}"),
            localize(f"{path.name} と同じフォルダーに置いてください。", f"Put it beside {path.name}."),
        ) from exc
    if not stat.S_ISREG(status.st_mode):  # a link may lead anywhere
        raise _build_outside_folder_error(path.name, name)
    return status.st_size


def _measure_tensor_bytes(data_location: Mapping[str, str], size: int) -> int:
    """Return the bytes of a tensor in a file of `size` bytes; a negative number if the tensor is not in the file."""
    numbers = [data_location.get(key, "0") for key in ("offset", "length")]
    if not all(re.fullmatch(r"[0-9]{1,18}", text) for text in numbers):
        return -1
    offset, length = map(int, numbers)
    return -1 if offset + length > size else length or size - offset  # without a length it is all that follows


def _build_outside_folder_error(name: str, location: str) -> VoiceError:
    return VoiceError(
        localize(f"このモデルは別の場所にあるファイルを参照しています: {name}", f"This model refers to a file in another location: {name}"),
        localize(f"参照先: {location[:80]!r}。", f"Referenced file: {location[:80]!r}. ")
        + localize("重みが一つのファイルにまとまった声を選んでください。", "Choose a voice with all weights in one file."),
    )


REQUIRED_VOICE_INPUTS = {"x_tst", "tones", "language", "bert", "style_vec"}
FOREIGN_GRAPH_INPUTS: tuple[tuple[set[str], str], ...] = (
    ({"input", "input_lengths", "scales"}, "piper"),
    ({"style", "speed"}, "kokoro"),
    ({"x_tst", "bert"}, "bert_vits2"),
    ({"phone", "pitch"}, "rvc"),
    ({"phone", "phone_lengths"}, "rvc"),
    ({"text_seq", "pred_semantic"}, "gpt_sovits"),
    ({"ref_seq", "text_seq"}, "gpt_sovits"),
    ({"ssl_content"}, "gpt_sovits"),
    ({"phoneme_list", "speaker_id"}, "voicevox"),
    ({"vowel_phoneme_list", "speaker_id"}, "voicevox"),
    ({"f0", "phoneme", "speaker_id"}, "voicevox"),
    ({"x", "x_length"}, "vits"),
    ({"x", "x_lengths"}, "vits"),
    ({"input_ids", "attention_mask"}, "bert"),
    ({"text"}, "espnet"),
)


@dataclass(frozen=True, slots=True)
class VoiceGraph:
    """The graph of a voice; `roles` says what its inputs are for, None where they have the usual names."""

    metadata: dict[str, str]
    outline: OnnxOutline
    roles: InputRoles | None

    @property
    def is_multilingual(self) -> bool:
        """Return whether the graph takes features of three languages."""
        return "ja_bert" in (self.outline.inputs if self.roles is None else self.roles.assigned)


def read_voice_graph(source: Path | bytes, name: str, info: OnnxFileInfo | None = None) -> VoiceGraph:
    """Return the graph of a file or of a serialised model.

    Raises:
        VoiceError: it is damaged, fixed to one length, or an input of it is not clear; a UnsupportedFormatError names what else it is.
    """
    if isinstance(source, Path):
        info = info or read_onnx_info(source)
        metadata, outline = info.metadata, info.outline
    else:
        metadata, outline = {}, parse_graph_outline(source, name)
    unknown = {item for item in outline.inputs if item not in PUBLIC_INPUT_NAMES}
    roles = None if set(outline.inputs) >= REQUIRED_VOICE_INPUTS and not unknown else _find_input_roles(source, outline, name)
    _require_any_length(outline, roles, name)
    return VoiceGraph(metadata, outline, roles)


def count_speakers(source: Path | bytes, graph: VoiceGraph, name: str) -> int | None:
    """Return the number of speakers of a graph, None where it does not show. A table without its usual name is found by what reads it."""
    if graph.outline.speakers is not None:
        return graph.outline.speakers
    if graph.roles is not None:
        return graph.roles.speakers
    with suppress(UnknownGraphError):
        return find_input_roles(read_graph_nodes(source, name)).speakers
    return None


def _find_input_roles(source: Path | bytes, outline: OnnxOutline, name: str) -> InputRoles:
    try:
        roles = find_input_roles(read_graph_nodes(source, name))
    except UnknownGraphError:
        roles = InputRoles(unclear=sorted(set(outline.inputs) - PUBLIC_INPUT_NAMES))
    named = set(outline.inputs) >= REQUIRED_VOICE_INPUTS
    if not roles.is_voice and not named:
        raise UnsupportedFormatError(
            _recognise_foreign_graph(outline, roles), name, localize("入力: ", "inputs: ") + ", ".join(sorted(outline.inputs))[:80]
        )
    if roles.unclear:
        shown = ", ".join(sorted(set(roles.unclear)))[:80]
        raise VoiceError(
            localize(
                f"「{name}」は Style-Bert-VITS2 の声のようですが、次の入力の役割を特定できません: {shown}",
                f"“{name}” looks like a Style-Bert-VITS2 voice, but it is unclear what these inputs are for: {shown}",
            ),
            localize("同じ声の .safetensors か .aivmx を選んでください。", "Choose the .safetensors or .aivmx of the same voice."),
        )
    if roles.audio is None:
        raise UnsupportedFormatError("duration_predictor", name, localize("出力: ", "outputs: ") + ", ".join(outline.outputs)[:80])
    return roles


def _recognise_foreign_graph(outline: OnnxOutline, roles: InputRoles) -> str:
    inputs = set(outline.inputs)
    kind = next((kind for needed, kind in FOREIGN_GRAPH_INPUTS if inputs >= needed), "other_graph")
    if kind == "bert" and "waveform" in outline.outputs:
        return "vits"
    return "bert_vits2" if roles.reads_text else kind


def _require_any_length(outline: OnnxOutline, roles: InputRoles | None, name: str) -> None:
    """Raise VoiceError for a graph that speaks only texts of one length, or several at once."""
    for usual in ("x_tst", "tones", "bert", "ja_bert"):
        own = usual if roles is None else roles.assigned[usual].name if usual in roles.assigned else ""
        shape = outline.shapes.get(own) or ()
        by_row = roles is not None and usual in roles.assigned and roles.assigned[usual].form == "rows"
        free = {len(shape) - (2 if by_row else 1), len(shape) - 3 if "bert" in usual else len(shape) - 2}
        if any(shape[axis] > 1 for axis in free if 0 <= axis < len(shape)):
            sizes = "×".join(map(str, shape))
            raise VoiceError(
                localize(
                    f"「{name}」は入力の大きさが固定された状態（{own}: {sizes}）で書き出されているため、ほかの長さの文を合成できません。",
                    f"“{name}” was exported for texts of one fixed length ({own}: {sizes}) and cannot speak any other.",
                ),
                localize(
                    "同じ声の .safetensors を選ぶか、長さを固定せずに（dynamic axes）書き出してください。",
                    "Choose the .safetensors of the same voice, or export it with dynamic axes.",
                ),
            )
