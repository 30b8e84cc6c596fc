"""Tests of the names in `app`: a name and its signature alone must say what comes back.

The rules are read off the syntax tree. Each of them is seen to find a planted violation.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest

from tests.source_trees import FUNCTIONS, Function, SourceModule, parse_app, read_docstring

# The first words of functions. A new verb is added here on purpose; a noun, an adjective or a preposition is never one.
VERBS_TEXT = """
abandon abort accept acquire add adjust adopt advance align allow announce append apply arrange ask assign await back begin bind bound build cache call can
cancel cast change check choose clamp clear clip close collect combine commit compare compute confirm connect consume convert copy
count create crop cut decode define delete deliver describe detach detect devoice disable discard dispatch divide do download drag draw drop dump
edit emit enable encode end enqueue ensure enter escape estimate evaluate exec execute exit expand explain export expose extend
extract fade fail feed fetch fill filter find finish fit flatten flush focus fold follow forget format from gather generate get give
go group guard guess handle has hash hide highlight hold identify ignore import infer inherit initialize insert inspect install interpolate
interrupt is iterate join keep label lay leave limit link list load localize locate lock log look lower make map mark mask
match may measure merge move mute name narrow normalise note offer open order pack pad paint pair parse paste pause pick
place plan play post postpone predict prepare press prevent print probe propose prune publish put quantise query queue raise rank read rebuild recast
receive recognise record recover redo reduce refer refine refresh refuse reject release reload remember remove rename render renew reopen repair repeat
replace report request require resample reserve reset reshape resize resolve restart restore restrict resume retry return rewrite roll round
run sanitise save scale scan schedule score scroll search seek select send serialise serve set shift shorten should show
shrink shuffle simplify skip sleep slice smooth sort speak spell split start stay stop store stream strip submit substitute suggest sum
summarise switch sync synthesize take terminate toggle tokenize touch trace track translate transpose trigger trim truncate try type
uncheck undo unescape unload unpack update use validate verify visit wait walk warm warn watch widen wrap write yield
"""
VERBS = frozenset(VERBS_TEXT.split())

# Further first words of docstrings, beside those of functions.
DOCSTRING_VERBS_TEXT = """
analyse bend bring compile continue declare drag emit empty fix free fuse kill let multiply optimise pass prefer process profile
rearrange recompute redraw register repaint rescan respond say share silence spread tick turn work
"""
DOCSTRING_VERBS = frozenset(DOCSTRING_VERBS_TEXT.split())
# Functions of one word: words of the field, of a library's protocol or of a class that says the object.
ONE_WORD_TEXT = """
abort acquire cancel check clear close commit discard emit encode flatten flush format get interrupt localize paint post put read redo release
reshape run seek select sort speak start stop synthesize terminate translate undo unpack validate watch write
"""
ONE_WORD = frozenset(ONE_WORD_TEXT.split())
# Names that Qt, a library or an interface decides: HTTP routes are named after VOICEVOX's.
OF_OTHERS_TEXT = """
accent_phrases analyze_mecab_candidates audio_query audio_query_from_preset connection_lost connection_made data data_received done error event
finditer flags main mora_data mora_length mora_pitch on_response_complete relations sub tell text
"""
OF_OTHERS = frozenset(OF_OTHERS_TEXT.split())
NO_KIND = frozenset({"Answer", "Asked", "Call", "Given", "Heard", "Part", "Piece", "Shown", "Turn", "Watched", "Wishes", "Work"})
PARTICIPLE = re.compile(r"_?[a-z]+(?:ed|eld|ept)|_?(?:given|taken|written|chosen|known|heard|told|shown|made|found|left|said|brought)")
NOT_A_SENTENCE = re.compile(r"(What|Who|Whom|Whose|Whether|Where|How|That|Which|Why)\b")
MOST_CONSTANTS_OF_SEVERAL_VALUES = 20


def is_own_name(function: Function) -> bool:
    """Return whether a function's name is a verb phrase of ours: no property, no dunder, no name of Qt's or another base class's."""
    if function.name in OF_OTHERS or function.name.startswith("__") or re.search(r"[a-z][A-Z]", function.name):
        return False
    return not any(re.search(r"property|setter|overload", ast.unparse(item)) for item in function.decorator_list)


