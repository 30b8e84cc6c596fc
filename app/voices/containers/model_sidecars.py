"""The files beside a model that belong to it: `config.json` and the style vectors. Names in capitals count as well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.untrusted.sbv2_config import SBV2_CONFIG_NAME
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.untrusted.voice_limits import MAX_ZIP_ENTRIES

VECTORS_PREFIX = "style_vectors"
VECTORS_SUFFIXES = (".npy", ".json")


def find_config(path: Path) -> Path | None:
    """Return the path of `config.json` in the folder of a model, or None."""
    return next((item for item in _iterate_files(path.parent) if item.name.casefold() == SBV2_CONFIG_NAME), None)


def find_style_vectors(path: Path) -> Path:
    """Return the style vectors of a model: the file that bears its name, else `style_vectors.npy` or `.json`, else the only such file
    there.

    Raises:
        VoiceError: there are none, or several that fit equally.
    """
    found = {item.name.casefold(): item for item in _iterate_files(path.parent) if _may_hold_vectors(item.name.casefold())}
    stem = path.stem.casefold()
    own = [f"{VECTORS_PREFIX}_{name}" for name in (stem, stem.removeprefix("model_"))]
    for name in (*own, VECTORS_PREFIX):
        for suffix in VECTORS_SUFFIXES:
            if name + suffix in found:
                return found[name + suffix]
    if len(found) == 1:
        return next(iter(found.values()))
    names = ", ".join(sorted(item.name for item in found.values())[:5])
    raise VoiceError(
        localize(
            f"「{path.name}」のスタイルのデータが見つかりません。"
            if not found
            else f"「{path.name}」に対応するスタイルのデータを特定できません。",
            f"The style vectors of “{path.name}” are missing."
            if not found
            else f"It is not clear which style vectors belong to “{path.name}”.",
        ),
        localize(f"同じフォルダーに {STYLE_VECTORS_NAME} を置いてください。", f"Put {STYLE_VECTORS_NAME} beside it.")
        + (f" ({names})" if names else ""),
    )


def _may_hold_vectors(name: str) -> bool:
    return name.startswith(VECTORS_PREFIX) and name.endswith(VECTORS_SUFFIXES)


def _iterate_files(folder: Path) -> Iterator[Path]:
    """Yield the first files of a folder; a folder with 100,000 is not listed whole, and one that cannot be listed has none."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for _, entry in zip(range(MAX_ZIP_ENTRIES), entries, strict=False))
    except OSError:
        return
    yield from (folder / name for name in names)
