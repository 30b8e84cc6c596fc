"""The commands of the lab with their options, as `koebako lab parts` reports them, their displayed texts, and their runs."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError, VoiceError
from app.common.language import localize
from app.lab.report_rows import Row
from app.lab.row_labels import format_placement
from app.ui.tasks.process_task import FINISHED_STATES, ProcessTask, TaskProgress, TaskQueue, TaskSpec, TaskState

WINDOW_HANDLED_OPTIONS = ("--csv", "--markdown", "--html", "--plot", "--json", "--progress", "--accept-licence")
COMMAND_LINE_ONLY = ("--keep", "--bert", "--graph", "--install")
PATH_METAVARS = {"FILE", "FOLDER", "PATH"}  # options for other files serve scripts on the command line; the window offers none for them
FILE_OPTIONS = {"--trace": ".json", "--junit": ".xml"}
"""The options that name a file written in addition to the rows, with its suffix; always passed, so that the file can be exported."""

LAB_TABS = {
    "graphs": ("グラフ", "Graphs"),
    "places": ("割り当て", "Placement"),
    "time": ("時間", "Time"),
    "proof": ("検証", "Verification"),
    "variants": ("最適化", "Optimisation"),
    "others": ("その他", "More"),
}
TAB_BY_COMMAND = {
    "inspect": "graphs",
    "place": "places",
    "expect": "time",
    "profile": "time",
    "compare": "time",
    "verify": "proof",
    "check": "proof",
    "optimise": "variants",
}
"""The tab of each command; a command without an entry is shown in "others"."""


@dataclass(frozen=True, slots=True)
class LabOption:
    """An option: of kind "switch", "number" or "text"; `many` values have spaces between them, and an empty default is the command's choice."""

    option: str
    kind: str
    many: bool
    choices: tuple[str, ...]
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class LabCommand:
    """A command of the lab, the options that a user can set, and those for files that it can write in addition to its rows."""

    name: str
    summary: str
    options: tuple[LabOption, ...]
    files: tuple[str, ...] = ()


def parse_lab_commands(rows: Iterable[dict[str, Any]]) -> tuple[tuple[LabCommand, ...], tuple[str, ...]]:
    """Return the commands, and the devices that `--backend` takes, from the rows of `koebako lab parts`."""
    parts: list[LabCommand] = []
    places: tuple[str, ...] = ()
    for row in rows:
        if row.get("type") == "part":
            parts.append(_parse_command(row))
        elif row.get("type") == "places":
            places = tuple(map(str, row["places"]))
    return tuple(parts), places


def _parse_command(row: dict[str, Any]) -> LabCommand:
    files = tuple(item["option"] for item in row["options"] if item["option"] in FILE_OPTIONS)
    shown = (item for item in row["options"] if item["option"] not in (*WINDOW_HANDLED_OPTIONS, *FILE_OPTIONS, *COMMAND_LINE_ONLY))
    return LabCommand(
        row["part"],
        row["summary"],
        tuple(_parse_option(item) for item in shown if not PATH_METAVARS & set(item["metavar"].split("|"))),
        files,
    )


def _parse_option(item: dict[str, Any]) -> LabOption:
    default = item["default"]
    return LabOption(
        item["option"], item["kind"], item["many"], tuple(item["choices"]), "" if default is False else str(default), item["help"]
    )


@dataclass(frozen=True, slots=True)
class LabCommandLabels:
    """The texts of a command: its name, its purpose, and what it will show and why that is useful, before there are results."""

    name: str
    about: str
    promise: str


def find_command_labels(command: LabCommand) -> LabCommandLabels:
    """Return the texts of a command; one without texts uses its own name and summary."""
    labels = _COMMAND_LABELS.get(command.name)
    if labels is None:
        return LabCommandLabels(command.name, command.summary, command.summary)
    return LabCommandLabels(*(localize(*pair) for pair in labels))


