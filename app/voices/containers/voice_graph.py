"""Which ONNX graph is a voice: its inputs bear the names of the public exporters, or do the same under others (`prepare.input_roles`)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.errors import VoiceError
from app.language import localized
from app.voices.containers.foreign import ForeignError
from app.voices.containers.onnx_metadata import outline_of, read_graph_nodes, read_onnx
from app.voices.prepare.input_roles import InputRoles, find_roles
from app.voices.prepare.input_spellings import USUAL_INPUTS
from app.voices.prepare.links import UnknownGraphError
from app.voices.untrusted.onnx_outline import Outline

VOICE_INPUTS = {"x_tst", "tones", "language", "bert", "style_vec"}
GRAPH_INPUTS: tuple[tuple[set[str], str], ...] = (
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
    """The graph of a voice.

    Attributes:
        roles: what its inputs are for; None where they bear the usual names.
    """

    metadata: dict[str, str]
    outline: Outline
    roles: InputRoles | None

    @property
    def multilingual(self) -> bool:
        """It takes features of three languages."""
        return "ja_bert" in (self.outline.inputs if self.roles is None else self.roles.taken)


def read_voice_graph(source: Path | bytes, name: str) -> VoiceGraph:
    """The graph of a file or of a serialised model.

    Raises:
        VoiceError: it is damaged, fixed to one length, or an input of it is not clear; a ForeignError names what else it is.
    """
    if isinstance(source, Path):
        model = read_onnx(source)
        metadata, outline = model.metadata, model.outline
    else:
        metadata, outline = {}, outline_of(source, name)
    unknown = {item for item in outline.inputs if item not in USUAL_INPUTS}
    roles = None if set(outline.inputs) >= VOICE_INPUTS and not unknown else _roles(source, outline, name)
    _require_any_length(outline, roles, name)
    return VoiceGraph(metadata, outline, roles)


def count_speakers(source: Path | bytes, graph: VoiceGraph, name: str) -> int | None:
    """How many speakers a graph has, None where that does not show. Where the table does not bear its name, what reads it does."""
    if graph.outline.speakers is not None:
        return graph.outline.speakers
    if graph.roles is not None:
        return graph.roles.speakers
    with suppress(UnknownGraphError):
        return find_roles(read_graph_nodes(source, name)).speakers
    return None


def _roles(source: Path | bytes, outline: Outline, name: str) -> InputRoles:
    """What inputs of other names are for."""
    try:
        roles = find_roles(read_graph_nodes(source, name))
    except UnknownGraphError:
        roles = InputRoles(unclear=sorted(set(outline.inputs) - USUAL_INPUTS))
    named = set(outline.inputs) >= VOICE_INPUTS
    if not roles.voice and not named:
        raise ForeignError(_other_kind(outline, roles), name, localized("入力: ", "inputs: ") + ", ".join(sorted(outline.inputs))[:80])
    if roles.unclear:
        raise _unclear(name, roles.unclear)
    if roles.audio is None:
        raise ForeignError("duration_predictor", name, localized("出力: ", "outputs: ") + ", ".join(outline.outputs)[:80])
    return roles


def _other_kind(outline: Outline, roles: InputRoles) -> str:
    inputs = set(outline.inputs)
    kind = next((kind for needed, kind in GRAPH_INPUTS if inputs >= needed), "other_graph")
    if kind == "bert" and "waveform" in outline.outputs:
        return "vits"
    return "bert_vits2" if roles.reads_text else kind


def _unclear(name: str, inputs: list[str]) -> VoiceError:
    shown = ", ".join(sorted(set(inputs)))[:80]
    return VoiceError(
        localized(
            f"「{name}」は Style-Bert-VITS2 の声のようですが、次の入力の役割を特定できません: {shown}",
            f"“{name}” looks like a Style-Bert-VITS2 voice, but it is unclear what these inputs are for: {shown}",
        ),
        localized("同じ声の .safetensors か .aivmx を選んでください。", "Choose the .safetensors or .aivmx of the same voice."),
    )


def _require_any_length(outline: Outline, roles: InputRoles | None, name: str) -> None:
    """Raises VoiceError for a graph that speaks nothing but texts of one length, or several at once."""
    for usual in ("x_tst", "tones", "bert", "ja_bert"):
        own = usual if roles is None else roles.taken[usual].name if usual in roles.taken else ""
        shape = outline.shapes.get(own) or ()
        by_row = roles is not None and usual in roles.taken and roles.taken[usual].form == "rows"
        free = {len(shape) - (2 if by_row else 1), len(shape) - 3 if "bert" in usual else len(shape) - 2}
        if any(shape[axis] > 1 for axis in free if 0 <= axis < len(shape)):
            sizes = "×".join(map(str, shape))
            raise VoiceError(
                localized(
                    f"「{name}」は入力の大きさが固定された状態（{own}: {sizes}）で書き出されているため、ほかの長さの文を合成できません。",
                    f"“{name}” was exported for texts of one fixed length ({own}: {sizes}) and cannot speak any other.",
                ),
                localized(
                    "同じ声の .safetensors を選ぶか、長さを固定せずに（dynamic axes）書き出してください。",
                    "Choose the .safetensors of the same voice, or export it with dynamic axes.",
                ),
            )
