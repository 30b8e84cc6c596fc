"""`koebako serve`: the service until Ctrl+C."""

from __future__ import annotations

import argparse
import os
import threading
from ipaddress import ip_address
from itertools import takewhile
from pathlib import Path

from app import paths
from app.adapters.ort.placement import parse_placement
from app.cli.interruption import interruption, leave
from app.cli.licence_prompt import licence_prompt
from app.cli.named_input import read_named, text_of
from app.cli.output import json_line, note
from app.cli.progress import shown_progress
from app.cli.voice_choice import needed_bert
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.errors import InputError
from app.install.licence import licence_to_accept
from app.install.ready import ready_voice
from app.language import localized
from app.log import log_words, start_log
from app.service.access import Access, is_loopback
from app.service.catalogue import Catalogue, catalogue_of
from app.service.own_thread import OpenVoices, OwnThread
from app.service.server import Server
from app.service.service import Service
from app.service.sockets import PORT, bound
from app.service.work_queue import WorkQueue
from app.settings import known_settings
from app.voices.library import installed_voices, silent_words, speaking_first
from app.voices.voice import Voice

POLL_S = 0.02  # how soon Ctrl+C is noticed on Windows, where waiting is not interrupted
END_S = 1.0  # for what is computed, should the server end by itself
TOKEN_VARIABLE = "KOEBAKO_TOKEN"
SHORTEST_TOKEN, LONGEST_TOKEN = 16, 1000


def run(options: argparse.Namespace) -> int:
    """Serves; the address and the token are checked before anything is opened."""
    token = _token(options)
    if not token and not is_loopback(options.host):
        raise InputError(
            localized("ほかのコンピューターに公開するにはトークンが必要です。", "Other computers may use the service only with a token."),
            localized(f"環境変数 {TOKEN_VARIABLE} または --token-file で指定してください。", f"Set {TOKEN_VARIABLE}, or use --token-file."),
        )
    parse_placement(options.backend)
    voices, wanted = _voices(options)
    sockets = bound(options.host, PORT if options.port is None else options.port)
    catalogue = catalogue_of(voices)
    _tell(catalogue)
    if not is_loopback(options.host):
        _tell_of_others(options.host, any_address=ip_address(sockets[0].getsockname()[0]).is_unspecified)
    access = Access(
        sockets[0].getsockname()[1],
        frozenset(name.lower().strip("[]") for name in (*options.allow_host, options.host)),
        frozenset(origin.rstrip("/").lower() for origin in options.allow_origin),
        token,
        options.allow_changes,
    )
    opened = OpenVoices(lambda voice, like: _open(options, wanted.get(voice, voice), like))
    start_log()
    log_words(known_settings().log_words)
    over = threading.Event()
    with interruption.instead(leave):  # what is written is always whole
        thread = OwnThread(opened, catalogue.first.voice if catalogue.first else None)
        server = Server(sockets, Service(catalogue, WorkQueue(thread), access, opened.is_open), over.set)
        server.start()
        json_line({"type": "listening", "url": server.url})
        while not over.wait(POLL_S):
            pass
        thread.close(END_S)
    return 0


def _open(options: argparse.Namespace, voice: str | None, like: Speaker | None) -> Speaker:
    return open_speaker(voice, options.backend, force_bert=options.force_bert, like=like)


def _voices(options: argparse.Namespace) -> tuple[list[Voice], dict[str, str | None]]:
    """The voices to offer, and what `open_speaker` takes for each. Of those that nobody named, a voice whose licence waits is left out."""
    if not options.voice and not options.accept_licence:
        found = installed_voices(paths.voice_dirs())
        waiting = [voice.manifest.name for voice in found if licence_to_accept(voice) is not None]
        if waiting:
            names = ", ".join(waiting)
            note(
                localized(
                    f"利用規約に同意していないため提供しない声: {names}（--voice で指定すると確認できます）",
                    f"Not offered until you accept their licence: {names} (name them with --voice)",
                )
            )
        voices = _speaking_first([voice for voice in found if licence_to_accept(voice) is None], options)
        return voices, {voice.manifest.id: voice.manifest.id for voice in voices}
    chosen = options.voice or [voice.manifest.id for voice in installed_voices(paths.voice_dirs())]
    ask = licence_prompt(accepted=options.accept_licence, as_json=options.json)
    with shown_progress(as_json=False) as report:
        ready = [ready_voice(name, ask, report, announce=note, need_bert=needed_bert(options)) for name in dict.fromkeys(chosen)]
    voices = [one.voice for one in ready]
    return voices if options.voice else _speaking_first(voices, options), {one.voice.manifest.id: one.wanted for one in ready}


def _speaking_first(voices: list[Voice], options: argparse.Namespace) -> list[Voice]:
    """The voices in the order in which they are offered: clients that name none take the first."""
    ordered = speaking_first(voices, needed_bert(options))
    before = [voice.manifest for voice in takewhile(lambda voice: voice is not ordered[0], voices)]
    if before:
        note(silent_words(before, ordered[0].manifest))
    return ordered


def _tell(catalogue: Catalogue) -> None:
    for reason in catalogue.left_out:
        note(reason)
    if catalogue.first is None:
        note(localized("提供できる声がありません。", "There is no voice to offer."))


def _tell_of_others(host: str, *, any_address: bool) -> None:
    """What it means to open the service to other computers."""
    note(
        localized(
            "通信は暗号化されません。信頼できるネットワークでのみ使用してください。",
            "The connection is not encrypted: use it only in a network that you trust.",
        )
    )
    if any_address:
        note(
            localized(
                "ほかのコンピューターが指定するアドレスや名前は、--allow-host で許可してください。例: --allow-host 192.168.1.10",
                "Allow each address or name that other computers use with --allow-host, as in --allow-host 192.168.1.10.",
            )
        )
    else:
        note(
            localized(
                f"{host} 以外の名前で接続する場合は、--allow-host で許可してください。",
                f"Allow names other than {host} with --allow-host.",
            )
        )


def _token(options: argparse.Namespace) -> str:
    """The token, or "": never on the command line, which every program can see."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    if options.token_file:
        token = text_of(read_named(Path(options.token_file)), options.token_file)
    token = token.strip()
    named = bool(options.token_file) or TOKEN_VARIABLE in os.environ
    if named and not (SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable()):
        raise InputError(
            localized(
                "トークンが短すぎるか、使用できない文字を含んでいます。",
                "The token is too short or contains characters that are not allowed.",
            ),
            localized(f"{SHORTEST_TOKEN} 文字以上の英数字にしてください。", f"Use at least {SHORTEST_TOKEN} letters and digits."),
        )
    return token
