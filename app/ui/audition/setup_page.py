"""The page on which a blind test is planned: what it answers, and how often it asks."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QFormLayout, QRadioButton, QSizePolicy, QVBoxLayout, QWidget

from app.audition.blind_test import (
    FIXED_KINDS,
    MAX_RATED_SOUNDS,
    MOST_TRIALS,
    BlindTestKind,
    BlindTestPlan,
    SoundSource,
    choose_reference,
)
from app.audition.blind_test_words import choose_favourite_kind, describe_task, describe_test_kind, explain_test_kind
from app.audition.listening_statistics import FIXED_TRIALS, find_needed_hits
from app.common.language import localize
from app.ui.widgets.containers import FoldingSection, ScrollFrame
from app.ui.widgets.controls import GuardedComboBox, GuardedSpinBox, PlainLabel, create_button, describe_control, escape_tip, fill_box

FEWEST_TRIALS = 5
MUSHRA_KIND: BlindTestKind = "mushra"
SENTENCE_INDENT_PX = 24  # where the words of a radio button begin
TRIALS_WIDTH_PX = 120


class MethodChoice(QWidget):
    """The question that most people ask, chosen at first, and below it, folded, the methods for other questions.

    Signals:
        changed(): Another kind of test was chosen.
    """

    changed = Signal()

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count, self._group = count, QButtonGroup(self)
        favourite = self.favourite = choose_favourite_kind(count)
        kinds: tuple[BlindTestKind, ...] = ("abx", "sequential") if count == 2 else ("pairs",)
        self.buttons = {favourite: self._create_button(favourite)}
        self.more = FoldingSection(
            localize("ほかの方法", "More methods"),
            localize(
                "違いがわかるかや、参照との近さを調べます。",
                "Ask whether there is a difference, or how close the sounds are to a reference.",
            ),
        )
        for kind in (*kinds, *([MUSHRA_KIND] if count <= MAX_RATED_SOUNDS else [])):
            self.buttons[kind] = self._create_button(kind)
            fill_box(self.more.content, self.buttons[kind], self._create_sentence(kind), margins=None)
        self.buttons[favourite].setChecked(True)
        fill_box(QVBoxLayout(self), self.buttons[favourite], self._create_sentence(favourite), 6, self.more, spacing=4)

    @property
    def kind(self) -> BlindTestKind:
        return next(kind for kind, button in self.buttons.items() if button.isChecked())

    def choose_kind(self, kind: BlindTestKind) -> None:
        """Choose a kind of test that is offered."""
        self.buttons[kind].setChecked(True)

    def _create_button(self, kind: BlindTestKind) -> QRadioButton:
        name = describe_test_kind(kind, self._count)
        button = describe_control(QRadioButton(name), name, escape_tip(explain_test_kind(kind, self._count)))
        button.setAccessibleDescription(explain_test_kind(kind, self._count))
        self._group.addButton(button)
        button.toggled.connect(lambda is_checked: self.changed.emit() if is_checked else None)
        return button

    def _create_sentence(self, kind: BlindTestKind) -> PlainLabel:
        label = PlainLabel(explain_test_kind(kind, self._count), "muted", wraps=True)
        label.setContentsMargins(SENTENCE_INDENT_PX, 0, 0, 4)
        return label


class BlindTestSetupPage(QWidget):
    """A form that builds the plan of a blind test.

    Args:
        sounds: A row for each line; see `app.audition.blind_test.BlindTestPlan`.
        texts: The sentence of each line; empty where they are not known.
        sources: Who speaks each of the sounds; empty where it is not known.

    Signals:
        begin_requested(BlindTestPlan): The plan is settled; a MUSHRA test without references rates against sound files.
    """

    begin_requested = Signal(object)

    def __init__(
        self,
        names: Sequence[str],
        sounds: Sequence[Sequence[str]],
        *,
        texts: Sequence[str] = (),
        sources: Sequence[Sequence[SoundSource]] = (),
    ) -> None:
        super().__init__()
        self._names, self._sounds = tuple(names), tuple(map(tuple, sounds))
        self._texts, self._sources = tuple(texts), tuple(map(tuple, sources))
        self.methods = MethodChoice(len(names))
        tip = localize("比べる音声の 1 つを、ほかの音声の参照にします。", "Makes one of the sounds the reference for the others.")
        self.reference = describe_control(GuardedComboBox(), localize("参照", "Reference"), tip)
        tip = localize("始めると変更できません。", "Cannot be changed once the test has begun.")
        self.trials = describe_control(GuardedSpinBox(), localize("試行回数", "Trials"), tip)
        self.trials.setMaximumWidth(TRIALS_WIDTH_PX)
        # All pairs are compared in "pairs", so the trials for each pair share the limit of the whole test.
        self.trials.setRange(FEWEST_TRIALS, MOST_TRIALS // (len(names) * (len(names) - 1) // 2))
        self.trials.setValue(FIXED_TRIALS if len(names) == 2 else FEWEST_TRIALS)
        self.trials.lineEdit().setTextMargins(6, 0, 0, 0)
        self.undecided = QCheckBox(localize("「どちらでもない」も回答できる", "Allow “no preference”"))
        self.undecided.setToolTip(localize("「どちらでもない」は集計から除かれます。", "Answers without a preference are not counted."))
        self.explanation = PlainLabel("", "muted", wraps=True)
        self.begin_button = create_button(
            localize("開始", "Start"),
            localize("テストを始めます。", "Begins the test."),
            lambda: self.begin_requested.emit(self.build_plan()),
            style="primary",
        )
        self.begin_button.setDefault(True)
        self._lay_out_widgets()
        self._offer_references()
        self.methods.changed.connect(self._offer_references)
        for changed in (self.methods.changed, self.reference.currentIndexChanged, self.trials.valueChanged):
            changed.connect(self._update_explanation)
        self._update_explanation()

    def _lay_out_widgets(self) -> None:
        lines = localize(f"（{len(self._sounds)} 行）", f" ({len(self._sounds)} lines)") if len(self._sounds) > 1 else ""
        names = PlainLabel(localize("比べる音声：", "Sounds: ") + localize("、", ", ").join(self._names) + lines, wraps=True)
        reference = QFormLayout(horizontalSpacing=14)
        reference.setContentsMargins(SENTENCE_INDENT_PX, 0, 0, 0)
        reference.addRow(PlainLabel(self.reference.accessibleName()), self.reference)
        self.methods.more.content.addLayout(reference)
        self._form = QFormLayout(horizontalSpacing=14, verticalSpacing=10)
        self._form.addRow(PlainLabel(self.trials.accessibleName()), self.trials)
        self._form.addRow(self.undecided)
        page = QWidget()
        fill_box(QVBoxLayout(page), names, 4, self.methods, self._form, self.explanation, None, spacing=12)
        frame = ScrollFrame(page)
        frame.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        fill_box(QVBoxLayout(self), (frame, 1), (self.begin_button, Qt.AlignmentFlag.AlignRight), spacing=14)

    def build_plan(self) -> BlindTestPlan:
        """Return the plan as the form states it."""
        kind = self.methods.kind
        undecided = kind == "pairs" and self.undecided.isChecked()
        plan = BlindTestPlan(kind, self._sounds, self._names, undecided=undecided, texts=self._texts, sources=self._sources)
        if not plan.is_rated:
            plan = replace(plan, trials=self.trials.value() if kind in FIXED_KINDS else 1)
        column = self.reference.currentData()
        return plan if column is None else choose_reference(plan, column)

    @Slot()
    def _offer_references(self) -> None:
        """Offer the sounds that can be the reference with this method; a choice that is still offered is kept."""
        kind, chosen_column = self.methods.kind, self.reference.currentData()
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
        # Of two sounds, five answers for one of them still happen by chance.
        sides = 2 if plan.kind == "pairs" and len(plan.names) == 2 else 1
        self.trials.setMinimum(next(count for count in range(FEWEST_TRIALS, MOST_TRIALS) if find_needed_hits(count, sides) is not None))
        self._form.setRowVisible(self.trials, plan.kind in FIXED_KINDS)
        self._form.setRowVisible(self.undecided, plan.kind == "pairs")
        text = describe_task(self.build_plan())
        self.explanation.setText(text)
        self.explanation.setVisible(bool(text))
