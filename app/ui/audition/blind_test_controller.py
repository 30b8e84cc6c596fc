"""The controller of blind tests of takes: begins them from the board or the take list, keeps them in the project, resumes them.

A test has a column for each way to speak, named only where they differ.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.adapters.sound.sound_codec import read_recording
from app.audition.blind_test import BlindTest, BlindTestPlan, SoundSource, check_blind_test_plan, find_blind_trial
from app.audition.blind_test_data import dump_blind_test, has_test_ended, parse_readable_blind_tests
from app.audition.short_names import NamePart, NameParts, build_short_names, find_differing_parts
from app.audition.take_store import TakeStore, find_sound_folder
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.core.delivery import describe_latin_reading
from app.core.script.project import LineTake, create_line
from app.core.script.script import LineSettings, choose_known_name
from app.core.synthesis_types import BOUNDS, Float32, Overrides
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.result_page import offer_winner
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeOwner, TakeRepository
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import truncate_text
from app.ui.widgets.dialogs import OpenDialog, ask_for_files
from app.voices.voice_labels import format_speaker, format_style, localize_voice_name

MAX_KEPT_TESTS = 100  # the oldest tests are dropped first, so that a project file does not grow without end
SampledSound = tuple[Float32, int]
FindSound = Callable[[LineTake], SampledSound | None]

REFERENCE_FILE_PATTERNS = ("*.wav", "*.flac", "*.ogg", "*.opus", "*.mp3")

MAX_QUOTED_LENGTH = 20
DEFAULT_LINE_SETTINGS = LineSettings()
FindVoiceName = Callable[[str], str | None]


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


def build_take_parts(takes: Sequence[LineTake], find_voice_name: FindVoiceName) -> list[tuple[NamePart, ...]]:
    """Return for each take the same parts in the same order; the seed is left out, as its number means nothing to a listener.

    A speaker is named only where a voice has several of them among these takes; else the voice names it already.
    """
    voices = [localize_voice_name(find_voice_name(take.settings.voice) or take.settings.voice) for take in takes]
    speakers = {(voice, take.settings.speaker) for voice, take in zip(voices, takes, strict=True)}
    names = [format_speaker(take.settings.speaker) or localize("既定の話者", "default speaker") for take in takes]
    # With one speaker for each voice, the voice's name says it already.
    if len(speakers) == len(set(voices)):
        names = [""] * len(takes)
    parts = zip(voices, names, takes, strict=True)
    return [(NamePart(voice), NamePart(name), *_build_manner_parts(take)) for voice, name, take in parts]


def format_setting(name: str, value: float) -> str:
    """Return a number of a line's settings, as short as it can be understood."""
    number = f"{value:g}"
    if name == "speed":
        return localize(f"話速 {number}", f"{number}×")
    if name == "style_weight":
        return localize(f"強さ {number}", f"weight {number}")
    return f"{BOUNDS[name].label} {BOUNDS[name].unit.format_number(value)}"


def _build_manner_parts(take: LineTake) -> tuple[NamePart, ...]:
    """Return the labels of a take's style and settings, without its voice and speaker."""
    settings = take.settings
    style = format_style(settings.style) if settings.style else localize("既定のスタイル", "default style")
    numbers = [
        NamePart(format_setting(name, getattr(settings, name)), getattr(settings, name) == getattr(DEFAULT_LINE_SETTINGS, name))
        for name in BOUNDS
    ]
    pauses = ", ".join(f"{mark} {length_s:g}" for mark, length_s in settings.pauses)
    edited = take.overrides != Overrides()
    text = truncate_text(take.text, MAX_QUOTED_LENGTH)
    return (
        NamePart(style),
        *numbers,
        NamePart(
            localize("英字: ", "Latin letters: ") + describe_latin_reading(settings.latin), settings.latin == DEFAULT_LINE_SETTINGS.latin
        ),
        _build_quoted_part(localize("アシスト", "assist"), settings.assist_text),
        NamePart(localize(f"間 {pauses}", f"pauses {pauses}") if pauses else localize("間は既定", "usual pauses"), not pauses),
        NamePart(localize("読みを編集", "edited reading") if edited else localize("読みはそのまま", "usual reading"), not edited),
        NamePart(localize(f"「{text}」", f"“{text}”")),
    )


