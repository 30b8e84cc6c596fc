"""`koebako mcp`: the Model Context Protocol on stdin and stdout until the agent closes them."""

import argparse
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.ort.device_placement import parse_placement
from app.cli.console_output import print_note
from app.cli.interrupts import exit_now, interrupt_handler
from app.cli.served_voices import choose_served_voices, create_open_voices
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.log import allow_words_in_log, start_log
from app.engine.engine import EngineThread
from app.export.render_keys import collect_sound_conditions
from app.service.agents.agent_folder import AgentFolder
from app.service.agents.agent_session import INVALID_REQUEST, AgentSession, RpcError, build_error, encode_message
from app.service.agents.agent_tools import SpeechTools
from app.service.agents.offered_voices import OfferedVoices
from app.service.agents.project_tools import ProjectTools
from app.service.style_catalogue import build_catalogue
from app.settings.user_settings import load_usable_settings
from app.voices.installed_voices import find_shipped_voice_id

MAX_LINE_BYTES = 1 << 20
MAX_WAITING_LINES = 64


def run(options: argparse.Namespace) -> int:
    """Serve one agent until the input ends; what is still to be heard is played before the program ends."""
    stdin, output = _reserve_streams()
    parse_placement(options.backend)
    settings = load_usable_settings()
    voices, voice_names = choose_served_voices(options)
    start_log()
    allow_words_in_log(settings.log_words)
    # An immediate exit is safe because written files are always whole.
    with EngineThread(create_open_voices(options, voice_names, convert=False)) as engine, interrupt_handler.call_on_interrupt(exit_now):
        catalogue, folder = build_catalogue(voices), AgentFolder(Path(options.folder))
        tools = SpeechTools(
            engine=engine,
            catalogue=catalogue,
            folder=folder,
            projects=ProjectTools(
                voices=OfferedVoices(catalogue, find_shipped_voice_id() or ""),
                folder=folder,
                find_conditions=lambda voice_ids, words: collect_sound_conditions(
                    {voice: voice_names.get(voice, voice) for voice in voice_ids},
                    words,
                    settings,
                    backend=options.backend,
                    force_bert=options.force_bert,
                ),
            ),
            device=options.device or settings.device or None,
        )
        serve_lines(AgentSession(tools), stdin, output)
        try:
            tools.close()
        except AppError as error:
            print_note(error.message)
    return 0


def iterate_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line that is not empty; None for one that is too long, of which nothing is kept."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while (block := stream.readline(MAX_LINE_BYTES)) and not block.endswith(b"\n"):
                pass
            yield None
        elif line.strip():
            yield line


def serve_lines(session: AgentSession, stdin: BinaryIO, output: BinaryIO) -> None:
    """Serve an agent: answer every line until the input ends."""
    sender = AnswerSender(output)
    for line in iterate_ahead(stdin, lambda line: sender.send_answer(session.handle_at_once(line))):
        sender.send_answer(build_error(None, RpcError(INVALID_REQUEST, "Line too long")) if line is None else session.handle_line(line))


class AnswerSender:
    """Writes answers, one on each line, from the thread that reads and from the one that computes."""

    def __init__(self, output: BinaryIO) -> None:
        self._output, self._turn = output, threading.Lock()

    def send_answer(self, answer: Any) -> bool:
        """Send an answer; return whether there was one."""
        if answer is None:
            return False
        with self._turn:
            self._output.write(encode_message(answer))
            self._output.flush()
        return True


def iterate_ahead(stream: BinaryIO, answer_at_once: Callable[[bytes], bool]) -> Iterator[bytes | None]:
    """Yield the lines of `iterate_lines`, which another thread reads ahead, without those that are answered as they come."""
    lines: queue.Queue[bytes | EOFError | None] = queue.Queue(MAX_WAITING_LINES)

    def read_lines() -> None:
        with suppress(OSError, ValueError):
            for line in iterate_lines(stream):
                if line is None or not answer_at_once(line):
                    lines.put(line)
        lines.put(EOFError())

    threading.Thread(target=read_lines, name="agent", daemon=True).start()
    while not isinstance(line := lines.get(), EOFError):
        yield line


def _reserve_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output for the protocol alone, all else goes to stderr; raise InputError where one of them is closed."""
    try:
        # Python has None for a stream that is closed at its start.
        if sys.stdin is None or sys.stdout is None:
            raise OSError("closed")
        output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    except OSError as exc:  # or one that is no file, where another Python program runs the command within itself
        raise InputError(
            localize("標準入力または標準出力が閉じています。", "Standard input or output is closed."),
            localize(
                "このコマンドは、エージェントのアプリから起動します。", "An agent’s application starts this command and talks over them."
            ),
        ) from exc
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    with suppress(OSError):
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return sys.stdin.buffer, output
