"""How files that hold voices are called. What they are is recognised by content (`recognition`); this is for dialogs, links and words of a command."""

from __future__ import annotations

VOICE_SUFFIXES = (".aivmx", ".aivm", ".safetensors", ".onnx", ".sbv2", ".zip")