def list_functions(module: SourceModule) -> Iterator[Function]:
    yield from (node for node in module.list_nodes(*FUNCTIONS) if is_own_name(node))


def find_names_without_verb(module: SourceModule) -> list[str]:
    return [item.name for item in list_functions(module) if item.name.lstrip("_").split("_")[0] not in VERBS]


def find_names_of_one_word(module: SourceModule) -> list[str]:
    return [item.name for item in list_functions(module) if "_" not in item.name.strip("_") and item.name.lstrip("_") not in ONE_WORD]


def find_participles(module: SourceModule) -> list[str]:
    return [item.name for item in list_functions(module) if PARTICIPLE.fullmatch(item.name) and item.name.lstrip("_") not in VERBS]


def find_classes_without_kind(module: SourceModule) -> list[str]:
    return [node.name for node in module.list_nodes(ast.ClassDef) if node.name.lstrip("_") in NO_KIND]


def find_docstrings_without_verb(module: SourceModule) -> list[str]:
    documented = (read_docstring(node) for node in module.list_nodes(*FUNCTIONS))
    opened = [(text, re.match(r"[A-Za-z]+", text)) for text in documented if text]
    return [text.splitlines()[0] for text, word in opened if word is None or word[0].lower() not in VERBS | DOCSTRING_VERBS]


def find_docstrings_without_subject(module: SourceModule) -> list[str]:
    documented = (module.tree, *module.list_nodes(ast.ClassDef), *module.list_nodes(*FUNCTIONS))
    return [text.splitlines()[0] for node in documented if (text := read_docstring(node)) and NOT_A_SENTENCE.match(text)]


RULES = {
    "a function begins with a verb": (find_names_without_verb, "def loudness_of(sound): ..."),
    "a function names its object": (find_names_of_one_word, "def _compute(): ..."),
    "no function is a participle": (find_participles, "def _faded(sound): ..."),
    "a class says what kind of thing it is": (find_classes_without_kind, "class Part: ..."),
    "a function's docstring begins with a verb": (
        find_docstrings_without_verb,
        'def read_size():\n    """Bytes on the disk."""',
    ),
    "a docstring has a subject": (
        find_docstrings_without_subject,
        'def read_size():\n    """What the file takes on the disk."""',
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_module_keeps_the_rule_and_a_planted_violation_is_found(rule: str) -> None:
    find, planted = RULES[rule]
    assert find(SourceModule(planted))
    assert {module.name: found for module in parse_app() if (found := find(module))} == {}


def list_repeated_classes(modules: Sequence[SourceModule]) -> dict[str, list[str]]:
    """Return the modules of each class name that is used more than once."""
    places = defaultdict(list)
    for module in modules:
        for node in module.list_nodes(ast.ClassDef):
            places[node.name].append(module.name)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_class_name_is_used_twice() -> None:
    planted = [SourceModule("class Mora: ...", "a.py"), SourceModule("class Mora: ...", "b.py")]
    assert list_repeated_classes(planted) == {"Mora": ["a.py", "b.py"]}
    assert list_repeated_classes(parse_app()) == {}


def list_ambiguous_constants(modules: Sequence[SourceModule]) -> list[str]:
    """Return the names of constants that have another value in another module."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in module.tree.body:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and target.id.isupper() and value is not None:
                values[target.id.lstrip("_")].add(ast.dump(value))
    return sorted(name for name, found in values.items() if len(found) > 1)


def test_few_constants_have_another_value_elsewhere() -> None:
    assert list_ambiguous_constants([SourceModule("LIMIT = 1"), SourceModule("_LIMIT = 2")]) == ["LIMIT"]
    assert len(list_ambiguous_constants(parse_app())) <= MOST_CONSTANTS_OF_SEVERAL_VALUES
