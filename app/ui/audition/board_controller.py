"""The controller of the audition board: builds it from the selected lines and the chosen voices, and keeps its cells."""

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.audition.board import MAX_BOARD_CELLS, Board, BoardCell, BoardSetup, VoiceChoice, build_board
from app.audition.candidate_casts import build_cast_board, list_scene_characters
from app.common.language import localize
from app.core.script.script import Character, Line, LineSettings, choose_known_name
from app.ui.audition.board_cells import BoardCells
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_player import BoardFiller, BoardFocusController, BoardPlayer
from app.ui.audition.board_window import BoardWindow
from app.ui.audition.cast_chooser import CastChoice
from app.ui.parameters.preset_bar import PresetBar
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.dialogs import show_in_front


class BoardController(QObject):
    """Opens the board; it is made when the board is first opened.

    Signals:
        compare_requested(list[LineTake]): A blind test of these takes is requested.
        about_to_open(): Emitted before the board is shown.
        drag_requested(Line, QWidget, tuple[Float32, int]): The line of a cell is dragged to another program from this widget, with the
            samples `(T,)` and rate (Hz) that were heard, or None if they were dropped.
    """

    about_to_open = Signal()
    compare_requested = Signal(object)
    drag_requested = Signal(object, object, object)

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
        # The states of all cells; their marks last until the program ends, their sounds until the window closes.
        self.cells = BoardCells(self)
        self.window: BoardWindow | None = None
        self._focus: BoardFocusController | None = None
        self.player = BoardPlayer(self, self.cells, speech, playback)
        self.filler = BoardFiller(self, self.cells, speech, self._find_bert)
        self._model = BoardModel(self, self.cells, catalog.find_voice)
        # Lines and characters stay as they were when they were taken, also once a cast was applied to the script.
        self._lines: tuple[Line, ...] = ()
        self._characters: tuple[Character, ...] = ()
        self._setup = BoardSetup()
        self._is_of_casts = False
        self._casts: tuple[CastChoice, ...] = ()
        # Their characters are those of the script before.
        document.replaced.connect(self._forget_casts)
        catalog.changed.connect(self._offer_choices)
        catalog.changed.connect(self._model.update_names)
        self.cells.silent_line_found.connect(self._drop_line)

    def open_board(self, voices: Collection[str] = (), line_ids: Collection[str] = ()) -> None:
        """Show the board of these lines, by default the selected ones.

        It compares `voices` if there are any, else what was compared last, else the styles of the line's own voice.
        """
        self._show_window(voices, line_ids, is_of_casts=self._is_of_casts and not (voices or line_ids))

    def open_cast_board(self, line_ids: Collection[str] = ()) -> None:
        """Show the board of these lines, by default the selected ones, with candidate casts."""
        self._show_window((), line_ids, is_of_casts=True)

    def _show_window(self, voices: Collection[str], line_ids: Collection[str], *, is_of_casts: bool) -> None:
        window = self.window or self._create_window()
        self.about_to_open.emit()
        self._take_lines(line_ids or self._selection.ids)
        self._choose_ways(voices, self._lines[0].settings if line_ids and self._lines else self._selection.settings)
        window.chooser.show_casts(is_of_casts=is_of_casts)
        show_in_front(window)
        self._rebuild_board()
        window.view.setFocus()

    def _create_window(self) -> BoardWindow:
        window = self.window = BoardWindow(self._parent, self._model)
        window.chooser.changed.connect(self._rebuild_board)
        window.chooser.introduction_requested.connect(self._catalog.introduction_requested)
        window.chooser.lines_requested.connect(self._take_selected_lines)
        window.filter.compare_requested.connect(self._compare_starred)
        window.finished.connect(self._forget_window)
        window.view.cell_dragged.connect(self._request_drag)
        self._focus = BoardFocusController(window, self._model, self.cells, self.player, self.filler, self._document)
        self._offer_choices()
        window.chooser.casts.restore_choices(self._casts)
        return window

    def close(self) -> None:
        """Close the window and stop playing and filling."""
        if self.window is not None:
            self.window.reject()

    def _choose_ways(self, voices: Collection[str], settings: LineSettings) -> None:
        assert self.window is not None
        if voices:
            known_voices = [voice for name in voices if (voice := self._catalog.find_voice(name)) is not None]
            wishes = BoardSetup(tuple(VoiceChoice(voice.id, (voice.speakers[0][1],), (voice.styles[0][1],)) for voice in known_voices))
        else:
            voice = self._catalog.find_voice(settings.voice)
            wishes = BoardSetup()
            if voice is not None and any(choice.voice == voice.id for choice in self._setup.voices):
                wishes = self._setup
            elif voice is not None:
                speaker = choose_known_name(settings.speaker, [name for _, name in voice.speakers])
                wishes = BoardSetup((VoiceChoice(voice.id, (speaker,), tuple(name for _, name in voice.styles)),))
        self.window.chooser.choose_ways(wishes.voices, wishes.strengths, wishes.presets.keys())

    @Slot()
    def _offer_choices(self) -> None:
        if self.window is not None:
            self.window.chooser.offer_choices(self._catalog.voices, lambda voice: voice.has_bert, self._presets.presets)

    @Slot()
    def _take_selected_lines(self) -> None:
        self._take_lines(self._selection.ids)
        self._rebuild_board()

    def _take_lines(self, line_ids: Collection[str]) -> None:
        lines = (self._document.script.find_line(line_id) for line_id in line_ids)
        self._lines = tuple(self._seeds.apply_last_seed(line) for line in lines if line is not None and line.text.strip())
        self._characters = list_scene_characters(self._document.script, self._lines)

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
        window.chooser.show_lines([line.text for line in self._lines], self._characters)
        self._is_of_casts = window.chooser.is_of_casts
        board, reason = self._build_cast_board(window) if self._is_of_casts else self._build_voice_board(window)
        self.cells.show_board(board)
        window.show_empty(reason)
        focus.apply_filter()
        if self.cells.board.cells:
            focus.focus_cell(BoardCell(0, 0))

    def _build_voice_board(self, window: BoardWindow) -> tuple[Board, str]:
        """Build the board of the checked voices; the second value says why it is empty."""
        self._setup = wishes = window.chooser.board_setup
        choose = localize("左の一覧で、聞き比べる声やスタイルを選んでください。", "Check the voices and styles to compare on the left.")
        reason = self._explain_empty_board(choose if wishes.is_empty else "", wishes.count_cells(len(self._lines)))
        return build_board(() if reason else self._lines, wishes), reason

    def _build_cast_board(self, window: BoardWindow) -> tuple[Board, str]:
        """Build the board of the candidate casts; the second value says why it is empty."""
        casts = window.chooser.casts
        self._casts, candidates = casts.choices, casts.candidates
        select = localize(
            "これらの行には登場人物がいません。登場人物のいる行を台本で選び、「選択中の行に変更」を押してください。",
            "These lines have no characters. Select lines with characters in the script, then press “Use selected lines”.",
        )
        reason = self._explain_empty_board("" if self._characters else select, len(self._lines) * (1 + len(candidates)))
        return build_cast_board(() if reason else self._lines, self._characters, candidates), reason

    def _explain_empty_board(self, missing_choice: str, cell_count: int) -> str:
        """Return why there is no board to build, which may be `missing_choice`; empty where there is one."""
        if not self._lines:
            return localize(
                "台本でテキストのある行を選び、「選択中の行に変更」を押してください。",
                "Select lines with text in the script, then press “Use selected lines”.",
            )
        if not missing_choice and cell_count > MAX_BOARD_CELLS:
            return localize(
                f"{cell_count:,} 通りあります。{MAX_BOARD_CELLS:,} 通り以下になるように減らしてください。",
                f"That makes {cell_count:,} combinations. Choose {MAX_BOARD_CELLS:,} or fewer.",
            )
        return missing_choice

    @Slot(object)
    def _request_drag(self, cell: BoardCell) -> None:
        if self.window is not None:
            self.drag_requested.emit(self.cells.find_line(cell), self.window.view.viewport(), self.cells.find_sound(cell))

    @Slot()
    def _forget_casts(self) -> None:
        self._casts, self._is_of_casts = (), False

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
        catalog_voice = self._catalog.find_voice(voice)
        return catalog_voice.manifest.bert if catalog_voice is not None else ""
