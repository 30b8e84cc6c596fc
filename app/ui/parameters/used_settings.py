"""Offers in the panel at the side what the voices of the selected lines use."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.core.sound.voice_traits import SBV2_ARCHITECTURE, VoiceArchitecture
from app.ui.parameters.side_panel import SidePanel
from app.ui.script.line_selection import LineSelection
from app.ui.voices.voice_catalog import VoiceCatalog


class UsedSettingsOffer(QObject):
    """Follows the selection and the catalog; a voice that is missing counts as one that uses all settings."""

    def __init__(self, selection: LineSelection, catalog: VoiceCatalog, side: SidePanel) -> None:
        super().__init__(side)
        self._selection, self._catalog, self._side = selection, catalog, side
        # Until the voices are read the panel has the form that it will have for most of them.
        side.offer_settings(frozenset({SBV2_ARCHITECTURE}))
        selection.changed.connect(self._offer_settings)
        catalog.changed.connect(self._offer_settings)

    @Slot()
    def _offer_settings(self) -> None:
        if not self._catalog.is_read:
            return
        voices = [self._catalog.find_voice(voice) for voice in self._selection.voices]
        architectures: frozenset[VoiceArchitecture] = frozenset(voice.architecture for voice in voices if voice is not None)
        self._side.offer_settings(architectures if all(voices) else frozenset())