_COMMAND_LABELS: dict[str, tuple[tuple[str, str], tuple[str, str], tuple[str, str]]] = {
    "inspect": (
        ("構成", "Contents"),
        ("声や BERT のグラフが何でできているかを調べます。", "What the graphs of a voice or BERT are made of."),
        (
            "グラフごとに、演算子、重み、積和演算数を表示します。準備で何が変わったか、どこが大きいかを確認できます。",
            "Operators, weights and multiply-adds of each graph: see what preparing changed, and where the size lies.",
        ),
    ),
    "place": (
        ("割り当て", "Placement"),
        (
            "各バックエンドがどの演算子を実行できるか、実際にどこで実行されるかを調べます。",
            "Which operators each backend can run, and where they really run.",
        ),
        (
            "バックエンドで実行できない演算子と、CPU との行き来の回数を表示します。GPU を使っても速くならない理由がわかります。",
            "Operators that a backend cannot run, and how often data crosses to the CPU: why a GPU may not be faster.",
        ),
    ),
    "expect": (
        ("想定時間", "Expected time"),
        (
            "計算量とこの環境の速さから想定される時間を、実測と比べます。",
            "The time that the amount of work should take on this machine, beside the time it takes.",
        ),
        (
            "遅い部分について、計算量が多いのか、実行の効率が悪いのかを判定します。",
            "Shows whether a part is slow because there is a lot to compute or because it runs inefficiently.",
        ),
    ),
    "profile": (
        ("プロファイル", "Profile"),
        ("時間がどの処理、どの演算子にかかっているかを測定します。", "Where the time goes: by stage, by module and by operator."),
        (
            "処理ごと・演算子ごとの時間を表示します。Chrome トレースに書き出すと、Perfetto で時間の流れを確認できます。",
            "Times by stage and operator. Export a Chrome trace to follow them in Perfetto.",
        ),
    ),
    "compare": (
        ("速さの比較", "Compare"),
        (
            "バックエンド、精度、最適化レベルを順番に入れ替えながら測定し、速さを比べます。",
            "Backends, precisions and optimisation levels, measured in turns.",
        ),
        (
            "中央値とばらつき、最も速い組み合わせを表示します。この環境に合う設定を選べます。",
            "Medians, spread and the winner: choose what suits this machine.",
        ),
    ),
    "verify": (
        ("一致の検証", "Verify"),
        (
            "同じ入力で計算し、元のモデルや CPU との差を測定します。",
            "Runs the same input twice and measures how far results are from the original or the CPU.",
        ),
        (
            "グラフごとの最大の差と SNR を表示します。差が大きいときは、最初に異なるテンソルを探します。",
            "Largest difference and SNR of each graph; where it is too large, the first tensor that differs.",
        ),
    ),
    "check": (
        ("チェック", "Check"),
        (
            "一致、割り当て、長さ、時間をまとめて確認します。コマンドラインでは CI に使えます。",
            "Agreement, placement, lengths and time in one go; on the command line, made for CI.",
        ),
        (
            "項目ごとに合格か不合格かを表示します。声を配布する前の確認に使えます。",
            "Passed or failed for each item: run it before you publish a voice.",
        ),
    ),
    "optimise": (
        ("候補", "Candidates"),
        (
            "軽くした候補を作り、速さ、大きさ、音の差を並べて比べます。選ぶまで元の声は変わりません。",
            "Makes smaller and faster candidates and compares speed, size and sound. Your voice stays as it is.",
        ),
        (
            "候補ごとの速さ、サイズ、変わったフレームの割合を表示します。速さと品質のどちらを取るかを決められます。",
            "Speed, size and changed frames of each candidate: decide between speed and quality.",
        ),
    ),
}

_OPTION_LABELS: dict[str, tuple[str, str]] = {
    "--backend": ("バックエンド", "Backend"),
    "--batch": ("バッチ", "Batch"),
    "--budget-ms": ("時間の上限 (ms)", "Time limit (ms)"),
    "--by-group": ("演算子のまとまりごとに測定", "Each group of operators"),
    "--depth": ("モジュールの階層", "Levels of modules"),
    "--frames": ("フレーム数", "Frames"),
    "--formats": ("グラフの形式", "Forms of graphs"),
    "--length": ("長さ", "Length"),
    "--lengths": ("長さ", "Lengths"),
    "--levels": ("最適化レベル", "Optimisation levels"),
    "--only": ("候補", "Candidates"),
    "--precision": ("精度", "Precision"),
    "--precisions": ("精度", "Precisions"),
    "--runs": ("回数", "Runs"),
    "--seconds": ("測定時間（秒）", "Seconds"),
    "--sweep": ("すべての長さを検証", "Every length"),
    "--symbols": ("記号数", "Symbols"),
    "--text": ("テキスト", "Text"),
    "--texts": ("テキスト", "Texts"),
    "--threads": ("スレッド数", "Threads"),
    "--tokens": ("トークン数", "Tokens"),
    "--turns": ("回数", "Turns"),
    "--warmup": ("ウォームアップ", "Warm-up"),
}
"""The label above the control of each option."""

_DEVICE_LABELS = {"all": ("すべて", "All"), "known": ("自動", "Automatic")}


def localize_option(option: LabOption) -> str:
    """Return the label of an option; an option without a label is named as on the command line."""
    return localize(*_OPTION_LABELS.get(option.option, (option.option, option.option)))


def localize_device(device: str) -> str:
    """Return the display name of a device; an unknown one stays as it is."""
    if device in _DEVICE_LABELS:
        return localize(*_DEVICE_LABELS[device])
    return format_placement(device)


ReportKey = tuple[str, str]  # a command's name and a source


@dataclass(slots=True, eq=False)
class LabReport:
    """The results of one run of a command so far."""

    command_name: str
    source: str
    name: str  # the display name of the voice or BERT
    rows: list[Row] = field(default_factory=list)
    taken_count: int = 0  # the number of the task's results that are in the rows already
    state: TaskState = TaskState.WAITING
    progress: TaskProgress = field(default_factory=TaskProgress)
    error: AppError | None = None
    log: str = ""
    planned_files: dict[str, Path] = field(default_factory=dict)  # to be written in addition to the rows, by option
    files: dict[str, Path] = field(default_factory=dict)  # those of them that exist once the run is done
    picture: str | None = None  # of the rows, as SVG; None until it was drawn, empty where there is none

    @property
    def key(self) -> ReportKey:
        return self.command_name, self.source

    @property
    def is_over(self) -> bool:
        """Return whether the run has ended."""
        return self.state in FINISHED_STATES


