"""Takes: renderings of lines that are kept, and the panel that shows them."""

from __future__ import annotations

from app.ui.playback.line_playback import LinePlayback
from app.ui.shell.reading_feature import ReadingFeature
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_fold import TakesDeletionController, TakesFold


class TakesFeature(WindowFeature):
    """Keeps, renders, shows and deletes takes.

    Attributes:
        shelf: the takes of the open project, and their files.
        lines: the takes of the selected line.
        fold: opens the panel, which is created then; the window restores it after its first paint.
    """

    def __init__(
        self, context: WindowContext, script: ScriptFeature, playback: LinePlayback, reading: ReadingFeature, voices: VoicesFeature
    ) -> None:
        super().__init__(context)
        actions, speech, names = context.actions, context.speech, voices.choice.names
        self.shelf = TakeRepository(context.project, speech, script.banner.show_error, script.autosave.save_now, context.window)
        lines = (context.document, script.selection, script.seeds)
        self.lines = TakesController(self.shelf, *lines, speech, playback, script.banner, names.find_name, voices.is_seeded)
        self.deletion = TakesDeletionController(context.window, self.shelf, actions["delete_takes"])
        self.fold = TakesFold(self.lines, actions["show_takes"], context.settings, reading.panel, reading.frame, script.panel.below)
        self.fold.folded.connect(script.scroll_to_selection)
        actions.connect_handlers(
            {
                "keep_take": self.lines.keep_current,
                "more_takes": self.lines.render_more,
                "delete_takes": self.deletion.ask_which_takes,
            }
        )

    def close(self) -> None:
        """Close what is open."""
        self.deletion.close()
        self.lines.close()
