"""The smaller dictionary must compute what the original does: the same words at the same cost for any text."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import sudachipy
from bundle import sudachi_often
from bundle.sudachi import Dictionary, Often, merge_classes
from bundle.sudachi_groups import RARE_GROUPS, merged
from sudachipy import sudachipy as builder

RULES = Path(sudachipy.__file__).parent / "resources"
LETTERS = "あいうえお亜唖アイ1"
CLASSES = 9
ALIKE = {4: 2, 7: 2, 8: 5}  # class → the one whose costs it shares
UNUSED = 6
RARE = (1, 3)  # in words, but taken for classes that no text has
LOAN_WORDS = ("アー", "イーア")
HOMOGRAPHS = range(0, 60, 3)  # words that come twice, in the same classes
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
    entries = []
    for index, word in enumerate([*words, *LOAN_WORDS]):
        left, right, cost = chance.choice(used), chance.choice(used), chance.randint(0, 9000)
        entries.append(f"{word},{left},{right},{cost},{word},{NOUN},ヨミ{index},{word},*,A,*,*,*,*")
        if index in HOMOGRAPHS:  # some cost as much
            entries.append(f"{word},{left},{right},{cost + chance.choice([0, 1, 500])},{word},{NOUN},ヨソ{index},{word},*,A,*,*,*,*")
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


@pytest.fixture(autouse=True)
def _no_long_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's dictionary has none."""
    monkeypatch.setattr("bundle.sudachi_trim.LONG_STRINGS_END", 0)


def smaller(original: tuple[Path, Path], folder: Path, often: list[int]) -> tuple[Path, Path]:
    """What is made of it where these classes are often met."""
    shutil.copytree(original[1], folder)
    signature = Dictionary.read(original[0]).texts[1].decode()
    merge_classes(*original, folder, Often(signature, often, often))
    return folder / "system.dic", folder


def tokenizer(dictionary: Path, rules: Path) -> sudachipy.Tokenizer:
    return sudachipy.Dictionary(config_path=str(rules / "sudachi.json"), resource_dir=str(rules), dict=str(dictionary)).create()


def texts() -> list[str]:
    """Random ones, with words that the dictionary does not have."""
    chance = random.Random(5)
    return ["".join(chance.choices(LETTERS + "漢カ?", k=chance.randint(1, 20))) for _ in range(2_000)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_any_text_has_the_same_words_at_the_same_cost(original: tuple[Path, Path], tmp_path: Path) -> None:
    before, after = tokenizer(*original), tokenizer(*smaller(original, tmp_path / "all", list(range(CLASSES))))
    for text in texts():
        one, other = before.tokenize(text), after.tokenize(text)
        assert [(word.surface(), word.reading_form()) for word in one] == [(word.surface(), word.reading_form()) for word in other]
        assert one.get_internal_cost() == other.get_internal_cost()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_words_of_rare_classes_cost_more_and_others_the_same(
    original: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bundle.sudachi_groups.RARE_GROUPS", 1)
    often = [number for number in range(CLASSES) if number not in RARE]
    made = smaller(original, tmp_path / "rare", often)
    before, after = tokenizer(*original), tokenizer(*made)
    entries = np.frombuffer(Dictionary.read(original[0]).blocks["Entries"], "<i2")
    same = 0
    for text in texts():
        one, other = before.tokenize(text), after.tokenize(text)
        words = [word.word_id() * 4 for word in one if word.word_id() < sudachi_often.SYSTEM_WORDS]
        if {int(entries[word + side]) for word in words for side in (0, 1)}.isdisjoint(RARE):
            assert [word.surface() for word in one] == [word.surface() for word in other]
            assert one.get_internal_cost() == other.get_internal_cost()
            same += 1
        else:
            assert one.get_internal_cost() <= other.get_internal_cost()
    assert 50 < same < 1_950


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_texts_use_is_counted(original: tuple[Path, Path]) -> None:
    words = sudachi_often.words_of(*original, ["亜", "亜\n", "漢"])
    entries = np.frombuffer(Dictionary.read(original[0]).blocks["Entries"], "<i2")
    assert words
    assert all(0 <= entries[word * 4] < CLASSES for word in words)


def test_words_that_no_text_gets_are_left_out(original: tuple[Path, Path], tmp_path: Path) -> None:
    before = Dictionary.read(original[0])
    after = Dictionary.read(smaller(original, tmp_path / "all", list(range(CLASSES)))[0])
    left_out = len(HOMOGRAPHS) + len(LOAN_WORDS)
    assert len(before.entries()) - len(after.entries()) == left_out
    assert before.words[0] - after.words[0] == left_out
    assert len(after.blocks["Strings"]) < len(before.blocks["Strings"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_spelling_that_is_left_out_is_a_word_nobody_knows(original: tuple[Path, Path], tmp_path: Path) -> None:
    after = tokenizer(*smaller(original, tmp_path / "all", list(range(CLASSES))))
    assert "".join(word.surface() for word in after.tokenize("あアーイーアあ")) == "あアーイーアあ"


def test_another_dictionary_than_the_one_counted_is_refused(original: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sudachi_often"):
        merge_classes(*original, tmp_path, Often("another", [0], [0]))


def test_rare_rows_and_columns_share_the_highest_costs() -> None:
    chance = np.random.default_rng(0)
    costs = chance.integers(-3000, 3000, (30 + 2 * RARE_GROUPS, 40)).astype("<i2")
    often_left, often_right = np.arange(len(costs)) < 30, np.arange(40) < 35
    table, rows, columns = merged(costs, often_left, often_right)
    assert table.shape == (30 + RARE_GROUPS, 40)
    assert np.array_equal(table[rows[:30]][:, columns[:35]], costs[:30, :35])
    assert (table[rows][:, columns] >= costs).all()


def test_classes_that_cost_the_same_are_one_and_unused_ones_none(original: tuple[Path, Path], tmp_path: Path) -> None:
    made, _ = smaller(original, tmp_path / "all", list(range(CLASSES)))
    assert Dictionary.read(original[0]).costs().shape == (CLASSES, CLASSES)
    side = CLASSES - len(ALIKE) - 1
    assert Dictionary.read(made).costs().shape == (side, side)
    assert made.read_bytes().count(b"classes merged") == 1  # the licence wants changes to be stated


def test_taking_apart_and_putting_together_changes_nothing(original: tuple[Path, Path], tmp_path: Path) -> None:
    Dictionary.read(original[0]).write(tmp_path / "same.dic")
    before, after = original[0].read_bytes(), (tmp_path / "same.dic").read_bytes()
    assert after[: len(before)] == before
    assert not any(after[len(before) :])


def test_what_is_no_dictionary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.dic").write_bytes(b"SudachiBinaryDic\x02")
    with pytest.raises(ValueError, match="no Sudachi dictionary"):
        Dictionary.read(tmp_path / "a.dic")
