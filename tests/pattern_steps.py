"""The steps that a regular expression takes on a text, counted by a matcher that backtracks as `re` does; no clock is watched.

`re` tells nobody how often it tried. This matcher walks the tree that `re` itself parses, tries what `re` tries in the same order, and counts
each character or assertion that is looked at. `re` leaves out some of these (it knows the characters a match begins with, for example), but
never so many that what is quadratic here is linear there: each of its short cuts looks at the characters too, only faster.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

MOST_STEPS = 60_000
LONGEST_REPEAT = 3
"""What a bounded repeat counts as: it is a factor, however long the text is, and short texts show how the steps grow beyond it."""

Follow = Callable[[int], int]
Match = Callable[[int, Follow], int]
FAILED = -1


class TooManyStepsError(Exception):
    """The steps are more than any linear pattern takes."""


class SteppingMatcher:
    """Matches a pattern, and counts.

    Args:
        is_exact: repeats keep their bounds.

    Attributes:
        is_unbounded: a repeat in it has no bound; without one a pattern looks no further than its own length.
    """

    def __init__(self, pattern: re.Pattern[Any], *, is_exact: bool = False) -> None:
        source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags | re.ASCII
        self.tree = re._parser.parse(source, flags)  # type: ignore[attr-defined]
        self.is_unbounded = False
        self._is_exact = is_exact
        self._text, self._steps = "", 0
        self._groups: dict[int, tuple[int, int]] = {}
        self.flags: int = self.tree.state.flags
        self._start = self._build_sequence(list(self.tree), self.flags)

    def find_spans(self, text: str, *, is_anchored: bool = False) -> tuple[list[tuple[int, int]], int]:
        """Return the matches of `finditer`, or of `match`, and the steps; raise TooManyStepsError."""
        self._text, self._steps = text, 0
        found: list[tuple[int, int]] = []
        start, before = 0, -1
        while start <= len(text):
            self._groups = {}
            end = self._start(start, lambda position, start=start, before=before: FAILED if position == start == before else position)
            if is_anchored:
                return [(start, end)] if end != FAILED else [], self._steps
            if end == FAILED:
                start += 1
                continue
            found.append((start, end))
            # Behind an empty match, only one that takes something may begin at the same place.
            start, before = end, end if end == start else -1
        return found, self._steps

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooManyStepsError

    def _build_sequence(self, items: list[Any], flags: int) -> Match:
        built: list[Match] = []
        for is_character, run in groupby(items, lambda item: str(item[0]) in CHARACTER_ITEMS):
            if is_character:
                built.append(self._build_characters([read_characters(kind, value, flags) for kind, value in run]))
            else:
                built += [self._build_item(kind, value, flags) for kind, value in run]

        def match_from(index: int, position: int, follow: Follow) -> int:
            if index == len(built):
                return follow(position)
            return built[index](position, lambda next_position: match_from(index + 1, next_position, follow))

        if len(built) == 2:
            first, second = built
            return lambda position, follow: first(position, lambda next_position: second(next_position, follow))
        return built[0] if len(built) == 1 else lambda position, follow: match_from(0, position, follow)

    def _build_item(self, kind: Any, value: Any, flags: int) -> Match:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._build_repeat(str(kind), value[0], value[1], value[2], flags)
            case "BRANCH":
                return self._build_branches([list(branch) for branch in value[1]], flags)
            case "SUBPATTERN":
                number, added, removed, inner = value
                return self._build_group(number, self._build_sequence(list(inner), flags & ~removed | added))
            case "ATOMIC_GROUP":
                return self._build_atomic(self._build_sequence(list(value), flags))
            case "ASSERT" | "ASSERT_NOT":
                width = value[1].getwidth()[0] if value[0] < 0 else 0
                return self._build_assertion(self._build_sequence(list(value[1]), flags), width, is_wanted=str(kind) == "ASSERT")
            case "AT":
                return self._build_place(re.compile(PLACES[str(value)], flags & (re.MULTILINE | re.ASCII)))
            case "GROUPREF":
                return lambda position, follow: self._match_again(value, position, follow)
            case "GROUPREF_EXISTS":
                there, missing = (self._build_sequence(list(branch or ()), flags) for branch in value[1:])
                return lambda position, follow: (there if value[0] in self._groups else missing)(position, follow)
        raise NotImplementedError(kind)

    def _build_characters(self, run: list[Characters]) -> Match:
        def match_characters(position: int, follow: Follow) -> int:
            text = self._text
            for is_in in run:
                self._steps += 1
                if position >= len(text) or not is_in[text[position]]:
                    return FAILED
                position += 1
            if self._steps > MOST_STEPS:
                raise TooManyStepsError
            return follow(position)

        return match_characters

    def _build_branches(self, branches: list[list[Any]], flags: int) -> Match:
        """Those that begin with another character are passed over, and counted with the one step that each of them takes."""
        built = [(read_first_character(items, flags), self._build_sequence(items, flags)) for items in branches]
        steps_and_branches: dict[str, list[tuple[int, Match | None]]] = {}

        def match_branches(position: int, follow: Follow) -> int:
            character = self._text[position : position + 1]
            if character not in steps_and_branches:
                steps_and_branches[character] = select_branches(built, character)
            for steps, branch in steps_and_branches[character]:
                self._steps += steps
                if branch is not None and (end := branch(position, follow)) != FAILED:
                    return end
            return FAILED

        return match_branches

    def _build_repeat(self, kind: str, least: int, most: Any, inner: Any, flags: int) -> Match:
        most = sys.maxsize if most is re._parser.MAXREPEAT else int(most)  # type: ignore[attr-defined]
        self.is_unbounded |= most == sys.maxsize
        if not self._is_exact:
            least, most = min(least, LONGEST_REPEAT), most if most == sys.maxsize else min(most, LONGEST_REPEAT)
        if kind == "POSSESSIVE_REPEAT":
            return self._build_atomic(self._build_repeat("MAX_REPEAT", least, most, inner, flags))
        if len(inner) == 1 and str(inner[0][0]) in CHARACTER_ITEMS:
            is_in = read_characters(inner[0][0], inner[0][1], flags)
            return lambda position, follow: self._repeat_character(is_in, least, most, position, follow, is_greedy=kind == "MAX_REPEAT")
        once = self._build_sequence(list(inner), flags)

        def match_times(count: int, position: int, follow: Follow) -> int:
            def go_on(next_position: int) -> int:
                return FAILED if next_position == position and count >= least else match_times(count + 1, next_position, follow)

            if kind == "MIN_REPEAT" and count >= least and (end := follow(position)) != FAILED:
                return end
            if count < most and (end := once(position, go_on)) != FAILED:
                return end
            return follow(position) if kind == "MAX_REPEAT" and count >= least else FAILED

        return lambda position, follow: match_times(0, position, follow)

    def _repeat_character(self, is_in: Characters, least: int, most: int, position: int, follow: Follow, *, is_greedy: bool) -> int:
        end, last = position, min(len(self._text), position + most)
        while end < last:
            if not is_greedy and end - position >= least and (found := follow(end)) != FAILED:
                return found
            self._count_step()
            if not is_in[self._text[end]]:
                break
            end += 1
        else:
            if not is_greedy:
                return follow(end) if end - position >= least else FAILED
        while is_greedy and end - position >= least:
            if (found := follow(end)) != FAILED:
                return found
            end -= 1
            self._count_step()
        return FAILED

    def _build_group(self, number: int | None, inner: Match) -> Match:
        if number is None:
            return inner

        def match_group(position: int, follow: Follow) -> int:
            def keep(end: int) -> int:
                before = self._groups.get(number)
                self._groups[number] = (position, end)
                if (found := follow(end)) == FAILED:
                    if before is None:
                        del self._groups[number]
                    else:
                        self._groups[number] = before
                return found

            return inner(position, keep)

        return match_group

    def _build_atomic(self, inner: Match) -> Match:
        return lambda position, follow: FAILED if (end := inner(position, lambda found: found)) == FAILED else follow(end)

    def _build_assertion(self, inner: Match, width: int, *, is_wanted: bool) -> Match:
        def match_assertion(position: int, follow: Follow) -> int:
            self._count_step()
            is_there = position >= width and inner(position - width, lambda found: found) != FAILED
            return follow(position) if is_there == is_wanted else FAILED

        return match_assertion

    def _build_place(self, place: re.Pattern[str]) -> Match:
        def match_place(position: int, follow: Follow) -> int:
            self._count_step()
            return follow(position) if place.match(self._text, position) else FAILED

        return match_place

    def _match_again(self, number: int, position: int, follow: Follow) -> int:
        if number not in self._groups:
            return FAILED
        start, end = self._groups[number]
        self._steps += end - start
        return follow(position + end - start) if self._text.startswith(self._text[start:end], position) else FAILED


CHARACTER_ITEMS = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
PLACES = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": r"\A",
    "AT_END": "$",
    "AT_END_STRING": r"\Z",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
}
CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


class Characters(dict[str, bool]):
    """Which characters one item of a pattern takes, as they are asked for; `samples` are some of those that it names."""

    def __init__(self, expression: str, samples: str, flags: int) -> None:
        self._regex = re.compile(expression, flags & (re.IGNORECASE | re.ASCII | re.DOTALL))
        self.samples = samples

    def __missing__(self, character: str) -> bool:
        self[character] = self._regex.fullmatch(character) is not None
        return self[character]


def read_characters(kind: Any, value: Any, flags: int) -> Characters:
    match str(kind):
        case "ANY":
            return Characters(".", "", flags)
        case "LITERAL":
            return Characters(re.escape(chr(value)), chr(value), flags)
        case "NOT_LITERAL":
            return Characters(f"[^{escape(value)}]", chr(value), flags)
    parts, samples = "", ""
    for inner, content in value:
        match str(inner):
            case "NEGATE":
                parts = "^"
            case "LITERAL":
                parts, samples = parts + escape(content), samples + chr(content)
            case "RANGE":
                parts, samples = f"{parts}{escape(content[0])}-{escape(content[1])}", samples + chr(content[0])
            case "CATEGORY":
                parts += CATEGORIES[str(content)]
    return Characters(f"[{parts}]", samples, flags)


def read_first_character(items: list[Any], flags: int) -> Characters | None:
    """Return what a sequence begins with, where that is one character."""
    kind, value = items[0] if items else (None, None)
    return read_characters(kind, value, flags) if str(kind) in CHARACTER_ITEMS else None


def select_branches(branches: list[tuple[Characters | None, Match]], character: str) -> list[tuple[int, Match | None]]:
    """Return those that may match where this character stands, each with how many of the others are tried before it; at last none."""
    selected: list[tuple[int, Match | None]] = []
    passed = 0
    for first, branch in branches:
        if first is not None and not (character and first[character]):
            passed += 1
        else:
            selected.append((passed, branch))
            passed = 0
    return [*selected, (passed, None)]


def escape(code: int) -> str:
    return f"\\U{code:08x}"


def iterate_characters(tree: Any, flags: int) -> Iterator[Characters]:
    """Yield what every item of a parsed pattern takes."""
    for kind, value in tree:
        if str(kind) in CHARACTER_ITEMS:
            yield read_characters(kind, value, flags)
        for inner in list_inner(kind, value):
            yield from iterate_characters(inner, flags)


def build_sample(tree: Any, flags: int, repeats: int, branch: int, others: str) -> str:
    """Return a text of the form of a parsed pattern: optional repeats `repeats` times, of each choice the same branch."""
    text = ""
    for kind, value in tree:
        inner = list_inner(kind, value)
        if str(kind) in CHARACTER_ITEMS:
            is_in = read_characters(kind, value, flags)
            text += next((character for character in is_in.samples + others if is_in[character]), "")
        elif str(kind) == "BRANCH":
            text += build_sample(inner[min(branch, len(inner) - 1)], flags, repeats, branch, others)
        elif inner and str(kind) != "ASSERT_NOT":
            times = min(max(value[0], repeats), LONGEST_REPEAT) if str(kind).endswith("_REPEAT") else 1
            text += build_sample(inner[0], flags, repeats, branch, others) * times
    return text


def list_inner(kind: Any, value: Any) -> list[Any]:
    """Return the patterns within an item."""
    match str(kind):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case "BRANCH" | "ASSERT" | "ASSERT_NOT":
            return list(value[1]) if str(kind) == "BRANCH" else [value[1]]
        case "SUBPATTERN":
            return [value[3]]
        case "ATOMIC_GROUP":
            return [value]
        case "GROUPREF_EXISTS":
            return [branch for branch in value[1:] if branch]
    return []
