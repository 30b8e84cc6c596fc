"""Hostile texts through the front end, the pipeline and the user's dictionary: in this process, and a share through real ones."""

import csv
import io
import json
import random
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

import numpy as np

from app.adapters.openjtalk.compiled_dictionary import format_mecab_rows
from app.adapters.openjtalk.user_lexicon import change_user_entries
from app.cli.commands.g2p.run import convert_line
from app.common.errors import InputError
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, ReadingOverride, SynthesisRequest
from app.core.text.dictionary_entries import DICTIONARY_ENTRY_KINDS, DictionaryEntry, make_entry, merge_entries
from app.core.text.dictionary_formats import (
    convert_entries_to_data,
    format_entries_csv,
    format_exchange_json,
    parse_dictionary_text,
    parse_entries,
)
from app.core.text.phone_ids import convert_phones_to_ids
from app.core.text.sentence_splitting import SENTENCE_LENGTH_LIMIT, split_sentences
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.texts import hostile_text, plain_bytes
from tests.campaigns.attack.program import run

LONGEST_SPOKEN = 150  # characters; a piece of a text takes as long as it sounds
READINGS = (
    "ア",
    "はし",
    "キャット",
    "ー",
    "ッ",
    "",
    "ン" * 200,
    "ア" * 201,
    "ヴァ",
    "ゐゑ",
    "abc",
    "今日",
    "ア\n",
    "ア,イ",
    " ",
    "\x1b[31m",
    "ヷ",
    "ﾊｼ",
)


def hostile_word(draw: random.Random) -> tuple[str, str, int, str, int]:
    """What somebody might want to teach."""
    text = hostile_text(draw)
    clean = "".join(letter for letter in text if unicodedata.category(letter)[0] != "C")
    surface = draw.choice((text, clean, clean, clean))[: draw.choice((1, 2, 3, 5, 100, 101))]
    reading = draw.choice((*READINGS[:4] * 5, *READINGS, text[:20]))
    return (
        surface,
        reading,
        draw.choice((0, 0, 0, 1, 99, -1)),
        draw.choice((*DICTIONARY_ENTRY_KINDS * 3, "x")),
        draw.choice((5, 5, 5, 0, 10, 11, -1)),
    )


def words(draw: random.Random, count: int) -> list[DictionaryEntry]:
    """Odd words that the program takes."""
    found: tuple[DictionaryEntry, ...] = ()
    while len(found) < count:
        with suppress(InputError):
            surface, _, _, kind, priority = hostile_word(draw)
            found = merge_entries(found, [make_entry(surface, draw.choice(READINGS[:4]), 0, kind, priority)])
    return list(found)


