"""`koebako serve`: the service until Ctrl+C."""

from __future__ import annotations

import argparse
import os
import socket
import threading
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from app.adapters.http.http_address import is_loopback
from app.adapters.ort.device_placement import parse_placement
from app.cli.command_files import decode_text, read_named_input
from app.cli.console_output import print_json, print_localized_note, print_note
from app.cli.interrupts import exit_now, interrupt_handler
from app.cli.served_voices import choose_served_voices, create_open_voices
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.log import allow_words_in_log, start_log
from app.engine.engine import Engine, EngineThread
from app.engine.open_voices import OpenVoices
from app.service.access import SERVICE_PORT, AccessRules, bind_sockets
from app.service.http_service import HttpService
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import StyleCatalogue, build_catalogue
from app.service.voice_refiner import VoiceRefiner
from app.settings.user_settings import load_usable_settings, normalise_origin

if TYPE_CHECKING:
    from app.service.chat.chat_captions import CaptionFile

SERVE_POLL_S = 0.02  # waiting is not interrupted on Windows, so this bounds the delay of Ctrl+C
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
    voices, voice_names = choose_served_voices(options)
    sockets = bind_sockets(options.host, SERVICE_PORT if options.port is None else options.port)
    catalogue = build_catalogue(voices)
    for reason in catalogue.left_out:
        print_note(reason)
    if catalogue.first_style is None:
        print_localized_note("提供できる声がありません。", "There is no voice to offer.")
    if not is_loopback(options.host):
        _warn_about_exposure(options.host, any_address=ip_address(sockets[0].getsockname()[0]).is_unspecified)
    access = AccessRules(
        sockets[0].getsockname()[1],
        frozenset(name.lower().strip("[]") for name in (*options.allow_host, options.host)),
        frozenset(map(normalise_origin, options.allow_origin)),
        token,
        options.allow_changes,
    )
    opened = create_open_voices(options, voice_names)
    start_log()
    allow_words_in_log(load_usable_settings().log_words)
    _serve_until_over(options, sockets, catalogue, access, opened)
    return 0


def _serve_until_over(
    options: argparse.Namespace, sockets: list[socket.socket], catalogue: StyleCatalogue, access: AccessRules, opened: OpenVoices
) -> None:
    """Serve, and refine voices while nobody asks for anything, until an interrupt ends the process or the server ends by itself."""
    ended = threading.Event()
    refiner = VoiceRefiner(opened.mark_stale)
    caption_files: list[CaptionFile] = []

    def end_now() -> NoReturn:
        # An immediate exit is safe because written files are always whole; words left in a picture would stay there.
        refiner.stop_program()
        for file in caption_files:
            file.close()
        exit_now()

    with interrupt_handler.call_on_interrupt(end_now):
        with EngineThread(opened, catalogue.first_style.voice if catalogue.first_style else None) as engine:
            reads_chat = _start_chat_reader(options, engine, catalogue, access.origins, caption_files)
            server = SpeechServer(sockets, HttpService(catalogue, ServiceJobQueue(engine), access, opened.is_open), ended.set)
            server.start()
            print_json({"type": "listening", "url": server.url} | reads_chat)
            while not ended.wait(SERVE_POLL_S):
                pass
        refiner.close()


def _start_chat_reader(
    options: argparse.Namespace, engine: Engine, catalogue: StyleCatalogue, origins: frozenset[str], caption_files: list[CaptionFile]
) -> dict[str, int]:
    """Serve comment viewers if that is asked for, by the rules of the settings, and add the file of captions; return the ports for the report."""
    if not options.chat_reader and options.chat_port is None:
        return {}
    from app.service.chat.chat_captions import CaptionBoard, CaptionFile
    from app.service.chat.chat_queue import ChatQueue, build_chat_rules
    from app.service.chat.chat_server import ChatServer
    from app.service.chat.headless_chat import HeadlessChatReader

    settings = load_usable_settings()
    queue = ChatQueue(build_chat_rules(settings))
    port = settings.chat_port if options.chat_port is None else options.chat_port
    captions = CaptionBoard()
    captions.choose_readers(is_served=settings.chat_captions, folder=settings.chat_caption_folder)
    server = ChatServer(queue, port, settings.chat_http_port, origins, captions)

    def report_error(error: AppError) -> None:
        print_note(f"{error.message} {error.hint}")

    caption_files.append(CaptionFile(captions, report_error))
    HeadlessChatReader(queue, engine, catalogue, settings.device or None, report_error, captions=captions)
    return {"chat_port": server.port, "chat_http_port": server.http_port}


def _warn_about_exposure(host: str, *, any_address: bool) -> None:
    """Warn about the consequences of opening the service to other computers."""
    print_localized_note(
        "通信は暗号化されません。信頼できるネットワークでのみ使用してください。",
        "The connection is not encrypted: use it only in a network that you trust.",
    )
    if any_address:
        print_localized_note(
            "ほかのコンピューターが指定するアドレスや名前は、--allow-host で許可してください。例: --allow-host 192.168.1.10",
            "Allow each address or name that other computers use with --allow-host, as in --allow-host 192.168.1.10.",
        )
    else:
        print_localized_note(
            f"{host} 以外の名前で接続する場合は、--allow-host で許可してください。", f"Allow names other than {host} with --allow-host."
        )


def _read_token(options: argparse.Namespace) -> str:
    """Return the token, or "": it is never on the command line, which every program can see."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    if options.token_file:
        token = decode_text(read_named_input(Path(options.token_file)), options.token_file)
    token = token.strip()
    is_token_set = bool(options.token_file) or TOKEN_VARIABLE in os.environ
    if is_token_set and not (SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable()):
        raise InputError(
            localize(
                "トークンが短すぎるか、使用できない文字を含んでいます。",
                "The token is too short or contains characters that are not allowed.",
            ),
            localize(f"{SHORTEST_TOKEN} 文字以上の英数字にしてください。", f"Use at least {SHORTEST_TOKEN} letters and digits."),
        )
    return token
