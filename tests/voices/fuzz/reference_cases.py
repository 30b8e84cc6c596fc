"""Real containers, damaged: those of `../shared/reference`, where it is at hand. They are larger and slower than the small ones."""

import json
import random
import shutil
from pathlib import Path

from tests.conftest import SHARED
from tests.voices.fuzz.cases import Case
from tests.voices.fuzz.mutations import BLIND, edited, edited_text, encoded

SOURCES = ("model.aivmx", "model.onnx", "model.aivm", "model.safetensors", "model.sbv2")


def reference_families(scratch: Path) -> dict[str, Case]:
    """A family a container, and two that go through the builder of graphs; none without the reference material."""
    reference = SHARED / "reference" / "jp-extra-tiny"
    if not reference.is_dir():
        return {}
    families = {f"reference {name}": _damaged(reference, name) for name in SOURCES if (reference / name).is_file()}
    return families | {"reference settings": _settings(reference), "reference tensors": _tensors(reference)}


def _damaged(reference: Path, name: str) -> Case:
    content = (reference / name).read_bytes()

    def make(rng: random.Random, folder: Path) -> Path:
        _copy(reference, folder, "config.json", "style_vectors.npy")
        (folder / name).write_bytes(rng.choice(BLIND)(rng, content))
        return folder / name

    return make


def _settings(reference: Path) -> Case:
    """Good weights with edited settings: the builder must not believe them."""
    config = json.loads((reference / "config.json").read_text(encoding="utf-8"))
    config.pop("train")

    def make(rng: random.Random, folder: Path) -> Path:
        _copy(reference, folder, "model.safetensors", "style_vectors.npy")
        (folder / "config.json").write_bytes(encoded(edited_text(rng, config)))
        return folder / "model.safetensors"

    return make


def _tensors(reference: Path) -> Case:
    """Weights whose header was edited in such a way that the file still fits: names, types and shapes."""
    content = (reference / "model.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]

    def make(rng: random.Random, folder: Path) -> Path:
        _copy(reference, folder, "config.json", "style_vectors.npy")
        changed = dict(header)
        for _ in range(rng.choice((1, 1, 3))):
            name = rng.choice([key for key in changed if key != "__metadata__"])
            entry = changed.pop(name)
            shape = entry["shape"]
            choice = rng.randrange(5)
            if choice == 0:
                name = name.replace(".0.", f".{rng.choice((1, 7, 99999, 999999))}.") + rng.choice(("", "x"))
            elif choice == 1:
                entry = entry | {"shape": rng.sample(shape, len(shape))}
            elif choice == 2:
                entry = entry | {"shape": [*shape, 1] if rng.random() < 0.5 else [1, *shape]}
            elif choice == 3:
                entry = edited(rng, entry)
            changed[name] = entry
        raw = encoded(json.dumps(changed))
        (folder / "model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw + data)
        return folder / "model.safetensors"

    return make


def _copy(reference: Path, folder: Path, *names: str) -> None:
    for name in names:
        shutil.copy(reference / name, folder / name)
        (folder / name).chmod(0o644)
