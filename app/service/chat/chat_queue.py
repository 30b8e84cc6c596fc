"""The comments that wait to be read, between the thread that listens and the one that speaks; what is read of each, and by whom; the bytes that bring them.

Comment viewers send 棒読みちゃん commands over TCP; everything is little-endian. A command is an int16. To speak, speed, tone, volume and voice follow
(int16 each), the character set (int8), the length of the text in bytes (int32) and the text. Clients differ in how they cut this into packets, and
some send several commands through one connection.
"""

import math
import re
import struct
import threading
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from app.core.script.script import Line, LineSettings, build_request
from app.core.synthesis_types import BOUNDS, SynthesisRequest
from app.service.style_catalogue import ServedSpeaker, ServedStyle, StyleCatalogue
from app.settings.user_settings import Settings

MAX_TEXT_BYTES = 64 << 10
UNSET = -1
_COMMAND = struct.Struct("<H")
_TALK_HEADER = struct.Struct("<HhhhhBi")
_CHARACTER_SETS = {0: "utf-8", 1: "utf-16-le", 2: "cp932"}


class ChatCommand(IntEnum):
    """The commands, under their numbers."""

    TALK = 0x0001
    PAUSE = 0x0010
    RESUME = 0x0020
    SKIP = 0x0030
    CLEAR = 0x0040
    GET_PAUSED = 0x0110
    GET_PLAYING = 0x0120
    GET_WAITING = 0x0130


