"""The `.sbv2` container of sbv2-api: a zstd-compressed tar of `model.onnx` and `style_vectors.json`."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import IO

import numpy as np
import zstandard

from app.core.types import Float32
from app.errors import VoiceError
from app.language import say
from app.voices.voice import as_style_vectors

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_MEMBER = 1 << 30  # a real voice unpacks to a quarter of this; more is a bomb
LARGEST_WINDOW = 1 << 27
MEMBERS = ("model.onnx", "style_vectors.json")


def read_sbv2(path: Path) -> tuple[bytes, Float32]:
    """The serialised graph and the style vectors; only the two files we know are read, never written to disk."""
    found: dict[str, bytes] = {}
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(file) as plain,
            tarfile.open(fileobj=plain, mode="r|") as archive,
        ):
            for member in archive:
                if member.isfile() and member.name in MEMBERS:
                    found[member.name] = _read(archive.extractfile(member), member.size)
        vectors = json.loads(found["style_vectors.json"])
        shape = [int(size) for size in vectors["shape"]]
        return found["model.onnx"], as_style_vectors(np.array(vectors["data"], np.float32).reshape(shape))
    except (OSError, KeyError, TypeError, ValueError, RecursionError, tarfile.TarError, zstandard.ZstdError) as exc:
        raise VoiceError(
            say(f".sbv2 ファイルを読めません: {path.name}", f"This .sbv2 file cannot be read: {path.name}"),
            say("ファイルが壊れていないか確かめてください。", "Check that the file is complete."),
        ) from exc


def _read(file: IO[bytes] | None, size: int) -> bytes:
    if file is None or size > LARGEST_MEMBER:
        raise ValueError("member too large")
    return file.read()
