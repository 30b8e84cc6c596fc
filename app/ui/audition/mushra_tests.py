"""MUSHRA tests of takes: the user's references are read and kept, the ratings are kept in the project."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.adapters.sound.samples import read_recording
from app.audition.listening import Load
from app.audition.mushra import MushraPlan, MushraTest, begin, check_plan
from app.audition.mushra_data import mushra_to_data
from app.audition.positions import new_seed
from app.audition.winner import rated_winner_of
from app.core.types import Float32
from app.errors import AppError
from app.language import localized
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.kept_tests import KeptTests
from app.ui.audition.mushra_dialog import MushraDialog
from app.ui.audition.winner_offer import offer_winner
from app.ui.script.document import ScriptDocument
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.shelf import TakeShelf
from app.ui.widgets.open_files import ask_for_files

KINDS = ("*.wav", "*.flac", "*.ogg", "*.opus", "*.mp3")


class MushraTests(QObject):
    """Made with the other blind tests.

    Attributes:
        dialog: while it is open.
    """

    def __init__(
        self,
        owner: QObject,
        parent: QWidget,
        book: KeptTests,
        shelf: TakeShelf,
        speech: SpeechController,
        load: Load,
        document: ScriptDocument,
    ) -> None:
        super().__init__(owner)
        self._document = document
        self._parent, self._book, self._shelf, self._speech, self._load = parent, book, shelf, speech, load
        self.dialog: MushraDialog | None = None

    def begin(self, asking: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]], references: Sequence[str] = ()) -> None:
        """Begins with references that are kept already; else asks for them. `asking` stays open where that is impossible."""
        if not references:
            self._ask(asking, names, sounds)
            return
        plan = MushraPlan(tuple(map(tuple, sounds)), tuple(names), tuple(references))
        try:
            test = begin(plan, new_seed())
        except AppError as error:
            asking.notice.show_error(error)
            return
        asking.accept()
        self.show(test)

    def _ask(self, asking: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Asks for sound files, keeps them, and begins."""
        title = localized("参照の音声ファイルを選択", "Choose the references")
        files = ask_for_files(asking, title, localized("音声", "Sound") + f" ({' '.join(KINDS)})")
        if not files:
            return
        plan = MushraPlan(tuple(map(tuple, sounds)), tuple(names), tuple(map(str, files)))
        try:
            check_plan(plan)
        except AppError as error:
            asking.notice.show_error(error)
            return
        kept: dict[int, str] = {}

        def keep(place: int, name: str) -> None:
            kept[place] = name
            if len(kept) == len(files) and asking.isVisible():
                asking.accept()
                self.show(begin(MushraPlan(plan.sounds, plan.names, tuple(kept[number] for number in range(len(files)))), new_seed()))

        for place, file in enumerate(sorted(files, key=lambda file: _natural(file.name))):
            asking.sound.background.run(partial(read_recording, file), partial(self._keep_reference, partial(keep, place)))

    def _keep_reference(self, then: Callable[[str], object], sound: tuple[Float32, int]) -> None:
        self._shelf.keep_unnamed(*sound, then)

    def show(self, test: MushraTest) -> None:
        """Begins or continues a test."""
        self.close()
        dialog = self.dialog = MushraDialog(self._parent, test, self._speech, self._load)
        dialog.changed.connect(self._keep)
        dialog.ended.connect(partial(self._offer, dialog))
        dialog.finished.connect(self._forget)
        self._keep(test)
        dialog.show()

    def close(self) -> None:
        """What was rated is kept."""
        if self.dialog is not None:
            self.dialog.reject()

    def _offer(self, dialog: MushraDialog, test: MushraTest) -> None:
        plan = test.plan
        offer_winner(dialog.outcome, self._document, self._shelf.book.takes, plan.names, plan.sounds, rated_winner_of(test))

    def _keep(self, test: MushraTest) -> None:
        self._book.keep(test.id, mushra_to_data(test))

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None


def _natural(name: str) -> list[tuple[int, str]]:
    """So that 10 follows 9."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", name)]
