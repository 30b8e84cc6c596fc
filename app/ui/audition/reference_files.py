"""Sound files of the user as the references of a MUSHRA test."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from app.adapters.sound.recording_reader import read_recording
from app.audition.blind_test import BlindTestPlan, check_blind_test_plan
from app.common.errors import AppError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.open_file_dialogs import ask_for_files

REFERENCE_FILE_PATTERNS = ("*.wav", "*.flac", "*.ogg", "*.opus", "*.mp3")


def ask_for_references(dialog: BlindTestDialog, take_repository: TakeRepository, plan: BlindTestPlan) -> None:
    """Ask for sound files as references, keep them, and begin the test; `dialog` stays as it is where the test cannot begin."""
    title = localize("参照の音声ファイルを選択", "Choose the references")
    files = ask_for_files(dialog, title, localize("音声", "Sound") + f" ({' '.join(REFERENCE_FILE_PATTERNS)})")
    if not files:
        return
    try:
        check_blind_test_plan(replace(plan, references=tuple(map(str, files))))
    except AppError as error:
        dialog.notice.show_error(error)
        return
    names: dict[int, str] = {}

    def add_reference(index: int, name: str) -> None:
        names[index] = name
        # The files are read in any order; the last one begins the test, unless the user closed the dialog or began another one meanwhile.
        if len(names) == len(files) and dialog.isVisible() and dialog.test is None:
            dialog.notice.hide()
            dialog.begin_test(replace(plan, references=tuple(names[number] for number in range(len(files)))))

    def keep_reference(index: int, sound: tuple[Float32, int]) -> None:
        take_repository.keep_unnamed(*sound, partial(add_reference, index))

    for index, file in enumerate(sorted(files, key=lambda file: _split_natural_key(file.name))):
        dialog.sound.background.run_work(partial(read_recording, file), partial(keep_reference, index))


def _split_natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts "10" after "9"."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", name)]
