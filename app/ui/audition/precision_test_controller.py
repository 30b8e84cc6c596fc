"""The controller of ready-made blind tests: the selected lines in both precisions of the graphs or of the BERT."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Slot

from app.audition.blind_test import MOST_LINES
from app.audition.line_rendering import TakeResult
from app.common.errors import AppError
from app.common.language import localize
from app.core.script.script import Line
from app.engine.open_voices import VoicePrecisions
from app.engine.synthesis_jobs import ComputeJob
from app.settings.user_settings import PrecisionPreference
from app.ui.audition.blind_test_controller import BlindTestController
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository

TestedPart = Literal["sound", "bert"]

SoundNames = dict[int, str]
"""The names of the kept sounds by their index: first all lines in the exact precision, then all in the faster one."""


@dataclass(slots=True, eq=False)
class _PrecisionTestPreparation:
    """The sounds that are being made for a test."""

    tested_part: TestedPart
    lines: list[Line]
    dialog: BlindTestDialog
    jobs: list[ComputeJob[TakeResult]] = field(default_factory=list)
    names: SoundNames = field(default_factory=dict)

    @property
    def line_count(self) -> int:
        return len(self.lines)


class PrecisionTestController(QObject):
    """Makes and compares sounds of two precisions; it is made when the first such test is opened.

    Args:
        find_precisions: Returns the precisions in use; the part that is not tested keeps its own.
    """

    def __init__(
        self,
        tests: BlindTestController,
        take_repository: TakeRepository,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        speech: SpeechController,
        find_precisions: Callable[[], VoicePrecisions],
    ) -> None:
        super().__init__(tests)
        self._tests, self._take_repository, self._speech = tests, take_repository, speech
        self._document, self._selection, self._seeds = document, selection, seeds
        self._precisions = find_precisions
        self._preparation: _PrecisionTestPreparation | None = None
        take_repository.sounds.failed.connect(self._cancel_preparation)

    def begin_test(self, tested_part: TestedPart) -> None:
        """Make the sounds of the selected lines that have the current line's voice, then ask how to compare them."""
        lines = self._collect_lines()
        if not lines:
            self._tests.notice_raised.emit(
                localize("テキストのある行を選んでください。", "Select lines that have text."),
                localize("選んだ行を、2 つの精度で合成して比べます。", "They are synthesised in both precisions and compared."),
            )
            return
        dialog = self._tests.show_dialog()
        dialog.show_preparation(2 * len(lines))
        preparation = self._preparation = _PrecisionTestPreparation(tested_part, lines, dialog)
        dialog.finished.connect(partial(self._stop_preparation, preparation))
        for precisions in list_compared_precisions(tested_part, self._precisions()):
            for line in lines:
                index = len(preparation.jobs)
                on_made, on_failed = partial(self._keep_sound, preparation, index), partial(self._show_failure, preparation)
                preparation.jobs.append(
                    self._speech.render_take(line, on_made=on_made, on_failed=on_failed, is_quiet=True, precisions=precisions)
                )

    def _collect_lines(self) -> list[Line]:
        voice = self._selection.settings.voice
        lines = (self._document.script.find_line(line_id) for line_id in self._selection.ids)
        lines_of_voice = [line for line in lines if line is not None and line.text.strip() and line.settings.voice == voice]
        return [self._seeds.apply_last_seed(line) for line in lines_of_voice[:MOST_LINES]]

    def _stop_preparation(self, preparation: _PrecisionTestPreparation, _result: int = 0) -> None:
        self._speech.stop_computing(preparation.jobs)
        if self._preparation is preparation:
            self._preparation = None

    def _keep_sound(self, preparation: _PrecisionTestPreparation, index: int, result: TakeResult) -> None:
        self._take_repository.keep_unnamed(result.samples, result.rate, partial(self._add_kept_sound, preparation, index))

    def _add_kept_sound(self, preparation: _PrecisionTestPreparation, index: int, name: str) -> None:
        if self._preparation is not preparation:
            return
        preparation.names[index] = name
        preparation.dialog.show_prepared(len(preparation.names))
        if len(preparation.names) == 2 * preparation.line_count:
            self._preparation = None
            self._set_up_test(preparation)

    def _set_up_test(self, preparation: _PrecisionTestPreparation) -> None:
        names, count = preparation.names, preparation.line_count
        rows = [(line, (names[index], names[count + index])) for index, line in enumerate(preparation.lines)]
        # Sounds are named by the hash of their bytes: the same name twice leaves nothing to hear.
        different = [(line, pair) for line, pair in rows if pair[0] != pair[1]]
        if different:
            sources = [[self._tests.describe_source(line.settings)] * 2 for line, _ in different]
            preparation.dialog.show_setup(
                name_precisions(preparation.tested_part),
                [pair for _, pair in different],
                texts=[line.text for line, _ in different],
                sources=sources,
                kind="abx",
            )
            return
        preparation.dialog.reject()
        self._tests.notice_raised.emit(
            localize("どちらの精度でも同じ音声です。", "Both precisions sound exactly the same."),
            localize("この行では、聞き比べる違いがありません。", "In these lines there is no difference to listen for."),
        )

    def _show_failure(self, preparation: _PrecisionTestPreparation, error: AppError) -> None:
        self._stop_preparation(preparation)
        preparation.dialog.notice.show_error(error)

    @Slot()
    def _cancel_preparation(self) -> None:
        """Close the dialog when a sound cannot be kept."""
        # The window reports the reason itself, so nothing is shown here.
        if self._preparation is not None:
            self._preparation.dialog.reject()


def list_compared_precisions(tested_part: TestedPart, current: VoicePrecisions) -> tuple[VoicePrecisions, VoicePrecisions]:
    """Return the exact and the faster precision of a part; the other part keeps its own."""
    if tested_part == "bert":
        return VoicePrecisions("float32", current.graphs), VoicePrecisions("int8", current.graphs)
    return VoicePrecisions(current.bert, PrecisionPreference("exact")), VoicePrecisions(current.bert, PrecisionPreference("fast"))


def name_precisions(tested_part: TestedPart) -> tuple[str, str]:
    """Return the names of the two precisions, shown after the reveal."""
    if tested_part == "bert":
        return localize("BERT: 高精度", "BERT: exact"), localize("BERT: 高速", "BERT: fast")
    return localize("高精度", "Exact"), localize("高速", "Fast")
