"""Division of a text to be read into passages, which are spoken one after the other without a gap."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.script import Line
from app.core.text_division import divide_sentences, join_texts
from app.core.text_lines import split_lines

# A passage is made as a whole before the next is asked for, and shown as a whole.
MAX_PASSAGE_CHARS = 160


@dataclass(frozen=True, slots=True, eq=False)
class ReadPassage:
    """A passage of a text that is read aloud, with the voice and the delivery; no line of the script."""

    line: Line


def divide_passages(text: str) -> list[str]:
    """Return the passages of a text: its lines, long ones divided between sentences; what has no letter is left out."""
    passages: list[str] = []
    for line in split_lines(text):
        sentences: list[str] = []
        for sentence in divide_sentences(line):
            if sentences and sum(map(len, sentences)) + len(sentence) > MAX_PASSAGE_CHARS:
                passages.append(join_texts(sentences))
                sentences = []
            sentences.append(sentence)
        if sentences:
            passages.append(join_texts(sentences))
    return [passage for passage in passages if any(letter.isalnum() for letter in passage)]
