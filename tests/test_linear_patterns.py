"""Every regular expression of the program takes time in proportion to its text: one comment of a stranger must not stop everything.

The expressions are found in the syntax tree, so that a new one is tried without being listed. Each is given repeats of its own characters, of
what it begins with, and of one behind the other. Steps are counted (`tests.pattern_steps`) for one, two and three times as many repeats: what
is linear takes as many more from two to three as from one to two, what is quadratic takes more. A static search for nested repeats would pass
most of what was quadratic here, such as `a+b`, which starts over at every a.
"""

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.pattern_steps import SteppingMatcher, TooManyStepsError, build_sample, iterate_characters
from tests.source_trees import SourceModule, read_app

METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
COMPILERS = ("re.compile", "_compile_pattern")
"""`_compile_pattern` is `cache(re.compile)`; `test_no_pattern_is_compiled_otherwise` sees to that."""
FLAGS_AT = {"LazyPattern": 2, "re.sub": 4, "re.subn": 4, "re.split": 3}
MODULES = [module for module in read_app() if re.search(r"\bre\.\w+\(|\b_compile_pattern\(|= LazyPattern\(", module.source)]
by_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
REPEAT_FACTORS = (8, 32)
"""The second one only where the first shows growth: bounded repeats within bounded ones grow as well, until they are used up."""
EDGE_STEPS = 24
"""By how much one part more may differ at the ends of a text."""
OTHER_CHARACTERS = " \n5aAあア漢!、-."
MOST_PAIRED, LONGEST_START = 6, 20

BOUNDED_ELSEWHERE = {
    "app/core/text/sentence_splitting.py _SENTENCE_TAIL": "looks into a window, which is as long as a sentence may be",
    "app/interchange/renpy_script.py _CLAUSES": "begins where the last clause ended; the first text that is none is the last that is tried",
    "app/interchange/renpy_statements.py _PART": "a string that nothing ends ends its statement, and 100 such statements the reading",
}
BUILT_IN_FUNCTIONS: dict[str, Callable[[ModuleType], list[str]]] = {
    "app/common/command_parser.py english": lambda module: [english for english, _japanese in module._TRANSLATIONS],
    "app/core/text/normalise/english_words.py pattern": lambda module: [pattern for pattern, _sounds in module._SPELLING_RULES],
    "app/core/text/normalise/historical_kana.py verb.pattern": lambda module: [verb.pattern for verb in module._HISTORICAL_VERBS],
    "app/core/text/normalise/historical_kana.py word.pattern": lambda module: [word.pattern for word in module._HISTORICAL_WORDS],
    "app/core/text/normalise/numbers.py joins": lambda module: [module._JOINS_CIRCLED, module._JOINS_NUMBER],
    "app/core/text/sentence_splitting.py pattern": lambda module: list(module._CONTINUATIONS_BY_STOP.values()),
    "app/core/text/readings/shipped_words.py '|'.join": lambda module: [
        module._build_lone_pattern(word) for word in ("東京", "ab", "12", "ア1")
    ],
    "app/voices/prepare/weights/weight_layers.py re.escape(prefix)": lambda _module: [r"layers\.(\d{1,6})\."],
    "app/core/text/notation/explicit_notation.py f'{_AOZORA_NOTE}|{_BRACKETED_MEMO}' if memos": lambda module: [module._AOZORA_NOTE],
}
"""Sources that names within functions stand for."""


class FoundPattern(NamedTuple):
    """A pattern of the program; an anchored one is tried where a text begins, and nowhere else."""

    name: str
    pattern: re.Pattern[Any]
    is_anchored: bool


@by_module
def test_every_pattern_takes_linear_time(module: SourceModule) -> None:
    for name, pattern, is_anchored in iterate_patterns(module):
        matcher = SteppingMatcher(pattern)
        is_linear = not matcher.is_unbounded or all(is_linear_on(matcher, shape, is_anchored) for shape in iterate_shapes(matcher))
        assert is_linear is (name not in BOUNDED_ELSEWHERE), f"{name}: {pattern.pattern!r}"


@by_module
def test_the_counting_matcher_finds_what_re_finds(module: SourceModule) -> None:
    for _name, pattern, _is_anchored in iterate_patterns(module):
        matcher = SteppingMatcher(pattern, is_exact=True)
        for before, part, after in list(iterate_shapes(matcher))[::7]:
            text = before + part * 3 + after
            if isinstance(pattern.pattern, str):
                assert matcher.find_spans(text)[0] == [match.span() for match in pattern.finditer(text)], (pattern, text)
            elif text.isascii():
                assert matcher.find_spans(text)[0] == [match.span() for match in pattern.finditer(text.encode())], (pattern, text)


@pytest.mark.parametrize(
    "source", [r"a+b", r"\s+$", r"(a|b|ab)*c", r"^\s*x", r"<!--.*?-->", r"a*a*b", r"\s*:\s*:", r"(?:x+)+y", r"[^:]*a:"]
)
def test_what_is_not_linear_is_noticed(source: str) -> None:
    matcher = SteppingMatcher(re.compile(source, re.MULTILINE))
    assert not all(is_linear_on(matcher, shape, False) for shape in iterate_shapes(matcher))


