"""The cluster of `koebako export --scheduler`: its options, and how it is reached before anything starts."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from app.cli.console_output import print_note
from app.common.command_parser import CommandParser
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.export.cluster_client import ClusterAddress, parse_cluster_address
from app.settings.user_settings import Settings

if TYPE_CHECKING:
    from app.export.cluster_task import WantedVoice
    from app.export.cluster_worker import ClusterBatch

_OPTIONS_OF_SCHEDULER = ("voices_folder", "tls_ca_file", "tls_cert", "tls_key", "insecure")


def add_cluster_options(parser: CommandParser) -> None:
    group = parser.add_argument_group(localize("複数のコンピューター", "more than one machine"))
    group.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help=localize(
            "Dask のスケジューラー。例: tcp://HOST:8786、tls://HOST:8786。スケジューラーとワーカーは、送られたプログラムを実行します。信頼できるものだけを指定してください",
            "Dask scheduler whose workers make the files, as in tcp://HOST:8786 or tls://HOST:8786; anyone who can reach a scheduler can run code on its workers (remote code execution), so use only one that you trust",
        ),
    )
    group.add_argument(
        "--voices-folder",
        default="",
        metavar="PATH",
        help=localize("ワーカーから見た、声の共有フォルダー", "shared folder of voices, as the workers see it"),
    )
    group.add_argument(
        "--tls-ca-file", default="", metavar="FILE", help=localize("TLS の認証局（PEM）", "certificate authority for TLS (PEM)")
    )
    group.add_argument("--tls-cert", default="", metavar="FILE", help=localize("TLS の証明書（PEM）", "certificate for TLS (PEM)"))
    group.add_argument("--tls-key", default="", metavar="FILE", help=localize("TLS の秘密鍵（PEM）", "private key for TLS (PEM)"))
    group.add_argument(
        "--insecure",
        action="store_true",
        help=localize("ほかのコンピューターにも tcp:// で接続する（暗号化なし）", "allow tcp:// to another machine, unencrypted"),
    )


def parse_scheduler(options: argparse.Namespace) -> ClusterAddress | None:
    """Return the scheduler that was asked for, None for none. Raises InputError for options that do not fit."""
    if not options.scheduler:
        alone = next((name for name in _OPTIONS_OF_SCHEDULER if getattr(options, name)), None)
        if alone is None:
            return None
        option = f"--{alone.replace('_', '-')}"
        raise InputError(
            localize(f"{option} は --scheduler と一緒に指定してください。", f"{option} needs --scheduler."),
            localize("koebako export --help で確認できます。", "See koebako export --help."),
        )
    if options.jobs != 1:
        raise InputError(
            localize("--jobs と --scheduler は同時に指定できません。", "--jobs and --scheduler exclude each other."),
            localize("並列の数はワーカーの数で決まります。", "The workers of the cluster decide how much runs at once."),
        )
    return parse_cluster_address(
        options.scheduler, ca_file=options.tls_ca_file, cert=options.tls_cert, key=options.tls_key, is_insecure=options.insecure
    )


def open_cluster(
    address: ClusterAddress,
    voices: Mapping[str, str | None],
    names: Mapping[str, str],
    settings: Settings,
    options: argparse.Namespace,
    closing: ExitStack,
) -> tuple[ClusterBatch, dict[str, AppError]]:
    """Return a cluster whose workers have been asked, and an error for each voice that nobody can speak; raise InputError or BackendError if it is of no use."""
    # With asyncio, which other exports do not wait for.
    from app.export.cluster_client import ClusterClient
    from app.export.cluster_task import describe_wanted_voice
    from app.export.cluster_worker import ClusterBatch, ClusterRoster

    errors: dict[str, AppError] = {}
    wanted_voices: dict[str, WantedVoice] = {}
    for voice, reference in voices.items():
        try:
            wanted_voices[voice] = describe_wanted_voice(reference, settings, options.backend, force_bert=options.force_bert)
        except AppError as error:
            errors[voice] = error
    client = ClusterClient(address)
    roster = ClusterRoster(client, wanted_voices, names, print_note, voices_folder=options.voices_folder, force_bert=options.force_bert)
    cluster = ClusterBatch(client, roster)
    closing.callback(cluster.close)
    return cluster, errors | cluster.ask_first_workers()
