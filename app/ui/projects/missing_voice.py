"""Voices that the script names and that are not here: who they were, and how many lines wait for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.common.language import localize
from app.core.script.project import VoiceReference
from app.core.script.script import Script
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog


@dataclass(frozen=True, slots=True)
class MissingVoice:
    """A voice that lines name.

    Attributes:
        id: what lines call it.
        name: for people.
        lines: how many there are.
        address: of its page; empty where none is known.
        likely_id: id of the voice here that is the same model, or has its name; empty where there is none.
    """

    id: str
    name: str
    lines: int
    address: str = ""
    likely_id: str = ""


def find_missing_voices(
    script: Script, catalog: VoiceCatalog, references: Iterable[VoiceReference], find_name: Callable[[str], str]
) -> list[MissingVoice]:
    """Return the missing voices in the order of their lines; none before all voices are known.

    Args:
        find_name: what a voice was called when it was here; empty where it never was.
    """
    if not catalog.is_read:
        return []
    known = {reference.id: reference for reference in references}
    counted = Counter(line.settings.voice for line in script.lines if line.settings.voice)
    ready = list_usable_voices(catalog)
    found = []
    for voice, lines in counted.items():
        if catalog.find_voice(voice) is None:
            reference = known.get(voice, VoiceReference(voice))
            name = reference.name or find_name(voice)
            found.append(
                MissingVoice(
                    voice,
                    name or localize("不明な声", "Unknown voice"),
                    lines,
                    reference.address,
                    _find_likely_voice(reference.uuid, name, ready),
                )
            )
    return found


def list_usable_voices(catalog: VoiceCatalog) -> list[CatalogVoice]:
    """Return the voices that can speak at once."""
    return [voice for voice in catalog.voices if voice.origin != "aivisspeech"]


def _find_likely_voice(uuid: str, name: str, voices: Iterable[CatalogVoice]) -> str:
    same = [voice.id for voice in voices if uuid and voice.model_card.uuid == uuid]
    return next(iter(same + [voice.id for voice in voices if name and voice.name == name]), "")
