"""What exchanging a graph of an installed voice or BERT takes, and why it is refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from app.errors import VoiceError
from app.language import localized


def stored(graph: Path, folder: Path, name: str) -> str:
    """The file name of a copy of a graph, its weights beside it."""
    from app.voices.prepare.store import load_graph, store_graph  # onnx is slow to import

    return store_graph(load_graph(graph), folder, name)


def copy_all_but(stem: str, source: Path, target: Path) -> None:
    """All files but those of a graph; as links where the file system has them, for a BERT takes gigabytes."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and not path.name.startswith(f"{stem}.")]
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, copy)
        except OSError:
            shutil.copy2(path, copy)


def refused(why: str) -> VoiceError:
    """Of a candidate that does not pass."""
    return VoiceError(
        localized(f"この候補は組み込めません（{why}）。", f"This candidate cannot be installed: {why}."),
        localized("ほかの候補を選んでください。", "Choose another candidate."),
    )


def exact_already(name: str) -> VoiceError:
    """Of a graph that has no other one in its place."""
    return VoiceError(
        localized(f"「{name}」に組み込まれた int8 のグラフはありません。", f"No int8 graph is installed for “{name}”."),
        localized("すでに元のグラフで計算しています。", "The exact graph is already in use."),
    )
