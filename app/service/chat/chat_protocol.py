"""The bytes in which comments come, as commands.

Comment viewers send 棒読みちゃん commands over TCP; everything is little-endian. A command is an int16. To speak, speed, tone, volume and voice follow
(int16 each), the character set (int8), the length of the text in bytes (int32) and the text. Clients differ in how they cut this into packets, and
some send several commands through one connection.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

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
    writer: str = ""  # the name before the comment; empty where there is none
    name_length: int = 0  # characters of `text` that are the writer's name with its colon
    number: int = field(default=0, compare=False)  # that of the comment in its queue, from 1

    @property
    def words(self) -> str:
        """Return the text without the name."""
        return self.text[self.name_length :]


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
