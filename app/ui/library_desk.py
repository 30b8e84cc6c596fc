"""What the buttons of the voice library do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from app.language import say
from app.ui.background import works
from app.ui.dialogs.text_dialog import show_text
from app.ui.save_dialog import title as file_title
from app.ui.shelf import ShelfVoice
from app.voices.suffixes import VOICE_SUFFIXES

if TYPE_CHECKING:
    from app.ui.dialogs.voice_library import VoiceLibrary
    from app.ui.voice_desk import VoiceDesk
    from app.ui.window import MainWindow

VOICE_FILES = tuple(f"*{suffix}" for suffix in VOICE_SUFFIXES)


class LibraryDesk(QObject):
    """Opens the library and does what is asked for there.

    Attributes:
        dialog: the library while it is open.
    """

    def __init__(self, desk: VoiceDesk, window: MainWindow) -> None:
        super().__init__(desk)
        self._desk, self._window = desk, window
        self.dialog: VoiceLibrary | None = None

    @Slot()
    def open(self) -> None:
        """Shows the library at the voice of the current line."""
        from app.ui.dialogs.voice_library import VoiceLibrary

        if self.dialog is None:
            self.dialog = VoiceLibrary(self._window, self._desk.shelf)
            self.dialog.wanted.connect(self._on_wanted)
            self.dialog.add_wanted.connect(self.add)
            self.dialog.dropped.connect(self._desk.works.add_files)
            self.dialog.finished.connect(self._on_finished)
        self.dialog.choose(self._desk.current)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    @Slot(str)
    def add(self, kind: str, address: str = "") -> None:
        """Asks for a voice: a "file", a "folder" or an "address", which may be known already."""
        parent = self.dialog or self._window
        if kind == "file":
            kinds = say("声", "Voices") + f" ({' '.join(VOICE_FILES)})"
            files, _ = QFileDialog.getOpenFileNames(parent, say("声のファイルを選ぶ", "Choose voices"), "", kinds)
            self._desk.works.add_files([Path(file) for file in files])
        elif kind == "folder":
            folder = QFileDialog.getExistingDirectory(parent, say("声のフォルダーを選ぶ", "Choose a voice folder"))
            self._desk.works.add_files([Path(folder)] if folder else [])
        else:
            from app.ui.dialogs.add_address import AddAddress

            dialog = AddAddress(parent, address)
            dialog.url_given.connect(self._desk.works.add_url)
            dialog.uuid_given.connect(self._desk.works.add_from_hub)
            dialog.open()

    @Slot()
    def _on_finished(self) -> None:
        self.dialog = None

    @Slot(str, object)
    def _on_wanted(self, deed: str, voice: ShelfVoice) -> None:
        desk = self._desk
        match deed:
            case "use":
                desk.use(voice.id)
            case "prepare":
                desk.works.prepare(voice, ())
            case "bert":
                desk.offer_bert(voice)
            case "licence":
                show_text(self.dialog or self._window, voice.name, voice.licence.strip())
            case "update":
                desk.works.queue.add(works.update_from_hub(voice.card.uuid, voice.name))
            case "folder":
                folder = voice.path if voice.path.is_dir() else voice.path.parent
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            case "rename":
                self._rename(voice)
            case "export":
                self._export(voice)
            case "remove":
                self._remove(voice)

    def _rename(self, voice: ShelfVoice) -> None:
        title, label = say("名前を変更", "Rename"), say("新しい名前", "New name")
        name, chosen = QInputDialog.getText(self.dialog or self._window, title, label, text=voice.name)
        if chosen and name.strip() and name.strip() != voice.name:
            self._desk.works.change(works.rename_voice(voice.id, name.strip()))

    def _export(self, voice: ShelfVoice) -> None:
        title = say("声を書き出す", "Export the voice")
        start = str(Path.home() / f"{file_title(voice.name)}.zip")
        file, _ = QFileDialog.getSaveFileName(self.dialog or self._window, title, start, "ZIP (*.zip)")
        if file:
            path = Path(file)
            named = path.suffix.lower() == ".zip"  # else the dialog has asked about another name
            target = path if named else path.with_name(path.name + ".zip")
            self._desk.works.queue.add(works.export_voice(voice.id, voice.name, target, replacing=named))

    def _remove(self, voice: ShelfVoice) -> None:
        """Asks first: a voice may be hard to get again."""
        box = QMessageBox(self.dialog or self._window)
        box.setWindowTitle(say("声を削除", "Remove the voice"))
        box.setText(say(f"声「{voice.name}」をディスクから削除しますか？", f'Remove the voice "{voice.name}" from the disk?'))
        used = sum(line.settings.voice == voice.id for line in self._window.document.script.lines)
        note = say("元のファイルはそのまま残ります。", "The file it came from stays.")
        box.setInformativeText(note + say(f" この声を使う行: {used}", f" Lines that use it: {used}") if used else note)
        remove = box.addButton(say("削除", "Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(say("やめる", "Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.exec()
        if box.clickedButton() is remove:
            self._desk.works.change(works.remove_voice(voice.id, voice.name))
