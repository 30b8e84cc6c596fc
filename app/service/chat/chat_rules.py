"""The rules by which a comment is read, shortened or left out."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace

from app.service.chat.bouyomi_protocol import ChatTalk
from app.settings.user_settings import Settings

MAX_SPOKEN_CHARS = 1000
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s\u3000、。「」『』（）]+|\bwww\.[^\s\u3000、。「」『』（）]+", re.IGNORECASE)
# A name as comment viewers put it before a comment: no mark that ends a sentence, no space, and no time of day.
_NAME = re.compile(r"(?=[^:：]*[^\d\s:：])([^\s:：。！？!?、]{1,40}?)(?:さん)?[:：](?!//)\s*(?=\S)")
_VOICE_ENTRY = re.compile(r"\s*([^\s=＝][^=＝]{0,39}?)\s*[=＝]\s*(.+?)\s*")
_VOICE_NUMBER = re.compile(r"\d{1,5}")
_SEPARATORS = re.compile(r"[;；\n]")


@dataclass(frozen=True, slots=True)
class ChatRules:
    """The settings that decide which comments are read, and what of them.

    Attributes:
        max_waiting: comments that may wait; the oldest one gives way.
        is_latest_only: a new comment replaces all that wait.
        skips_links: addresses of pages are left out.
        skips_repeats: a comment that equals the one before it is left out.
        reads_names: the name before a colon is read as well.
        voices: names of voices by the numbers that viewers send, as `StyleCatalogue.find_style` knows them.
        writer_voices: the same by the names of those who write comments, as `fold_writer_name` returns them.
    """

    max_waiting: int = 20
    is_latest_only: bool = False
    skips_links: bool = True
    skips_repeats: bool = True
    reads_names: bool = True
    voices: dict[int, str] = field(default_factory=dict)
    writer_voices: dict[str, str] = field(default_factory=dict)

    def apply_to(self, talk: ChatTalk, before: str) -> ChatTalk | None:
        """Return what is read of a comment, or None.

        Args:
            before: text of the comment that was accepted last.
        """
        text = talk.text
        if self.skips_links:
            text = _ADDRESS.sub(" ", text)
        text = " ".join(text.split())
        name = _NAME.match(text)
        voice = self.writer_voices.get(fold_writer_name(name[1]), "") if name is not None else ""
        if name is not None and not self.reads_names:
            text = text[name.end() :]
        text = text[:MAX_SPOKEN_CHARS]
        if not text or (self.skips_repeats and text == before):
            return None
        return replace(talk, text=text, voice_name=voice)


def fold_writer_name(name: str) -> str:
    """Return a name in the form in which names are compared: without the width and case of its letters, and without さん."""
    return unicodedata.normalize("NFKC", name).casefold().strip().removesuffix("さん")


def parse_chat_voices(text: str) -> tuple[dict[int, str], dict[str, str]]:
    """Return names of voices by number and by folded name of a writer, from a list such as `1=Mei; Taro=Rin/Happy`.

    Entries of another form are left out.
    """
    found = [entry for part in _SEPARATORS.split(text) if (entry := _VOICE_ENTRY.fullmatch(part)) is not None]
    numbers = {int(entry[1]): entry[2] for entry in found if _VOICE_NUMBER.fullmatch(entry[1])}
    writers = {fold_writer_name(entry[1]): entry[2] for entry in found if not entry[1].isdigit()}
    return numbers, writers


def build_chat_rules(settings: Settings) -> ChatRules:
    """Return the rules that the user has set."""
    return ChatRules(
        settings.chat_waiting,
        settings.chat_latest,
        settings.chat_links,
        settings.chat_repeats,
        settings.chat_names,
        *parse_chat_voices(settings.chat_voices),
    )
