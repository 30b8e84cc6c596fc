"""`koebako lab optimise`: candidates in place of the graphs, measured side by side; one is kept only when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.atomic_output import check_output_path
from app.cli.bounded_input import decode_text, read_named_input
from app.cli.commands.lab.kept_candidate import check_keep_options, create_output_folder, use_kept_candidate
from app.cli.commands.lab.repeat_options import add_repeat_options, parse_repeats
from app.common.command_parser import CommandParser
from app.common.language import localize
from app.common.progress import Report
from app.core.project import PROJECT_SUFFIX
from app.core.text_lines import split_lines
from app.lab.optimise.graph_candidate import PREPARED
from app.lab.report_rows import Row

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject

READS = True  # sentences, with a BERT


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "軽量化の候補を作り、速さと違いを測る", "make lighter candidates and measure speed and difference"


def add_options(parser: CommandParser) -> None:
    """Add the options that choose the measured candidates and the use of one of them."""
    parser.add_argument("--only", metavar="NAME,…", default="", help=localize("測定する候補（既定: すべて）", "candidates (default: all)"))
    parser.add_argument(
        "--by-group",
        action="store_true",
        help=localize("演算子のまとまりごとの int8 も測定する", "also measure int8 for one group of operators at a time"),
    )
    parser.add_argument(
        "--graph", metavar="NAME", help=localize("対象のグラフ（既定: すべて）", "graph that candidates stand for (default: all)")
    )
    parser.add_argument(
        "--keep",
        metavar="NAME",
        help=localize("選ぶ候補（-o、--test、--install の対象）", "chosen candidate, for -o, --test and --install"),
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", help=localize("--keep の保存先（空のフォルダー）", "empty folder for --keep"))
    parser.add_argument(
        "--test",
        metavar="FILE",
        help=localize(
            "--keep と元のグラフを聞き比べるブラインドテストの保存先（.koebako）",
            "write a blind test of --keep and the exact graph (.koebako)",
        ),
    )
    parser.add_argument(
        "--install",
        action="store_true",
        help=localize(
            "--keep を int8 の BERT または高速な音声として組み込む（prepared: 元のグラフに戻す）",
            "install --keep as the int8 BERT or the Fast sound (prepared: the exact graph again)",
        ),
    )
    parser.add_argument(
        "--base",
        metavar="PATH",
        help=localize("代わりに使う小さい BERT（ファイルまたはフォルダー）", "smaller BERT to use with a projection (file or folder)"),
    )
    parser.add_argument(
        "--texts", metavar="FILE", help=localize("--base に使う文（1 行に 1 文の .txt）", "sentences for --base (.txt, one a line)")
    )
    add_repeat_options(parser, "turns")


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield a row for each candidate, or the reason why a single-graph voice has none."""
    from app.lab.optimise.candidate_run import run_candidates
    from app.lab.optimise.optimise_options import OptimiseOptions
    from app.lab.scratch_folder import create_scratch_folder

    repeats = parse_repeats(options, "turns")
    check_keep_options(options)
    # Nothing has to be made.
    if options.keep == PREPARED and options.install:
        from app.lab.optimise.candidate_slot import install_exact

        yield from install_exact(subject, options.graph)
        return
    # The first sentences are spoken before any candidate is made.
    report("checking", 0.0)
    with ExitStack() as kept:
        folder = create_output_folder(options)
        if folder is None and options.keep is not None:
            folder = kept.enter_context(create_scratch_folder())
        wishes = OptimiseOptions(
            only=[name.strip() for name in options.only.split(",") if name.strip()],
            graph=options.graph,
            keep=options.keep,
            folder=folder,
            one_kept=options.test is not None or options.install,
            repeats=repeats,
            by_group=options.by_group,
            base=Path(options.base) if options.base else None,
            texts=_read_texts(options.texts),
        )
        chosen = list[Row]()
        for row in run_candidates(subject, wishes, report):
            chosen += [row] if row["kept"] else []
            yield row
        if folder is not None:
            yield from use_kept_candidate(subject, options, [str(row["graph"]) for row in chosen], folder, report)
    if subject.reason:
        yield {"type": "reason", "reason": subject.reason}


def check_options(options: argparse.Namespace) -> None:
    """Raise OutputFileError if the test cannot be written."""
    if options.test is not None:
        check_output_path(Path(options.test), PROJECT_SUFFIX)


def _read_texts(path: str | None) -> list[str]:
    if path is None:
        return []
    return split_lines(decode_text(read_named_input(Path(path)), path))
