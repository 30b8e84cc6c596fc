"""`koebako serve`: the service until Ctrl+C."""

from __future__ import annotations

import argparse
import os
import threading
from ipaddress import ip_address
from itertools import takewhile
from pathlib import Path

from app.adapters.ort.device_placement import parse_placement
from app.cli.bounded_input import decode_text, read_named_input
from app.cli.chosen_voice import create_bert_finder
from app.cli.console_output import print_json, print_note
from app.cli.interrupts import exit_now, interrupt_handler
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.errors import InputError
from app.common.files import paths
from app.common.language import localize
from app.common.log import allow_words_in_log, start_log
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.install.natural_voice_first_start import prepare_waiting_voice
from app.install.resolve_voice import resolve_ready_voice
from app.install.voice_licence import find_unaccepted_licence
from app.service.access import AccessRules, is_loopback
from app.service.headless_worker import HeadlessWorker, OpenVoiceCache
from app.service.http_service import HttpService
from app.service.listening_sockets import SERVICE_PORT, bind_sockets
from app.service.service_queue import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import StyleCatalogue, build_catalogue
from app.settings.user_settings import load_usable_settings
from app.voices.installed_voices import describe_skipped_voices, list_installed_voices, order_speaking_first
from app.voices.prepared_voice import Voice

# Waiting is not interrupted on Windows, so this bounds the delay of Ctrl+C.
SERVE_POLL_S = 0.02
# For what is computed, should the server end by itself.
SHUTDOWN_TIMEOUT_S = 1.0
TOKEN_VARIABLE = "KOEBAKO_TOKEN"
SHORTEST_TOKEN, LONGEST_TOKEN = 16, 1000


def run(options: argparse.Namespace) -> int:
    """Serve; the address and the token are checked before anything is opened."""
    token = _read_token(options)
    if not token and not is_loopback(options.host):
        raise InputError(
            localize("ほかのコンピューターに公開するにはトークンが必要です。", "Other computers may use the service only with a token."),
            localize(f"環境変数 {TOKEN_VARIABLE} または --token-file で指定してください。", f"Set {TOKEN_VARIABLE}, or use --token-file."),
        )
    parse_placement(options.backend)
    voices, wanted = _choose_voices(options)
    sockets = bind_sockets(options.host, SERVICE_PORT if options.port is None else options.port)
    catalogue = build_catalogue(voices)
    _report_catalogue(catalogue)
    if not is_loopback(options.host):
        _warn_about_exposure(options.host, any_address=ip_address(sockets[0].getsockname()[0]).is_unspecified)
    access = AccessRules(
        sockets[0].getsockname()[1],
        frozenset(name.lower().strip("[]") for name in (*options.allow_host, options.host)),
        frozenset(origin.rstrip("/").lower() for origin in options.allow_origin),
        token,
        options.allow_changes,
    )
    opened = OpenVoiceCache(lambda voice, like: _open_voice(options, wanted.get(voice, voice), like))
    start_log()
    allow_words_in_log(load_usable_settings().log_words)
    over = threading.Event()
    # An immediate exit is safe because written files are always whole.
    with interrupt_handler.call_on_interrupt(exit_now):
        thread = HeadlessWorker(opened, catalogue.first_style.voice if catalogue.first_style else None)
        server = SpeechServer(sockets, HttpService(catalogue, ServiceJobQueue(thread), access, opened.is_open), over.set)
        server.start()
        print_json({"type": "listening", "url": server.url})
        while not over.wait(SERVE_POLL_S):
            pass
        thread.close(SHUTDOWN_TIMEOUT_S)
    return 0


def _open_voice(options: argparse.Namespace, voice: str | None, reuse_from: Speaker | None) -> Speaker:
    return open_speaker(voice, options.backend, force_bert=options.force_bert, reuse_from=reuse_from)


def _choose_voices(options: argparse.Namespace) -> tuple[list[Voice], dict[str, str | None]]:
    """Return the voices to offer, and the argument of `open_speaker` for each.

    A voice that was not named is left out while its licence is not accepted.
    """
    if not options.voice:
        prepare_waiting_voice(print_note, require_bert=create_bert_finder(options))
    if not options.voice and not options.accept_licence:
        found = list_installed_voices(paths.list_voice_dirs())
        waiting = [voice.manifest.name for voice in found if find_unaccepted_licence(voice) is not None]
        if waiting:
            names = ", ".join(waiting)
            print_note(
                localize(
                    f"利用規約に同意していないため提供しない声: {names}（--voice で指定すると確認できます）",
                    f"Not offered until you accept their licence: {names} (name them with --voice)",
                )
            )
        voices = _order_voices([voice for voice in found if find_unaccepted_licence(voice) is None], options)
        return voices, {voice.manifest.id: voice.manifest.id for voice in voices}
    chosen = options.voice or [voice.manifest.id for voice in list_installed_voices(paths.list_voice_dirs())]
    ask = create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    with show_progress(as_json=False) as report:
        ready = [
            resolve_ready_voice(name, ask, report, announce=print_note, require_bert=create_bert_finder(options))
            for name in dict.fromkeys(chosen)
        ]
    voices = [one.voice for one in ready]
    return voices if options.voice else _order_voices(voices, options), {one.voice.manifest.id: one.reference for one in ready}


def _order_voices(voices: list[Voice], options: argparse.Namespace) -> list[Voice]:
    """Return the voices in the order in which they are offered: clients that name none take the first."""
    ordered = order_speaking_first(voices, create_bert_finder(options))
    before = [voice.manifest for voice in takewhile(lambda voice: voice is not ordered[0], voices)]
    if before:
        print_note(describe_skipped_voices(before, ordered[0].manifest))
    return ordered


def _report_catalogue(catalogue: StyleCatalogue) -> None:
    for reason in catalogue.left_out:
        print_note(reason)
    if catalogue.first_style is None:
        print_note(localize("提供できる声がありません。", "There is no voice to offer."))


def _warn_about_exposure(host: str, *, any_address: bool) -> None:
    """Warn about the consequences of opening the service to other computers."""
    print_note(
        localize(
            "通信は暗号化されません。信頼できるネットワークでのみ使用してください。",
            "The connection is not encrypted: use it only in a network that you trust.",
        )
    )
    if any_address:
        print_note(
            localize(
                "ほかのコンピューターが指定するアドレスや名前は、--allow-host で許可してください。例: --allow-host 192.168.1.10",
                "Allow each address or name that other computers use with --allow-host, as in --allow-host 192.168.1.10.",
            )
        )
    else:
        print_note(
            localize(
                f"{host} 以外の名前で接続する場合は、--allow-host で許可してください。",
                f"Allow names other than {host} with --allow-host.",
            )
        )


def _read_token(options: argparse.Namespace) -> str:
    """Return the token, or "": it is never on the command line, which every program can see."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    if options.token_file:
        token = decode_text(read_named_input(Path(options.token_file)), options.token_file)
    token = token.strip()
    named = bool(options.token_file) or TOKEN_VARIABLE in os.environ
    if named and not (SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable()):
        raise InputError(
            localize(
                "トークンが短すぎるか、使用できない文字を含んでいます。",
                "The token is too short or contains characters that are not allowed.",
            ),
            localize(f"{SHORTEST_TOKEN} 文字以上の英数字にしてください。", f"Use at least {SHORTEST_TOKEN} letters and digits."),
        )
    return token
