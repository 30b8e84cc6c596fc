"""The controller of the audition board: builds it from the selected lines and the chosen voices, and keeps its cells."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.audition.board import MAX_BOARD_CELLS, BoardCell, VoiceChoice
from app.audition.board_setup import BoardSetup, build_board
from app.common.language import localize
from app.core.script import Line, LineSettings
from app.ui.audition.board_cells import BoardCells
from app.ui.audition.board_filler import BoardFiller
from app.ui.audition.board_focus_controller import BoardFocusController
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_player import BoardPlayer
from app.ui.audition.board_window import BoardWindow
from app.ui.parameters.preset_bar import PresetBar
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog


class BoardController(QObject):
    """Opens the board; it is made when the board is first opened.

    Attributes:
        cells: The states of all cells; their marks last until the program ends, their sounds until the window closes.
        window: The open window, or None.

    Signals:
        compare_requested(list[LineTake]): A blind test of these takes is requested.
        about_to_open(): Emitted before the board is shown.
    """

    about_to_open = Signal()
    compare_requested = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        catalog: VoiceCatalog,
        speech: SpeechController,
        playback: LinePlayback,
        presets: PresetBar,
    ) -> None:
        super().__init__(parent)
        self._parent, self._document, self._selection, self._seeds = parent, document, selection, seeds
        self._catalog, self._presets = catalog, presets
        self.cells = BoardCells(self)
        self.window: BoardWindow | None = None
        self._focus: BoardFocusController | None = None
        self.player = BoardPlayer(self, self.cells, speech, playback)
        self.filler = BoardFiller(self, self.cells, speech, self._find_bert)
        self._model = BoardModel(self, self.cells, catalog.find_voice)
        self._lines: tuple[Line, ...] = ()
        self._setup = BoardSetup()
        catalog.changed.connect(self._offer_choices)
        catalog.changed.connect(self._model.update_names)
        self.cells.silent_line_found.connect(self._drop_line)

    def open_board(self, voices: Collection[str] = ()) -> None:
        """Show the board of the selected lines.

        It compares `voices` if there are any, else the voices compared last, else the styles of the line's own voice.
        """
        if self.window is None:
            window = self.window = BoardWindow(self._parent, self._model)
            window.chooser.changed.connect(self._rebuild_board)
            window.chooser.lines_requested.connect(self._take_selected_lines)
            window.filter.compare_requested.connect(self._compare_starred)
            window.finished.connect(self._forget_window)
            self._focus = BoardFocusController(window, self._model, self.cells, self.player, self.filler, self._document)
            self._offer_choices()
        self.about_to_open.emit()
        self._choose_ways(voices)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self._take_selected_lines()
        self.window.view.setFocus()

    def close(self) -> None:
        """Close the window and stop playing and filling."""
        if self.window is not None:
            self.window.reject()

    def _choose_ways(self, voices: Collection[str]) -> None:
        assert self.window is not None
        settings = self._selection.settings
        if voices:
            found = [voice for name in voices if (voice := self._catalog.find_voice(name)) is not None]
            wishes = BoardSetup(tuple(VoiceChoice(voice.id, (voice.speakers[0][1],), (voice.styles[0][1],)) for voice in found))
        else:
            voice = self._catalog.find_voice(settings.voice)
            if voice is not None and any(choice.voice == voice.id for choice in self._setup.voices):
                wishes = self._setup
            else:
                wishes = BoardSetup((_choose_all_styles(voice, settings),)) if voice is not None else BoardSetup()
        self.window.chooser.choose_ways(wishes.voices, wishes.strengths, wishes.presets.keys())

    @Slot()
    def _offer_choices(self) -> None:
        if self.window is not None:
            self.window.chooser.offer_choices(self._catalog.voices, lambda voice: voice.has_bert, self._presets.presets)

    @Slot()
    def _take_selected_lines(self) -> None:
        found = (self._document.script.find_line(line_id) for line_id in self._selection.ids)
        self._lines = tuple(self._seeds.apply_last_seed(line) for line in found if line is not None and line.text.strip())
        self._rebuild_board()

    @Slot(str)
    def _drop_line(self, line_id: str) -> None:
        """Take a line that has nothing to read off the board; keep the focus on its line."""
        window, focus = self.window, self._focus
        current = None if window is None else window.view.current_cell
        focused = None if current is None else self.cells.board.lines[current.row]
        self._lines = tuple(line for line in self._lines if line.id != line_id)
        self._rebuild_board()
        if focus is not None and current is not None and focused in self.cells.board.lines:
            focus.focus_cell(BoardCell(self.cells.board.lines.index(focused), current.column))

    @Slot()
    def _rebuild_board(self) -> None:
        """Build the board from what is chosen, focus its first cell and fill it from there."""
        window, focus = self.window, self._focus
        if window is None or focus is None:
            return
        # Cells are coordinates: a job of the old board would mark another line's cell on the new one.
        self.player.stop_playing()
        self.filler.stop_filling()
        self._setup = wishes = window.chooser.board_setup
        count = wishes.count_cells(len(self._lines))
        window.chooser.show_lines([line.text for line in self._lines])
        # `Board` raises ValueError for more cells than this; the window explains it instead.
        lines = () if wishes.is_empty or count > MAX_BOARD_CELLS else self._lines
        self.cells.show_board(build_board(lines, wishes))
        window.show_empty(_explain_empty_board(bool(self._lines), wishes, count))
        focus.apply_filter()
        if self.cells.board.cells:
            focus.focus_cell(BoardCell(0, 0))

    @Slot()
    def _compare_starred(self) -> None:
        takes = (self.cells.find_take(cell) for cell in self.cells.board.cells)
        self.compare_requested.emit([take for take in takes if take is not None and take.starred])

    @Slot()
    def _forget_window(self) -> None:
        self.window = self._focus = None
        self.player.stop_playing()
        self.filler.stop_filling()
        self.cells.sounds.clear()

    def _find_bert(self, voice: str) -> str:
        found = self._catalog.find_voice(voice)
        return found.manifest.bert if found is not None else ""


def _choose_all_styles(voice: CatalogVoice, settings: LineSettings) -> VoiceChoice:
    """Return a choice of all styles of a line's speaker."""
    names = [name for _, name in voice.speakers]
    speaker = settings.speaker if settings.speaker in names else names[0]
    return VoiceChoice(voice.id, (speaker,), tuple(name for _, name in voice.styles))


def _explain_empty_board(has_lines: bool, setup: BoardSetup, cell_count: int) -> str:
    if not has_lines:
        return localize(
            "台本でテキストのある行を選び、「選択中の行に変更」を押してください。",
            "Select lines with text in the script, then press “Use selected lines”.",
        )
    if setup.is_empty:
        return localize("左の一覧で、聞き比べる声やスタイルを選んでください。", "Check the voices and styles to compare on the left.")
    if cell_count > MAX_BOARD_CELLS:
        return localize(
            f"{cell_count:,} 通りあります。{MAX_BOARD_CELLS:,} 通り以下になるように減らしてください。",
            f"That makes {cell_count:,} combinations. Choose {MAX_BOARD_CELLS:,} or fewer.",
        )
    return ""