class Texts(Area):
    """One text a try."""

    def prepare(self) -> None:
        """A voice, and a dictionary of words that nobody would teach."""
        change_user_entries(lambda _known: tuple(words(random.Random("taught"), 60)))
        self._speaker = open_speaker(None, "cpu")
        self._pipeline = self._speaker.pipeline

    def attempt(self, case: Case) -> str:
        """Mostly reads; sometimes speaks, teaches, or asks the program itself."""
        kind = case.draw.random()
        if kind < 0.003:
            return self._real(case)
        text = hostile_text(case.draw)
        if kind < 0.06:
            return self._speak(case, text)
        return self._teach(case, text) if kind < 0.2 else self._read(case, text)

    def _read(self, case: Case, text: str) -> str:
        case.doing(f"g2p {ascii(text)[:1900]}")
        pieces = list(split_sentences(text, self._pipeline.g2p.split_words))
        if "".join(item.text for item in pieces) != text or any(len(item.text) > SENTENCE_LENGTH_LIMIT for item in pieces):
            case.complain("lost", f"sentences of {ascii(text)[:500]}")
        for piece in [text[:2000], *(item.text for item in pieces[:4])]:
            values = convert_line(self._pipeline.g2p, piece)
            json.dumps(values, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
            if "error" not in values:
                convert_phones_to_ids(
                    self._pipeline.g2p.convert_sentence(piece)
                )  # phones and word2ph check each other; here each is one of the table
        return "read"

    def _speak(self, case: Case, text: str) -> str:
        draw = case.draw
        readings = tuple(
            ReadingOverride(draw.choice((text[: draw.randrange(1, 5)], "は", "")), draw.choice(READINGS), draw.choice((None, 0, 1, -1, 99)))
            for _ in range(draw.choice((0, 0, 1, 3)))
        )
        overrides = Overrides(readings, (MoraOverride(draw.choice((0, -1, 99)), 1, 0.1),), (PauseOverride(draw.choice((0, 7)), 0.2),))
        request = SynthesisRequest(
            text[:LONGEST_SPOKEN],
            assist_text=draw.choice(("", hostile_text(draw)[:50])),
            overrides=draw.choice((Overrides(), overrides)),
            seed=draw.randrange(1 << 31),
            style=draw.randrange(5),
        )
        case.doing(f"speak {ascii(request)[:1900]}")
        chunks = list(self._pipeline.synthesize(request))
        if not all(np.isfinite(chunk.samples).all() and np.abs(chunk.samples).max(initial=0) < 100 for chunk in chunks):
            case.complain("wrong", f"samples that are none: {ascii(request)[:1000]}")
        return "spoken"

    def _teach(self, case: Case, text: str) -> str:
        draw = case.draw
        word = hostile_word(draw)
        case.doing(f"dict {word!a}")
        entry = make_entry(*word)  # an error of the user's ends the try here
        rows = list(csv.reader(io.StringIO(format_mecab_rows([entry]))))
        if len(rows) != 1 or len(rows[0]) != 15:
            case.complain("wrong", f"not one row for MeCab: {rows} of {entry}")
        for name, entries in (
            ("json", parse_dictionary_text(format_exchange_json([entry]))[0]),
            ("csv", parse_dictionary_text(format_entries_csv([entry]))[0]),
            ("own", parse_entries(convert_entries_to_data([entry]))),
        ):
            if list(entries) != [entry]:
                case.complain("lost", f"a word that does not come back from {name}: {entry!a}, {entries!a}")
        self._pipeline.g2p.convert_sentence(text[:200] + entry.surface, [ReadingOverride(entry.surface, entry.reading, entry.accent)])
        parse_dictionary_text(
            draw.choice((text, json.dumps({text[:9]: asdict(entry) | {"accent": text}}), f"surface,reading\n{text},{entry.reading}\n"))
        )
        return "taught"

    def _real(self, case: Case) -> str:
        lines = [hostile_text(case.draw, 2000) for _ in range(40)]
        match case.draw.randrange(5):
            case 0:
                return self._teach_really(case, lines)
            case 1:
                file = self.place.source / "story.txt"
                file.write_bytes(plain_bytes("\n".join(lines)[:400]))
                run(case, self.place, "speak", "-f", str(file), "-o", str(self.place.out / "a.wav"), limit_s=60)
            case 2:
                text = lines[0][:200].replace("\0", "").encode("utf-8", "surrogateescape" if "\udc80" in lines[0] else "replace")
                run(case, self.place, "speak", "-o", str(self.place.out / "a.wav"), "--json", "--", text.decode("utf-8", "surrogateescape"))
            case 3:
                story = (lines[0] or "あ") * 1_000_000
                self._read_really(case, [story[: case.draw.choice((10_000, 100_000, 1_000_000))]])
            case _:
                self._read_really(case, lines)
        return "real"

    def _read_really(self, case: Case, lines: Sequence[str]) -> None:
        given = b"\n".join(plain_bytes(line).replace(b"\n", b" ").replace(b"\r", b" ") for line in lines) + b"\n"
        ran = run(case, self.place, "g2p", stdin=given, limit_s=120)
        if ran.code == 0 and len(ran.lines()) != len(lines):
            case.complain("lost", f"{len(lines)} lines in, {len(ran.lines())} out: {given!r}")

    def _teach_really(self, case: Case, lines: Sequence[str]) -> str:
        taught = words(case.draw, 30)
        file, home = self.place.source / "words.json", self.place.home / "taught"
        file.write_text(json.dumps([asdict(word) for word in taught]), encoding="utf-8")
        home.mkdir(exist_ok=True)
        env = {"KOEBAKO_HOME": str(home)}
        (home / "dictionary.json").unlink(missing_ok=True)
        ran = run(case, self.place, "dict", "import", str(file), "--json", env=env)
        known = run(case, self.place, "dict", "list", "--json", env=env)
        if ran.code != 0 or {item["surface"] for item in known.lines()} != {word.surface for word in taught}:
            case.complain("lost", f"words that were imported are not there: {[word.surface for word in taught]!a}\n{ran.told()}")
        text = "".join(word.surface for word in taught) + "\n" + "\n".join(lines[:5])
        read = run(case, self.place, "g2p", stdin=plain_bytes(text), env=env)
        if read.code != 0:
            case.complain("wrong", f"nothing can be read any more: {read.told()}\n{[word.surface for word in taught]!a}")
        return "taught really"


ATTACKS = Texts
