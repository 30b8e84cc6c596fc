"""The controller of MUSHRA tests of takes: reads and keeps the user's references, and keeps the ratings in the project."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.adapters.sound.recording_reader import read_recording
from app.audition.comparable_sounds import LoadSound
from app.audition.mushra import MushraPlan, MushraTest, begin_mushra_test, check_mushra_plan
from app.audition.mushra_data import dump_mushra_test
from app.audition.sealed_order import generate_seed
from app.audition.winner_settings import find_rated_winner
from app.common.errors import AppError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.blind_test_store import BlindTestStore
from app.ui.audition.mushra_dialog import MushraDialog
from app.ui.audition.winner_offer import offer_winner
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.open_file_dialogs import ask_for_files

REFERENCE_FILE_PATTERNS = ("*.wav", "*.flac", "*.ogg", "*.opus", "*.mp3")


class MushraTestController(QObject):
    """Opens MUSHRA tests and keeps their ratings; it is made with the controller of the other blind tests.

    Attributes:
        dialog: The open dialog, or None.
    """

    def __init__(
        self,
        owner: QObject,
        parent: QWidget,
        test_store: BlindTestStore,
        take_repository: TakeRepository,
        speech: SpeechController,
        load_sound: LoadSound,
        document: ScriptDocument,
    ) -> None:
        super().__init__(owner)
        self._document = document
        self._parent, self._test_store, self._take_repository, self._speech, self._load = (
            parent,
            test_store,
            take_repository,
            speech,
            load_sound,
        )
        self.dialog: MushraDialog | None = None

    def begin_test(
        self, setup_dialog: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]], references: Sequence[str] = ()
    ) -> None:
        """Begin a test with kept references, or ask for sound files. `setup_dialog` stays open where the test cannot begin."""
        if not references:
            self._ask_for_references(setup_dialog, names, sounds)
            return
        plan = MushraPlan(tuple(map(tuple, sounds)), tuple(names), tuple(references))
        try:
            test = begin_mushra_test(plan, generate_seed())
        except AppError as error:
            setup_dialog.notice.show_error(error)
            return
        setup_dialog.accept()
        self.show_test(test)

    def _ask_for_references(self, setup_dialog: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Ask for sound files as references, keep them, and begin the test."""
        title = localize("参照の音声ファイルを選択", "Choose the references")
        files = ask_for_files(setup_dialog, title, localize("音声", "Sound") + f" ({' '.join(REFERENCE_FILE_PATTERNS)})")
        if not files:
            return
        plan = MushraPlan(tuple(map(tuple, sounds)), tuple(names), tuple(map(str, files)))
        try:
            check_mushra_plan(plan)
        except AppError as error:
            setup_dialog.notice.show_error(error)
            return
        kept: dict[int, str] = {}

        def add_reference(index: int, name: str) -> None:
            kept[index] = name
            # The files are read in any order; the last one begins the test, unless the user closed the dialog meanwhile.
            if len(kept) == len(files) and setup_dialog.isVisible():
                setup_dialog.accept()
                self.show_test(
                    begin_mushra_test(
                        MushraPlan(plan.sounds, plan.names, tuple(kept[number] for number in range(len(files)))), generate_seed()
                    )
                )

        for place, file in enumerate(sorted(files, key=lambda file: _split_natural_key(file.name))):
            setup_dialog.sound.background.run_work(
                partial(read_recording, file), partial(self._keep_reference, partial(add_reference, place))
            )

    def _keep_reference(self, on_kept: Callable[[str], object], sound: tuple[Float32, int]) -> None:
        self._take_repository.keep_unnamed(*sound, on_kept)

    def show_test(self, test: MushraTest) -> None:
        """Begin or continue a test in a dialog of its own."""
        self.close()
        dialog = self.dialog = MushraDialog(self._parent, test, self._speech, self._load)
        dialog.changed.connect(self._keep_test)
        dialog.ended.connect(partial(self._offer_winner, dialog))
        dialog.finished.connect(self._forget_dialog)
        self._keep_test(test)
        dialog.show()

    def close(self) -> None:
        """Close the dialog; the ratings so far are kept."""
        if self.dialog is not None:
            self.dialog.reject()

    def _offer_winner(self, dialog: MushraDialog, test: MushraTest) -> None:
        plan = test.plan
        offer_winner(dialog.outcome, self._document, self._take_repository.book.takes, plan.names, plan.sounds, find_rated_winner(test))

    def _keep_test(self, test: MushraTest) -> None:
        self._test_store.keep_test(test.id, dump_mushra_test(test))

    def _forget_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None


def _split_natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts "10" after "9"."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", name)]
