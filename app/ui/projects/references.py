"""Which voices a project says that it needs: their names, and where they can be got, for machines that have them not."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import suppress

from app.core.project import VoiceReference
from app.core.script import Script
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice


def references(script: Script, catalog: VoiceCatalog, kept: Iterable[VoiceReference]) -> tuple[VoiceReference, ...]:
    """A reference for each voice that lines name, in their order; of voices that are not here, the one that was kept."""
    known = {reference.id: reference for reference in kept}
    used = dict.fromkeys(line.settings.voice for line in script.lines if line.settings.voice)
    return tuple(_reference(voice, catalog.find(voice), known.get(voice)) for voice in used)


def _reference(voice: str, found: CatalogVoice | None, kept: VoiceReference | None) -> VoiceReference:
    if found is None:
        return kept or VoiceReference(voice)
    from app.adapters.http.hub_addresses import AIVISHUB_PAGES  # when a project is saved; the window is there sooner

    model = _model(found.card.uuid)
    page = f"https://{AIVISHUB_PAGES}/aivm-models/{model}" if model else kept.address if kept else ""
    return VoiceReference(voice, found.name, model, page)


def _model(text: str) -> str:
    """The id of a model, where it is one."""
    with suppress(ValueError):
        return str(uuid.UUID(text))
    return ""
