"""The result of preparing a voice, whether its graphs were cut out of an ONNX file or built from weights."""

from __future__ import annotations

from dataclasses import dataclass

import onnx


@dataclass(frozen=True, slots=True)
class PreparedGraphs:
    """The three graphs of a voice, as `app.voices.voice_manifest` describes them.

    Attributes:
        margin_frames: context the decoder needs on each side of a window.
        emoji: the prosody graph knows the symbols of emoji.
    """

    prosody: onnx.ModelProto
    flow: onnx.ModelProto
    decoder: onnx.ModelProto
    margin_frames: int
    emoji: bool = False
