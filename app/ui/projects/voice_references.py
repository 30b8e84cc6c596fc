"""The voices that a project needs: their names, where to get them, and which of them are not here."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from app.common.language import localize
from app.core.script.project import VoiceReference
from app.core.script.script import Script
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog


def build_voice_references(script: Script, catalog: VoiceCatalog, known_references: Iterable[VoiceReference]) -> tuple[VoiceReference, ...]:
    """Return a reference for each voice that lines and characters name, in their order; for a voice that is not here, the known one."""
    references = {reference.id: reference for reference in known_references}
    lines, cast = script.lines, script.cast
    used = dict.fromkeys(filter(None, (*(line.settings.voice for line in lines), *(character.settings.voice for character in cast))))
    return tuple(_build_reference(voice, catalog.find_voice(voice), references.get(voice)) for voice in used)


def _build_reference(voice: str, catalog_voice: CatalogVoice | None, reference: VoiceReference | None) -> VoiceReference:
    if catalog_voice is None:
        return reference or VoiceReference(voice)
    from app.adapters.http.hub_files import AIVISHUB_PAGES  # when a project is saved; the window is there sooner

    model = ""
    with suppress(ValueError):
        model = str(uuid.UUID(catalog_voice.model_card.uuid))
    page = f"https://{AIVISHUB_PAGES}/aivm-models/{model}" if model else reference.address if reference else ""
    return VoiceReference(voice, catalog_voice.name, model, page, reference.unknown if reference else "")


@dataclass(frozen=True, slots=True)
class MissingVoice:
    """A voice that lines name."""

    id: str  # what lines call it
    name: str  # for people
    lines: int  # how many there are
    address: str = ""  # of its page; empty where none is known
    likely_id: str = ""  # id of the voice here that is the same model, or has its name; empty where there is none


def find_missing_voices(
    script: Script, catalog: VoiceCatalog, references: Iterable[VoiceReference], find_name: Callable[[str], str]
) -> list[MissingVoice]:
    """Return the missing voices in the order of their lines; none before all voices are known.

    Args:
        find_name: what a voice was called when it was here; empty where it never was.
    """
    if not catalog.is_read:
        return []
    references_by_id = {reference.id: reference for reference in references}
    line_counts = Counter(line.settings.voice for line in script.lines if line.settings.voice)
    usable, missing = list_usable_voices(catalog), []
    for voice, line_count in line_counts.items():
        if catalog.find_voice(voice) is None:
            reference = references_by_id.get(voice, VoiceReference(voice))
            name = reference.name or find_name(voice)
            likely = [item.id for item in usable if reference.uuid and item.model_card.uuid == reference.uuid]
            likely += [item.id for item in usable if name and item.name == name]
            shown_name = name or localize("不明な声", "Unknown voice")
            missing.append(MissingVoice(voice, shown_name, line_count, reference.address, likely[0] if likely else ""))
    return missing


def list_usable_voices(catalog: VoiceCatalog) -> list[CatalogVoice]:
    """Return the voices that can speak at once."""
    return [voice for voice in catalog.voices if voice.origin != "aivisspeech"]
