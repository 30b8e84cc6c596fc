"""Voices that the script names and that are not here: who they were, and how many lines wait for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.core.project import VoiceReference
from app.core.script import Script
from app.language import localized
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice


@dataclass(frozen=True, slots=True)
class MissingVoice:
    """A voice that lines name.

    Attributes:
        id: what lines call it.
        name: for people.
        lines: how many there are.
        address: of its page; empty where none is known.
        likely: id of the voice here that is the same model, or has its name; empty where there is none.
    """

    id: str
    name: str
    lines: int
    address: str = ""
    likely: str = ""


def missing_voices(
    script: Script, catalog: VoiceCatalog, kept: Iterable[VoiceReference], called: Callable[[str], str]
) -> list[MissingVoice]:
    """In the order of their lines; none before all voices are known.

    Args:
        called: what a voice was called when it was here; empty where it never was.
    """
    if not catalog.is_read:
        return []
    known = {reference.id: reference for reference in kept}
    counted = Counter(line.settings.voice for line in script.lines if line.settings.voice)
    ready = usable(catalog)
    found = []
    for voice, lines in counted.items():
        if catalog.find(voice) is None:
            reference = known.get(voice, VoiceReference(voice))
            name = reference.name or called(voice)
            found.append(
                MissingVoice(
                    voice, name or localized("不明な声", "Unknown voice"), lines, reference.address, _likely(reference.uuid, name, ready)
                )
            )
    return found


def usable(catalog: VoiceCatalog) -> list[CatalogVoice]:
    """Voices that can speak at once."""
    return [voice for voice in catalog.voices if voice.place != "aivisspeech"]


def _likely(uuid: str, name: str, voices: Iterable[CatalogVoice]) -> str:
    same = [voice.id for voice in voices if uuid and voice.card.uuid == uuid]
    return next(iter(same + [voice.id for voice in voices if name and voice.name == name]), "")
