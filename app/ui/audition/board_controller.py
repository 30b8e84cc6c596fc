"""The board in its window: which voices, styles and lines it compares, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.audition.board import MOST_CELLS, Cell, VoiceChoice
from app.audition.board_wishes import Wishes, board_of
from app.core.script import Line, LineSettings
from app.language import localized
from app.ui.audition.board_cells import BoardCells
from app.ui.audition.board_filler import BoardFiller
from app.ui.audition.board_focus import BoardFocus
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_player import BoardPlayer
from app.ui.audition.board_window import BoardWindow
from app.ui.parameters.preset_bar import PresetBar
from app.ui.playback.playback import Playback
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.synthesis.controller import SpeechController
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice


class BoardController(QObject):
    """Made when the board is first opened. What was said of cells stays until the program ends; their sounds go with the window.

    Attributes:
        cells: all that is known of them.
        window: while it is open.

    Signals:
        compare_requested(list[Take]): a blind test of these.
        opening(): it is about to be shown.
    """

    opening = Signal()
    compare_requested = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        catalog: VoiceCatalog,
        speech: SpeechController,
        playback: Playback,
        presets: PresetBar,
    ) -> None:
        super().__init__(parent)
        self._parent, self._document, self._selection, self._seeds = parent, document, selection, seeds
        self._catalog, self._presets = catalog, presets
        self.cells = BoardCells(self)
        self.window: BoardWindow | None = None
        self._focus: BoardFocus | None = None
        self.player = BoardPlayer(self, self.cells, speech, playback)
        self.filler = BoardFiller(self, self.cells, speech, self._bert_of)
        self._model = BoardModel(self, self.cells, catalog.find)
        self._lines: tuple[Line, ...] = ()
        self._wishes = Wishes()
        catalog.changed.connect(self._offer)
        catalog.changed.connect(self._model.rename)
        self.cells.silent_found.connect(self._leave_out)

    def open(self, voices: Collection[str] = ()) -> None:
        """Shows the board of the selected lines, with these voices if there are any, else with what was compared last or the styles of the line."""
        if self.window is None:
            window = self.window = BoardWindow(self._parent, self._model)
            window.chooser.changed.connect(self._rebuild)
            window.chooser.lines_requested.connect(self._take_lines)
            window.filter.compare_requested.connect(self._compare)
            window.finished.connect(self._on_closed)
            self._focus = BoardFocus(window, self._model, self.cells, self.player, self.filler, self._document)
            self._offer()
        self.opening.emit()
        self._choose(voices)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self._take_lines()
        self.window.view.setFocus()

    def close(self) -> None:
        """Gives up what runs."""
        if self.window is not None:
            self.window.reject()

    def _choose(self, voices: Collection[str]) -> None:
        assert self.window is not None
        settings = self._selection.settings
        if voices:
            found = [voice for name in voices if (voice := self._catalog.find(name)) is not None]
            wishes = Wishes(tuple(VoiceChoice(voice.id, (voice.speakers[0][1],), (voice.styles[0][1],)) for voice in found))
        else:
            voice = self._catalog.find(settings.voice)
            if voice is not None and any(choice.voice == voice.id for choice in self._wishes.voices):
                wishes = self._wishes
            else:
                wishes = Wishes((_all_styles(voice, settings),)) if voice is not None else Wishes()
        self.window.chooser.choose(wishes.voices, wishes.strengths, wishes.presets.keys())

    @Slot()
    def _offer(self) -> None:
        if self.window is not None:
            self.window.chooser.offer(self._catalog.voices, lambda voice: voice.has_bert, self._presets.presets)

    @Slot()
    def _take_lines(self) -> None:
        found = (self._document.script.find(line_id) for line_id in self._selection.ids)
        self._lines = tuple(self._seeds.applied(line) for line in found if line is not None and line.text.strip())
        self._rebuild()

    @Slot(str)
    def _leave_out(self, line_id: str) -> None:
        """A line in which nothing can be read has no sounds to compare; the focus stays with its own line."""
        window, focus = self.window, self._focus
        current = None if window is None else window.view.current
        focused = None if current is None else self.cells.board.lines[current.row]
        self._lines = tuple(line for line in self._lines if line.id != line_id)
        self._rebuild()
        if focus is not None and current is not None and focused in self.cells.board.lines:
            focus.focus(Cell(self.cells.board.lines.index(focused), current.column))

    @Slot()
    def _rebuild(self) -> None:
        """Another board; the focus goes to its beginning, and it fills from there."""
        window, focus = self.window, self._focus
        if window is None or focus is None:
            return
        self.player.stop()
        self.filler.stop()
        self._wishes = wishes = window.chooser.wishes
        count = wishes.count(len(self._lines))
        window.chooser.show_lines([line.text for line in self._lines])
        lines = () if wishes.is_empty or count > MOST_CELLS else self._lines
        self.cells.show(board_of(lines, wishes))
        window.show_empty(_why_empty(bool(self._lines), wishes, count))
        focus.filter()
        if self.cells.board.cells:
            focus.focus(Cell(0, 0))

    @Slot()
    def _compare(self) -> None:
        takes = (self.cells.take(cell) for cell in self.cells.board.cells)
        self.compare_requested.emit([take for take in takes if take is not None and take.starred])

    @Slot()
    def _on_closed(self) -> None:
        self.window = self._focus = None
        self.player.stop()
        self.filler.stop()
        self.cells.sounds.clear()

    def _bert_of(self, voice: str) -> str:
        found = self._catalog.find(voice)
        return found.manifest.bert if found is not None else ""


def _all_styles(voice: CatalogVoice, settings: LineSettings) -> VoiceChoice:
    """All styles of the speaker that a line has."""
    names = [name for _, name in voice.speakers]
    speaker = settings.speaker if settings.speaker in names else names[0]
    return VoiceChoice(voice.id, (speaker,), tuple(name for _, name in voice.styles))


def _why_empty(there_are_lines: bool, wishes: Wishes, count: int) -> str:
    if not there_are_lines:
        return localized(
            "台本でテキストのある行を選び、「選択中の行に変更」を押してください。",
            "Select lines with text in the script, then press “Use selected lines”.",
        )
    if wishes.is_empty:
        return localized("左の一覧で、聞き比べる声やスタイルを選んでください。", "Check the voices and styles to compare on the left.")
    if count > MOST_CELLS:
        return localized(
            f"{count:,} 通りあります。{MOST_CELLS:,} 通り以下になるように減らしてください。",
            f"That makes {count:,} combinations. Choose {MOST_CELLS:,} or fewer.",
        )
    return ""
