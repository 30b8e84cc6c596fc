"""Blind tests of takes: begun from the board or the list of takes, kept in the project, continued where they were left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.audition.blind_test import BlindTest
from app.audition.blind_test_data import blind_test_to_data
from app.audition.take_store import TakeStore, folder_of
from app.audition.winner import winner_of
from app.core.takes import Take, line_of
from app.core.types import Float32
from app.errors import InputError
from app.language import localized
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.compared import compared_rows
from app.ui.audition.kept_tests import KeptTests
from app.ui.audition.mushra_tests import MushraTests
from app.ui.audition.winner_offer import offer_winner
from app.ui.script.document import ScriptDocument
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.book import Owner
from app.ui.takes.shelf import TakeShelf

Sound = tuple[Float32, int]
SoundOf = Callable[[Take], Sound | None]


class BlindTests(QObject):
    """Made when the first one is wanted.

    Attributes:
        dialog: while it is open.
        mushra: those that rate against a reference.

    Signals:
        noticed(str, str): why nothing is to be compared, and a hint.

    Args:
        project: keeps the tests.
        shelf: keeps the sounds.
        voice_name: the name of a voice for people, by id.
        document: its lines may take over what came first.
    """

    noticed = Signal(str, str)

    def __init__(
        self,
        parent: QWidget,
        project: Owner,
        shelf: TakeShelf,
        speech: SpeechController,
        voice_name: Callable[[str], str | None],
        document: ScriptDocument,
    ) -> None:
        super().__init__(parent)
        self._parent, self._project, self._shelf, self._speech = parent, project, shelf, speech
        self._voice_name, self._document = voice_name, document
        self._stores: dict[Path | None, TakeStore] = {}
        self._book = KeptTests(project)
        self.mushra = MushraTests(self, parent, self._book, shelf, speech, self._load, document)
        self.dialog: BlindTestDialog | None = None

    def open(self, line: str) -> None:
        """Continues the newest test that has not ended; else compares the starred takes of a line, or all of them where fewer have a star."""
        unfinished = self._book.unfinished()
        if isinstance(unfinished, BlindTest):
            self.show_dialog().resume(unfinished)
            return
        if unfinished is not None:
            self.mushra.show(unfinished)
            return
        takes = [take for take in self._shelf.book.takes if take.line == line and take.sound]
        starred = [take for take in takes if take.starred]
        self.compare(starred if len(starred) > 1 else takes)

    def compare(self, takes: Sequence[Take], sound_of: SoundOf = lambda _take: None) -> None:
        """Asks how these are to be compared; what is not kept yet is kept first.

        Args:
            sound_of: the sound of a take that is not kept; None where it is gone.
        """
        missing = {take.id: sound for take in takes if not take.sound and (sound := sound_of(take)) is not None}
        found = {take.id: take for take in takes if take.sound}
        order = [take.id for take in takes]

        def ready() -> None:
            self._plan([found[take_id] for take_id in order if take_id in found])

        def keep(take: Take) -> None:
            def kept(other: Take) -> None:
                found[take.id] = other
                self._shelf.book.change(other.id, starred=take.starred, rating=take.rating, note=take.note)
                if missing.keys() <= found.keys():
                    ready()

            self._shelf.keep_rendered(line_of(take), *missing[take.id], kept)

        if not missing:
            ready()
        for take in takes:
            if take.id in missing:
                keep(take)

    def close(self) -> None:
        """What was answered is kept."""
        self.mushra.close()
        if self.dialog is not None:
            self.dialog.reject()

    def _plan(self, takes: Sequence[Take]) -> None:
        names, rows = compared_rows(takes, self._voice_name)
        if len(names) < 2:
            self.notice(
                localized("比べる音声が足りません。", "There is nothing to compare."),
                localized(
                    "同じ行のテイクを 2 つ以上残すか、オーディションで 2 つ以上にスターを付けてください。",
                    "Keep at least two takes of a line, or star two cells of the audition board.",
                ),
            )
            return
        self.show_dialog().plan(names, rows)

    def notice(self, message: str, hint: str) -> None:
        """Says why nothing is to be compared."""
        self.noticed.emit(message, hint)

    def show_dialog(self) -> BlindTestDialog:
        """Another dialog, which keeps what is answered; the one before closes."""
        self.close()
        dialog = self.dialog = BlindTestDialog(self._parent, self._speech, self._load)
        dialog.changed.connect(lambda test: self._book.keep(test.id, blind_test_to_data(test)))
        dialog.ended.connect(partial(self._offer, dialog))
        dialog.mushra_requested.connect(lambda apart: self.mushra.begin(dialog, *apart))
        dialog.finished.connect(self._forget)
        dialog.show()
        return dialog

    def _offer(self, dialog: BlindTestDialog, test: BlindTest) -> None:
        plan = test.plan
        offer_winner(dialog.outcome, self._document, self._shelf.book.takes, plan.names, plan.sounds, winner_of(test))

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

    def _load(self, name: str) -> Sound:
        """In the dialog's own thread. A project that was just saved may not have its sounds yet."""
        places = dict.fromkeys((self._project.path, None))
        for path in places:
            store = self._stores.setdefault(path, TakeStore(folder_of(path)))
            if store.has(name):
                return store.read(name)
        raise InputError(
            localized("音声が見つかりません。", "A sound is missing."),
            localized("新しいテストを始めてください。", "Start a new test."),
        )
