"""The main window: puts the widgets in their places and connects them to the document, the playback and the controller."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow

from app.errors import AppError
from app.settings import Settings
from app.ui.actions import Actions
from app.ui.autosave import Autosave
from app.ui.controller import SpeechController
from app.ui.dialogs_wiring import Dialogs
from app.ui.dictionary_desk import DictionaryDesk
from app.ui.document import ScriptDocument
from app.ui.dressing import Dressing
from app.ui.first_paint import FirstPaint
from app.ui.first_script import SHARED, greet, is_first_start, line_settings, open_script
from app.ui.icons import icon
from app.ui.keeper import SettingsKeeper
from app.ui.layout import lay_out, share_out
from app.ui.line_commands import LineCommands
from app.ui.live import LiveMode
from app.ui.menus import Menus
from app.ui.playback import Playback
from app.ui.preferences import Preferences
from app.ui.reports import Reports
from app.ui.saving import Saving
from app.ui.script_model import ScriptModel
from app.ui.strip_wiring import add_strip
from app.ui.theme import chosen_theme
from app.ui.voice_desk import VoiceDesk
from app.ui.widgets.columns import Columns
from app.ui.widgets.edit_bar import EditBar
from app.ui.widgets.latency_dock import LatencyDock
from app.ui.widgets.script_panel import ScriptPanel
from app.ui.widgets.side_panel import USUAL_WIDTH, SidePanel
from app.ui.widgets.status_line import StatusLine
from app.ui.wiring import connect_actions

SMALLEST = (1100, 700)


class MainWindow(QMainWindow):
    """Lines at the left, voice at the right, measurements below.

    Attributes:
        settings: as chosen; what the widgets hold themselves is in `current_settings`.
        first_paint: when voices are looked for, and the first one is opened.

    Args:
        settings: as remembered; `notice` tells what of them could not be read.
        controller: not started yet; it ends with the window.
    """

    def __init__(self, settings: Settings, controller: SpeechController, notice: AppError | None = None) -> None:
        super().__init__()
        self.setWindowTitle("Koebako")
        self.setWindowIcon(icon("koebako"))
        self.setMinimumSize(*SMALLEST)
        self.settings = settings
        self.controller = controller
        self.first_paint = FirstPaint(self)
        is_first = is_first_start(settings)
        script, current, unread = open_script(settings)
        theme = chosen_theme(settings.theme)
        self.document = ScriptDocument(script, self)
        self.model = ScriptModel(self.document)
        self.deeds = Actions(self)
        self.left = ScriptPanel(self.model, self.deeds, theme)
        self.notice, self.banner = self.left.notice, self.left.banner
        self.script, self.transport = self.left.script, self.left.transport
        self.side = SidePanel()
        self.side.expression.set_open(settings.expression_open)
        self.columns = Columns(self.left, self.side, USUAL_WIDTH, settings.side_width)
        self.latency = LatencyDock(controller.history, theme)
        self.status = StatusLine(settings.backend)
        self.edit_bar = EditBar(self.deeds)
        self.menus = Menus(self.deeds, settings.device, settings.theme)
        self.commands = LineCommands(self.document, self.model, self.script)
        self.commands.first_settings = line_settings(settings)
        self.playback = Playback(controller, self.document, self.model)
        self.live = LiveMode(self.document)
        self.saving = Saving(controller, self.document, settings.save_folder, self)
        self.keeper = SettingsKeeper(self.current_settings, self)
        self._autosave = Autosave(self.document, lambda: self.script.current_id)
        lay_out(self, settings)
        self.strip = add_strip(self, theme)
        self._connect_widgets()
        Reports(self)
        self._dressing = Dressing(self)
        self.preferences = Preferences(self)
        self.desk = VoiceDesk(self)
        self.dialogs = Dialogs(self)
        self.dictionary = DictionaryDesk(self)
        connect_actions(self)
        self.script.choose([current if script.find(current) else script.lines[0].id] if script.lines else [])
        self._show_script()
        self.side.presets.load()
        if is_first:
            greet(self)
        for told in (unread, notice):
            if told is not None:
                self.notice.tell("notice", told.message, told.hint)

    def start(self) -> None:
        """Shows the window; once it is seen, voices are looked for behind it, and the first one and the audio device are opened."""
        kept = self.settings
        self.controller.prepare(kept.backend, kept.device, hold=kept.load_voice == "at_start", unload_after_min=kept.unload_after_min)
        self.first_paint.over.connect(self.controller.begin)
        self.first_paint.over.connect(self.desk.shelf.look)
        self.show()
        share_out(self, self.settings)

    def show_theme(self) -> None:
        """Puts the chosen look on everything."""
        self._dressing.show(chosen_theme(self.settings.theme))

    @property
    def device(self) -> str:
        """Label of the chosen audio output; empty follows the system."""
        return self.settings.device

    def current_settings(self) -> Settings:
        """What would be remembered now; the script is kept elsewhere."""
        line = self.document.script.find(self.script.current_id)
        spoken = line.settings if line else self.commands.first_settings
        return replace(
            self.settings,
            backend=self.status.backend,
            save_folder=self.saving.folder,
            expression_open=self.side.expression.is_open,
            loop=self.deeds["loop"].isChecked(),
            live=self.deeds["live"].isChecked(),
            strip=self.strip.fold.choice,
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            layout=bytes(self.saveState().toBase64().data()).decode(),
            side_width=self.columns.side_width,
            **{name: getattr(spoken, name) for name in SHARED},
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers everything, then ends the synthesis thread."""
        self.script.end_editing()
        self.live.switch(False)
        self.playback.stop()
        self._autosave.close()
        self.keeper.close()
        self.side.presets.close_file()
        self.dialogs.close()
        self.dictionary.close()
        self.hide()
        self.desk.close()
        self.controller.close()
        super().closeEvent(event)

    @Slot()
    def play_or_stop(self) -> None:
        """Speaks the selected lines, or stops when something is spoken. Before the voice is there it speaks as soon as it is."""
        if self.playback.is_on or self.controller.state.speaking:
            self.stop()
        else:
            self.play(self.script.chosen_ids)

    @Slot()
    def play_through(self) -> None:
        """Speaks from the current line to the end."""
        lines = self.document.script.lines
        self.play([line.id for line in lines[max(0, self.script.currentIndex().row()) :]])

    def play(self, ids: list[str]) -> None:
        """Speaks these lines one after the other; says so when there is nothing to speak."""
        self.banner.hide()
        if not self.playback.play(ids):
            self.left.tell_empty()

    @Slot()
    def stop(self) -> None:
        """Stops what is spoken."""
        self.playback.stop()

    @Slot()
    def save_or_stop(self) -> None:
        """Asks for a place and writes the sound of the selected lines, or gives up what is being written."""
        if self.controller.state.saving:
            self.saving.stop()
        else:
            self.banner.hide()
            self.saving.save(self.script.chosen_ids)

    def _connect_widgets(self) -> None:
        self.transport.play_wanted.connect(self.play_or_stop)
        self.transport.save_wanted.connect(self.save_or_stop)
        self.banner.action_wanted.connect(self.save_or_stop)
        self.status.backend_chosen.connect(self._choose_backend)
        self.script.line_chosen.connect(self._on_chosen)
        self.script.play_wanted.connect(self._play_or_stop_line)
        self.document.changed.connect(self._show_script)
        self.side.edited.connect(self.commands.change)
        self.side.preset_chosen.connect(self.commands.change_all)
        self.side.folded.connect(self.keeper.changed)
        self.columns.dragged.connect(self.keeper.changed)
        self.live.speak_wanted.connect(self._speak_again)
        self.playback.line_began.connect(self.script.show_line)
        self.saving.told.connect(self._tell)
        self.saving.incomplete.connect(lambda message, hint: self.banner.tell("trouble", message, hint))
        self.saving.nothing.connect(self.left.tell_empty)
        self.commands.stop_wanted.connect(self.stop)
        self.commands.failed.connect(self.banner.tell_error)
        for source in (self.keeper.failed, self._autosave.failed, self.side.presets.failed):
            source.connect(self.notice.tell_error)

    @Slot()
    def _show_script(self, *_scripts: object) -> None:
        script = self.document.script
        self.transport.show_length(len(script.lines), sum(len(line.text) for line in script.lines))
        self._on_chosen()

    @Slot()
    def _on_chosen(self) -> None:
        line = self.document.script.find(self.script.current_id)
        self.side.show_settings(line.settings if line else self.commands.first_settings, len(self.script.chosen_ids))
        self.keeper.changed()
        self._autosave.changed()

    @Slot(str)
    def _play_or_stop_line(self, line_id: str) -> None:
        if self.playback.is_speaking(line_id):
            self.stop()
        else:
            self.play([line_id])

    @Slot(str)
    def _speak_again(self, line_id: str) -> None:
        self.banner.hide()
        self.playback.play([line_id])

    @Slot(str, str)
    def _tell(self, message: str, hint: str) -> None:
        self.banner.tell("notice", message, hint)

    @Slot(str)
    def _choose_backend(self, backend: str) -> None:
        self.banner.hide()
        self.playback.stop()
        self.controller.open_voice(backend)
        self.keeper.changed()
