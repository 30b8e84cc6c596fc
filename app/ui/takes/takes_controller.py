"""Keeps the takes of the selected line in step with project and playback, runs the commands of the panel, and renders more takes with other seeds."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QListView

from app.audition.line_rendering import TakeResult
from app.common.language import localize
from app.core.script.project import TAKE_VARIATION, LineTake, create_line, draw_seeds, restore_line, select_line_takes
from app.core.script.script import Line
from app.engine.synthesis_jobs import ComputeJob
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_listening import TakePlayback
from app.ui.takes.take_repository import TAKES_PER_BATCH, TakeRepository, build_take_key
from app.ui.takes.take_sounds import TakeSound
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.takes.take_panel import TakePanel, TakeRow


class TakeCommands(QObject):
    """Runs commands on a take of the selected line."""

    def __init__(
        self,
        shelf: TakeRepository,
        listening: TakePlayback,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        banner: Banner,
    ) -> None:
        super().__init__(shelf)
        self._shelf, self._take_playback = shelf, listening
        self._document, self._selection, self._seeds, self._banner = document, selection, seeds, banner
        self.named = {
            "play": self._play_take,
            "compare": self._compare_take,
            "star": self._toggle_star,
            "restore": self._restore_settings,
            "delete": self._delete_take,
        }

    def _play_take(self, row: TakeRow) -> None:
        self._take_playback.play_take(row.take)

    def _compare_take(self, row: TakeRow) -> None:
        line = self._selection.line
        if line is not None and line.text.strip():
            self._take_playback.compare_with_line(row.take, self._seeds.apply_last_seed(line))

    def _toggle_star(self, row: TakeRow) -> None:
        book = self._shelf.book
        if row.number:
            book.change_take(row.take.id, starred=not row.take.starred)
        # A starred take is meant to stay, so an unsaved one is kept first.
        else:
            self._shelf.keep_recent(row.take.id, lambda take: book.change_take(take.id, starred=True))

    def _restore_settings(self, row: TakeRow) -> None:
        script, line = self._document.script, self._selection.line
        if line is None or line.id != row.take.line:
            return
        self._seeds.forget_seeds([line.id])
        lines = tuple(restore_line(other, row.take) if other.id == line.id else other for other in script.lines)
        self._document.apply_edit(localize("テイクの設定に戻す", "Restore take"), replace(script, lines=lines))

    def _delete_take(self, row: TakeRow) -> None:
        book, take = self._shelf.book, row.take
        if not row.number:
            return
        position = book.takes.index(take)
        book.remove_take(take)
        message = localize(f"{row.name}を削除しました。", f"{row.name} was deleted.")
        action = localize("元に戻す", "Undo")
        self._banner.show_message("notice", message, action=action, on_action=lambda: self._restore_take(take, position))

    def _restore_take(self, take: LineTake, position: int) -> None:
        if not self._shelf.book.restore_take(take, position):
            hint = localize("テイクをまとめて削除したときに、音声も削除されました。", "Its sound was deleted with all the others.")
            self._banner.show_message("notice", localize("このテイクは元に戻せません。", "This take cannot be restored."), hint)


class TakeBatch(QObject):
    """Renders takes and keeps each of them as soon as it is computed.

    Signals:
        changed(): more or fewer takes are pending.
        made(LineTake): a take is kept, and a crash can no longer lose it.
    """

    changed = Signal()
    made = Signal(object)

    def __init__(self, shelf: TakeRepository, speech: SpeechController) -> None:
        super().__init__(shelf)
        self._shelf, self._speech = shelf, speech
        self._jobs: dict[Line, ComputeJob[TakeResult]] = {}
        self._wanted_count = 0

    @property
    def progress(self) -> tuple[int, int] | None:
        """Return (finished, total) takes of the batch, or None if no batch runs."""
        return (self._wanted_count - len(self._jobs), self._wanted_count) if self._jobs else None

    def render_takes(self, line: Line, *, draws_noise: bool) -> None:
        """Render more takes of a line as it is, whether or not its seed is locked; where its voice draws no noise, as readings that vary."""
        if not (draws_noise or line.settings.variation):
            line = replace(line, settings=replace(line.settings, variation=TAKE_VARIATION))
        # Seeds that wait, are kept or belong to the line are excluded, so that no two takes are equal.
        waiting = [pending_line.settings.seed for pending_line in self._jobs if pending_line.id == line.id]
        kept_seeds = [take.settings.seed for take in select_line_takes(self._shelf.book.takes, line.id)]
        seeds = draw_seeds(TAKES_PER_BATCH, [line.settings.seed, *kept_seeds, *waiting], random.randint)
        self._wanted_count = (self._wanted_count if self._jobs else 0) + TAKES_PER_BATCH
        rolled = [replace(line, settings=replace(line.settings, seed=seed)) for seed in seeds]
        for item in rolled:
            # After a failure the others would fail as well.
            self._jobs[item] = self._speech.render_take(item, on_made=self._keep_rendered, on_failed=lambda _error: self.stop_rendering())
        self.changed.emit()

    @Slot()
    def stop_rendering(self) -> None:
        """Cancel the takes that are not rendered yet."""
        jobs, self._jobs = self._jobs, {}
        self._speech.stop_computing(jobs.values())
        self.changed.emit()

    def _keep_rendered(self, result: TakeResult) -> None:
        self._shelf.keep_rendered(result.line, result.samples, result.rate, on_secured=self.made.emit)
        del self._jobs[result.line]
        self.changed.emit()


class TakesController(QObject):
    """Works without the panel, which is created on first use.

    Signals:
        counted(int): number of kept takes of the selected line.
        panel_requested(bool): open or close the panel.
        drag_requested(Line, QWidget, TakeSound): a take is dragged to another program from this widget, as a line with its settings and
            seed, and with its sound or None if that is gone.

    Args:
        draws_noise: returns whether the voice of an id draws noise, so that another seed makes it sound otherwise.
    """

    counted = Signal(int)
    panel_requested = Signal(bool)
    drag_requested = Signal(object, object, object)

    def __init__(
        self,
        shelf: TakeRepository,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        speech: SpeechController,
        playback: LinePlayback,
        banner: Banner,
        name_of: Callable[[str], str],
        draws_noise: Callable[[str], bool] = lambda _voice: True,
    ) -> None:
        super().__init__(banner)
        self.shelf, self._document, self._draws_noise = shelf, document, draws_noise
        self.panel: TakePanel | None = None
        self._selection, self._seeds, self._banner, self._name_of = selection, seeds, banner, name_of
        # Id of the line whose first new take is selected.
        self._awaited_line_id = ""
        self._take_batch = TakeBatch(shelf, speech)
        self._take_playback = TakePlayback(shelf, speech, playback)
        self._row_commands = TakeCommands(shelf, self._take_playback, document, selection, seeds, banner)
        for signal in (selection.changed, shelf.book.changed, shelf.heard.changed):
            signal.connect(self.show_takes)
        self._take_batch.changed.connect(self._show_state)
        self._take_batch.made.connect(self._select_first_rendered)
        self._take_playback.changed.connect(self._show_state)

    def create_panel(self) -> TakePanel:
        """Create the panel, which shows the takes from now on."""
        from app.ui.takes.take_panel import TakePanel  # few starts need it

        panel = self.panel = TakePanel()
        panel.command_requested.connect(self._run_command)
        panel.table.drag_requested.connect(self._request_drag)
        panel.table.takes.noted.connect(lambda take_id, note: self.shelf.book.change_take(take_id, note=note))
        return panel

    def keep_current(self) -> None:
        """Keep the row chosen in the open panel, else the newest rendering of the selected line."""
        line, row = self._selection.line, self._current_row
        renderings = self.shelf.heard.list_line_renderings(line.id) if line else []
        take_id = row.take.id if row is not None and not row.number else renderings[-1].take.id if renderings else ""
        if not self.shelf.keep_recent(take_id, on_secured=self._select_kept):
            message = localize("保存できる音声がありません。", "There is nothing to keep yet.")
            self._banner.show_message("notice", message, localize("先にこの行を再生してください。", "Play this line first."))

    def render_more(self) -> None:
        """Render several takes of the selected line."""
        line = self._selection.line
        if line is None or not line.text.strip():
            self._banner.show_message("notice", localize("読み上げるテキストが空です。", "The text is empty."))
            return
        self.panel_requested.emit(True)
        self._awaited_line_id = line.id
        self._take_batch.render_takes(self._seeds.apply_last_seed(line), draws_noise=self._draws_noise(line.settings.voice))

    @Slot()
    def follow_project(self) -> None:
        """Stop rendering and show the takes of another project."""
        self._take_batch.stop_rendering()
        self.shelf.follow_project()
        self.show_takes()

    def wait_until_saved(self) -> None:
        """Wait until all pending sounds are takes."""
        self.shelf.sounds.wait_until_kept()

    def close(self) -> None:
        """Stop rendering, and release sounds that are no longer needed."""
        self._take_batch.stop_rendering()
        self.shelf.close()

    @property
    def _current_row(self) -> TakeRow | None:
        return self.panel.table.current if self.panel is not None and self.panel.isVisible() else None

    def _build_rows(self, line: Line) -> list[TakeRow]:
        from app.ui.takes.take_panel import TakeRow, list_differences

        kept_takes = select_line_takes(self.shelf.book.takes, line.id)
        kept_keys = {build_take_key(take) for take in kept_takes}
        heard = [heard.take for heard in self.shelf.heard.list_line_renderings(line.id) if build_take_key(heard.take) not in kept_keys]
        numbered = [*enumerate(kept_takes, 1), *((0, take) for take in heard)]
        character = self._document.script.find_character(line.character)
        return [TakeRow(take, number, list_differences(take, line, self._name_of, character)) for number, take in numbered]

    @Slot()
    def show_takes(self, *_what: object, wanted: str = "") -> None:
        """Show the takes of the selected line as they are now; `wanted` is selected."""
        line = self._selection.line
        self.counted.emit(len(select_line_takes(self.shelf.book.takes, line.id)) if line else 0)
        panel = self.panel
        if panel is None or panel.isHidden():
            return
        rows = self._build_rows(line) if line else []
        if wanted or rows != panel.table.takes.rows:
            panel.table.show_rows(rows, wanted)
        panel.buttons["more"].setEnabled(line is not None and bool(line.text.strip()))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        panel = self.panel
        if panel is None:
            return
        playing, beside = self._take_playback.playing_take
        panel.table.takes.show_playing("" if beside else playing)
        progress = self._take_batch.progress
        panel.buttons["stop"].setVisible(progress is not None)
        row = next((row for row in panel.table.takes.rows if row.take.id == playing), None)
        if playing:
            name = localize("現在の行", "Current line") if beside else row.name if row else ""
            panel.state.setText(localize(f"再生中：{name}", f"Playing: {name}") if name else "")
        else:
            panel.state.setText(
                localize(f"作成中 {progress[0] + 1}/{progress[1]}", f"{progress[0] + 1} of {progress[1]}") if progress else ""
            )

    @Slot(str)
    def _run_command(self, name: str) -> None:
        commands: dict[str, Callable[[], object]] = {
            "keep": self.keep_current,
            "more": self.render_more,
            "stop": self._take_batch.stop_rendering,
            "close": lambda: self.panel_requested.emit(False),
        }
        if name in commands:
            commands[name]()
        elif name == "note" and self.panel is not None:
            self.panel.table.edit_note()
        elif self._current_row is not None:
            self._row_commands.named[name](self._current_row)

    @Slot()
    def _request_drag(self) -> None:
        row, panel = self._current_row, self.panel
        if row is None or panel is None:
            return
        line, source = create_line(row.take), panel.table.viewport()

        def drag_sound(sound: TakeSound | None) -> None:
            self.drag_requested.emit(line, source, sound)

        # A take whose sound is gone is rendered again.
        self.shelf.fetch_sound(row.take, drag_sound, lambda _error: drag_sound(None))

    def _select_kept(self, take: LineTake) -> None:
        self.show_takes(wanted=take.id)
        ids = [other.id for other in select_line_takes(self.shelf.book.takes, take.line)]
        # The take may have been deleted before it was secured.
        if take.id in ids and (self.panel is None or self.panel.isHidden()):
            number = ids.index(take.id) + 1
            message = localize(f"テイク {number} として保存しました。", f"Kept as take {number}.")
            action = localize("一覧を表示", "Show takes")
            self._banner.show_message("notice", message, action=action, on_action=lambda: self.panel_requested.emit(True))

    @Slot(object)
    def _select_first_rendered(self, take: LineTake) -> None:
        """Select the first new take, and give the table the focus unless the user is typing."""
        line, panel = self._selection.line, self.panel
        if line is None or panel is None or not take.line == line.id == self._awaited_line_id:
            return
        self._awaited_line_id = ""
        self.show_takes(wanted=take.id)
        # The editor of a line is no list view, and must not lose its keys.
        if isinstance(QApplication.focusWidget(), QListView):
            panel.table.setFocus()