@dataclass(frozen=True, slots=True)
class ChatTalk:
    """A text to be read."""

    text: str
    speed: int = UNSET  # speed, tone, volume: in percent; -1 leaves the reader's own
    tone: int = UNSET
    volume: int = UNSET
    voice: int = 0  # number of a voice; 0 is the reader's own
    voice_name: str = ""  # of the voice that the user chose for the writer of the comment, which counts before the number


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One command of a client."""

    command: ChatCommand
    talk: ChatTalk | None = None  # of `ChatCommand.TALK`; None where its text cannot be decoded, which is then left out


class ChatProtocolError(ValueError):
    """Bytes that are no command; nothing more can be read from the connection."""


class ChatMessageParser:
    """Takes the bytes of one connection in whatever pieces they come."""

    def __init__(self) -> None:
        self._unparsed_bytes = bytearray()
        self._has_found_messages = False

    @property
    def has_only_whole_messages(self) -> bool:
        """Return whether a command has come, and no part of another one."""
        return self._has_found_messages and not self._unparsed_bytes

    def parse_bytes(self, data: bytes) -> Iterator[ChatMessage]:
        """Yield the commands that these bytes complete; raise ChatProtocolError at what is none, after all that precede it."""
        self._unparsed_bytes += data
        while (message := self._take_message()) is not None:
            self._has_found_messages = True
            yield message

    def _take_message(self) -> ChatMessage | None:
        if len(self._unparsed_bytes) < _COMMAND.size:
            return None
        (number,) = _COMMAND.unpack_from(self._unparsed_bytes)
        try:
            command = ChatCommand(number)
        except ValueError:
            raise ChatProtocolError(f"unknown command {number:#06x}") from None
        if command is not ChatCommand.TALK:
            del self._unparsed_bytes[: _COMMAND.size]
            return ChatMessage(command)
        if len(self._unparsed_bytes) < _TALK_HEADER.size:
            return None
        _number, speed, tone, volume, voice, character_set, length = _TALK_HEADER.unpack_from(self._unparsed_bytes)
        if not 0 <= length <= MAX_TEXT_BYTES:
            raise ChatProtocolError(f"a text of {length} bytes")
        end = _TALK_HEADER.size + length
        if len(self._unparsed_bytes) < end:
            return None
        text = _decode_text(bytes(self._unparsed_bytes[_TALK_HEADER.size : end]), character_set)
        del self._unparsed_bytes[:end]
        return ChatMessage(command, None if text is None else ChatTalk(text, speed, tone, volume, voice))


def _decode_text(content: bytes, character_set: int) -> str | None:
    """Return the text without the null characters that some clients append, or None."""
    try:
        return content.decode(_CHARACTER_SETS[character_set]).rstrip("\0")
    except (KeyError, UnicodeDecodeError):
        return None


MAX_SPOKEN_CHARS = 1000
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s\u3000、。「」『』（）]+|\bwww\.[^\s\u3000、。「」『』（）]+", re.IGNORECASE)
# A name as comment viewers put it before a comment: no mark that ends a sentence, no space, and no time of day.
_NAME = re.compile(r"(?=[^:：]*[^\d\s:：])([^\s:：。！？!?、]{1,40}?)(?:さん)?[:：](?!//)\s*(?=\S)")
_VOICE_ENTRY = re.compile(r"\s*([^\s=＝][^=＝]{0,39}?)\s*[=＝]\s*(.+?)\s*")
_VOICE_NUMBER = re.compile(r"\d{1,5}")
_SEPARATORS = re.compile(r"[;；\n]")

_WHOLE_PERCENT = 100
# What clients may send; numbers outside count as the nearest one.
SPEED_PERCENT, TONE_PERCENT, VOLUME_PERCENT = (50, 300), (50, 200), (0, 100)
SEMITONES_OF_OCTAVE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRules:
    """The settings that decide which comments are read, and what of them."""

    max_waiting: int = 20  # comments that may wait; the oldest one is dropped
    is_latest_only: bool = False  # a new comment replaces all that wait
    skips_links: bool = True  # addresses of pages are left out
    skips_repeats: bool = True  # a comment that equals the one before it is left out
    reads_names: bool = True  # the name before a colon is read as well
    # Names of voices by the numbers that viewers send, as `StyleCatalogue.find_style` knows them.
    voices: dict[int, str] = field(default_factory=dict)
    # The same by the names of those who write comments, as `fold_writer_name` returns them.
    writer_voices: dict[str, str] = field(default_factory=dict)

    def apply_to(self, talk: ChatTalk, last_text: str) -> ChatTalk | None:
        """Return what is read of a comment, or None; `last_text` is that of the comment that was accepted last."""
        text = talk.text
        if self.skips_links:
            text = _ADDRESS.sub(" ", text)
        text = " ".join(text.split())
        name = _NAME.match(text)
        voice = self.writer_voices.get(fold_writer_name(name[1]), "") if name is not None else ""
        if name is not None and not self.reads_names:
            text = text[name.end() :]
        text = text[:MAX_SPOKEN_CHARS]
        if not text or (self.skips_repeats and text == last_text):
            return None
        return replace(talk, text=text, voice_name=voice)


def fold_writer_name(name: str) -> str:
    """Return a name in the form in which names are compared: without the width and case of its letters, and without さん."""
    return unicodedata.normalize("NFKC", name).casefold().strip().removesuffix("さん")


def parse_chat_voices(text: str) -> tuple[dict[int, str], dict[str, str]]:
    """Return names of voices by number and by folded name of a writer, from a list such as `1=Mei; Taro=Rin/Happy`."""
    entries = [entry for entry_text in _SEPARATORS.split(text) if (entry := _VOICE_ENTRY.fullmatch(entry_text)) is not None]
    numbers = {int(entry[1]): entry[2] for entry in entries if _VOICE_NUMBER.fullmatch(entry[1])}
    writers = {fold_writer_name(entry[1]): entry[2] for entry in entries if not entry[1].isdigit()}
    return numbers, writers


def build_chat_rules(settings: Settings) -> ChatRules:
    voices, writer_voices = parse_chat_voices(settings.chat_voices)
    return ChatRules(
        max_waiting=settings.chat_waiting,
        is_latest_only=settings.chat_latest,
        skips_links=settings.chat_links,
        skips_repeats=settings.chat_repeats,
        reads_names=settings.chat_names,
        voices=voices,
        writer_voices=writer_voices,
    )


class ChatQueue:
    """Any thread may use it."""

    def __init__(self, rules: ChatRules) -> None:
        self.rules = rules  # may be replaced at any time
        self.on_change: Callable[[], object] = lambda: None  # called after a command, in the thread that listens
        self.on_skip: Callable[[], object] = lambda: None  # called when the comment that sounds is to end, in the thread that listens
        self._waiting_talks: deque[ChatTalk] = deque()
        self._last_text = ""
        self.is_paused = False  # no comment begins for now
        self.is_playing = False  # a comment is being read
        self._change_condition = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting_talks)

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

    def take_talk(self, timeout_s: float = 0.0) -> ChatTalk | None:
        """Return the next comment and count it as playing until `finish_talk`; None if there is none in time."""
        with self._change_condition:
            self._change_condition.wait_for(lambda: bool(self._waiting_talks) and not self.is_paused, timeout_s)
            if self.is_paused or not self._waiting_talks:
                return None
            self.is_playing = True
            return self._waiting_talks.popleft()

    def return_talk(self, talk: ChatTalk) -> None:
        """Put the comment that was being read back before all others, as far as the rules leave it room, and count none as playing."""
        with self._change_condition:
            self.is_playing = False
            room = 1 if self.rules.is_latest_only else self.rules.max_waiting
            if len(self._waiting_talks) < room:
                self._waiting_talks.appendleft(talk)
            self._change_condition.notify_all()

    def finish_talk(self) -> None:
        """Count no comment as playing."""
        self.is_playing = False

    def clear(self) -> None:
        """Drop the comments that wait."""
        with self._change_condition:
            self._waiting_talks.clear()

    def _add_talk(self, talk: ChatTalk) -> None:
        with self._change_condition:
            rules = self.rules
            accepted = rules.apply_to(talk, self._last_text)
            if accepted is None:
                return
            self._last_text = accepted.text
            if rules.is_latest_only:
                self._waiting_talks.clear()
            self._waiting_talks.append(accepted)
            while len(self._waiting_talks) > rules.max_waiting:
                self._waiting_talks.popleft()


def build_chat_request(talk: ChatTalk, name: str, settings: LineSettings | None = None) -> SynthesisRequest:
    """Return the request for a comment, with the settings of its character, if any; speaker and style are left out, `name` is its id."""
    numbers: dict[str, float] = {}
    if talk.speed >= 0:
        numbers["speed"] = _clamp_percent(talk.speed, SPEED_PERCENT)
    if talk.tone >= 0:
        numbers["pitch"] = SEMITONES_OF_OCTAVE * math.log2(_clamp_percent(talk.tone, TONE_PERCENT))
    if talk.volume >= 0:
        numbers["volume"] = _clamp_percent(talk.volume, VOLUME_PERCENT)
    within = {key: min(max(value, BOUNDS[key].low), BOUNDS[key].high) for key, value in numbers.items()}
    usual = SynthesisRequest(talk.text) if settings is None else build_request(Line(talk.text, settings))
    return replace(usual, id=name, **within)  # type: ignore[arg-type]  # the names are those of its numbers


def _clamp_percent(value: int, bounds: tuple[int, int]) -> float:
    return min(max(value, bounds[0]), bounds[1]) / _WHOLE_PERCENT


def list_chat_names(talk: ChatTalk, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of those whom the user chose for the writer of a comment and for its voice number, in the order in which they count."""
    return tuple(filter(None, (talk.voice_name, names.get(talk.voice, ""))))


def find_chat_style(talk: ChatTalk, names: Mapping[int, str], catalogue: StyleCatalogue) -> tuple[ServedSpeaker, ServedStyle] | None:
    """Return who reads a comment: whom the user named for its writer or its number, for another number a speaker by turns; None leaves it to the reader."""
    number = talk.voice
    reader_style = next((style for name in list_chat_names(talk, names) if (style := catalogue.find_style(name)) is not None), None)
    if reader_style is None and number > 0 and number not in names and catalogue.speakers:
        reader_style = catalogue.speakers[(number - 1) % len(catalogue.speakers)].styles[0]
    return None if reader_style is None else (catalogue.find_owner(reader_style), reader_style)
