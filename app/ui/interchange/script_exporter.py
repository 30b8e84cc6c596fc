"""Writes the script as plain text, as text with characters, as a script of a game engine, or as a table."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.language import localize
from app.core.script.script import LineSettings
from app.ui.background_thread import BackgroundThread
from app.ui.display_names import format_speaker, format_style
from app.ui.script.script_document import ScriptDocument
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.ui.widgets.file_dialogs import append_suffix


class ScriptExporter(QObject):
    """Asks for a file, writes it, and reports what the format cannot hold."""

    def __init__(self, parent: QWidget, document: ScriptDocument, catalog: VoiceCatalog, banner: Banner) -> None:
        super().__init__(parent)
        self._parent, self._document, self._catalog, self._banner = parent, document, catalog, banner
        self._background = BackgroundThread(self, "script")
        self._background.failed.connect(banner.show_error)
        self._folder = Path.home()

    @Slot()
    def choose_file(self) -> None:
        """Ask for a file and its kind."""
        plain = localize("テキスト", "Text") + " (*.txt)"
        named = localize("キャラ付きテキスト（VOICEVOX 形式）", "Text with characters (VOICEVOX)") + " (*.txt)"
        dialogue = localize("台詞のテキスト（名前「台詞」）", "Dialogue text (name and quotation)") + " (*.txt)"
        tables = {"CSV (*.csv)": ".csv", "TSV (*.tsv)": ".tsv"}
        scripts = {"Ren'Py (*.rpy)": ".rpy", "Yarn Spinner (*.yarn)": ".yarn"}
        kinds = {plain: ".txt", named: ".txt", dialogue: ".txt", **tables, **scripts}
        title = self._document.script.title or localize("台本", "script")
        chosen, kind = QFileDialog.getSaveFileName(
            self._parent, localize("台本を書き出す", "Export script"), str(self._folder / title), ";;".join(kinds)
        )
        if not chosen:
            return
        file = Path(chosen)
        if file.suffix.lower() not in kinds.values():
            file = append_suffix(file, kinds.get(kind, ".txt"))
        self._folder = file.parent
        self.write_file(file, has_characters=kind == named, as_dialogue=kind == dialogue)

    def write_file(self, file: Path, *, has_characters: bool = False, as_dialogue: bool = False) -> None:
        """Write the script in the background, in the format of the file's suffix."""
        script = self._document.script

        def write_in_background() -> tuple[str, ...]:
            from app.interchange.script_writers import NAMED_SUFFIXES, write_script

            is_named = has_characters or as_dialogue or file.suffix.lower() in NAMED_SUFFIXES
            return write_script(file, script, self._find_names if is_named else None, as_dialogue=as_dialogue)

        self._background.run_work(write_in_background, partial(self._report_written, file, len(script.lines)))

    def close(self) -> None:
        """Wait until the file is written."""
        self._background.close(finish=True)

    def _report_written(self, file: Path, line_count: int, lost: tuple[str, ...]) -> None:
        self._banner.show_message(
            "notice",
            localize(f"{line_count:,} 行を「{file.name}」に書き出しました。", f"Lines exported to “{file.name}”: {line_count:,}."),
            " ".join(lost),
        )

    def _find_names(self, settings: LineSettings) -> tuple[str, str]:
        """Return speaker and style of a line as its card names them."""
        voice = self._catalog.find_voice(settings.voice)
        if voice is None:
            return format_speaker(settings.speaker) or settings.voice, format_style(settings.style)
        speaker = settings.speaker or (voice.speakers[0][1] if len(voice.speakers) > 1 else voice.name)
        return format_speaker(speaker), format_style(settings.style or (voice.styles[0][1] if voice.styles else ""))
