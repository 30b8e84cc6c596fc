"""Connects the voices of lines with the catalog, the card, the chooser and the synthesis thread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.adapters.files.file_lock import lock_path_for_change
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import check_version, load_data, save_data
from app.common.language import localize
from app.core.script.script import change_settings
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import JobFailure, OpenVoiceJob
from app.engine.voice_terms import LicenceNotAcceptedError
from app.settings.user_settings import GraphPrecision, Settings
from app.ui.background_thread import BackgroundThread, log_error
from app.ui.display_names import VoiceLabel
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.catalog_voice import CatalogVoice, describe_bert_source, format_bert_action
from app.ui.voices.voice_card import VoiceCard
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_chooser import VoiceChooser
from app.ui.widgets.banner import BannerKind
from app.voices.required_bert import SBV2_BERT_ID, MissingBertError

VOICE_NAMES_VERSION = 1
MAX_KNOWN_NAMES = 1000
MAX_NAME_LETTERS = 200


def build_names_path() -> Path:
    return find_data_dir() / "voice_names.json"


class VoiceNameHistory(QObject):
    """The names by id of all voices that were ever installed, written in the background."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, "voice names")
        self._background.failed.connect(log_error)
        self._names = _read_known_names()
        self._project_names: dict[str, str] = {}

    def find_name(self, voice_id: str) -> str:
        """Return the last known name of a voice; empty if there is none."""
        return self._names.get(voice_id) or self._project_names.get(voice_id, "")

    def use_project_names(self, names: dict[str, str]) -> None:
        """Use the names that the open project stores; they count only for voices never installed here, and are not saved."""
        self._project_names = names

    def remember_voices(self, voices: Iterable[CatalogVoice]) -> None:
        """Remember the names of installed voices."""
        names = {voice.id: voice.name[:MAX_NAME_LETTERS] for voice in voices if voice.id}
        if names.items() <= self._names.items():
            return
        self._names = _merge_names(self._names, names)
        self._background.run_work(lambda: _save_names(names))

    def close(self) -> None:
        """Wait for pending writes."""
        self._background.close(finish=True)


def _read_known_names() -> dict[str, str]:
    failed = localize("声の名前の一覧を読み込めませんでした。", "The list of voice names could not be read.")
    names, error = load_data(build_names_path(), _parse_names, failed)
    if error is not None:
        log_error(error)
    return names or {}


