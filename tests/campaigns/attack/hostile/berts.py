"""Folders of BERTs with one file damaged."""

import random
from pathlib import Path

from app.voices.bert_models import list_installed_berts, read_vocabulary
from app.voices.prepare.bert.open_weights import find_bert_file, open_deberta_weights
from tests.campaigns.attack.area import Case
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.special_files import SPECIAL, put_special, remove
from tests.conftest import SHARED
from tests.voices.fuzz.mutations import BLIND, edited_text, encoded
from tests.voices.prepare.bert.deberta_files import write_published

TOKENIZER = (
    b'{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3}, "unk_token": "[UNK]"}}'
)


class BertFolder:
    """A small BERT as its makers publish it, damaged and mended again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = write_published(folder, hidden=64, heads=2, inner=64)
        (folder / "tokenizer.json").write_bytes(TOKENIZER)
        (folder / "bert.json").write_bytes(b'{"id": "x", "name": "x", "files": {"float32": "model.onnx"}, "int8_cosine": 0.9}')
        exported = SHARED / "reference" / "deberta-tiny" / "model.onnx"
        if exported.is_file():
            (folder / "model.onnx").write_bytes(exported.read_bytes())
        self._files = {item: item.read_bytes() for item in sorted(folder.iterdir())}
        self._damages = {item: Damages(content) for item, content in self._files.items() if item.suffix == ".json"}
        self._changed = self._missing = folder / "vocab.txt"

    def damaged(self, draw: random.Random) -> tuple[str, Path]:
        """What was done, and what a user would add."""
        self._changed = draw.choice(list(self._files))
        if draw.random() < 0.5:  # the readers have a second choice of most things: without the first they take it
            self._missing = draw.choice(list(self._files))
            self._missing.unlink(missing_ok=True)
        content, what = self._files[self._changed], "bytes"
        if draw.random() < 0.01:
            what = draw.choice(list(SPECIAL))
            put_special(self._changed, what)
            return f"{self._changed.name}: {what}", draw.choice((self._folder, self._changed))
        if self._changed in self._damages and draw.random() < 0.8:
            damages = self._damages[self._changed]
            what, content = damages[draw.randrange(len(damages))]
        elif self._changed.suffix == ".safetensors" and draw.random() < 0.5:
            what, content = "header", _with_other_header(draw, content)
        else:
            content = draw.choice(BLIND)(draw, content)
        self._changed.write_bytes(content)
        return f"{self._changed.name}: {what}", draw.choice((self._folder, self._folder, self._changed))

    def look(self, case: Case, what: str, path: Path) -> None:
        """As far as it is read before anything is computed."""
        model = case.call(f"{what}: find_model", lambda: find_bert_file(path))
        case.call(f"{what}: vocabulary", lambda: read_vocabulary(path if path.is_dir() else path.parent))
        case.call(f"{what}: installed", lambda: list_installed_berts([self._folder.parent]))
        if model is not None:
            case.call(f"{what}: open", lambda: open_deberta_weights(model))

    def mend(self) -> None:
        """Everything as it was."""
        for path in {self._changed, self._missing}:
            remove(path)
            path.write_bytes(self._files[path])


def _with_other_header(draw: random.Random, content: bytes) -> bytes:
    import json

    length = int.from_bytes(content[:8], "little")
    raw = encoded(edited_text(draw, json.loads(content[8 : 8 + length])))
    return len(raw).to_bytes(8, "little") + raw + content[8 + length :]
