"""`koebako lab optimise`: candidates in place of the graphs, measured side by side; one is kept and used only when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.command_files import check_output_path, decode_text, read_named_input, refuse_existing_file
from app.cli.commands.lab.lab_part import LabPart, add_repeat_options, parse_repeats
from app.common.command_parser import CommandParser
from app.common.errors import InputError, OutputFileError
from app.common.language import localize
from app.common.progress import Report
from app.common.system_errors import describe_reason
from app.core.script.project import PROJECT_SUFFIX
from app.core.text.text_lines import split_lines
from app.lab.optimise.candidate_slot import PREPARED
from app.lab.report_rows import Row, make_row

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject


class OptimisePart(LabPart):
    """Makes candidates for the graphs and measures them; one is kept and used only when it is chosen."""

    summary = "軽量化の候補を作り、速さと違いを測る", "make lighter candidates and measure speed and difference"
    reads_text = True

    def add_options(self, parser: CommandParser) -> None:
        """Add the options that choose the measured candidates and the use of one of them."""
        add = parser.add_argument
        add("--only", metavar="NAME,…", default="", help=localize("測定する候補（既定: すべて）", "candidates (default: all)"))
        by_group = localize("演算子のまとまりごとの int8 も測定する", "also measure int8 for one group of operators at a time")
        add("--by-group", action="store_true", help=by_group)
        add("--graph", metavar="NAME", help=localize("対象のグラフ（既定: すべて）", "graph that candidates stand for (default: all)"))
        keep = localize("選ぶ候補（-o、--test、--install の対象）", "chosen candidate, for -o, --test and --install")
        add("--keep", metavar="NAME", help=keep)
        add("-o", "--output", metavar="FOLDER", help=localize("--keep の保存先（空のフォルダー）", "empty folder for --keep"))
        test = localize(
            "--keep と元のグラフを聞き比べるブラインドテストの保存先（.koebako）",
            "write a blind test of --keep and the exact graph (.koebako)",
        )
        add("--test", metavar="FILE", help=test)
        replace = localize("--test のファイルがすでにあれば上書きする", "replace an existing file of --test")
        add("--replace", action="store_true", help=replace)
        install = localize(
            "--keep を int8 の BERT または高速な音声として組み込む（prepared: 元のグラフに戻す）",
            "install --keep as the int8 BERT or the Fast sound (prepared: the exact graph again)",
        )
        add("--install", action="store_true", help=install)
        base = localize("代わりに使う小さい BERT（ファイルまたはフォルダー）", "smaller BERT to use with a projection (file or folder)")
        add("--base", metavar="PATH", help=base)
        texts = localize("--base に使う文（1 行に 1 文の .txt）", "sentences for --base (.txt, one a line)")
        add("--texts", metavar="FILE", help=texts)
        add_repeat_options(parser, "turns")

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise OutputFileError if the test cannot be written, and InputError if a project has its name."""
        if options.test is not None:
            check_output_path(Path(options.test), PROJECT_SUFFIX)
            refuse_existing_file(Path(options.test), may_replace=options.replace)

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield a row for each candidate, or the reason why a single-graph voice has none."""
        from app.lab.lab_subject import create_scratch_folder
        from app.lab.optimise.candidate_run import OptimiseOptions, run_candidates

        repeats = parse_repeats(options, "turns")
        check_keep_options(options)
        # Nothing has to be made.
        if options.keep == PREPARED and options.install:
            from app.lab.optimise.candidate_slot import install_exact

            yield from install_exact(subject, options.graph)
            return
        if options.install:
            from app.lab.optimise.candidate_slot import require_installed

            require_installed(subject)
        # The first sentences are spoken before any candidate is made.
        report("checking", 0.0)
        with ExitStack() as folders:
            folder = create_output_folder(options)
            if folder is None and options.keep is not None:
                folder = folders.enter_context(create_scratch_folder())
            wishes = OptimiseOptions(
                only=[name.strip() for name in options.only.split(",") if name.strip()],
                graph=options.graph,
                keep=options.keep,
                folder=folder,
                one_kept=options.test is not None or options.install,
                repeats=repeats,
                by_group=options.by_group,
                base=Path(options.base) if options.base else None,
                texts=split_lines(decode_text(read_named_input(Path(options.texts)), options.texts)) if options.texts is not None else [],
            )
            chosen = list[Row]()
            for row in run_candidates(subject, wishes, report):
                chosen += [row] if row["kept"] else []
                yield row
            if folder is not None:
                yield from use_kept_candidate(subject, options, [row["graph"] for row in chosen], folder, report)
        if subject.reason:
            yield make_row("reason", reason=subject.reason)


def check_keep_options(options: argparse.Namespace) -> None:
    """Raise InputError if `--keep` and its purpose do not fit."""
    uses = options.output is not None or options.test is not None or options.install
    if (options.keep is not None) != uses:
        raise InputError(
            localize(
                "--keep は -o、--test、--install のどれかと一緒に指定してください。",
                "--keep needs -o, --test or --install, and they need --keep.",
            ),
            localize("例: --keep int8 -o フォルダー", "For example: --keep int8 -o FOLDER"),
        )
    if (options.test is not None or options.install) and options.only and options.keep not in options.only.split(","):
        raise InputError(
            localize("--only に --keep の候補が含まれていません。", "--only does not contain the candidate of --keep."),
            localize(f"例: --only {options.keep} --keep {options.keep}", f"For example: --only {options.keep} --keep {options.keep}"),
        )


def use_kept_candidate(
    subject: LabSubject, options: argparse.Namespace, graphs: Sequence[str], folder: Path, report: Report
) -> Iterator[Row]:
    # With the text front end.
    from app.lab.optimise.candidate_measures import write_listening_test
    from app.lab.optimise.candidate_slot import install_candidate

    for graph in graphs:
        graph_file = next(path for name in (f"{graph}.onnx", f"{graph}_int8.onnx", f"{graph}.ort") if (path := folder / name).is_file())
        if options.test is not None:
            yield write_listening_test(subject, graph, options.keep, graph_file, Path(options.test), report)
        if options.install:
            yield install_candidate(subject, graph, options.keep, graph_file)


def create_output_folder(options: argparse.Namespace) -> Path | None:
    """Return an empty folder, made if there is none; an installed voice or BERT is never written to."""
    if options.output is None:
        return None
    folder = Path(options.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except (OSError, ValueError) as exc:
        raise OutputFileError(
            localize(f"フォルダーに書き込めません: {folder}", f"Cannot write to this folder: {folder}"),
            localize(f"別のフォルダーを指定してください。（{describe_reason(exc)}）", f"Specify another folder. ({describe_reason(exc)})"),
        ) from exc
    if occupied:
        raise InputError(
            localize(f"フォルダーが空ではありません: {folder}", f"This folder is not empty: {folder}"),
            localize("空のフォルダーを指定してください。", "Specify an empty folder."),
        )
    return folder
