"""The BERT models at hand. A voice names the one it was trained with; features of another make speech that is silently wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import VoiceError
from app.language import say

BERT_MANIFEST_NAME = "bert.json"
GRAPH_NAME = "bert.onnx"
VOCABULARY_NAME = "vocab.txt"


@dataclass(frozen=True, slots=True)
class Bert:
    """One BERT: its id and the files it is made of."""

    id: str
    name: str
    graph: Path
    vocabulary: Path


def find_bert(needed: str, folders: Sequence[Path], *, chosen: str | None = None, force: bool = False) -> Bert:
    """The BERT a voice needs, by id.

    Args:
        needed: id of the BERT the voice was trained with.
        folders: where to look.
        chosen: id or folder of the one to use instead.
        force: take `chosen`, or else whatever is there, although the voice needs another one.

    Raises:
        VoiceError: it is not installed, damaged, or not the one the voice needs.
    """
    if chosen and Path(chosen).is_dir():
        folders = [Path(chosen).parent]
        chosen = _read(Path(chosen)).id
    wanted = chosen or needed
    if wanted != needed and not force:
        raise _wrong(needed, wanted)
    known = [bert for root in folders if root.is_dir() for bert in _installed(root, wanted)]
    for bert in known:
        if bert.id == wanted:
            return bert
    if force and known:
        return known[0]
    raise VoiceError(
        say(f"この声に必要な BERT「{wanted}」がありません。", f'The BERT that this voice was trained with is missing: "{wanted}".'),
        say(
            f"{folders[0]} の下に置いてください。音がおかしくなりますが、--force-bert で別の BERT を使うこともできます。",
            f"Put it under {folders[0]}. With --force-bert another BERT is used, which makes wrong prosody.",
        ),
    )


def _installed(root: Path, wanted: str) -> Iterator[Bert]:
    """The models in a folder; a damaged one only matters when it may be the wanted one."""
    for folder in sorted(root.iterdir()):
        if not (folder / BERT_MANIFEST_NAME).is_file():
            continue
        try:
            yield _read(folder)
        except VoiceError:
            if wanted in (folder.name, _id(folder)):
                raise


def _id(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / BERT_MANIFEST_NAME).read_text(encoding="utf-8"))["id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read(folder: Path) -> Bert:
    try:
        data = json.loads((folder / BERT_MANIFEST_NAME).read_text(encoding="utf-8"))
        bert = Bert(str(data["id"]), str(data["name"]), folder / GRAPH_NAME, folder / VOCABULARY_NAME)
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise _damaged(folder) from exc
    if not bert.graph.is_file() or not bert.vocabulary.is_file():
        raise _damaged(folder)
    return bert


def _wrong(needed: str, wanted: str) -> VoiceError:
    return VoiceError(
        say(
            f"この声は BERT「{needed}」で学習されています。「{wanted}」では正しく話せません。",
            f'This voice was trained with the BERT "{needed}", not "{wanted}".',
        ),
        say("それでも使うときは --force-bert を付けてください。", "Add --force-bert to use it all the same; the prosody will be wrong."),
    )


def _damaged(folder: Path) -> VoiceError:
    return VoiceError(
        say(f"BERT のファイルが欠けているか壊れています: {folder}", f"The BERT is incomplete or damaged: {folder}"),
        say("Koebako を入れ直してください。", "Reinstall Koebako."),
    )
