"""The comments that wait to be read, between the thread that listens and the one that speaks; what is read of each, and what became of the last ones."""

import re
import struct
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from app.common.files.untrusted_json import DISTURBING_CHARS
from app.service.chat.chat_protocol import ChatCommand, ChatMessage, ChatTalk
from app.service.chat.chat_voices import fold_writer_name, parse_chat_voices
from app.settings.user_settings import Settings

MAX_RECORDS = 50  # comments that are remembered after their turn, in memory alone
MAX_SPOKEN_CHARS = 1000
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s\u3000、。「」『』（）]+|\bwww\.[^\s\u3000、。「」『』（）]+", re.IGNORECASE)
# A name as comment viewers put it before a comment: no mark that ends a sentence, no space, and no time of day.
_NAME = re.compile(r"(?=[^:：]*[^\d\s:：])([^\s:：。！？!?、]{1,40}?)(?:さん)?[:：](?!//)\s*(?=\S)")


class ChatOutcome(Enum):
    """The end of a comment: it was heard, or why it was not."""

    READ = auto()
    SKIPPED = auto()  # while it was being read
    FAILED = auto()
    REMOVED = auto()  # by the user or the viewer, while it waited
    LINK = auto()  # nothing but addresses of pages
    REPEAT = auto()
    OVERFLOW = auto()  # too many waited
    REPLACED = auto()  # by a newer one
    MUTED = auto()


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A comment that has had its turn."""

    talk: ChatTalk
    outcome: ChatOutcome


@dataclass(frozen=True, slots=True)
class ChatSnapshot:
    """The comments of a queue at one moment."""

    current: ChatTalk | None = None  # the one that is being read
    waiting: tuple[ChatTalk, ...] = ()  # in the order in which they will be read
    finished: tuple[ChatRecord, ...] = ()  # the newest first
    is_paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRules:
    """The settings that decide which comments are read, and what of them."""

    max_waiting: int = 20  # comments that may wait; the oldest one is dropped
    is_latest_only: bool = False  # a new comment replaces all that wait
    skips_links: bool = True  # addresses of pages are left out
    skips_repeats: bool = True  # a comment that equals the one before it is left out
    reads_names: bool = True  # the name before a colon is read as well
    muted_writers: frozenset[str] = frozenset()  # folded names of those whose comments are left out
    # Names of voices by the numbers that viewers send, as `StyleCatalogue.find_style` knows them.
    voices: dict[int, str] = field(default_factory=dict)
    # The same by the names of those who write comments, as `fold_writer_name` returns them.
    writer_voices: dict[str, str] = field(default_factory=dict)

    def apply_to(self, talk: ChatTalk, last_text: str) -> tuple[ChatTalk, ChatOutcome | None]:
        """Return what is read of a comment, and None, or the whole comment, and why it is left out; `last_text` is that of the last accepted one."""
        whole = self._find_writer(replace(talk, text=_strip_hidden_letters(talk.text)))
        if self.is_muted(whole.writer):
            return _shorten_talk(whole), ChatOutcome.MUTED
        name, words = whole.text[: whole.name_length], whole.words
        if self.skips_links:
            words = " ".join(_ADDRESS.sub(" ", words).split())
        if not words:
            return _shorten_talk(whole), ChatOutcome.LINK
        # Behind a space, a row of 8s is the applause of chats; behind a colon it would be a number.
        is_applause = bool(name) and not name.endswith(" ") and words.startswith(("8", "８"))
        name = name + " " * is_applause if self.reads_names else ""
        spoken = _shorten_talk(replace(whole, text=name + words, name_length=len(name)))
        return (spoken, ChatOutcome.REPEAT) if self.skips_repeats and spoken.text == last_text else (spoken, None)

    def is_muted(self, writer: str) -> bool:
        """Return whether comments of this writer are left out."""
        return bool(writer) and fold_writer_name(writer) in self.muted_writers

    def choose_voice(self, talk: ChatTalk) -> ChatTalk:
        """Return a comment with the voice that the user chose for its writer."""
        return replace(talk, voice_name=self.writer_voices.get(fold_writer_name(talk.writer), "")) if talk.writer else talk

    def _find_writer(self, talk: ChatTalk) -> ChatTalk:
        name = _NAME.match(talk.text)
        if name is None or _ADDRESS.match(talk.text) or not fold_writer_name(name[1]):
            return talk
        return self.choose_voice(replace(talk, writer=name[1], name_length=name.end()))


def _strip_hidden_letters(text: str) -> str:
    """Return a text in one line, without what is invisible or turns the order of reading around."""
    return " ".join(DISTURBING_CHARS.sub("", " ".join(text.split())).split())


def _shorten_talk(talk: ChatTalk) -> ChatTalk:
    return replace(talk, text=talk.text[:MAX_SPOKEN_CHARS]) if len(talk.text) > MAX_SPOKEN_CHARS else talk


def build_chat_rules(settings: Settings) -> ChatRules:
    voices, writer_voices = parse_chat_voices(settings.chat_voices)
    return ChatRules(
        max_waiting=settings.chat_waiting,
        is_latest_only=settings.chat_latest,
        skips_links=settings.chat_links,
        skips_repeats=settings.chat_repeats,
        reads_names=settings.chat_names,
        muted_writers=frozenset(map(fold_writer_name, settings.chat_muted)),
        voices=voices,
        writer_voices=writer_voices,
    )


class ChatQueue:
    """Any thread may use it; no call waits for another one's work, but `take_talk` with a time."""

    def __init__(self, rules: ChatRules) -> None:
        self.rules = rules  # read by any thread, and replaced by `replace_rules`
        self.on_change: Callable[[], object] = lambda: None  # called after a command, in the thread that listens
        self.on_skip: Callable[[], object] = lambda: None  # called when the comment that sounds is to end, in the thread that listens
        self._current_talk: ChatTalk | None = None
        self._waiting_talks: deque[ChatTalk] = deque()
        self._records: deque[ChatRecord] = deque(maxlen=MAX_RECORDS)  # the newest first
        self._last_number, self._last_text = 0, ""
        self.is_paused = False  # no comment begins for now
        self._change_condition = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting_talks)

    @property
    def is_playing(self) -> bool:
        """Return whether a comment is being read."""
        return self._current_talk is not None

    def handle_message(self, message: ChatMessage) -> bytes:
        """Handle a command and return the answer to its sender, which is empty for most."""
        match message.command:
            case ChatCommand.TALK:
                if message.talk is not None:
                    self._add_talk(message.talk)
            case ChatCommand.PAUSE | ChatCommand.RESUME:
                self.is_paused = message.command is ChatCommand.PAUSE
            case ChatCommand.SKIP:
                self.on_skip()
            case ChatCommand.CLEAR:
                self.clear()
            case ChatCommand.GET_PAUSED:
                return bytes([self.is_paused])
            case ChatCommand.GET_PLAYING:
                return bytes([self.is_playing])
            case ChatCommand.GET_WAITING:
                return struct.pack("<i", len(self))
        with self._change_condition:
            self._change_condition.notify_all()
        self.on_change()
        return b""

    def take_snapshot(self) -> ChatSnapshot:
        """Return what waits now, and what became of the last comments."""
        with self._change_condition:
            return ChatSnapshot(self._current_talk, tuple(self._waiting_talks), tuple(self._records), self.is_paused)

    def replace_rules(self, rules: ChatRules) -> None:
        """Use other rules from now on; comments that wait get the voices and the silence that the user has chosen for their writers."""
        with self._change_condition:
            self.rules = rules
            self._drop_talks([talk for talk in self._waiting_talks if rules.is_muted(talk.writer)], ChatOutcome.MUTED)
            self._waiting_talks = deque(map(rules.choose_voice, self._waiting_talks))

    def take_talk(self, timeout_s: float = 0.0) -> ChatTalk | None:
        """Return the next comment and count it as playing until `finish_talk`; None if there is none in time."""
        with self._change_condition:
            self._change_condition.wait_for(lambda: bool(self._waiting_talks) and not self.is_paused, timeout_s)
            if self.is_paused or not self._waiting_talks:
                return None
            self._current_talk = self._waiting_talks.popleft()
            return self._current_talk

    def return_talk(self, talk: ChatTalk) -> None:
        """Put the comment that was being read back before all others, as far as the rules leave it room, and count none as playing."""
        with self._change_condition:
            self._current_talk = None
            room = 1 if self.rules.is_latest_only else self.rules.max_waiting
            if len(self._waiting_talks) < room:
                self._waiting_talks.appendleft(talk)
            else:
                self._record_talk(talk, ChatOutcome.REPLACED if self.rules.is_latest_only else ChatOutcome.OVERFLOW)
            self._change_condition.notify_all()

    def finish_talk(self, outcome: ChatOutcome = ChatOutcome.READ) -> None:
        """Count no comment as playing, and remember what became of the one that was."""
        with self._change_condition:
            talk, self._current_talk = self._current_talk, None
            if talk is not None:
                self._record_talk(talk, outcome)

    def remove_talk(self, number: int) -> None:
        """Drop the comment of this number if it waits."""
        with self._change_condition:
            self._drop_talks([talk for talk in self._waiting_talks if talk.number == number], ChatOutcome.REMOVED)

    def clear(self) -> None:
        """Drop the comments that wait."""
        with self._change_condition:
            self._drop_talks(list(self._waiting_talks), ChatOutcome.REMOVED)

    def _add_talk(self, talk: ChatTalk) -> None:
        if not _strip_hidden_letters(talk.text):
            return
        with self._change_condition:
            rules = self.rules
            self._last_number += 1
            taken, reason = rules.apply_to(replace(talk, number=self._last_number), self._last_text)
            if reason is not None:
                self._record_talk(taken, reason)
                return
            self._last_text = taken.text
            if rules.is_latest_only:
                self._drop_talks(list(self._waiting_talks), ChatOutcome.REPLACED)
            self._waiting_talks.append(taken)
            too_many = max(0, len(self._waiting_talks) - rules.max_waiting)
            self._drop_talks([self._waiting_talks[number] for number in range(too_many)], ChatOutcome.OVERFLOW)

    def _drop_talks(self, talks: list[ChatTalk], outcome: ChatOutcome) -> None:
        dropped_numbers = {talk.number for talk in talks}
        if not dropped_numbers:
            return
        self._waiting_talks = deque(talk for talk in self._waiting_talks if talk.number not in dropped_numbers)
        for talk in talks:
            self._record_talk(talk, outcome)

    def _record_talk(self, talk: ChatTalk, outcome: ChatOutcome) -> None:
        self._records.appendleft(ChatRecord(talk, outcome))
