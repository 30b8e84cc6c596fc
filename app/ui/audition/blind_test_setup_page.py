"""The setup page of a blind test: method, reference and number of trials, which cannot change once the test has begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from app.audition.binomial import find_needed_hits
from app.audition.blind_test import FIXED_KINDS, MAX_RATED_SOUNDS, MOST_TRIALS, BlindTestKind, BlindTestPlan, choose_reference
from app.audition.blind_test_verdict import describe_test_kind
from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.controls import create_button, describe_control

MIN_TRIALS = 5  # with fewer trials no result would prove anything
MUSHRA_KIND: BlindTestKind = "mushra"


class BlindTestSetupPage(QWidget):
    """A form that builds the plan of a blind test.

    Args:
        sounds: A row for each line; see `app.audition.blind_test.BlindTestPlan`.

    Signals:
        begin_requested(BlindTestPlan): The plan is settled; a MUSHRA test without references rates against sound files.
    """

    begin_requested = Signal(object)

    def __init__(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self._names, self._sounds = tuple(names), tuple(map(tuple, sounds))
        kinds: tuple[BlindTestKind, ...] = ("abx", "sequential", "pairs") if len(names) == 2 else ("ranking", "pairs")
        self.kind = describe_control(
            QComboBox(), localize("方法", "Method"), localize("比べ方を選びます。", "How the sounds are compared.")
        )
        for kind in kinds:
            self.kind.addItem(describe_test_kind(kind), kind)
        if len(names) <= MAX_RATED_SOUNDS:
            self.kind.addItem(localize("MUSHRA（参照との比較）", "MUSHRA (against a reference)"), MUSHRA_KIND)
        tip = localize("比べる音声の 1 つを、ほかの音声の参照にします。", "Makes one of the sounds the reference for the others.")
        self.reference = describe_control(QComboBox(), localize("参照", "Reference"), tip)
        tip = localize("始めると変更できません。", "Cannot be changed once the test has begun.")
        self.trials = describe_control(QSpinBox(), localize("試行回数", "Trials"), tip)
        # All pairs are compared in "pairs", so the trials for each pair share the limit of the whole test.
        self.trials.setRange(MIN_TRIALS, MOST_TRIALS // (len(names) * (len(names) - 1) // 2))
        self.trials.setValue(16 if len(names) == 2 else MIN_TRIALS)
        self.trials.lineEdit().setTextMargins(6, 0, 0, 0)
        self.undecided = QCheckBox(localize("「どちらでもない」も回答できる", "Allow “no preference”"))
        self.undecided.setToolTip(localize("「どちらでもない」は集計から除かれます。", "Answers without a preference are not counted."))
        self.explanation = PlainLabel(wraps=True)
        # Three rows are reserved, or the page would jump with each method's explanation.
        self.explanation.setMinimumHeight(3 * self.explanation.fontMetrics().height())
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.begin_button = create_button(
            localize("開始", "Start"),
            localize("テストを始めます。", "Begins the test."),
            lambda: self.begin_requested.emit(self.build_plan()),
            style="primary",
        )
        self.begin_button.setDefault(True)
        self._lay_out_widgets()
        self._offer_references()
        self.kind.currentIndexChanged.connect(self._offer_references)
        self.kind.currentIndexChanged.connect(self._update_explanation)
        self.reference.currentIndexChanged.connect(self._update_explanation)
        self.trials.valueChanged.connect(self._update_explanation)
        self._update_explanation()

    def _lay_out_widgets(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(10)
        self.trials.setMaximumWidth(120)
        lines = localize(f"（{len(self._sounds)} 行）", f" ({len(self._sounds)} lines)") if len(self._sounds) > 1 else ""
        form.addRow(PlainLabel(localize("音声", "Sounds")), PlainLabel(localize("、", ", ").join(self._names) + lines, wraps=True))
        for control in (self.kind, self.reference, self.trials):
            form.addRow(PlainLabel(control.accessibleName()), control)
        form.addRow(self.undecided)
        fill_box(QVBoxLayout(self), form, self.explanation, None, (self.begin_button, Qt.AlignmentFlag.AlignRight), spacing=14)

    def build_plan(self) -> BlindTestPlan:
        """Return the plan as the form states it."""
        kind: BlindTestKind = self.kind.currentData()
        plan = BlindTestPlan(kind, self._sounds, self._names, undecided=kind == "pairs" and self.undecided.isChecked())
        if not plan.is_rated:
            plan = replace(plan, trials=self.trials.value() if kind in FIXED_KINDS else 1)
        column = self.reference.currentData()
        return plan if column is None else choose_reference(plan, column)

    @Slot()
    def _offer_references(self, *_args: object) -> None:
        """Offer the sounds that can be the reference with this method; a choice that is still offered is kept."""
        kind, chosen_column = self.kind.currentData(), self.reference.currentData()
        self.reference.clear()
        self.reference.addItem(localize("音声ファイル", "Sound files") if kind == MUSHRA_KIND else localize("なし", "None"))
        # Preference tests need two sounds in addition to the reference, the others need one.
        if kind in ("abx", "sequential", MUSHRA_KIND) or len(self._names) > 2:
            for column, name in enumerate(self._names):
                self.reference.addItem(name, column)
        self.reference.setCurrentIndex(max(0, self.reference.findData(chosen_column) if chosen_column is not None else 0))
        self.reference.setEnabled(self.reference.count() > 1)

    @Slot()
    def _update_explanation(self, *_args: object) -> None:
        plan = self.build_plan()
        self.trials.setEnabled(plan.kind in FIXED_KINDS)
        self.undecided.setEnabled(plan.kind == "pairs")
        self.explanation.setText(_explain_plan(plan))


def _explain_plan(plan: BlindTestPlan) -> str:
    if plan.is_rated:
        return _explain_rating(plan)
    return _describe_task(plan) + _explain_verdict(plan)


def _explain_verdict(plan: BlindTestPlan) -> str:
    if plan.kind == "abx":
        return localize(
            f"{plan.trials} 回中 {find_needed_hits(plan.trials)} 回以上の正解で、聞き分けられると判定します。",
            f"{find_needed_hits(plan.trials)} of {plan.trials} correct answers show that you hear a difference.",
        )
    if plan.kind == "sequential":
        return localize("判定できた時点で終了します（4〜60 回）。", "The test ends as soon as the answer is clear, after 4 to 60 trials.")
    if plan.kind == "ranking":
        return localize(
            "2 回負けた音声から順に外れ、最後に残ったものが一番です。", "A sound drops out after two losses; the last one left wins."
        )
    if len(plan.names) > 2:
        return localize("すべての組み合わせを、この回数ずつ比べます。", "Every pair is compared this many times.")
    return localize(
        f"{plan.trials} 回中 {find_needed_hits(plan.trials, 2)} 回以上で、好まれていると判定します。",
        f"{find_needed_hits(plan.trials, 2)} of {plan.trials} answers show a preference.",
    )


def _describe_task(plan: BlindTestPlan) -> str:
    if plan.has_x and plan.references:
        return localize("X は参照です。A と B のどちらが参照と同じかを答えます。", "X is the reference. Say whether it is A or B. ")
    if plan.has_x:
        return localize("X が A と B のどちらかを答えます。", "Say whether X is A or B. ")
    if plan.references:
        return localize("参照に近いほうを選びます。", "Choose the one that is closer to the reference. ")
    return localize("良いほうを選びます。", "Choose the better one. ")


def _explain_rating(plan: BlindTestPlan) -> str:
    line_count = len(plan.sounds)
    files = localize("参照の音声ファイルを選びます。", "Choose the audio file of the reference.")
    if line_count > 1:
        files = localize(
            f"参照の音声ファイルを、行ごとに 1 つ（合わせて {line_count} 個）選びます。ファイル名の順に行と対応します。",
            f"Choose {line_count} sound files as references, one for each line in the order of their names.",
        )
    task = localize(
        "参照との近さを、0〜100 点で評価します（ITU-R BS.1534）。",
        "Rate from 0 to 100 how close each sound is to a reference (ITU-R BS.1534). ",
    )
    return (task if plan.references else task + files).strip()
