"""Reads comments aloud where no window does, with the voices and by the engine of `koebako serve`."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.adapters.speech_activity import record_at_stages, record_speech
from app.common.errors import AppError
from app.compose.audio_outputs import open_player
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.pipeline import synthesize_or_silence
from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine, JobHandle
from app.engine.synthesis_jobs import Importance, JobTurn
from app.service.chat.chat_captions import CaptionBoard
from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatOutcome, ChatQueue
from app.service.chat.chat_voices import build_chat_request, find_chat_style
from app.service.style_catalogue import StyleCatalogue

if TYPE_CHECKING:
    from app.adapters.portaudio.portaudio_player import PortAudioPlayer

_QUEUE_POLL_S = 0.5


class HeadlessChatReader:
    """Reads one comment after the other until `close`; calls `report_error` once for each sentence on why comments are not read."""

    def __init__(
        self,
        queue: ChatQueue,
        engine: Engine,
        catalogue: StyleCatalogue,
        device: str | None = None,
        report_error: Callable[[AppError], object] = lambda _error: None,
        open_sink: Callable[[str | int | None, int], PortAudioPlayer] = open_player,
        captions: CaptionBoard | None = None,
    ) -> None:
        self._queue, self._engine, self._catalogue, self._device, self._open_sink = queue, engine, catalogue, device, open_sink
        self._report_error, self._reported_messages = report_error, set[str]()
        self._player: PortAudioPlayer | None = None
        self._captions = captions or CaptionBoard()
        self._talk: ChatTalk | None = None  # the comment that is being read, and the id of its request
        self._request_id = ""
        self._skip_event, self._close_event = threading.Event(), threading.Event()
        self._names = itertools.count(1)
        queue.on_skip = self._skip_talk
        self._thread = threading.Thread(target=self._read_comments, name="chat voice", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop reading."""
        self._close_event.set()
        self._skip_talk()

    def _render_talk(self, talk: ChatTalk, turn: JobTurn) -> None:
        """Render a comment into the player; raise AppError. Belongs to the engine's thread."""
        record_speech()
        chosen = find_chat_style(talk, self._queue.rules.voices, self._catalogue)
        style = self._catalogue.first_style if chosen is None else chosen[1]
        if style is None:
            return
        pipeline = turn.open_speaker(style.voice).pipeline
        self._request_id = f"chat-{next(self._names)}"
        request = replace(build_chat_request(talk, self._request_id), speaker=style.speaker, style=style.style)
        player = self._player = self._player or self._open_sink(self._device, pipeline.voice.sampling_rate)
        gate = PhraseGate(pace=pipeline.pace, player=player)
        for chunk in synthesize_or_silence(pipeline, request, record_at_stages(turn.on_stage), self._skip_event.is_set, lambda: 0.0):
            if self._skip_event.is_set():
                return
            gate.add_chunk(chunk)
            self._show_heard()

    def _read_comments(self) -> None:
        while not self._close_event.is_set():
            talk = self._queue.take_talk(_QUEUE_POLL_S)
            if talk is None:
                continue
            self._skip_event.clear()
            self._talk, self._request_id, outcome = talk, "", ChatOutcome.READ
            try:
                with suppress(RequestStopped):
                    JobHandle(self._engine, Importance.HEARD, partial(self._render_talk, talk)).wait_for_result()
                if self._player is not None and not self._skip_event.is_set():
                    self._player.wait_until_played(cancelled=self._is_skipped)
            except AppError as error:
                outcome = ChatOutcome.FAILED
                if error.message not in self._reported_messages:
                    self._reported_messages.add(error.message)
                    self._report_error(error)
            self._captions.show_talk(None)
            self._queue.finish_talk(ChatOutcome.SKIPPED if self._skip_event.is_set() else outcome)

    def _show_heard(self) -> None:
        """Show the comment as captions once its first sound is heard."""
        position = self._player.position if self._player is not None else None
        if position is not None and position.request_id == self._request_id and position.frames > 0:
            self._captions.show_talk(self._talk)

    def _is_skipped(self) -> bool:
        record_speech()
        self._show_heard()
        return self._skip_event.is_set()

    def _skip_talk(self) -> None:
        self._skip_event.set()
        if self._player is not None:
            self._player.abort_output()
