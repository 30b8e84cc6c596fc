"""Keeps the takes of the selected line in step with the project and the sound, and does what is asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QListView

from app.core.script import Line
from app.core.takes import Take, of_line
from app.language import localized
from app.ui.playback.playback import Playback
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.heard import made_of
from app.ui.takes.listening import TakeListening
from app.ui.takes.rolling import Rolling
from app.ui.takes.row_commands import RowCommands
from app.ui.takes.shelf import TakeShelf
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.takes.model import Row
    from app.ui.takes.panel import TakePanel


class TakesController(QObject):
    """Works without its panel, which is made when it is wanted.

    Attributes:
        shelf: the takes.
        panel: the list of the selected line's; None until it was opened.

    Signals:
        counted(int): so many takes of the selected line are kept.
        panel_requested(bool): it is to be open, or closed.

    Args:
        name_of: what people call the voice of an id.
    """

    counted = Signal(int)
    panel_requested = Signal(bool)

    def __init__(
        self,
        shelf: TakeShelf,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        speech: SpeechController,
        playback: Playback,
        banner: Banner,
        name_of: Callable[[str], str],
    ) -> None:
        super().__init__(banner)
        self.shelf = shelf
        self.panel: TakePanel | None = None
        self._selection, self._seeds, self._banner, self._name_of = selection, seeds, banner, name_of
        self._awaited = ""  # the line whose first new take is to be chosen
        self._rolling = Rolling(shelf, speech)
        self._listening = TakeListening(shelf, speech, playback)
        self._row_commands = RowCommands(shelf, self._listening, document, selection, seeds, banner)
        for signal in (selection.changed, shelf.book.changed, shelf.heard.changed):
            signal.connect(self.show)
        self._rolling.changed.connect(self._show_state)
        self._rolling.made.connect(self._on_rolled)
        self._listening.changed.connect(self._show_state)

    def make_panel(self) -> TakePanel:
        """The panel, which from now on shows what there is."""
        from app.ui.takes.panel import TakePanel  # few starts need it

        panel = self.panel = TakePanel()
        panel.asked.connect(self._do)
        panel.table.takes.noted.connect(lambda take_id, note: self.shelf.book.change(take_id, note=note))
        return panel

    def keep(self) -> None:
        """Keeps what was heard last of the selected line; in the list, what is chosen there."""
        line, row = self._selection.line, self._chosen
        heard = self.shelf.heard.of_line(line.id) if line else []
        wanted = row.take.id if row is not None and not row.number else heard[-1].take.id if heard else ""
        if not self.shelf.keep_heard(wanted, safe=self._on_kept):
            self._banner.show_message(
                "notice",
                localized("保存できる音声がありません。", "There is nothing to keep yet."),
                localized("先にこの行を再生してください。", "Play this line first."),
            )

    def more(self) -> None:
        """Makes several takes of the selected line."""
        line = self._selection.line
        if line is None or not line.text.strip():
            self._banner.show_message("notice", localized("読み上げるテキストが空です。", "The text is empty."))
            return
        self.panel_requested.emit(True)
        self._awaited = line.id
        self._rolling.roll(self._seeds.applied(line))

    @Slot()
    def on_opened(self) -> None:
        """Another project is shown."""
        self._rolling.stop()
        self.shelf.on_opened()
        self.show()

    def settle(self) -> None:
        """Waits until what is being kept is among the takes."""
        self.shelf.sounds.settle()

    def close(self) -> None:
        """Nothing more is made; sounds that nobody needs go."""
        self._rolling.stop()
        self.shelf.close()

    @property
    def _chosen(self) -> Row | None:
        return self.panel.table.current if self.panel is not None and self.panel.isVisible() else None

    def _rows(self, line: Line) -> list[Row]:
        from app.ui.takes.differences import differences
        from app.ui.takes.model import Row

        kept = of_line(self.shelf.book.takes, line.id)
        known = {made_of(take) for take in kept}
        heard = [heard.take for heard in self.shelf.heard.of_line(line.id) if made_of(heard.take) not in known]
        numbered = [*enumerate(kept, 1), *((0, take) for take in heard)]
        return [Row(take, number, differences(take, line, self._name_of)) for number, take in numbered]

    @Slot()
    def show(self, *_what: object, wanted: str = "") -> None:
        """Shows the takes of the selected line as they are now; the wanted one is chosen."""
        line = self._selection.line
        self.counted.emit(len(of_line(self.shelf.book.takes, line.id)) if line else 0)
        panel = self.panel
        if panel is None or panel.isHidden():
            return
        rows = self._rows(line) if line else []
        if wanted or rows != panel.table.takes.rows:
            panel.table.show_rows(rows, wanted)
        panel.buttons["more"].setEnabled(line is not None and bool(line.text.strip()))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        panel = self.panel
        if panel is None:
            return
        playing, beside = self._listening.heard
        panel.table.takes.show_playing("" if beside else playing)
        progress = self._rolling.progress
        panel.buttons["stop"].setVisible(progress is not None)
        row = next((row for row in panel.table.takes.rows if row.take.id == playing), None)
        if playing:
            name = localized("現在の行", "Current line") if beside else row.name if row else ""
            panel.state.setText(localized(f"再生中：{name}", f"Playing: {name}") if name else "")
        else:
            panel.state.setText(
                localized(f"作成中 {progress[0] + 1}/{progress[1]}", f"{progress[0] + 1} of {progress[1]}") if progress else ""
            )

    @Slot(str)
    def _do(self, name: str) -> None:
        own: dict[str, Callable[[], object]] = {
            "keep": self.keep,
            "more": self.more,
            "stop": self._rolling.stop,
            "close": lambda: self.panel_requested.emit(False),
        }
        if name in own:
            own[name]()
        elif name == "note" and self.panel is not None:
            self.panel.table.write_note()
        elif self._chosen is not None:
            self._row_commands.named[name](self._chosen)

    def _on_kept(self, take: Take) -> None:
        self.show(wanted=take.id)
        ids = [other.id for other in of_line(self.shelf.book.takes, take.line)]
        if take.id in ids and (self.panel is None or self.panel.isHidden()):  # it may have been deleted since
            number = ids.index(take.id) + 1
            self._banner.show_message(
                "notice",
                localized(f"テイク {number} として保存しました。", f"Kept as take {number}."),
                action=localized("一覧を表示", "Show takes"),
                then=lambda: self.panel_requested.emit(True),
            )

    @Slot(object)
    def _on_rolled(self, take: Take) -> None:
        """The first one is chosen, and has the keys unless somebody types."""
        line, panel = self._selection.line, self.panel
        if line is None or panel is None or not take.line == line.id == self._awaited:
            return
        self._awaited = ""
        self.show(wanted=take.id)
        if isinstance(QApplication.focusWidget(), QListView):
            panel.table.setFocus()
