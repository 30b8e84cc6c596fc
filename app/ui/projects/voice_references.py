"""The voices that a project needs: their names, and where to get them, for machines without them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import suppress

from app.core.script.project import VoiceReference
from app.core.script.script import Script
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog


def build_voice_references(script: Script, catalog: VoiceCatalog, known_references: Iterable[VoiceReference]) -> tuple[VoiceReference, ...]:
    """Return a reference for each voice that lines and characters name, in their order; for a voice that is not here, the known one."""
    known = {reference.id: reference for reference in known_references}
    used = dict.fromkeys(filter(None, (*(line.settings.voice for line in script.lines), *(one.settings.voice for one in script.cast))))
    return tuple(_build_reference(voice, catalog.find_voice(voice), known.get(voice)) for voice in used)


def _build_reference(voice: str, catalog_voice: CatalogVoice | None, known: VoiceReference | None) -> VoiceReference:
    if catalog_voice is None:
        return known or VoiceReference(voice)
    from app.adapters.http.hub_addresses import AIVISHUB_PAGES  # when a project is saved; the window is there sooner

    model = _parse_model_id(catalog_voice.model_card.uuid)
    page = f"https://{AIVISHUB_PAGES}/aivm-models/{model}" if model else known.address if known else ""
    return VoiceReference(voice, catalog_voice.name, model, page, known.unknown if known else "")


def _parse_model_id(text: str) -> str:
    """Return the id of a model, or an empty text if this is none."""
    with suppress(ValueError):
        return str(uuid.UUID(text))
    return ""