def _build_quoted_part(name: str, text: str) -> NamePart:
    if not text:
        return NamePart(localize(f"{name}なし", f"no {name}"), is_usual=True)
    quoted = truncate_text(text, MAX_QUOTED_LENGTH)
    return NamePart(localize(f"{name}「{quoted}」", f"{name} “{quoted}”"))


DistinctLabels = tuple[str, ...]
"""The labels in which a take differs from the others of its line, then its number among those that do not differ."""


@dataclass(frozen=True, slots=True)
class ComparedTakes:
    """The takes of a test: a row for each line, a column for each way to speak."""

    names: tuple[str, ...] = ()  # of the columns
    rows: tuple[tuple[LineTake, ...], ...] = ()

    @property
    def sounds(self) -> list[list[str]]:
        """Return the names of the sounds."""
        return [[take.sound for take in row] for row in self.rows]


def arrange_takes(takes: Sequence[LineTake], find_voice_name: FindVoiceName) -> ComparedTakes:
    """Return the takes by line and way to speak.

    Lines that lack one of the columns are left out; the first line with the most takes decides the columns.
    """
    lines: dict[str, list[tuple[LineTake, NameParts]]] = {}
    for take, way in zip(takes, build_take_parts(takes, find_voice_name), strict=True):
        lines.setdefault(take.line, []).append((take, way))
    if not lines:
        return ComparedTakes()
    first = max(lines.values(), key=len)
    places = find_differing_parts([way for _, way in first])
    columns = _map_takes_by_labels(first, places)
    rows = [_map_takes_by_labels(group, places) for group in lines.values()]
    names = _build_column_names(list(columns), [way for _, way in first])
    complete = [row for row in rows if columns.keys() <= row.keys()]
    return ComparedTakes(tuple(names), tuple(tuple(row[labels] for labels in columns) for row in complete))


def _map_takes_by_labels(group: Sequence[tuple[LineTake, NameParts]], part_indices: Sequence[int]) -> dict[DistinctLabels, LineTake]:
    label_counts = Counter[DistinctLabels]()
    takes: dict[DistinctLabels, LineTake] = {}
    for take, way in group:
        labels = tuple(way[index].label for index in part_indices)
        label_counts[labels] += 1
        takes[*labels, str(label_counts[labels])] = take
    return takes


def _build_column_names(columns: Sequence[DistinctLabels], name_parts: Sequence[NameParts]) -> list[str]:
    # Takes with equal labels are numbered, or two columns would have the same name.
    counts = Counter(labels[:-1] for labels in columns)
    numbers = [localize(f"テイク {labels[-1]}", f"take {labels[-1]}") if counts[labels[:-1]] > 1 else "" for labels in columns]
    return build_short_names([(*way, NamePart(number)) for way, number in zip(name_parts, numbers, strict=True)])


