"""Recognises the ONNX graphs of voices: their inputs have the public exporters' names, or the same roles (`prepare.input_roles`)."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.containers.onnx_metadata import OnnxFileInfo, parse_graph_outline, read_graph_nodes, read_onnx_info
from app.voices.containers.unsupported_formats import UnsupportedFormatError
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.input_roles import PUBLIC_INPUT_NAMES, InputRoles, find_input_roles
from app.voices.untrusted.onnx_nodes import OnnxOutline

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
