"""Reports voices that are not here, and puts others in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.core.script.characters import replace_voices
from app.ui.projects.project_document import MissingVoice, ProjectDocument, find_missing_voices, list_usable_voices
from app.ui.script.script_document import ScriptDocument
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_controller import VoiceController
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import OpenDialog

if TYPE_CHECKING:
    from app.ui.projects.missing_voices_dialog import MissingVoicesDialog

MAX_NAMED_MISSING_VOICES = 3


class MissingVoicesController(QObject):
    """Reports them when a project is opened, and gives their lines other voices, all in one step."""

    dialog: OpenDialog[MissingVoicesDialog] = OpenDialog()

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
        catalog.changed.connect(self._report_when_read)
        project.changed.connect(self._update_names)
        self._update_names()

    @property
    def missing(self) -> list[MissingVoice]:
        """Return the missing voices in the order of their lines; none before all voices are known."""
        return find_missing_voices(self._document.script, self._catalog, self._project.parts.voices, self._voices.names.find_name)

    @Slot()
    def follow_project(self) -> None:
        self._update_names()
        self._voices.refresh_current_voice()
        self._due = not self._catalog.is_read
        self._report_missing()

    @Slot()
    def open_dialog(self) -> None:
        """Ask which voices are to replace the missing ones."""
        from app.ui.projects.missing_voices_dialog import MissingVoicesDialog

        missing = self.missing
        if not missing:
            return
        self.close()
        dialog = self.dialog = MissingVoicesDialog(self._parent, missing, list_usable_voices(self._catalog))
        dialog.introduction_requested.connect(self._catalog.introduction_requested)
        dialog.accepted.connect(lambda: self.replace_voices(dialog.replacements))
        dialog.show()

    def replace_voices(self, replacements: Mapping[str, str]) -> None:
        """Give all lines and characters of some voices other ones: ids by id."""
        self._document.apply_edit(localize("声を割り当て", "Assign voices"), replace_voices(self._document.script, replacements))

    def close(self) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    @Slot()
    def _update_names(self) -> None:
        self._voices.names.use_project_names({item.id: item.name for item in self._project.parts.voices if item.name})

    @Slot()
    def _report_when_read(self) -> None:
        if self._due and self._catalog.is_read:
            self._due = False
            self._report_missing()

    def _report_missing(self) -> None:
        missing = self.missing
        if not missing:
            return
        names = localize("、", ", ").join(voice.name for voice in missing[:MAX_NAMED_MISSING_VOICES])
        names += "…" if len(missing) > MAX_NAMED_MISSING_VOICES else ""
        lines = sum(voice.lines for voice in missing)
        message = localize(f"声が見つかりません: {names}", f"Missing voices: {names}")
        hint = localize(
            f"{lines:,} 行で使われています。声を追加するか、別の声を割り当ててください。",
            f"Used by {lines:,} {'line' if lines == 1 else 'lines'}. Add the voices, or assign others.",
        )
        action = localize("声を割り当てる…", "Assign voices…")
        self._banner.show_message("notice", message, hint, action=action, on_action=self.open_dialog)
