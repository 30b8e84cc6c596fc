"""Writes the script as text, as VOICEVOX's text, or as a table."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.script import LineSettings
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.labels import style_name
from app.ui.script.document import ScriptDocument
from app.ui.voices.catalog import VoiceCatalog
from app.ui.widgets.banner import Banner


class ScriptExport(QObject):
    """Asks where to; what the format cannot hold is said.

    Args:
        parent: window that the question belongs to.
    """

    def __init__(self, parent: QWidget, document: ScriptDocument, catalog: VoiceCatalog, banner: Banner) -> None:
        super().__init__(parent)
        self._parent, self._document, self._catalog, self._banner = parent, document, catalog, banner
        self._background = BackgroundThread(self, "script")
        self._background.failed.connect(banner.show_error)
        self._folder = Path.home()

    @Slot()
    def ask(self) -> None:
        """Asks for a file and its kind."""
        plain = localized("テキスト", "Text") + " (*.txt)"
        named = localized("キャラ付きテキスト（VOICEVOX 形式）", "Text with characters (VOICEVOX)") + " (*.txt)"
        kinds = {plain: ".txt", named: ".txt", "CSV (*.csv)": ".csv", "TSV (*.tsv)": ".tsv"}
        title = self._document.script.title or localized("台本", "script")
        chosen, kind = QFileDialog.getSaveFileName(
            self._parent, localized("台本を書き出す", "Export script"), str(self._folder / title), ";;".join(kinds)
        )
        if not chosen:
            return
        file = Path(chosen)
        if file.suffix.lower() not in kinds.values():
            file = file.with_name(file.name + kinds.get(kind, ".txt"))
        self._folder = file.parent
        self.write(file, with_characters=kind == named)

    def write(self, file: Path, *, with_characters: bool = False) -> None:
        """Writes it in the background, by the file's suffix."""
        script = self._document.script
        who = self._who if with_characters else None

        def work() -> tuple[str, ...]:
            from app.interchange.writers import write_script

            return write_script(file, script, who)

        self._background.run(work, partial(self._report, file, len(script.lines)))

    def close(self) -> None:
        """Waits for what is being written."""
        self._background.close(finish=True)

    def _report(self, file: Path, lines: int, lost: tuple[str, ...]) -> None:
        self._banner.show_message(
            "notice",
            localized(f"{lines:,} 行を「{file.name}」に書き出しました。", f"Lines exported to “{file.name}”: {lines:,}."),
            " ".join(lost),
        )

    def _who(self, settings: LineSettings) -> tuple[str, str]:
        """As the cards of lines say it."""
        voice = self._catalog.find(settings.voice)
        if voice is None:
            return settings.speaker or settings.voice, style_name(settings.style)
        speaker = settings.speaker or (voice.speakers[0][1] if len(voice.speakers) > 1 else voice.name)
        return speaker, style_name(settings.style or (voice.styles[0][1] if voice.styles else ""))