def test_no_pattern_is_compiled_otherwise() -> None:
    for module in MODULES:
        for call in module.list_nodes(ast.Call):
            if any(isinstance(given, ast.Name | ast.Attribute) and ast.unparse(given) in ("re.compile", "compile") for given in call.args):
                assert ast.unparse(call) == "cache(re.compile)", module.name
        assert "re" not in [imported.module for imported in module.list_nodes(ast.ImportFrom)], module.name


def is_linear_on(matcher: SteppingMatcher, shape: tuple[str, str, str], is_anchored: bool) -> bool:
    before, part, after = shape
    try:
        for factor in REPEAT_FACTORS:
            texts = (before + part * count * factor + after for count in (1, 2, 3))
            few, more, most = (matcher.find_spans(text, is_anchored=is_anchored)[1] for text in texts)
            if (most - more) - (more - few) <= EDGE_STEPS:
                return True
    except TooManyStepsError:
        pass
    return False


def iterate_shapes(matcher: SteppingMatcher) -> Iterator[tuple[str, str, str]]:
    """Yield what stands first, what is repeated, and what stands last."""
    items = list(iterate_characters(matcher.tree, matcher.flags))
    characters: dict[tuple[bool, ...], str] = {}
    for character in "".join(item.samples for item in items) + OTHER_CHARACTERS:
        characters.setdefault((character == "\n", *(item[character] for item in items)), character)
    # Those that most items take come first, as it takes two that fit to try one text in two ways; and the end of a line.
    ordered = [character for _fits, character in sorted(characters.items(), key=lambda entry: (not entry[0][0], -sum(entry[0])))]
    paired = ordered[:MOST_PAIRED]
    samples = {build_sample(matcher.tree, matcher.flags, *form, OTHER_CHARACTERS) for form in ((0, 0), (1, 0), (1, 1), (1, 2))}
    starts = sorted({sample[:length] for sample in samples for length in range(1, min(len(sample), LONGEST_START) + 1)})
    yield from (("", part, after) for part, after in product(ordered, ("", *paired)) if part != after)
    yield from (("", first + second, "") for first, second in product(paired, paired) if first != second)
    yield from (("", start, "") for start in starts if len(start) > 1)
    yield from product(starts, paired[:3], ("",))


def iterate_patterns(module: SourceModule) -> Iterator[FoundPattern]:
    imported = importlib.import_module(module.name.removesuffix(".py").replace("/", "."))
    targets = {node.value: ast.unparse(node.targets[0]) for node in module.list_nodes(ast.Assign) if isinstance(node.value, ast.Call)}
    for node in module.list_nodes(ast.Call):
        called = ast.unparse(node.func) if node.args and isinstance(node.func, ast.Name | ast.Attribute) else ""
        is_direct = called.startswith("re.") and called[3:] in METHODS
        if not (is_direct or called in (*COMPILERS, "LazyPattern")):
            continue
        source_node = node.args[called == "LazyPattern"]
        name = targets.get(node) or ast.unparse(source_node).partition("(")[0]
        methods = {called[3:]} if is_direct else find_methods(module, targets.get(node, ast.unparse(node)))
        for pattern in resolve(imported, module.name, node, called, source_node):
            yield FoundPattern(f"{module.name} {name}", pattern, methods <= {"match", "fullmatch"} and bool(methods))


def resolve(module: ModuleType, file: str, node: ast.Call, called: str, source: ast.expr) -> list[re.Pattern[Any]]:
    """Return the patterns of a call: one, or those that a function makes; none where it only looks for a text."""
    flag_nodes = [word.value for word in node.keywords if word.arg == "flags"] + node.args[
        FLAGS_AT.get(called, 1 if called in COMPILERS else 2) :
    ]
    words = ast.unparse(source)
    if re.fullmatch(r"re\.escape\([\w.]+\)|self\._source", words):  # a text to look for; what the calls of LazyPattern give
        return []
    flags = int(evaluate(flag_nodes[0], module)) if flag_nodes else 0
    listed = next((find for name, find in BUILT_IN_FUNCTIONS.items() if f"{file} {words}".startswith(name)), None)
    return [re.compile(one, flags) for one in ([evaluate(source, module)] if listed is None else listed(module))]


def evaluate(node: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(node), module.__name__, "eval"), vars(module))


@cache
def find_methods(module: SourceModule, pattern: str) -> frozenset[str]:
    """Return the methods by which a pattern is used; `match` at a place that is given counts as `search`, as it may be any place."""
    is_own_name = pattern.startswith("_") or "(" in pattern
    used = (use for one in ([module] if is_own_name else MODULES) for use in list_uses(one))
    return frozenset(method for owner, method in used if owner.endswith(pattern))


@cache
def list_uses(module: SourceModule) -> list[tuple[str, str]]:
    """Return on what a module calls or takes which method that a pattern has."""
    calls = [node for node in module.list_nodes(ast.Call) if isinstance(node.func, ast.Attribute) and len(node.args) > 1]
    uses = [(node.func.value, "search") for node in calls if isinstance(node.func, ast.Attribute)]
    uses += [(node.value, node.attr) for node in module.list_nodes(ast.Attribute) if node.attr in METHODS]
    return [(ast.unparse(owner), method) for owner, method in uses]


@pytest.fixture(autouse=True)
def deep_recursion() -> Iterator[None]:
    """Each character that is matched is a call within the one before."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)
