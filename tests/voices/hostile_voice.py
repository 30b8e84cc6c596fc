"""A voice folder with something wrong in it, and how it must be refused."""

from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.voices.containers.voice_sources import read_voice_source
from tests.voices.fuzz import small_voices


def voice(folder: Path, **changes: bytes) -> Path:
    """A good SBV2 folder, some files of it exchanged; the path of its graph."""
    files = dict(small_voices.folder()) | {name.replace("__", "."): content for name, content in changes.items()}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / "model.onnx"


def refused(path: Path, says: str | None = None) -> VoiceError:
    with pytest.raises(VoiceError, match=says) as caught:
        read_voice_source(path)
    assert caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.message
    return caught.value
