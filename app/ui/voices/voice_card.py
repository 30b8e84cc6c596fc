"""The card of the voice that speaks the selected line: name, description, licence, samples, which it plays, and missing parts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout

from app.common.language import localize
from app.core.script.script import Line, LineSettings, build_request, find_cast
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.voices.catalog_voice import (
    CatalogVoice,
    VoiceSummary,
    describe_unprepared_voice,
    describe_voice,
    format_bert_action,
    list_makers,
    wrap_parts,
)
from app.ui.voices.precision_button import PrecisionButton
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import KOKORO_DOWNLOAD_BYTES
from app.ui.widgets.controls import (
    PlainLabel,
    clear_hover_after,
    create_button,
    describe_control,
    escape_mnemonic,
    fill_box,
    set_up_button,
    wrap_tip,
)
from app.ui.widgets.painting import draw_voice_picture
from app.ui.widgets.voice_listening import VoicePick
from app.voices.voice_labels import USUAL_GREETING, find_greeting, format_style

MAX_MENU_SAMPLES = 40
NaturalOffer = Literal["none", "offered", "coming"]


class SamplesButton(QToolButton):
    """A button that lets the voice introduce itself, with a menu of its recordings or styles; hidden while there is nothing to play.

    Signals:
        sample_requested(Path): play this recording.
        introduction_requested(str): let the voice introduce itself in this style; an empty name is the style of the line.
    """

    sample_requested = Signal(object)
    introduction_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("quiet")
        tip = localize("この声の自己紹介を再生します。▾ でスタイルを選べます。", "Lets the voice introduce itself; ▾ offers its styles.")
        self.setText(localize("聞いてみる", "Listen"))
        set_up_button(self, tip, lambda: self.introduction_requested.emit(""))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(14, 14))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.setMenu(QMenu(self))
        clear_hover_after(self.menu(), self)
        self.hide()

    def offer_samples(self, voice: CatalogVoice | None, styles: Sequence[str]) -> None:
        """Offer the recordings of a voice; a voice without any speaks a sentence in these styles."""
        menu = self.menu()
        menu.clear()
        samples = voice.list_samples()[:MAX_MENU_SAMPLES] if voice is not None else []
        for style, file, sample in samples:
            from app.adapters.sound.sound_formats import PLAYABLE_SUFFIXES  # few voices bring recordings

            action = menu.addAction(escape_mnemonic(f"{format_style(style)}  {sample.transcript[:40]}".strip()))
            if file.suffix.lower() not in PLAYABLE_SUFFIXES:
                action.setEnabled(False)
                action.setText(action.text() + localize("（再生できない形式）", "(unsupported format)"))
            action.triggered.connect(lambda _checked=False, file=file: self.sample_requested.emit(file))
        for style in styles if not samples else ():
            action = menu.addAction(escape_mnemonic(localize(f"スタイル「{format_style(style)}」で再生", f"Play: {format_style(style)}")))
            action.triggered.connect(lambda _checked=False, style=style: self.introduction_requested.emit(style))
        self.setVisible(bool(samples or styles))


PICTURE, MARGIN, BESIDE = 56, 12, 10  # pixels: the picture, the margin around everything, and the gap next to the picture
# Height in pixels of a card with picture, speaker and two lines, so that the card does not grow while a voice is looked up.
MIN_CARD_HEIGHT_PX = 132


class VoiceCard(ThemedWidget, QFrame):
    """Shows the name and description of a voice.

    Signals:
        licence_requested(): show the licence.  sample_requested(Path): play it.
        introduction_requested(str): let the voice introduce itself in this style; an empty name is the style of the line.
        blend_requested(): mix two speakers of the voice.
        lab_requested(str): open this voice in the lab.
        natural_voice_requested(): add the natural voice.
        resolve_missing_requested(): get what the voice lacks.  assign_voices_requested(): reassign lines of missing voices.
    """

    licence_requested = Signal()
    sample_requested = Signal(object)
    introduction_requested = Signal(str)
    blend_requested = Signal()
    lab_requested = Signal(str)
    natural_voice_requested = Signal()
    resolve_missing_requested = Signal()
    assign_voices_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setMinimumHeight(MIN_CARD_HEIGHT_PX)
        self._voice: VoiceSummary | None = None
        self._natural_offer: NaturalOffer = "none"
        self._speaker = ""
        self.picture = QLabel()
        self.picture.setFixedSize(PICTURE, PICTURE)
        self.name = PlainLabel(localize("声を準備しています…", "Preparing the voice…"), "heading", wraps=True)
        self.makers, self.about = PlainLabel("", "muted", wraps=True), PlainLabel("", "muted", wraps=True)
        self.lack = PlainLabel("", "error", wraps=True)
        self.mend = QPushButton()
        self.mend.setAccessibleName(localize("不足しているものを追加", "Add what is missing"))
        self.mend.clicked.connect(self.resolve_missing_requested)
        self.natural = QPushButton()
        self.natural.setToolTip(
            localize(
                "自然な声「Kokoro」を追加し、付属の声を使っている選んだ行の声にします。",
                "Adds the natural voice “Kokoro” and gives it to the selected lines that have the included voice.",
            )
        )
        self.natural.clicked.connect(self.natural_voice_requested)
        self.assign = create_button(
            localize("見つからない声をまとめて割り当て…", "Assign all missing voices…"),
            localize("見つからない声の行すべてに、別の声を割り当てます。", "Gives all lines of missing voices to other voices."),
            self.assign_voices_requested.emit,
        )
        self.more = QToolButton()
        self.more.setObjectName("more")
        self.more.setText("…")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        tip = localize("利用規約の表示、話者を混ぜた声。", "Licence, and voices between two speakers.")
        describe_control(self.more, localize("声のその他", "More about the voice"), tip)
        menu = QMenu(self.more)
        clear_hover_after(menu, self.more)
        self.licence = menu.addAction(localize("利用規約…", "Licence…"), self.licence_requested.emit)
        self.blend = menu.addAction(localize("2 人の話者を混ぜる…", "Blend two speakers…"), self.blend_requested.emit)
        self.more.setMenu(menu)
        self._offer_more(has_licence=False, can_blend=False)
        self.samples = SamplesButton()
        self.precision = PrecisionButton(has_tests=True)
        self.precision.setObjectName("quiet")
        self.samples.sample_requested.connect(self.sample_requested)
        self.samples.introduction_requested.connect(self.introduction_requested)
        self._build_layout()
        self._show_problem("", "")

    def show_voice(self, voice: VoiceSummary) -> None:
        """Show the name, makers, description and problems of a voice."""
        self._voice = voice
        catalog_voice = voice if isinstance(voice, CatalogVoice) else None
        self.name.setText(voice.name)
        self._show_makers()
        self.about.setText(describe_voice(voice))
        self.about.setVisible(bool(self.about.text()))
        self.about.setToolTip(wrap_tip(voice.description))
        self.about.setAccessibleDescription(voice.description)
        self._offer_more(has_licence=bool(voice.licence.strip()), can_blend=catalog_voice is not None and catalog_voice.can_blend)
        self.draw_in_theme()
        speaks = catalog_voice is None or (catalog_voice.origin != "aivisspeech" and catalog_voice.has_bert)
        self._offer_samples(speaks)
        if catalog_voice is not None and catalog_voice.origin == "aivisspeech":
            self._show_problem(describe_unprepared_voice(), localize("準備する", "Prepare"))
        elif catalog_voice is not None and not catalog_voice.has_bert:
            self._show_problem(
                localize("この声を使うには、対応する BERT が必要です。", "This voice requires a BERT model that is not installed."),
                format_bert_action(catalog_voice.manifest.bert, with_size=True),
            )
        else:
            self._show_problem("", "")
        self._show_natural_offer()

    def offer_natural_voice(self, offer: NaturalOffer) -> None:
        """Offer the natural voice in addition to the included one, or say that it is being added."""
        self._natural_offer = offer
        self._show_natural_offer()

    def show_speaker(self, name: str) -> None:
        """Show the name of the speaker who speaks the line."""
        self._speaker = name
        self._show_makers()

    def show_forced_bert(self) -> None:
        """Show that the voice uses another BERT in place of its own; its samples can be played all the same."""
        self._offer_samples(can_speak=True)
        self._show_problem(localize("別の BERT で代用しています。", "Using another BERT in place of its own."), self.mend.text())

    def show_missing_voice(self, name: str) -> None:
        """Show that the voice of the line is not installed; `name` is its last known name, empty if there is none."""
        self._voice = None
        self.name.setText(name or localize("不明な声", "Unknown voice"))
        self.about.setText(
            localize(
                "声のファイルをウィンドウにドラッグ＆ドロップすると、また使えるようになります。別の声を選ぶこともできます。",
                "Drop its file on the window to add it again, or choose another voice.",
            )
        )
        self.about.setToolTip("")
        self.about.show()
        for widget in (self.makers, self.more, self.samples, self.precision):
            widget.hide()
        self.draw_in_theme()
        self._show_natural_offer()
        self._show_problem(
            localize("この行の声が見つかりません。", "The voice for this line is missing."),
            localize("別の声を選ぶ…", "Choose another voice…"),
        )
        self.assign.show()

    def show_no_voice(self) -> None:
        """Show that no voice could be opened."""
        self.name.setText(localize("声がありません", "No voice"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the makers for another width."""
        super().resizeEvent(event)
        if self._voice is not None:
            self._show_makers()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open a menu with further actions on the voice."""
        if isinstance(voice := self._voice, CatalogVoice):
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(localize("ラボで調べる", "Open in the lab")).triggered.connect(lambda: self.lab_requested.emit(voice.id))
            menu.popup(event.globalPos())

    def _build_layout(self) -> None:
        buttons = fill_box(QHBoxLayout(), self.samples, self.precision, self.more, None, spacing=4)
        words = fill_box(QVBoxLayout(), self.name, self.makers, buttons, None, spacing=1)
        head = fill_box(QHBoxLayout(), (self.picture, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=BESIDE)
        parts = (head, self.lack, self.about, self.natural, self.mend, self.assign, None)
        fill_box(QVBoxLayout(self), *parts, spacing=4, margins=(MARGIN, 10, MARGIN, 10))

    def _offer_samples(self, can_speak: bool) -> None:
        catalog_voice = self._voice if isinstance(self._voice, CatalogVoice) else None
        self.samples.offer_samples(catalog_voice, [name for _, name in self._voice.styles] if can_speak and self._voice is not None else [])

    def _offer_more(self, *, has_licence: bool, can_blend: bool) -> None:
        self.licence.setVisible(has_licence)
        self.blend.setVisible(can_blend)
        self.more.setVisible(has_licence or can_blend)

    def _show_problem(self, text: str, action: str) -> None:
        self.lack.setText(text)
        self.lack.setVisible(bool(text))
        self.mend.setText(action)
        self.mend.setToolTip(text or self.mend.accessibleName())
        self.mend.setVisible(bool(action))
        self.assign.hide()

    def _show_natural_offer(self) -> None:
        amount = round(KOKORO_DOWNLOAD_BYTES / 1e6)
        self.natural.setText(
            localize("自然な声を追加しています…", "Adding a natural voice…")
            if self._natural_offer == "coming"
            else localize(f"自然な声を追加（約 {amount} MB）", f"Add a natural voice (about {amount} MB)")
        )
        self.natural.setEnabled(self._natural_offer == "offered")
        self.natural.setVisible(self._natural_offer != "none" and self._voice is not None and self._voice.is_starter)

    def _show_makers(self) -> None:
        """Show the speaker, makers and version that are known."""
        speaker = localize(f"話者: {self._speaker}", f"Speaker: {self._speaker}") if self._speaker and self._voice else ""
        makers = list_makers(self._voice) if isinstance(self._voice, CatalogVoice) else []
        room = self.width() - 2 * MARGIN - PICTURE - BESIDE - 2 * self.frameWidth()
        self.makers.setText(wrap_parts([speaker, *makers] if speaker else makers, self.makers.fontMetrics(), room))
        self.makers.setVisible(bool(self.makers.text()))

    def draw_in_theme(self) -> None:
        """Draw the picture and the icons."""
        image = self._voice.icon if isinstance(self._voice, CatalogVoice) else None
        name = self._voice.name if self._voice else "?"
        self.picture.setPixmap(draw_voice_picture(name, image, PICTURE, self.devicePixelRatioF(), self.palette()))
        color = self.palette().color(self.foregroundRole())
        self.samples.setIcon(draw_icon("play", color))


class VoiceSamplePlayer(QObject):
    """Lets voices be heard that the user thinks of choosing; any other playback stops."""

    def __init__(
        self, card: VoiceCard, *, selection: LineSelection, speech: SpeechController, playback: LinePlayback, catalog: VoiceCatalog
    ) -> None:
        super().__init__(card)
        self._selection, self._speech, self._playback, self._catalog = selection, speech, playback, catalog
        self._introduced: VoicePick | None = None
        card.sample_requested.connect(self.play_recording)
        card.introduction_requested.connect(self._play_current_introduction)
        catalog.introduction_requested.connect(self.play_introduction)

    @Slot(object)
    def play_recording(self, file: Path) -> None:
        self._playback.stop_playing()
        self._speech.play_sample(file)

    @Slot(str)
    def try_voice(self, voice_id: str) -> None:
        """Play the current line, or a sample sentence if it has no text, with another voice; the line is not changed."""
        line = self._selection.line
        if line is None or not line.text.strip():
            line = Line(USUAL_GREETING, self._selection.settings)
        self._speak_line(replace(line, settings=replace(line.settings, voice=voice_id)))

    @Slot(object)
    def play_introduction(self, pick: VoicePick) -> None:
        """Let somebody introduce themselves, with a recording of that style or a greeting; once more ends it."""
        is_again = pick == self._introduced and self._speech.state.is_speaking
        self._introduced = pick
        if is_again:
            self._playback.stop_playing()
            self._speech.stop_speaking()
            return
        voice = self._catalog.find_voice(pick.voice)
        if voice is not None and (recording := find_recording(voice, pick.style)) is not None:
            self.play_recording(recording)
        else:
            settings = LineSettings(voice=pick.voice, speaker=pick.speaker, style=pick.style)
            self._speak_line(Line(find_greeting(_find_greeter(pick, voice)), settings))

    @Slot(str)
    def _play_current_introduction(self, style: str) -> None:
        """Let the speaker of the current line introduce themselves, in a style of the voice or, for an empty name, in that of the line."""
        settings = self._selection.settings
        self.play_introduction(VoicePick(settings.voice, settings.speaker, style or settings.style))

    def _speak_line(self, line: Line) -> None:
        self._playback.stop_playing()
        self._speech.speak_request(build_request(line), find_cast(line))


def find_recording(voice: CatalogVoice, style: str) -> Path | None:
    """Return a recording of a style that comes with the voice and can be played, of the first style for an empty name; None if there is none."""
    from app.adapters.sound.sound_formats import PLAYABLE_SUFFIXES  # few voices bring recordings

    wanted = style or voice.styles[0][1]
    return next((file for name, file, _ in voice.list_samples() if name == wanted and file.suffix.lower() in PLAYABLE_SUFFIXES), None)


def _find_greeter(pick: VoicePick, voice: CatalogVoice | None) -> str:
    """Return the speaker whose greeting fits; none for a blend of several."""
    return "" if voice is None else voice.manifest.choose_speaker(pick.speaker, pick.style)
