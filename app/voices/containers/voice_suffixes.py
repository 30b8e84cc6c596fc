"""The suffixes of files that hold voices, for dialogs, links and command lines. Files are recognised by content (`container_recognition`)."""

from __future__ import annotations

VOICE_SUFFIXES = (".aivmx", ".aivm", ".safetensors", ".onnx", ".sbv2", ".zip")
