"""The comments that wait to be read, between the thread that listens and the one that speaks."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from app.service.chat.bouyomi_protocol import ChatCommand, ChatMessage, ChatTalk, pack_count, pack_flag
from app.service.chat.chat_rules import ChatRules


class ChatQueue:
    """Any thread may use it.

    Attributes:
        rules: may be replaced at any time.
        on_change: called after a command, in the thread that listens.
        on_skip: called when the comment that sounds is to end, in the thread that listens.
    """

    def __init__(self, rules: ChatRules) -> None:
        self.rules = rules
        self.on_change: Callable[[], object] = lambda: None
        self.on_skip: Callable[[], object] = lambda: None
        self._waiting: deque[ChatTalk] = deque()
        self._before = ""
        self._is_paused = self._is_playing = False
        self._changed = threading.Condition()

    @property
    def is_paused(self) -> bool:
        """Return whether no comment begins for now."""
        return self._is_paused

    @property
    def is_playing(self) -> bool:
        """Return whether a comment is being read."""
        return self._is_playing

    def __len__(self) -> int:
        return len(self._waiting)

    def handle_message(self, message: ChatMessage) -> bytes:
        """Handle a command and return the answer to its sender, which is empty for most."""
        match message.command:
            case ChatCommand.TALK:
                if message.talk is not None:
                    self._add_talk(message.talk)
            case ChatCommand.PAUSE | ChatCommand.RESUME:
                self._is_paused = message.command is ChatCommand.PAUSE
            case ChatCommand.SKIP:
                self.on_skip()
            case ChatCommand.CLEAR:
                self.clear()
            case ChatCommand.GET_PAUSED:
                return pack_flag(self.is_paused)
            case ChatCommand.GET_PLAYING:
                return pack_flag(self.is_playing)
            case ChatCommand.GET_WAITING:
                return pack_count(len(self))
        with self._changed:
            self._changed.notify_all()
        self.on_change()
        return b""

    def take_talk(self, timeout_s: float = 0.0) -> ChatTalk | None:
        """Return the next comment and count it as playing until `finish_talk`; None if there is none in time."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting) and not self._is_paused, timeout_s)
            if self._is_paused or not self._waiting:
                return None
            self._is_playing = True
            return self._waiting.popleft()

    def return_talk(self, talk: ChatTalk) -> None:
        """Put the comment that was being read back before all others, as far as the rules leave it room, and count none as playing."""
        with self._changed:
            self._is_playing = False
            room = 1 if self.rules.is_latest_only else self.rules.max_waiting
            if len(self._waiting) < room:
                self._waiting.appendleft(talk)
            self._changed.notify_all()

    def finish_talk(self) -> None:
        """Count no comment as playing."""
        self._is_playing = False

    def clear(self) -> None:
        """Drop the comments that wait."""
        with self._changed:
            self._waiting.clear()

    def _add_talk(self, talk: ChatTalk) -> None:
        with self._changed:
            rules = self.rules
            accepted = rules.apply_to(talk, self._before)
            if accepted is None:
                return
            self._before = accepted.text
            if rules.is_latest_only:
                self._waiting.clear()
            self._waiting.append(accepted)
            while len(self._waiting) > rules.max_waiting:
                self._waiting.popleft()