def _merge_names(known: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    """Merge names; beyond the limit the oldest are dropped."""
    other_names = [item for item in known.items() if item[0] not in names]
    return dict([*other_names, *names.items()][-MAX_KNOWN_NAMES:])


def _save_names(names: dict[str, str]) -> None:
    """Add names to the file, which another process may have changed."""
    failed = localize("声の名前の一覧を保存できません", "The list of voice names could not be saved")
    with lock_path_for_change(build_names_path()):
        save_data(build_names_path(), {"version": VOICE_NAMES_VERSION, "names": _merge_names(_read_known_names(), names)}, failed)


def _parse_names(data: Any) -> dict[str, str]:
    names = check_version(data, VOICE_NAMES_VERSION, "names")
    if not all(isinstance(name, str) for name in names.values()):
        raise ValueError("no names")
    return names


VOICE_OPEN_DELAY_MS = 250  # milliseconds; the arrow keys pass over lines faster than a voice can be opened


@dataclass(frozen=True, slots=True)
class VoiceMessage:
    """A message for a banner; `action` is the text of its button, empty for none."""

    kind: BannerKind
    text: str
    hint: str = ""
    action: str = ""


class VoiceController(QObject):
    """Keeps card and chooser at the voice of the current line, and opens that voice ahead.

    Signals:
        voice_shown(VoiceSummary), voice_missing(str): the voice of the current line, or its last known name if it is not installed.
        labels_changed(list[VoiceLabel]): how lines show their voices.
        message_requested(VoiceMessage): show a banner; its button calls `resolve_missing`.  error_resolved(): hide it.
        bert_needed(CatalogVoice): the voice cannot speak without its BERT.
        prepare_requested(CatalogVoice, list[str]): a voice of AivisSpeech, and ids of the lines that will use it.
        licence_needed(LicenceNotAcceptedError): speaking continues with `resume_after_licence`, or ends with `show_licence_refusal`.
    """

    voice_shown = Signal(object)
    voice_missing = Signal(str)
    labels_changed = Signal(object)
    message_requested = Signal(object)
    error_resolved = Signal()
    bert_needed = Signal(object)
    prepare_requested = Signal(object, object)
    licence_needed = Signal(object)

    def __init__(
        self,
        catalog: VoiceCatalog,
        document: ScriptDocument,
        selection: LineSelection,
        speech: SpeechController,
        playback: LinePlayback,
        settings: SettingsStore,
        card: VoiceCard,
        chooser: VoiceChooser,
    ) -> None:
        super().__init__(catalog)
        self._catalog, self._document, self._selection = catalog, document, selection
        self._speech, self._playback, self._settings = speech, playback, settings
        self._card, self._chooser = card, chooser
        self.names = VoiceNameHistory(self)
        self._shown_state: object = None
        self._lacking_voice_id = ""
        # True while no voice at all could be opened.
        self._is_refused = False
        self._timer = QTimer(self, singleShot=True, interval=VOICE_OPEN_DELAY_MS)
        self._timer.timeout.connect(self._prepare_current_voice)
        catalog.changed.connect(self._update_voices)
        chooser.chosen.connect(self._select_voice)
        card.licence_requested.connect(self._show_licence)
        card.resolve_missing_requested.connect(self.resolve_missing)
        card.precision.precision_chosen.connect(self._change_precision)
        selection.changed.connect(self.show_current_voice)
        speech.voice_opened.connect(self._show_opened_voice)
        speech.voices_closed.connect(self.show_current_voice)
        speech.failed.connect(self._report_failure)
        speech.announced.connect(lambda text: self.message_requested.emit(VoiceMessage("notice", text)))
        settings.changed.connect(self._apply_settings)
        speech.set_force_bert(settings.value.force_bert)

    @property
    def current_voice_id(self) -> str:
        """Return the voice of the current line, or of the next new line if there is none."""
        return self._selection.settings.voice

    def use_voice(self, voice_id: str, line_ids: Sequence[str] | None = None) -> None:
        """Give lines this voice, the selected ones by default."""
        catalog_voice = self._catalog.find_voice(voice_id)
        voice_id = catalog_voice.id if catalog_voice is not None else voice_id
        script = self._document.script
        if not script.lines:
            self._selection.change_defaults(voice=voice_id)
        ids = self._selection.ids if line_ids is None else line_ids
        self._document.apply_edit(localize("声を変更", "Change voice"), change_settings(script, ids, voice=voice_id))
        self.show_current_voice()

    @Slot()
    def begin_with_default_voice(self) -> None:
        """Give the first line of an empty script the default voice; a script with lines keeps its voices."""
        if not self._document.script.lines:
            self._selection.change_defaults(voice=self._catalog.default_id, speaker="", style="")

    def use_added_voices(self, voice_ids: Sequence[str], line_ids: Sequence[str], *, keeps_other_voices: bool = False) -> bool:
        """Give the first added voice to these lines, or to an empty script; return True if any line uses it now.

        With `keeps_other_voices`, only what still has the included voice gets it.
        """
        # An open voice of the same id still runs the graphs that the update replaced.
        for voice in voice_ids:
            self._speech.close_voice(voice)
        lines = [line for item in line_ids if (line := self._document.script.find_line(item)) is not None]
        line_ids = [line.id for line in lines if not keeps_other_voices or self._is_included_voice(line.settings.voice)]
        may_change_defaults = not keeps_other_voices or self._is_included_voice(self.current_voice_id)
        if line_ids or (not self._document.script.lines and may_change_defaults):
            self.use_voice(voice_ids[0], line_ids)
        return bool(line_ids)

    def list_lines_of_voice(self, voice_id: str, line_ids: Sequence[str]) -> list[str]:
        """Return those of these lines that have the voice."""
        lines = [self._document.script.find_line(item) for item in line_ids]
        return [line.id for line in lines if line is not None and line.settings.voice == voice_id]

    def reload_voice(self, voice_id: str) -> None:
        """Reopen a voice after its files or its BERT have changed on the disk."""
        self._speech.close_voice(voice_id)
        self._timer.start()

    def reload_forced_bert_voices(self) -> None:
        """Reopen voices that use another BERT, as their own may be installed now."""
        for voice in [item.id for item in self._speech.voices.values() if item.has_forced_bert]:
            self.reload_voice(voice)

    def use_forced_bert(self, voice_id: str) -> None:
        """Allow another BERT in place of the missing one from now on, and reopen the voice."""
        self._settings.change_settings(force_bert=True)
        self.reload_voice(voice_id)

    def close(self) -> None:
        """End all work."""
        self._timer.stop()
        self.names.close()

    @Slot()
    def show_current_voice(self, *_signal_arguments: object) -> None:
        voice = self.current_voice_id
        catalog_voice = self._catalog.find_voice(voice)
        opened = self._speech.voices.get(catalog_voice.id if catalog_voice else voice)
        precision = self._catalog.find_precision(catalog_voice) if catalog_voice is not None else "exact"
        state = (self._is_refused, voice, catalog_voice, opened, self._catalog.is_read, precision)
        if state == self._shown_state:
            return
        self._shown_state = state
        if self._lacking_voice_id not in ("", voice):
            self._lacking_voice_id = ""
            self.error_resolved.emit()  # the message was about another line's voice
        self._chooser.show_current_voice(catalog_voice.id if catalog_voice else voice, self.names.find_name(voice))
        if self._is_refused:
            self._card.show_no_voice()
        elif catalog_voice is not None:
            self.voice_shown.emit(catalog_voice)
            self._card.precision.show_voice(catalog_voice, precision, is_fast_unavailable=opened is not None and not opened.is_fast)
            if opened is not None and opened.has_forced_bert and not catalog_voice.has_bert:
                self._card.show_forced_bert()
        elif self._catalog.is_read and voice:
            self.voice_missing.emit(self.names.find_name(voice))
        elif opened is not None:
            self.voice_shown.emit(opened)
        self._timer.start()

    def refresh_current_voice(self) -> None:
        """Show the current voice again after names of missing voices have become known."""
        self._shown_state = None
        self.show_current_voice()

    @Slot()
    def resolve_missing(self) -> None:
        """Get what the voice of the current line, or the one that failed last, lacks."""
        voice = self._catalog.find_voice(self._lacking_voice_id or self.current_voice_id)
        self._lacking_voice_id = ""
        self.error_resolved.emit()
        if voice is not None and voice.origin == "aivisspeech":
            self.prepare_requested.emit(voice, self._selection.ids)
        elif voice is not None:
            self.bert_needed.emit(voice)
        else:
            self._chooser.open_list()

    def resume_after_licence(self) -> None:
        """Continue what waited for a licence: speak the lines, or open the voice."""
        lines = self._playback.given_up
        if lines:
            self._playback.play_lines(lines)
        else:
            self._timer.start()

    def show_licence_refusal(self, error: LicenceNotAcceptedError) -> None:
        hint = localize("同意するまで、この声は使えません。", "You cannot use this voice until you accept it.")
        self.message_requested.emit(VoiceMessage("notice", error.message, hint))

    def _is_included_voice(self, voice_id: str) -> bool:
        catalog_voice = self._catalog.find_voice(voice_id)
        return not voice_id or (catalog_voice is not None and catalog_voice.is_starter)

    @Slot()
    def _update_voices(self) -> None:
        voices = self._catalog.voices
        self.names.remember_voices(voices)
        self._chooser.show_voices(voices)
        self.labels_changed.emit(
            [
                VoiceLabel(
                    name,
                    voice.name,
                    tuple(style for _, style in voice.styles),
                    tuple(who for _, who in voice.speakers),
                    voice.icon,
                    tuple(voice.manifest.blends),
                )
                for voice in voices
                for name in dict.fromkeys((voice.manifest.id, voice.id))
            ]
        )
        self.show_current_voice()

    @Slot()
    def _prepare_current_voice(self) -> None:
        """Open the voice of the current line ahead, if it can be opened and the settings allow it."""
        voice, chosen = self._catalog.find_voice(self.current_voice_id), self._settings.value
        ready = voice is not None and voice.origin != "aivisspeech" and (voice.has_bert or chosen.force_bert)
        if voice is not None and ready and chosen.load_voice == "at_start":
            self._speech.prepare_voice(voice.id)

    @Slot(str)
    def _select_voice(self, voice_id: str) -> None:
        catalog_voice = self._catalog.find_voice(voice_id)
        if catalog_voice is not None and catalog_voice.origin == "aivisspeech":
            self.prepare_requested.emit(catalog_voice, self._selection.ids)
        else:
            self.use_voice(voice_id)

    @Slot(str)
    def _change_precision(self, precision: GraphPrecision) -> None:
        voice = self._catalog.find_voice(self.current_voice_id)
        if voice is not None:
            self._catalog.choose_precision(voice, precision)

    @Slot()
    def _show_licence(self) -> None:
        voice = self._catalog.find_voice(self.current_voice_id) or self._speech.voices.get(self.current_voice_id)
        if voice is not None:
            from app.ui.widgets.text_dialog import show_text

            show_text(self._card, localize(f"「{voice.name}」の利用規約", f"Licence of “{voice.name}”"), voice.licence.strip())

    @Slot(object, object)
    def _apply_settings(self, before: Settings, after: Settings) -> None:
        if before.force_bert != after.force_bert:
            self._speech.set_force_bert(after.force_bert)

    @Slot(object)
    def _show_opened_voice(self, voice: OpenedVoice) -> None:
        self._is_refused = False
        self.show_current_voice()
        if voice.id != self.current_voice_id:
            # The voice of the line was waiting until the first voice had opened.
            self._timer.start()
        if voice.has_forced_bert:
            catalog_voice = self._catalog.find_voice(voice.id)
            self._lacking_voice_id = voice.id
            text = localize(
                f"「{voice.name}」は、対応する BERT の代わりに別の BERT を使っています。",
                f"“{voice.name}” is using another BERT in place of its own.",
            )
            hint = localize(
                "抑揚が不自然になります。この声に対応する BERT を追加してください。", "Intonation will be off until its own BERT is added."
            )
            action = format_bert_action(catalog_voice.manifest.bert if catalog_voice is not None else SBV2_BERT_ID)
            self.message_requested.emit(VoiceMessage("error", text, hint, action))

    @Slot(object)
    def _report_failure(self, failure: JobFailure) -> None:
        error, voice = failure.error, getattr(failure.job, "voice", "")
        if isinstance(error, MissingBertError):
            catalog_voice = self._catalog.find_voice(voice)
            self._lacking_voice_id = voice
            hint, action = (describe_bert_source(error.bert), format_bert_action(error.bert)) if catalog_voice else (error.hint, "")
            self.message_requested.emit(VoiceMessage("error", error.message, hint, action))
        elif isinstance(error, LicenceNotAcceptedError):
            self.licence_needed.emit(error)
        elif isinstance(failure.job, OpenVoiceJob) and self._speech.voice is None:
            self._is_refused = True
            self._card.show_no_voice()