class BlindTestController(QObject):
    """Opens blind tests and keeps their answers; it is made when the first test is opened.

    Args:
        find_voice: Returns an installed voice by id, or None.
        find_voice_name: Returns the name of a voice by id, also of one that is not installed.

    Signals:
        notice_raised(str, str): Says why there is nothing to compare, with a hint.
    """

    dialog: OpenDialog[BlindTestDialog] = OpenDialog()
    notice_raised = Signal(str, str)

    def __init__(
        self,
        parent: QWidget,
        project: TakeOwner,
        take_repository: TakeRepository,
        speech: SpeechController,
        find_voice: Callable[[str], CatalogVoice | None],
        find_voice_name: FindVoiceName,
        document: ScriptDocument,
    ) -> None:
        super().__init__(parent)
        self._parent, self._project, self._take_repository, self._speech = parent, project, take_repository, speech
        self._voice, self._voice_name, self._document = find_voice, find_voice_name, document
        self._stores: dict[Path | None, TakeStore] = {}

    def open_line_test(self, line_id: str) -> None:
        """Resume the newest unfinished test; else compare a line's starred takes, or all of them where fewer than two are starred."""
        unfinished = self._find_unfinished_test()
        if unfinished is not None:
            self.show_dialog().resume_test(unfinished)
            return
        takes = [take for take in self._take_repository.book.takes if take.line == line_id and take.sound]
        starred = [take for take in takes if take.starred]
        self.compare_takes(starred if len(starred) > 1 else takes)

    def compare_takes(self, takes: Sequence[LineTake], find_sound: FindSound = lambda _take: None) -> None:
        """Ask how to compare these takes; a take without a kept sound is kept first.

        Args:
            find_sound: Returns samples `(T,)` and rate (Hz) of a take that is not kept; None where the sound is gone.
        """
        missing = {take.id: sound for take in takes if not take.sound and (sound := find_sound(take)) is not None}
        kept_takes = {take.id: take for take in takes if take.sound}
        # Keeping is asynchronous and may finish in any order; the test keeps the order the caller gave.
        order = [take.id for take in takes]

        def set_up_test() -> None:
            self._set_up_test([kept_takes[take_id] for take_id in order if take_id in kept_takes])

        def keep_take(take: LineTake) -> None:
            def add_kept_take(other: LineTake) -> None:
                kept_takes[take.id] = other
                self._take_repository.book.change_take(other.id, starred=take.starred, rating=take.rating, note=take.note)
                if missing.keys() <= kept_takes.keys():
                    set_up_test()

            self._take_repository.keep_rendered(create_line(take), *missing[take.id], add_kept_take)

        if not missing:
            set_up_test()
        for take in takes:
            if take.id in missing:
                keep_take(take)

    def close(self) -> None:
        """Close the open dialog; the answers so far are kept."""
        if self.dialog is not None:
            self.dialog.reject()

    def _set_up_test(self, takes: Sequence[LineTake]) -> None:
        compared = arrange_takes(takes, self._voice_name)
        if len(compared.names) < 2:
            self.notice_raised.emit(
                localize("比べる音声が足りません。", "There is nothing to compare."),
                localize(
                    "同じ行のテイクを 2 つ以上残すか、オーディションで 2 つ以上にスターを付けてください。",
                    "Keep at least two takes of a line, or star two cells of the audition board.",
                ),
            )
            return
        sources = [[self.describe_source(take.settings) for take in row] for row in compared.rows]
        texts = [row[0].text for row in compared.rows]
        self.show_dialog().show_setup(compared.names, compared.sounds, texts=texts, sources=sources)

    def describe_source(self, settings: LineSettings) -> SoundSource:
        """Return who speaks with these settings, as people call them."""
        voice = self._voice(settings.voice)
        styles = [style for _, style in voice.styles] if voice is not None else []
        speaker = settings.speaker if voice is None else voice.manifest.choose_speaker(settings.speaker, settings.style)
        name = localize_voice_name(self._voice_name(settings.voice) or settings.voice)
        style = choose_known_name(settings.style, styles)
        return SoundSource(name, format_speaker(speaker), format_style(style) if style else "")

    def show_dialog(self) -> BlindTestDialog:
        """Open a new blind test dialog, closing the one before."""
        self.close()
        dialog = self.dialog = BlindTestDialog(self._parent, self._speech, self.load_sound)
        dialog.changed.connect(self._keep_test)
        takes = self._take_repository.book
        dialog.ended.connect(lambda test: offer_winner(dialog.outcome, self._document, takes.takes, test))
        dialog.references_requested.connect(partial(ask_for_references, dialog, self._take_repository))
        dialog.show()
        return dialog

    def _keep_test(self, test: BlindTest) -> None:
        """Keep a test in place of its former state; those written by another version stay untouched."""
        other_tests = [item for item in self._project.parts.tests if item.get("id") != test.id]
        self._project.change_parts(tests=(*other_tests, dump_blind_test(test))[-MAX_KEPT_TESTS:])

    def _find_unfinished_test(self) -> BlindTest | None:
        """Return the newest test that has not ended, or None."""
        items = (item for item in reversed(self._project.parts.tests) if not has_test_ended(item))
        tests = (test for item in items for test in parse_readable_blind_tests([item]))
        return next((test for test in tests if find_blind_trial(test) is not None), None)

    def load_sound(self, name: str) -> SampledSound:
        """Return samples `(T,)` and rate (Hz) of a kept sound; called in the dialog's own thread. Raise InputError where it is missing."""
        # A project that was just saved may not have its sounds next to it yet: they are still in the data folder (path None).
        places = dict.fromkeys((self._project.path, None))
        for path in places:
            store = self._stores.setdefault(path, TakeStore(find_sound_folder(path)))
            if store.has_sound(name):
                return store.read_sound(name)
        raise InputError(
            localize("音声が見つかりません。", "A sound is missing."), localize("新しいテストを始めてください。", "Start a new test.")
        )
