"""Whom to name where a sound is published."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from app.voices.card import read_card
from app.voices.voice import Voice

LONGEST_CHARACTERS = 1_000


def credit_of(voice: Voice) -> str:
    """The voice, who made it, and the first paragraph of its licence."""
    name = voice.manifest.name
    creators = ", ".join(_creators(voice.path))
    licence = voice.manifest.licence.strip().split("\n\n")[0].replace("\n", " ")
    shown = licence if len(licence) <= LONGEST_CHARACTERS else licence[: LONGEST_CHARACTERS - 1] + "…"
    return " — ".join(part for part in (f"{name} ({creators})" if creators else name, shown) if part)


@lru_cache(maxsize=64)
def _creators(folder: Path) -> tuple[str, ...]:
    return read_card(folder).creators
