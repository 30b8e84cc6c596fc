"""Files that run code when they are unpickled: nothing of the kind may ever be."""

import io
import os
import pickle
import random
from pathlib import Path

import numpy as np

from tests.voices.fuzz import small_voices
from tests.voices.fuzz.archive_cases import beside

MARK = "pickle-was-run"


class Bomb:
    """Makes a folder in the user's own when it is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(Path("~").expanduser() / MARK),)


def _array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb()], object), allow_pickle=True)
    return buffer.getvalue()


def vectors(_draw: random.Random, folder: Path) -> Path:
    """Style vectors that are objects."""
    path = beside(folder, small_voices.graph())
    (folder / "style_vectors.npy").write_bytes(_array())
    return path


def checkpoint(draw: random.Random, folder: Path) -> Path:
    """A checkpoint as PyTorch writes it, old or new."""
    content = pickle.dumps({"model": Bomb(), "enc_p.style_proj.weight": 1}, protocol=draw.choice((0, 2, 4)))
    if draw.random() < 0.5:
        content = small_voices.zipped({"archive/data.pkl": content, "archive/version": b"3\n"})
    return beside(
        folder, content, draw.choice(("model.pth", "model.pt", "G_100.pth", "model.safetensors", "model.onnx", "voice.zip", "config.json"))
    )


def packed(_draw: random.Random, folder: Path) -> Path:
    """The same within a zip of a voice."""
    files = dict(small_voices.folder()) | {"style_vectors.npy": _array()}
    return beside(folder, small_voices.zipped({f"v/{name}": content for name, content in files.items()}), "voice.zip")


PICKLES = {"pickled vectors": vectors, "pickled checkpoint": checkpoint, "pickled in a zip": packed}
