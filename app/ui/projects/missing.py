"""Reports voices that are not here, and puts others in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.script import Script, change
from app.language import localized
from app.ui.projects.document import ProjectDocument
from app.ui.projects.missing_voice import MissingVoice, missing_voices, usable
from app.ui.script.document import ScriptDocument
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.controller import VoiceController
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.projects.missing_dialog import MissingVoicesDialog

MOST_NAMED = 3


class MissingVoices(QObject):
    """Reports them when a project is opened, and gives their lines other voices, all in one step.

    Attributes:
        dialog: while it is open.
    """

    def __init__(
        self,
        parent: QWidget,
        project: ProjectDocument,
        document: ScriptDocument,
        catalog: VoiceCatalog,
        voices: VoiceController,
        banner: Banner,
    ) -> None:
        super().__init__(parent)
        self._parent, self._project, self._document = parent, project, document
        self._catalog, self._voices, self._banner = catalog, voices, banner
        self._due = False
        self.dialog: MissingVoicesDialog | None = None
        catalog.changed.connect(self._on_catalog)
        project.changed.connect(self._take_names)
        self._take_names()

    @property
    def found(self) -> list[MissingVoice]:
        """In the order of their lines; none before all voices are known."""
        return missing_voices(self._document.script, self._catalog, self._project.parts.voices, self._voices.names.find)

    @Slot()
    def on_opened(self) -> None:
        """Another project is shown."""
        self._take_names()
        self._voices.follow_again()
        self._due = not self._catalog.is_read
        self._report()

    @Slot()
    def open(self) -> None:
        """Asks which voices are to take their place."""
        from app.ui.projects.missing_dialog import MissingVoicesDialog

        missing = self.found
        if not missing:
            return
        self.close()
        dialog = self.dialog = MissingVoicesDialog(self._parent, missing, usable(self._catalog))
        dialog.accepted.connect(lambda: self.assign(dialog.chosen))
        dialog.finished.connect(self._on_finished)
        dialog.show()

    def assign(self, others: Mapping[str, str]) -> None:
        """Gives all lines of voices other ones: ids by id."""
        script: Script = self._document.script
        for voice, other in others.items():
            script = change(script, [line.id for line in script.lines if line.settings.voice == voice], voice=other)
        self._document.edit(localized("声を割り当て", "Assign voices"), script)

    def close(self) -> None:
        """Closes the dialog."""
        if self.dialog is not None:
            self.dialog.reject()

    @Slot()
    def _take_names(self) -> None:
        self._voices.names.take({item.id: item.name for item in self._project.parts.voices if item.name})

    @Slot()
    def _on_catalog(self) -> None:
        if self._due and self._catalog.is_read:
            self._due = False
            self._report()

    def _report(self) -> None:
        missing = self.found
        if not missing:
            return
        names = localized("、", ", ").join(voice.name for voice in missing[:MOST_NAMED]) + "…" * (len(missing) > MOST_NAMED)
        lines = sum(voice.lines for voice in missing)
        self._banner.show_message(
            "notice",
            localized(f"声が見つかりません: {names}", f"Missing voices: {names}"),
            localized(
                f"{lines:,} 行で使われています。声を追加するか、別の声を割り当ててください。",
                f"Used by {lines:,} {'line' if lines == 1 else 'lines'}. Add the voices, or assign others.",
            ),
            action=localized("声を割り当てる…", "Assign voices…"),
            then=self.open,
        )

    @Slot()
    def _on_finished(self) -> None:
        self.dialog = None
