"""What will be tested, and how often: decided before the first trial, and not changed afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from app.audition.binomial import needed
from app.audition.blind_test import KINDS, MOST_TRIALS, Kind, Plan
from app.audition.mushra import MOST_SOUNDS
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
        mushra_requested(names, sounds): they are to be rated against a reference.
    """

    begin_requested = Signal(object)
    mushra_requested = Signal(object, object)

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
        self.kind.currentIndexChanged.connect(self._show)
        self.trials.valueChanged.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(10)
        self.trials.setMaximumWidth(120)
        form.addRow(PlainLabel(localized("音声", "Sounds")), self._list())
        form.addRow(PlainLabel(self.kind.accessibleName()), self.kind)
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
        counted = kind in ("abx", "pairs")
        return Plan(kind, self._sounds, self._names, self.trials.value() if counted else 1, kind == "pairs" and self.undecided.isChecked())

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
        self.words.setText(_explained(plan) if plan is not None else _explained_rating(len(self._sounds)))

    def _on_begin(self) -> None:
        plan = self.plan()
        if plan is None:
            self.mushra_requested.emit(self._names, self._sounds)
        else:
            self.begin_requested.emit(plan)


def _explained(plan: Plan) -> str:
    if plan.kind == "abx":
        return localized(
            f"X が A と B のどちらかを答えます。{plan.trials} 回中 {needed(plan.trials)} 回以上の正解で、聞き分けられると判定します。",
            f"Say whether X is A or B. {needed(plan.trials)} of {plan.trials} correct answers show that you hear a difference.",
        )
    if plan.kind == "sequential":
        return localized(
            "X が A と B のどちらかを答えます。判定できた時点で終了します（4〜60 回）。",
            "Say whether X is A or B. The test ends as soon as the answer is clear, after 4 to 60 trials.",
        )
    if plan.kind == "ranking":
        return localized(
            "良いほうを選びます。2 回負けた音声から順に外れ、最後に残ったものが一番です。",
            "Choose the better one. A sound drops out after two losses; the last one left wins.",
        )
    if len(plan.names) > 2:
        return localized("すべての組み合わせを、この回数ずつ比べます。", "Every pair is compared this many times.")
    return localized(
        f"良いほうを選びます。{plan.trials} 回中 {needed(plan.trials, 2)} 回以上で、好まれていると判定します。",
        f"Choose the better one. {needed(plan.trials, 2)} of {plan.trials} answers show a preference.",
    )


def _explained_rating(lines: int) -> str:
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
        + files
    )


def _named(field: QWidget, name: str, tip: str) -> None:
    field.setAccessibleName(name)
    field.setToolTip(tip)
