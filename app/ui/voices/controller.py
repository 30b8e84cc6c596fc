"""Which voice speaks which line: between the catalog, the card, the lines and the synthesis thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import change
from app.language import localized
from app.settings import Settings
from app.sound_choice import SoundPrecision
from app.ui.error_text import Failed
from app.ui.labels import VoiceLabel
from app.ui.playback.playback import Playback
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.settings.store import SettingsStore
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import OpenVoice
from app.ui.synthesis.licence_open import LicenceOpenError
from app.ui.synthesis.results import OpenedVoice
from app.ui.voices.bert_words import bert_action, bert_hint
from app.ui.voices.card import VoiceCard
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.chooser import VoiceChooser
from app.ui.voices.voice_names import VoiceNames
from app.ui.widgets.banner import Kind
from app.voices.wanted_bert import SBV2_BERT, MissingBertError

SETTLE_MS = 250  # arrow keys rest this long on a line before its voice is opened


@dataclass(frozen=True, slots=True)
class VoiceMessage:
    """Words for a banner; `action` is what its button says, empty for none."""

    kind: Kind
    text: str
    hint: str = ""
    action: str = ""


class VoiceController(QObject):
    """Keeps card and chooser at the voice of the current line, and has that voice opened ahead.

    Attributes:
        names: what voices were called, also those that are gone.

    Signals:
        shown(KnownVoice), missing(str): the voice of the current line, or its name where it is not here, empty where nobody knows it.
        labels_changed(list[VoiceLabel]): how lines show their voices.
        message(VoiceMessage): for a banner, whose button does what `mend` does.  settled(): it may go.
        bert_needed(CatalogVoice): the voice cannot speak without its BERT.
        prepare_requested(CatalogVoice, list[str]): a voice of AivisSpeech, and the lines that are to speak with it.
        licence_needed(LicenceOpenError): speaking continues with `go_on`, or ends with `decline`.
    """

    shown = Signal(object)
    missing = Signal(str)
    labels_changed = Signal(object)
    message = Signal(object)
    settled = Signal()
    bert_needed = Signal(object)
    prepare_requested = Signal(object, object)
    licence_needed = Signal(object)

    def __init__(
        self,
        catalog: VoiceCatalog,
        document: ScriptDocument,
        selection: Selection,
        speech: SpeechController,
        playback: Playback,
        settings: SettingsStore,
        card: VoiceCard,
        chooser: VoiceChooser,
    ) -> None:
        super().__init__(catalog)
        self._catalog, self._document, self._selection = catalog, document, selection
        self._speech, self._playback, self._settings = speech, playback, settings
        self._card, self._chooser = card, chooser
        self.names = VoiceNames(self)
        self._shown: object = None
        self._lacking = ""
        self._refused = False  # no voice opens, whichever is chosen
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._prepare)
        catalog.changed.connect(self._on_catalog)
        chooser.chosen.connect(self._on_selected)
        card.licence_requested.connect(self._show_licence)
        card.mend_requested.connect(self.mend)
        card.precision.chosen.connect(self._on_precision)
        selection.changed.connect(self.follow)
        speech.voice_opened.connect(self._on_opened)
        speech.voices_closed.connect(self.follow)
        speech.failed.connect(self._on_failed)
        speech.announced.connect(lambda text: self.message.emit(VoiceMessage("notice", text)))
        settings.changed.connect(self._on_settings)
        speech.force_bert(settings.value.force_bert)

    @property
    def current(self) -> str:
        """Voice of the current line, or of the next one where there is none."""
        return self._selection.settings.voice

    def use(self, voice: str, lines: Sequence[str] | None = None) -> None:
        """Gives lines this voice, the selected ones by default."""
        known = self._catalog.find(voice)
        voice = known.id if known is not None else voice
        script = self._document.script
        if not script.lines:
            self._selection.change_defaults(voice=voice)
        ids = self._selection.ids if lines is None else lines
        self._document.edit(localized("声を変更", "Change voice"), change(script, ids, voice=voice))
        self.follow()

    def take_in(self, ids: Sequence[str], lines: Sequence[str]) -> bool:
        """Voices that came in: the first is for these lines, or for an empty script. True where lines speak with it now."""
        for voice in ids:
            self._speech.close_voice(voice)
        lines = [line for line in lines if self._document.script.find(line)]
        if lines or not self._document.script.lines:
            self.use(ids[0], lines)
        return bool(lines)

    def open_again(self, voice: str) -> None:
        """A voice has changed on the disk, or what it needs."""
        self._speech.close_voice(voice)
        self._timer.start()

    def open_forced_again(self) -> None:
        """Voices that spoke with a BERT that is not theirs may have their own now."""
        for voice in [item.id for item in self._speech.voices.values() if item.forced_bert]:
            self.open_again(voice)

    def force_bert(self, voice: str) -> None:
        """Speaks with another BERT from now on."""
        self._settings.change(force_bert=True)
        self.open_again(voice)

    def close(self) -> None:
        """Ends all work."""
        self._timer.stop()
        self.names.close()

    @Slot()
    def follow(self, *_what: object) -> None:
        """Shows the voice of the current line."""
        voice = self.current
        known = self._catalog.find(voice)
        opened = self._speech.voices.get(known.id if known else voice)
        precision = self._catalog.precision_of(known) if known is not None else "exact"
        state = (self._refused, voice, known, opened, self._catalog.is_read, precision)
        if state == self._shown:
            return
        self._shown = state
        if self._lacking not in ("", voice):
            self._lacking = ""
            self.settled.emit()  # the message was about another line's voice
        self._chooser.show_current(known.id if known else voice, self.names.find(voice))
        if self._refused:
            self._card.show_no_voice()
        elif known is not None:
            self.shown.emit(known)
            self._card.precision.show_voice(known, precision, elsewhere=opened is not None and not opened.fast)
            if opened is not None and opened.forced_bert and not known.has_bert:
                self._card.show_forced()
        elif self._catalog.is_read and voice:
            self.missing.emit(self.names.find(voice))
        elif opened is not None:
            self.shown.emit(opened)
        self._timer.start()

    def follow_again(self) -> None:
        """The same, where more is known of voices that are not here."""
        self._shown = None
        self.follow()

    @Slot()
    def mend(self) -> None:
        """Gets what the voice of the current line lacks, or the one that failed last."""
        voice = self._catalog.find(self._lacking or self.current)
        self._lacking = ""
        self.settled.emit()
        if voice is not None and voice.place == "aivisspeech":
            self.prepare_requested.emit(voice, self._selection.ids)
        elif voice is not None:
            self.bert_needed.emit(voice)
        else:
            self._chooser.open()

    def go_on(self) -> None:
        """Does what waited for a licence: speaks lines, or opens the voice."""
        lines = self._playback.given_up
        if lines:
            self._playback.play(lines)
        else:
            self._timer.start()

    def decline(self, error: LicenceOpenError) -> None:
        """The licence was not accepted."""
        hint = localized("同意するまで、この声は使えません。", "You cannot use this voice until you accept it.")
        self.message.emit(VoiceMessage("notice", error.message, hint))

    @Slot()
    def _on_catalog(self) -> None:
        voices = self._catalog.voices
        self.names.learn(voices)
        self._chooser.show_voices(voices)
        self.labels_changed.emit(
            [
                VoiceLabel(name, voice.name, tuple(style for _, style in voice.styles), tuple(who for _, who in voice.speakers), voice.icon)
                for voice in voices
                for name in dict.fromkeys((voice.manifest.id, voice.id))
            ]
        )
        self.follow()

    @Slot()
    def _prepare(self) -> None:
        """Opens the voice of the current line ahead, where nothing is in its way."""
        voice, chosen = self._catalog.find(self.current), self._settings.value
        ready = voice is not None and voice.place != "aivisspeech" and (voice.has_bert or chosen.force_bert)
        if voice is not None and ready and chosen.load_voice == "at_start":
            self._speech.prepare_voice(voice.id)

    @Slot(str)
    def _on_selected(self, voice: str) -> None:
        known = self._catalog.find(voice)
        if known is not None and known.place == "aivisspeech":
            self.prepare_requested.emit(known, self._selection.ids)
        else:
            self.use(voice)

    @Slot(str)
    def _on_precision(self, precision: SoundPrecision) -> None:
        voice = self._catalog.find(self.current)
        if voice is not None:
            self._catalog.choose_precision(voice, precision)

    @Slot()
    def _show_licence(self) -> None:
        voice = self._catalog.find(self.current) or self._speech.voices.get(self.current)
        if voice is not None:
            from app.ui.widgets.text_dialog import show_text

            show_text(self._card, localized(f"「{voice.name}」の利用規約", f"Licence of “{voice.name}”"), voice.licence.strip())

    @Slot(object, object)
    def _on_settings(self, before: Settings, after: Settings) -> None:
        if before.force_bert != after.force_bert:
            self._speech.force_bert(after.force_bert)

    @Slot(object)
    def _on_opened(self, voice: OpenedVoice) -> None:
        self._refused = False
        self.follow()
        if voice.id != self.current:
            self._timer.start()  # the voice of the line was waiting for the first one
        if voice.forced_bert:
            known = self._catalog.find(voice.id)
            self._lacking = voice.id
            text = localized(
                f"「{voice.name}」は、対応する BERT の代わりに別の BERT を使っています。",
                f"“{voice.name}” is using another BERT in place of its own.",
            )
            hint = localized(
                "抑揚が不自然になります。この声に対応する BERT を追加してください。", "Intonation will be off until its own BERT is added."
            )
            action = bert_action(known.manifest.bert if known is not None else SBV2_BERT)
            self.message.emit(VoiceMessage("error", text, hint, action))

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        error, voice = failed.error, getattr(failed.job, "voice", "")
        if isinstance(error, MissingBertError):
            known = self._catalog.find(voice)
            self._lacking = voice
            hint, action = (bert_hint(error.bert), bert_action(error.bert)) if known else (error.hint, "")
            self.message.emit(VoiceMessage("error", error.message, hint, action))
        elif isinstance(error, LicenceOpenError):
            self.licence_needed.emit(error)
        elif isinstance(failed.job, OpenVoice) and self._speech.voice is None:
            self._refused = True
            self._card.show_no_voice()
