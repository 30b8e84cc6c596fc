"""The smaller dictionary must compute what the original does: the same words at the same cost for any text."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
import sudachipy
from bundle.sudachi import Dictionary, merge_classes
from sudachipy import sudachipy as builder

RULES = Path(sudachipy.__file__).parent / "resources"
LETTERS = "あいうえお亜唖アイ1"
CLASSES = 9
ALIKE = {4: 2, 7: 2, 8: 5}  # class → the one whose costs it shares
UNUSED = 6
NOUN = "名詞,普通名詞,一般,*,*,*"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dictionary of a hundred words and SudachiPy's rules for it."""
    folder = tmp_path_factory.mktemp("sudachi")
    chance = random.Random(3)
    costs = [[chance.randint(-3000, 3000) for _ in range(CLASSES)] for _ in range(CLASSES)]
    costs = [[costs[ALIKE.get(right, right)][ALIKE.get(left, left)] for left in range(CLASSES)] for right in range(CLASSES)]
    lines = [f"{right} {left} {costs[right][left]}" for right in range(CLASSES) for left in range(CLASSES)]
    (folder / "matrix.def").write_text(f"{CLASSES} {CLASSES}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    words = sorted({"".join(chance.choices(LETTERS, k=chance.randint(1, 3))) for _ in range(100)})
    used = [number for number in range(CLASSES) if number != UNUSED]
    entries = [
        f"{word},{chance.choice(used)},{chance.choice(used)},{chance.randint(0, 9000)},{word},{NOUN},ヨミ{index},{word},*,A,*,*,*,*"
        for index, word in enumerate(words)
    ]
    (folder / "lex.csv").write_text("\n".join(entries) + "\n", encoding="utf-8")
    rules = folder / "rules"
    shutil.copytree(RULES, rules)
    (rules / "unk.def").write_text(f"# comment\nDEFAULT,8,7,4000,{NOUN}\nKATAKANA,3,4,2000,{NOUN}\n", encoding="utf-8")
    settings = json.loads((rules / "sudachi.json").read_text(encoding="utf-8"))
    settings["oovProviderPlugin"][1] |= {"leftId": 5, "rightId": 1, "oovPOS": NOUN.split(",")}
    settings["pathRewritePlugin"] = []
    (rules / "sudachi.json").write_text(json.dumps(settings), encoding="utf-8")
    builder.build_system_dic(matrix=folder / "matrix.def", lex=[folder / "lex.csv"], output=folder / "system.dic", description="words")
    return folder / "system.dic", rules


@pytest.fixture(scope="module")
def merged(original: tuple[Path, Path]) -> tuple[Path, Path]:
    """What was made of it."""
    rules = original[1].with_name("merged")
    shutil.copytree(original[1], rules)
    merge_classes(*original, rules)
    return rules / "system.dic", rules


def tokenizer(dictionary: Path, rules: Path) -> sudachipy.Tokenizer:
    return sudachipy.Dictionary(config_path=str(rules / "sudachi.json"), resource_dir=str(rules), dict=str(dictionary)).create()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_any_text_has_the_same_words_at_the_same_cost(original: tuple[Path, Path], merged: tuple[Path, Path]) -> None:
    before, after = tokenizer(*original), tokenizer(*merged)
    chance = random.Random(5)
    for _ in range(2_000):
        text = "".join(chance.choices(LETTERS + "漢カ?", k=chance.randint(1, 20)))
        one, other = before.tokenize(text), after.tokenize(text)
        assert [(word.surface(), word.reading_form()) for word in one] == [(word.surface(), word.reading_form()) for word in other]
        assert one.get_internal_cost() == other.get_internal_cost()


def test_classes_that_cost_the_same_are_one_and_unused_ones_none(original: tuple[Path, Path], merged: tuple[Path, Path]) -> None:
    assert Dictionary.read(original[0]).costs().shape == (CLASSES, CLASSES)
    side = CLASSES - len(ALIKE) - 1
    assert Dictionary.read(merged[0]).costs().shape == (side, side)
    assert merged[0].read_bytes().count(b"classes of equal costs merged") == 1  # the licence wants changes to be told


def test_taking_apart_and_putting_together_changes_nothing(original: tuple[Path, Path], tmp_path: Path) -> None:
    Dictionary.read(original[0]).write(tmp_path / "same.dic")
    before, after = original[0].read_bytes(), (tmp_path / "same.dic").read_bytes()
    assert after[: len(before)] == before
    assert not any(after[len(before) :])


def test_what_is_no_dictionary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.dic").write_bytes(b"SudachiBinaryDic\x02")
    with pytest.raises(ValueError, match="no Sudachi dictionary"):
        Dictionary.read(tmp_path / "a.dic")
