"""Opens the files needed to exchange a graph of an installed voice or BERT, and gives the reasons for a refusal."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize


def store_graph_copy(graph: Path, folder: Path, name: str) -> str:
    """Copy a graph with its weights and return its file name."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph, store_graph

    return store_graph(load_graph(graph), folder, name)


def copy_other_files(stem: str, source: Path, target: Path) -> None:
    """Copy all files but those of a graph, as links if the file system has them, for a BERT takes gigabytes."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and not path.name.startswith(f"{stem}.")]
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, copy)
        except OSError:
            shutil.copy2(path, copy)


def build_refusal_error(reason: str) -> VoiceError:
    """Return the error for a candidate that does not pass."""
    return VoiceError(
        localize(f"この候補は組み込めません（{reason}）。", f"This candidate cannot be installed: {reason}."),
        localize("ほかの候補を選んでください。", "Choose another candidate."),
    )


def build_already_exact_error(name: str) -> VoiceError:
    """Return the error for a graph that no other graph replaces."""
    return VoiceError(
        localize(f"「{name}」に組み込まれた int8 のグラフはありません。", f"No int8 graph is installed for “{name}”."),
        localize("すでに元のグラフで計算しています。", "The exact graph is already in use."),
    )
