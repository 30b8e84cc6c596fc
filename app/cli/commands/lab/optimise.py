"""`koebako lab optimise`: candidates in place of the graphs, measured side by side; one is kept only when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.commands.lab.chosen_candidate import check_keeping, folder_for, with_chosen
from app.cli.commands.lab.repeat_options import add_repeats, repeats_of
from app.cli.named_input import read_named, text_of
from app.cli.whole_file import check_target
from app.command_parser import Parser
from app.core.project import PROJECT_SUFFIX
from app.core.text_lines import split_lines
from app.lab.optimise.candidate import PREPARED
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject

READS = True  # sentences, with a BERT


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "軽量化の候補を作り、速さと違いを測る", "make lighter candidates and measure speed and difference"


def add_options(parser: Parser) -> None:
    """Which candidates to measure, and what to do with one of them."""
    parser.add_argument("--only", metavar="NAME,…", default="", help=localized("測定する候補（既定: すべて）", "candidates (default: all)"))
    parser.add_argument(
        "--by-group",
        action="store_true",
        help=localized("演算子のまとまりごとの int8 も測定する", "also measure int8 for one group of operators at a time"),
    )
    parser.add_argument(
        "--graph", metavar="NAME", help=localized("対象のグラフ（既定: すべて）", "graph that candidates stand for (default: all)")
    )
    parser.add_argument(
        "--keep",
        metavar="NAME",
        help=localized("選ぶ候補（-o、--test、--install の対象）", "chosen candidate, for -o, --test and --install"),
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", help=localized("--keep の保存先（空のフォルダー）", "empty folder for --keep"))
    parser.add_argument(
        "--test",
        metavar="FILE",
        help=localized(
            "--keep と元のグラフを聞き比べるブラインドテストの保存先（.koebako）",
            "write a blind test of --keep and the exact graph (.koebako)",
        ),
    )
    parser.add_argument(
        "--install",
        action="store_true",
        help=localized(
            "--keep を int8 の BERT または高速な音声として組み込む（prepared: 元のグラフに戻す）",
            "install --keep as the int8 BERT or the Fast sound (prepared: the exact graph again)",
        ),
    )
    parser.add_argument(
        "--base",
        metavar="PATH",
        help=localized("代わりに使う小さい BERT（ファイルまたはフォルダー）", "smaller BERT to use with a projection (file or folder)"),
    )
    parser.add_argument(
        "--texts", metavar="FILE", help=localized("--base に使う文（1 行に 1 文の .txt）", "sentences for --base (.txt, one a line)")
    )
    add_repeats(parser, "turns")


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """A row a candidate; why a voice stays in one graph, of which there are none."""
    from app.lab.optimise.run import optimised
    from app.lab.optimise.wishes import Wishes
    from app.lab.scratch import scratch_folder

    repeats = repeats_of(options, "turns")
    check_keeping(options)
    if options.keep == PREPARED and options.install:  # nothing has to be made
        from app.lab.optimise.slot import install_exact

        yield from install_exact(subject, options.graph)
        return
    report("checking", 0.0)  # the first sentences are spoken before any candidate is made
    with ExitStack() as kept:
        folder = folder_for(options)
        if folder is None and options.keep is not None:
            folder = kept.enter_context(scratch_folder())
        wishes = Wishes(
            only=[name.strip() for name in options.only.split(",") if name.strip()],
            graph=options.graph,
            keep=options.keep,
            folder=folder,
            one_kept=options.test is not None or options.install,
            repeats=repeats,
            by_group=options.by_group,
            base=Path(options.base) if options.base else None,
            texts=_texts(options.texts),
        )
        chosen = list[Row]()
        for row in optimised(subject, wishes, report):
            chosen += [row] if row["kept"] else []
            yield row
        if folder is not None:
            yield from with_chosen(subject, options, [str(row["graph"]) for row in chosen], folder, report)
    if subject.reason:
        yield {"type": "reason", "reason": subject.reason}


def check_options(options: argparse.Namespace) -> None:
    """Raises OutputFileError where the test cannot be written."""
    if options.test is not None:
        check_target(Path(options.test), PROJECT_SUFFIX)


def _texts(path: str | None) -> list[str]:
    if path is None:
        return []
    return split_lines(text_of(read_named(Path(path)), path))
