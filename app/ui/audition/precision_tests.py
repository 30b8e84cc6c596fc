"""Ready-made blind tests: the selected lines in both precisions of the synthesis or of the BERT, for a voice that has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Slot

from app.audition.blind_test import MOST_LINES
from app.core.script import Line
from app.errors import AppError
from app.language import localized
from app.sound_choice import SoundChoice
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.blind_tests import BlindTests
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import Precisions, RenderTake, TakeResult
from app.ui.takes.shelf import TakeShelf

Part = Literal["sound", "bert"]

SoundNames = dict[int, str]
"""Of what is made, the name under which it is kept, by its place: first all exact lines, then all faster ones."""


@dataclass(slots=True, eq=False)
class _Preparation:
    """Sounds that are made for a test."""

    part: Part
    count: int
    dialog: BlindTestDialog
    jobs: list[RenderTake] = field(default_factory=list)
    names: SoundNames = field(default_factory=dict)


class PrecisionTests(QObject):
    """Made when the first one is wanted.

    Args:
        shelf: keeps the sounds.
        precisions: those that lines speak in; of them the other one stays as it is.
    """

    def __init__(
        self,
        tests: BlindTests,
        shelf: TakeShelf,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        speech: SpeechController,
        precisions: Callable[[], Precisions],
    ) -> None:
        super().__init__(tests)
        self._tests, self._shelf, self._speech = tests, shelf, speech
        self._document, self._selection, self._seeds = document, selection, seeds
        self._precisions = precisions
        self._preparation: _Preparation | None = None
        shelf.sounds.failed.connect(self._on_not_kept)

    def begin(self, part: Part) -> None:
        """Makes the sounds of the selected lines that have the voice of the current one, and asks how they are to be compared."""
        lines = self._lines()
        if not lines:
            self._tests.notice(
                localized("テキストのある行を選んでください。", "Select lines that have text."),
                localized("選んだ行を、2 つの精度で合成して比べます。", "They are synthesised in both precisions and compared."),
            )
            return
        dialog = self._tests.show_dialog()
        dialog.prepare(2 * len(lines))
        made = self._preparation = _Preparation(part, len(lines), dialog)
        dialog.finished.connect(partial(self._stop, made))
        for precisions in compared_precisions(part, self._precisions()):
            for line in lines:
                place = len(made.jobs)
                on_made, on_failed = partial(self._on_made, made, place), partial(self._on_failed, made)
                made.jobs.append(self._speech.render(line, on_made=on_made, on_failed=on_failed, quiet=True, precisions=precisions))

    def _lines(self) -> list[Line]:
        voice = self._selection.settings.voice
        found = (self._document.script.find(line_id) for line_id in self._selection.ids)
        same = [line for line in found if line is not None and line.text.strip() and line.settings.voice == voice]
        return [self._seeds.applied(line) for line in same[:MOST_LINES]]

    def _stop(self, made: _Preparation, _result: int = 0) -> None:
        self._speech.stop_rendering(made.jobs)
        if self._preparation is made:
            self._preparation = None

    def _on_made(self, made: _Preparation, place: int, taken: TakeResult) -> None:
        self._shelf.keep_unnamed(taken.samples, taken.rate, partial(self._on_kept, made, place))

    def _on_kept(self, made: _Preparation, place: int, name: str) -> None:
        if self._preparation is not made:
            return
        made.names[place] = name
        made.dialog.show_prepared(len(made.names))
        if len(made.names) == 2 * made.count:
            self._preparation = None
            self._plan(made)

    def _plan(self, made: _Preparation) -> None:
        rows = [(made.names[place], made.names[made.count + place]) for place in range(made.count)]
        different = [row for row in rows if row[0] != row[1]]
        if different:
            made.dialog.plan(compared_names(made.part), different)
            return
        made.dialog.reject()
        self._tests.notice(
            localized("どちらの精度でも同じ音声です。", "Both precisions sound exactly the same."),
            localized("この行では、聞き比べる違いがありません。", "In these lines there is no difference to listen for."),
        )

    def _on_failed(self, made: _Preparation, error: AppError) -> None:
        self._stop(made)
        made.dialog.notice.show_error(error)

    @Slot()
    def _on_not_kept(self) -> None:
        """The window says why; nothing more is to be seen here."""
        if self._preparation is not None:
            self._preparation.dialog.reject()


def compared_precisions(part: Part, now: Precisions) -> tuple[Precisions, Precisions]:
    """The exact and the faster way of a part; the other part is as it is now."""
    if part == "bert":
        return Precisions("float32", now.sound), Precisions("int8", now.sound)
    return Precisions(now.bert, SoundChoice("exact")), Precisions(now.bert, SoundChoice("fast"))


def compared_names(part: Part) -> tuple[str, str]:
    """What they are called after the reveal."""
    if part == "bert":
        return "BERT float32", "BERT int8"
    return localized("高精度", "Exact"), localized("高速", "Fast")
