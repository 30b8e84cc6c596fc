"""What will be tested, and how often: decided before the first trial, and not changed afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from app.audition.binomial import needed
from app.audition.blind_test import KINDS, MOST_TRIALS, Kind, Plan
from app.audition.mushra import MOST_SOUNDS
from app.audition.set_apart import SetApart, set_apart
from app.audition.verdicts import kind_words
from app.language import localized
from app.ui.audition.parts import button
from app.ui.plain_text import PlainLabel

FEWEST = 5  # fewer prove nothing
MUSHRA = "mushra"


class SetupPage(QWidget):
    """Asks for a plan.

    Args:
        names: of what is compared.
        sounds: a row for each line; see `app.audition.blind_test.Plan`.

    Signals:
        begin_requested(Plan): the plan is settled.
        mushra_requested(SetApart): sounds are to be rated against a reference of each line; without one, against sound files.
    """

    begin_requested = Signal(object)
    mushra_requested = Signal(object)

    def __init__(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self._names, self._sounds = tuple(names), tuple(map(tuple, sounds))
        kinds: tuple[Kind, ...] = ("abx", "sequential", "pairs") if len(names) == 2 else ("ranking", "pairs")
        self.kind = QComboBox()
        for kind in kinds:
            self.kind.addItem(kind_words(kind), kind)
        if len(names) <= MOST_SOUNDS:
            self.kind.addItem(localized("MUSHRA（参照との比較）", "MUSHRA (against a reference)"), MUSHRA)
        _named(self.kind, localized("方法", "Method"), localized("比べ方を選びます。", "How the sounds are compared."))
        self.reference = QComboBox()
        tip = localized("比べる音声の 1 つを、ほかの音声の参照にします。", "Makes one of the sounds the reference for the others.")
        _named(self.reference, localized("参照", "Reference"), tip)
        self.trials = QSpinBox()
        self.trials.setRange(FEWEST, MOST_TRIALS // (len(names) * (len(names) - 1) // 2))
        self.trials.setValue(16 if len(names) == 2 else FEWEST)
        self.trials.lineEdit().setTextMargins(6, 0, 0, 0)
        _named(
            self.trials,
            localized("試行回数", "Trials"),
            localized("始めると変更できません。", "Cannot be changed once the test has begun."),
        )
        self.undecided = QCheckBox(localized("「どちらでもない」も回答できる", "Allow “no preference”"))
        self.undecided.setToolTip(localized("「どちらでもない」は集計から除かれます。", "Answers without a preference are not counted."))
        self.words = PlainLabel()
        self.words.setWordWrap(True)
        self.words.setMinimumHeight(3 * self.words.fontMetrics().height())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.begin = button(localized("開始", "Start"), localized("テストを始めます。", "Begins the test."), self._on_begin, primary=True)
        self.begin.setDefault(True)
        self._lay_out()
        self._offer_references()
        self.kind.currentIndexChanged.connect(self._offer_references)
        self.kind.currentIndexChanged.connect(self._show)
        self.reference.currentIndexChanged.connect(self._show)
        self.trials.valueChanged.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(10)
        self.trials.setMaximumWidth(120)
        form.addRow(PlainLabel(localized("音声", "Sounds")), self._list())
        form.addRow(PlainLabel(self.kind.accessibleName()), self.kind)
        form.addRow(PlainLabel(self.reference.accessibleName()), self.reference)
        form.addRow(PlainLabel(self.trials.accessibleName()), self.trials)
        form.addRow(self.undecided)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(self.words)
        column.addStretch()
        column.addWidget(self.begin, 0, Qt.AlignmentFlag.AlignRight)

    def plan(self) -> Plan | None:
        """As it stands; None for what is rated."""
        kind: Kind = self.kind.currentData()
        if kind not in KINDS:
            return None
        trials = self.trials.value() if kind in ("abx", "pairs") else 1
        whole = Plan(kind, self._sounds, self._names, trials, kind == "pairs" and self.undecided.isChecked())
        apart = self._apart
        if apart is None:
            return whole
        if whole.has_x:
            return replace(whole, references=apart.references)
        return replace(whole, sounds=apart.sounds, names=apart.names, references=apart.references)

    @property
    def _apart(self) -> SetApart | None:
        """What is compared beside the reference; None where none of the sounds is it."""
        column = self.reference.currentData()
        return None if column is None else set_apart(self._names, self._sounds, column)

    @Slot()
    def _offer_references(self, *_what: object) -> None:
        """Two sounds are needed beside it where they are compared with each other; a choice that is still there stays."""
        kind, before = self.kind.currentData(), self.reference.currentData()
        self.reference.clear()
        self.reference.addItem(localized("音声ファイル", "Sound files") if kind == MUSHRA else localized("なし", "None"))
        if kind in ("abx", "sequential", MUSHRA) or len(self._names) > 2:
            for column, name in enumerate(self._names):
                self.reference.addItem(name, column)
        self.reference.setCurrentIndex(max(0, self.reference.findData(before) if before is not None else 0))
        self.reference.setEnabled(self.reference.count() > 1)

    def _list(self) -> PlainLabel:
        lines = localized(f"（{len(self._sounds)} 行）", f" ({len(self._sounds)} lines)") if len(self._sounds) > 1 else ""
        shown = PlainLabel(localized("、", ", ").join(self._names) + lines)
        shown.setWordWrap(True)
        return shown

    @Slot()
    def _show(self, *_what: object) -> None:
        plan = self.plan()
        self.trials.setEnabled(plan is not None and plan.kind in ("abx", "pairs"))
        self.undecided.setEnabled(plan is not None and plan.kind == "pairs")
        self.words.setText(_explained(plan) if plan is not None else _explained_rating(len(self._sounds), from_files=self._apart is None))

    def _on_begin(self) -> None:
        plan = self.plan()
        if plan is None:
            self.mushra_requested.emit(self._apart or SetApart(self._names, self._sounds, ()))
        else:
            self.begin_requested.emit(plan)


def _explained(plan: Plan) -> str:
    if plan.kind == "abx":
        return _asked(plan) + localized(
            f"{plan.trials} 回中 {needed(plan.trials)} 回以上の正解で、聞き分けられると判定します。",
            f"{needed(plan.trials)} of {plan.trials} correct answers show that you hear a difference.",
        )
    if plan.kind == "sequential":
        return _asked(plan) + localized(
            "判定できた時点で終了します（4〜60 回）。",
            "The test ends as soon as the answer is clear, after 4 to 60 trials.",
        )
    if plan.kind == "ranking":
        return _asked(plan) + localized(
            "2 回負けた音声から順に外れ、最後に残ったものが一番です。",
            "A sound drops out after two losses; the last one left wins.",
        )
    if len(plan.names) > 2:
        return _asked(plan) + localized("すべての組み合わせを、この回数ずつ比べます。", "Every pair is compared this many times.")
    return _asked(plan) + localized(
        f"{plan.trials} 回中 {needed(plan.trials, 2)} 回以上で、好まれていると判定します。",
        f"{needed(plan.trials, 2)} of {plan.trials} answers show a preference.",
    )


def _asked(plan: Plan) -> str:
    if plan.has_x and plan.references:
        return localized("X は参照です。A と B のどちらが参照と同じかを答えます。", "X is the reference. Say whether it is A or B. ")
    if plan.has_x:
        return localized("X が A と B のどちらかを答えます。", "Say whether X is A or B. ")
    if plan.references:
        return localized("参照に近いほうを選びます。", "Choose the one that is closer to the reference. ")
    return localized("良いほうを選びます。", "Choose the better one. ")


def _explained_rating(lines: int, *, from_files: bool) -> str:
    files = localized("参照の音声ファイルを選びます。", "Choose the audio file of the reference.")
    if lines > 1:
        files = localized(
            f"参照の音声ファイルを、行ごとに 1 つ（合わせて {lines} 個）選びます。ファイル名の順に行と対応します。",
            f"Choose {lines} sound files as references, one for each line in the order of their names.",
        )
    return (
        localized(
            "参照との近さを、0〜100 点で評価します（ITU-R BS.1534）。",
            "Rate from 0 to 100 how close each sound is to a reference (ITU-R BS.1534). ",
        )
        + (files if from_files else "")
    ).strip()


def _named(field: QWidget, name: str, tip: str) -> None:
    field.setAccessibleName(name)
    field.setToolTip(tip)
