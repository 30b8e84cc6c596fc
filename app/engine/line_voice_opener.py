"""Opens the voices that lines of a script name, as a window does: no files, no licence that was not accepted, on request with a BERT that is not theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.common.errors import VoiceError
from app.common.language import localize
from app.engine.licence_error import LicenceNotAcceptedError
from app.engine.open_voices import OpeningRequest
from app.engine.voice_terms import VoiceTerms, open_on_terms

if TYPE_CHECKING:
    from app.compose.speaker import Speaker
    from app.install.resolve_voice import ResolvedVoice
    from app.install.voice_licence import VoiceLicence


class LineVoiceOpener:
    """Belongs to the engine's thread, but for its attribute.

    Attributes:
        force_bert: a voice whose BERT is missing speaks with another one, which sounds wrong.

    Args:
        announce: called, in the language of the user, with what takes long.
    """

    def __init__(self, announce: Callable[[str], object]) -> None:
        self.force_bert = False
        self._shipped: str | None = None  # looked for once it is needed
        self._announce = announce

    def find_line_id(self, voice: str) -> str:
        """Return the id that lines have for a voice: the one that ships is empty, others are those of their manifests."""
        if self._shipped is None:
            from app.voices.installed_voices import find_shipped_voice_id

            self._shipped = find_shipped_voice_id() or ""
        return "" if voice == self._shipped else voice

    def open_voice(self, opening: OpeningRequest) -> Speaker:
        """Open a voice; raise VoiceError and LicenceNotAcceptedError."""
        ready, precisions = self._prepare_voice(opening.voice), opening.precisions
        manifest = ready.voice.manifest
        graph_precision = precisions.graphs.find_precision(manifest.id)
        terms = VoiceTerms(ready.reference, opening.backend, precisions.bert, graph_precision, self.force_bert)
        speaker = open_on_terms(opening, terms, opening.find_reusable_speaker(manifest.bert))
        if ready.note:
            self._announce(ready.note)
        return speaker

    def _prepare_voice(self, voice: str) -> ResolvedVoice:
        from app.install.resolve_voice import resolve_ready_voice
        from app.voices.installed_voices import UnknownVoiceError, find_shipped_voice_id

        def refuse_licence(licence: VoiceLicence) -> bool:
            raise LicenceNotAcceptedError(licence.voice_id, licence.name, licence.text)

        wanted = voice or find_shipped_voice_id()  # a line, and so a project, names voices, but no files
        try:
            return resolve_ready_voice(
                wanted, refuse_licence, announce=self._announce, require_bert=self._require_bert, may_be_path=False, renews_first=False
            )
        except UnknownVoiceError as error:
            raise VoiceError(
                localize("この行の声が見つかりません。", "The voice for this line is missing."),
                localize("右の声のカードで、別の声を選んでください。", "Choose another voice on the voice card on the right."),
            ) from error

    def _require_bert(self, bert: str) -> None:
        from app.common.files.paths import list_bert_dirs
        from app.voices.bert_models import find_bert

        find_bert(bert, list_bert_dirs(), allow_mismatch=self.force_bert)
