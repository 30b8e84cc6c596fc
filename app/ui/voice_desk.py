"""Which voice speaks which line: between the shelf, the side panel, the cards and the synthesis thread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.script import change
from app.language import say
from app.ui.dialogs.bert_offer import BertOffer
from app.ui.dialogs.text_dialog import show_text
from app.ui.held_voice import LicenceOpenError
from app.ui.jobs import Failed, OpenedVoice, OpenVoice
from app.ui.library_desk import LibraryDesk
from app.ui.shelf import Shelf, ShelfVoice
from app.ui.voice_names import VoiceNames
from app.ui.voice_samples import VoiceSamples
from app.ui.voice_works import VoiceWorks
from app.ui.widgets.banner import Banner
from app.ui.window_drops import WindowDrops
from app.voices.bert import MissingBertError
from app.voices.description import SBV2_BERT

if TYPE_CHECKING:
    from app.ui.window import MainWindow

SETTLE_MS = 250  # arrow keys rest this long on a line before its voice is opened


class VoiceDesk(QObject):
    """Everything about voices in a window.

    Attributes:
        shelf: the voices there are.
        works: long work on them.
        banner: what is to be told of voices.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.controller = window.controller
        self.shelf = Shelf(self)
        self.names = VoiceNames(self)
        self.banner = Banner()
        self.banner.action.setText(say("BERT を入手…", "Get the BERT…"))
        self.banner.action.setToolTip(say("声が話すのに要るモデルを入れます。", "Installs the model that the voice needs."))
        self.works = VoiceWorks(self, window)
        self.library = LibraryDesk(self, window)
        self._shown: object = None
        self._lacking = ""
        self._refused = False  # no voice opens, whichever is chosen
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._prepare)
        window.left.above.addWidget(self.banner)
        WindowDrops(window)
        VoiceSamples(window)
        self._connect()
        self.controller.force_bert(window.settings.force_bert)

    @property
    def current(self) -> str:
        """Voice of the current line, or of the next one where there is none."""
        line = self._window.document.script.find(self._window.script.current_id)
        return (line.settings if line else self._window.commands.first_settings).voice

    def use(self, voice: str, lines: list[str] | None = None) -> None:
        """Gives lines this voice, the selected ones unless told otherwise."""
        window = self._window
        known = self.shelf.find(voice)
        voice = known.id if known is not None else voice
        ids = window.script.chosen_ids if lines is None else lines
        if not window.document.script.lines:
            window.commands.first_settings = replace(window.commands.first_settings, voice=voice)
        window.document.edit(say("声を変更", "Change the voice"), change(window.document.script, ids, voice=voice))
        self.follow()

    def offer_bert(self, voice: ShelfVoice) -> BertOffer:
        """Asks what to do about a missing BERT."""
        offer = BertOffer(self._window, voice.name, voice.manifest.bert, force_offered=bool(self.shelf.berts))
        offer.download_wanted.connect(self.works.download_bert)
        offer.file_wanted.connect(lambda: self.works.choose_bert_file(voice.manifest.bert))
        offer.force_wanted.connect(lambda: self._force_bert(voice.id))
        offer.open()
        return offer

    def open_anew(self, voice: str) -> None:
        """A voice has changed on the disk, or what it needs."""
        self.controller.close_voice(voice)
        self._timer.start()

    def close(self) -> None:
        """Ends all work."""
        self._timer.stop()
        self.works.queue.close()
        self.works.licences.close()
        self.shelf.close()
        self.names.close()

    @Slot()
    def follow(self, *_what: object) -> None:
        """Shows the voice of the current line."""
        voice, side = self.current, self._window.side
        known = self.shelf.find(voice)
        state = (self._refused, voice, known, self.controller.voices.get(known.id if known else voice), self.shelf.is_read)
        if state == self._shown:
            return
        self._shown = state
        if self._lacking not in ("", voice):
            self._lacking = ""
            self.banner.hide()  # it was about another line's voice
        side.chooser.show_current(known.id if known else voice, self.names.find(voice))
        if self._refused:
            side.card.show_no_voice()
        elif known is not None:
            side.show_voice(known)
            opened = self.controller.voices.get(known.id)
            if opened is not None and opened.forced_bert and not known.has_bert:
                side.card.show_forced()
        elif self.shelf.is_read and voice:
            side.show_missing(voice, self.names.find(voice))
        elif voice in self.controller.voices:
            side.show_voice(self.controller.voices[voice])
        self._timer.start()

    def _connect(self) -> None:
        window, side = self._window, self._window.side
        for name, called in {
            "add_voice": lambda: self.library.add("file"),
            "add_voice_address": lambda: self.library.add("address"),
            "voice_library": self.library.open,
            "add_bert": lambda: self.works.choose_bert_file(SBV2_BERT),
            "measure": self.works.measure,
        }.items():
            window.deeds[name].triggered.connect(called)
        self.shelf.changed.connect(self._on_shelf)
        self.banner.action_wanted.connect(self._on_mend)
        side.chooser.chosen.connect(self._on_chosen)
        side.chooser.library_wanted.connect(self.library.open)
        side.card.licence_wanted.connect(self._show_licence)
        side.card.mend_wanted.connect(self._on_mend)
        window.script.line_chosen.connect(self.follow)
        window.document.changed.connect(self.follow)
        window.commands.voice_file_dropped.connect(self.works.add_files)
        self.controller.voice_opened.connect(self._on_opened)
        self.controller.failed.connect(self._on_failed)
        self.controller.announced.connect(lambda text: self.banner.tell("notice", text))

    @Slot()
    def _on_shelf(self) -> None:
        self.names.learn(self.shelf.voices)
        self._window.side.chooser.show_voices(self.shelf.voices)
        self._window.script.show_voices(self.shelf.voices, self.names.find)
        self.follow()
        self.works.on_shelf()

    @Slot()
    def _prepare(self) -> None:
        """Opens the voice of the current line ahead, where nothing is in its way."""
        voice = self.shelf.find(self.current)
        ready = voice is not None and voice.place != "aivisspeech" and (voice.has_bert or self._window.settings.force_bert)
        if voice is not None and ready and self._window.settings.load_voice == "at_start":
            self.controller.prepare_voice(voice.id)

    @Slot(str)
    def _on_chosen(self, voice: str) -> None:
        known = self.shelf.find(voice)
        if known is not None and known.place == "aivisspeech":
            self.works.prepare(known, self._window.script.chosen_ids)
        else:
            self.use(voice)

    @Slot()
    def _on_mend(self) -> None:
        """What the voice of the current line lacks, or the one that failed last."""
        voice = self.shelf.find(self._lacking or self.current)
        self._lacking = ""
        self.banner.hide()
        if voice is not None and voice.place == "aivisspeech":
            self.works.prepare(voice, self._window.script.chosen_ids)
        elif voice is not None:
            self.offer_bert(voice)
        else:
            self._window.side.chooser.open()

    def _force_bert(self, voice: str) -> None:
        self._window.preferences.change(force_bert=True)
        self.controller.force_bert(True)
        self.open_anew(voice)

    @Slot()
    def _show_licence(self) -> None:
        voice = self.shelf.find(self.current) or self.controller.voices.get(self.current)
        if voice is not None:
            show_text(self._window, say(f"「{voice.name}」のライセンス", f'Licence of "{voice.name}"'), voice.licence.strip())

    @Slot(object)
    def _on_opened(self, voice: OpenedVoice) -> None:
        self._refused = False
        self.follow()
        if voice.id != self.current:
            self._timer.start()  # the voice of the line was waiting for the first one
        if voice.forced_bert:
            self._lacking = voice.id
            self.banner.tell(
                "trouble",
                say(f"「{voice.name}」は別の BERT で話しています。", f'"{voice.name}" speaks with a BERT that is not its own.'),
                say(
                    "抑揚は正しくありません。この声用の BERT を入れると直ります。", "Its prosody is wrong until its own BERT is installed."
                ),
                action=say("BERT を入手…", "Get the BERT…"),
            )

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        error, voice = failed.error, getattr(failed.job, "voice", "")
        if isinstance(error, MissingBertError):
            known = self.shelf.find(voice)
            self._window.banner.hide()
            self._lacking = voice
            hint = say("入れるのは一度だけです。", "It is installed once.") if known else error.hint
            self.banner.tell("trouble", error.message, hint, action=say("BERT を入手…", "Get the BERT…") if known else "")
        elif isinstance(error, LicenceOpenError):
            self._window.banner.hide()
            self.works.licences.ask(error.voice_id, error.name, error.text, self._go_on, lambda: self._decline(error))
        elif isinstance(failed.job, OpenVoice) and self.controller.voice is None:
            self._refused = True
            self._window.side.card.show_no_voice()

    def _go_on(self) -> None:
        """What waited for a licence: lines that were to be spoken, or the opening of the voice."""
        lines = self._window.playback.given_up
        if lines:
            self._window.play(lines)
        else:
            self._timer.start()

    def _decline(self, error: LicenceOpenError) -> None:
        self.banner.tell("notice", error.message, say("同意するまで、この声では話せません。", "It cannot speak until you accept it."))