class LabRunner(QObject):
    """Runs commands one after the other and keeps the last report of each command and source.

    Signals:
        changed(LabReport): The report has more rows, other progress, or has ended.
        licence_asked(ProcessTask): The voice has a licence that was not accepted yet.
    """

    changed = Signal(object)
    licence_asked = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = TaskQueue(self)
        self._reports: dict[ReportKey, LabReport] = {}
        self._reports_by_job: dict[ProcessTask, LabReport] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a command is running or waiting."""
        return bool(self._reports_by_job)

    def find_report(self, command_name: str, source: str) -> LabReport | None:
        """Return the last report of a command about a source, or None."""
        return self._reports.get((command_name, source))

    def is_running(self, command_name: str, source: str) -> bool:
        """Return whether a command about a source is running or waiting."""
        return self._find_job((command_name, source)) is not None

    def start_run(self, command: LabCommand, source: str, name: str, arguments: Sequence[str]) -> None:
        """Run a command about a source; its new report replaces the last one."""
        report = LabReport(command.name, source, name)
        if self._find_job(report.key) is not None:
            return
        report.planned_files = {option: self._choose_file(f"{command.name}{FILE_OPTIONS[option]}") for option in command.files}
        extra = (f"{option}={file}" for option, file in report.planned_files.items())
        command_words = ("lab", command.name, "--progress", *arguments, *extra, "--", source)
        # `verify` and `check` end with this exit code where a check fails, which is a result and no failure of the run.
        job = self._queue.add_task(TaskSpec(f"lab {command.name}", command_words, done_codes=(0, VoiceError.exit_code)))
        self._reports[report.key] = self._reports_by_job[job] = report
        job.changed.connect(self._update_changed_job)
        job.ended.connect(self._finish_ended_job)
        self._update_report(job, report)

    def cancel_run(self, command_name: str, source: str) -> None:
        """Stop a run; its rows so far are kept."""
        job = self._find_job((command_name, source))
        if job is not None:
            job.cancel()

    def resume_run(self, job: ProcessTask) -> None:
        """Run a task again after its licence was accepted."""
        if (report := self._reports_by_job.get(job)) is not None:
            # The process starts over, so its results are counted from the first one.
            report.taken_count = 0
            self._queue.queue_again(job)

    def cancel_runs(self) -> None:
        """Stop everything that is running or waiting."""
        # The last one first: stopping the running one would start the next in the queue.
        for job in reversed(list(self._reports_by_job)):
            job.cancel()

    def close(self) -> None:
        """Stop everything, wait for the processes to end, and delete their files."""
        self._queue.close()
        self._reports_by_job.clear()
        if self._folder is not None:
            self._folder.cleanup()

    @Slot()
    def _update_changed_job(self) -> None:
        job = self.sender()
        if isinstance(job, ProcessTask) and (report := self._reports_by_job.get(job)) is not None:
            self._update_report(job, report)

    @Slot()
    def _finish_ended_job(self) -> None:
        job = self.sender()
        if not isinstance(job, ProcessTask):
            return
        if job.stage is TaskState.ASKING and job.licence is not None:
            self.licence_asked.emit(job)
            return
        self.end_run(job)

    def _find_job(self, key: ReportKey) -> ProcessTask | None:
        return next((job for job, report in self._reports_by_job.items() if report.key == key), None)

    def _update_report(self, job: ProcessTask, report: LabReport) -> None:
        # Rows without a type belong to no table; the counter passes over them all the same.
        report.rows += [row for row in job.results[report.taken_count :] if isinstance(row.get("type"), str)]
        report.taken_count = len(job.results)
        report.state, report.progress, report.log = job.stage, job.advance, "\n".join(job.log)
        report.error = job.error if job.stage is TaskState.FAILED else None
        self.changed.emit(report)

    def end_run(self, job: ProcessTask) -> None:
        """End a run that is over, or whose licence was not accepted."""
        report = self._reports_by_job.pop(job, None)
        if report is None:
            return
        # The licence was declined, or the process asks something that this program does not know.
        if job.stage is TaskState.ASKING:
            job.stage = TaskState.FAILED
        elif job.stage is TaskState.DONE:
            report.files = {option: file for option, file in report.planned_files.items() if file.is_file()}
        self._update_report(job, report)
        # Removing a task cancels it, which would report the finished run as cancelled.
        job.changed.disconnect(self._update_changed_job)
        job.ended.disconnect(self._finish_ended_job)
        self._queue.remove_task(job)

    def _choose_file(self, suffix: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        return Path(self._folder.name) / f"{sum(1 for _ in Path(self._folder.name).iterdir())}-{len(self._reports_by_job)}-{suffix}"
