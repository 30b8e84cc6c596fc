"""Hands the file of a model to ONNX Runtime, which does not open every name on Windows."""

from __future__ import annotations

import os
from pathlib import Path

import onnxruntime as ort

WEIGHTS_FOLDER_OPTION = "session.model_external_initializers_file_folder_path"


def convert_to_openable(model: Path | bytes, options: ort.SessionOptions) -> str | bytes:
    """Return the file's path, or its content if its name has letters that the code page of this Windows lacks; a serialised model
    unchanged.

    ONNX Runtime before 1.25 (what Windows users run is 1.24.4) writes down a model's name in that code page and stumbles over any other
    letter: https://github.com/microsoft/onnxruntime/pull/27724. Names of folders do it no harm.

    Args:
        options: learn where the weights are that lie beside the file.
    """
    if isinstance(model, bytes) or _is_in_code_page(model.name):
        return model if isinstance(model, bytes) else str(model)
    try:
        content = model.read_bytes()
    except OSError:
        return str(model)  # ONNX Runtime says why
    options.add_session_config_entry(WEIGHTS_FOLDER_OPTION, str(model.parent))
    return content


def _is_in_code_page(name: str) -> bool:
    if os.name != "nt":
        return True
    try:
        name.encode("mbcs")
    except UnicodeEncodeError:
        return False
    return True
