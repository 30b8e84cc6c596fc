"""Opens voices on terms: those that a command or a worker was given, and those that lines of a script name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.common.errors import AppError, VoiceError
from app.common.language import localize
from app.engine.open_voices import OpeningRequest
from app.settings.user_settings import GraphPrecision, PrecisionChoice

if TYPE_CHECKING:
    from app.compose.speaker import Speaker
    from app.install.resolve_voice import ResolvedVoice
    from app.install.voice_licence import VoiceLicence


@dataclass(frozen=True, slots=True)
class VoiceTerms:
    """The terms on which a voice is opened; see `app.compose.speaker_opening.open_speaker`."""

    reference: str | None  # id, name or path of the voice
    backend: str = "auto"
    bert_precision: PrecisionChoice | None = None
    graph_precision: GraphPrecision | None = None
    force_bert: bool = False
    convert: bool = True
    waits_for_devices: bool = False  # it does not speak before every graph runs where it was asked to


def create_opener(find_terms: Callable[[str], VoiceTerms]) -> Callable[[OpeningRequest], Speaker]:
    """Return what opens voices by their ids, on the terms that `find_terms` returns for each."""
    return lambda opening: open_on_terms(opening, find_terms(opening.voice), next(iter(opening.newest_first), None))


def open_on_terms(opening: OpeningRequest, terms: VoiceTerms, reuse_from: Speaker | None) -> Speaker:
    """Open a voice; raise VoiceError.

    Args:
        reuse_from: an open voice whose caches are taken over, and its BERT where it is the same.
    """
    from app.compose.speaker_opening import open_speaker

    speaker = open_speaker(
        terms.reference,
        terms.backend,
        force_bert=terms.force_bert,
        precision=terms.bert_precision,
        graph_precision=terms.graph_precision,
        reuse_from=reuse_from,
        caches=opening.caches,
        failures=opening.failures,
        convert=terms.convert,
    )
    if terms.waits_for_devices:
        speaker.wait_for_devices()
    return speaker


class LicenceNotAcceptedError(AppError):
    """The user has not accepted the licence of a voice yet."""

    family = "voice"
    exit_code = 3

    def __init__(self, voice_id: str, name: str, text: str) -> None:
        super().__init__(
            localize(f"声「{name}」の利用規約にまだ同意していません。", f"The licence of the voice “{name}” has not been accepted yet."),
            localize("右の声のカードで確認できます。", "You can read it on the voice card on the right."),
        )
        self.voice_id, self.name, self.text = voice_id, name, text


class LineVoiceOpener:
    """Opens the voices of lines: no files, no licence that was not accepted, on request with a BERT that is not theirs. Belongs to the engine's thread, but for its attribute.

    Args:
        announce: called, in the language of the user, with what takes long.
    """

    def __init__(self, announce: Callable[[str], object]) -> None:
        self.force_bert = False  # a voice whose BERT is missing speaks with another one, which sounds wrong
        self._shipped_id: str | None = None  # looked for once it is needed
        self._announce = announce

    def find_line_id(self, voice: str) -> str:
        """Return the id that lines have for a voice: the one that ships is empty, others are those of their manifests."""
        if self._shipped_id is None:
            from app.voices.installed_voices import find_shipped_voice_id

            self._shipped_id = find_shipped_voice_id() or ""
        return "" if voice == self._shipped_id else voice

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

        voice_id = voice or find_shipped_voice_id()  # a line, and so a project, names voices, but no files
        try:
            return resolve_ready_voice(
                voice_id, refuse_licence, announce=self._announce, require_bert=self._require_bert, may_be_path=False, renews_first=False
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
