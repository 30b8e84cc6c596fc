"""The shorter dictionary of Open JTalk must say the same of every word, once what it leaves out is put back."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyopenjtalk
import pytest
from bundle.open_jtalk_trim import HEAD, Dictionary, shorten, shortened
from hypothesis import given
from hypothesis import strategies as st
from pyopenjtalk.openjtalk import OpenJTalk

from app.adapters.openjtalk.mecab_features import FullFeatureFrontEnd, restore_feature

WHOLE = Path(pyopenjtalk.OPEN_JTALK_DICT_DIR.decode())
GOLDEN = Path(__file__).parents[1] / "golden" / "g2p_rohan_300.jsonl"
# Written, base form, reading, pronunciation, accent: base forms that end otherwise, are longer, shorter, the same; readings that are as written;
# words with accents of their own for each part; one spelling twice; the same features twice.
WORDS = """
響めか,5,5,-9000,動詞,自立,*,*,五段・カ行イ音便,未然形,響めく,ドヨメカ,ドヨメカ,3/4,*
毳けば,5,5,-9000,動詞,自立,*,*,一段,未然形,毳けばる,ケケバ,ケケバ,3/3,*
ぞろめき,5,5,-9000,名詞,一般,*,*,*,*,ぞろめき,ゾロメキ,ゾロメキ,0/4,C2
ヱビソン,5,5,-9000,名詞,固有名詞,一般,*,*,*,ヱビソン,エビソン,エビソン,1/4,C1
箱音庵,5,5,-9000,名詞,固有名詞,組織,*,*,*,箱:音庵,ハコ:オトアン,ハコ:オトアン,0/2:1/4,C1
箱声庵,5,5,-9000,名詞,固有名詞,組織,*,*,*,箱声庵,コウセイアン,コーセーアン,3/6,C1
箱声庵,6,6,-8000,名詞,一般,*,*,*,*,箱声庵,ハコゴエアン,ハコゴエアン,0/6,C2
函声庵,5,5,-9000,名詞,固有名詞,組織,*,*,*,函声庵,コウセイアン,コーセーアン,3/6,C1
""".strip().splitlines()
TEXTS = ["箱声庵と函声庵、箱音庵。", "ぞろめきに響めか。毳けばない。", "ヱビソンを箱声庵で１０個買った。", "何の風が吹く？"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a small dictionary as MeCab itself makes it, and the same one shorter."""
    folder = tmp_path_factory.mktemp("open_jtalk")
    (folder / "words.csv").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    pyopenjtalk.mecab_dict_index(str(folder / "words.csv"), str(folder / "whole.dic"))
    shorten(folder / "whole.dic", folder / "short.dic")
    return folder


def front_end(dictionary: Path) -> Any:
    """With these words beside the ordinary ones."""
    return OpenJTalk(dn_mecab=pyopenjtalk.OPEN_JTALK_DICT_DIR, userdic=str(dictionary).encode())


def all_said(text: str, jtalk: Any) -> list[Any]:
    """Whatever the front end says of a text."""
    words = pyopenjtalk.run_frontend(text, jtalk=jtalk)
    return [
        words,
        pyopenjtalk.make_label(words, jtalk=jtalk),
        pyopenjtalk.run_mecab(text, jtalk=jtalk),
        pyopenjtalk.run_mecab_detailed(text, jtalk=jtalk),
        pyopenjtalk.run_frontend_detailed(text, jtalk=jtalk),
        [node["feature"] for node in jtalk.analyze_mecab_candidates(text, ((0, 3),))["nodes"]],
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_the_front_end_says_the_same(folder: Path, text: str) -> None:
    assert all_said(text, FullFeatureFrontEnd(front_end(folder / "short.dic"))) == all_said(text, front_end(folder / "whole.dic"))


def test_without_what_is_put_back_it_would_not(folder: Path) -> None:
    assert all_said(TEXTS[0], front_end(folder / "short.dic")) != all_said(TEXTS[0], front_end(folder / "whole.dic"))


def test_nothing_but_features_changes(folder: Path) -> None:
    before, after = Dictionary.read(folder / "whole.dic"), Dictionary.read(folder / "short.dic")
    assert np.array_equal(before.units, after.units)
    assert before.spellings() == after.spellings() == sorted(line.split(",")[0] for line in WORDS)
    for column in ("left", "right", "kind", "cost", "compound"):
        assert np.array_equal(before.words[column], after.words[column])
    assert len(after.features) < 0.7 * len(before.features)
    assert len(set(after.words["feature"].tolist())) == len(WORDS) - 1


@pytest.mark.parametrize(
    ("written", "feature", "short"),
    [
        ("書か", "動詞,自立,*,*,五段・カ行イ音便,未然形,書く,カカ,カカ,2/2,*", "動詞,自立,*,*,五段・カ行イ音便,未然形,1く,カカ,,2/2,*"),
        ("食べ", "動詞,自立,*,*,一段,未然形,食べる,タベ,タベ,2/2,*", "動詞,自立,*,*,一段,未然形,0る,タベ,,2/2,*"),
        ("来", "動詞,自立,*,*,カ変・来ル,未然形,来る,コ,コ,1/1,*", "動詞,自立,*,*,カ変・来ル,未然形,0る,コ,,1/1,*"),
        ("ゔぁー", "フィラー,*,*,*,*,*,ゔぁー,ヴァー,ヴァー,1/2,*", "フィラー,*,*,*,*,*,,,,1/2,*"),
        ("は", "助詞,係助詞,*,*,*,*,は,ハ,ワ,0/1,*", "助詞,係助詞,*,*,*,*,,,ワ,0/1,*"),
        ("、", "記号,読点,*,*,*,*,、,、,、,*/*,*", "記号,読点,*,*,*,*,,,,*/*,*"),
    ],
)
def test_what_follows_from_the_rest_is_left_out(written: str, feature: str, short: str) -> None:
    assert shortened(written, feature) == short
    assert restore_feature(f"{written},{short}") == f"{written},{feature}"


@given(st.text("かき箱アー", min_size=1), st.text("かき箱アー:", min_size=1), st.text("カキアー:", min_size=1), st.text("カキー’"))
def test_any_features_come_back(written: str, base: str, reading: str, pronunciation: str) -> None:
    feature = f"名詞,一般,*,*,*,*,{base},{reading},{pronunciation or reading},1/2,C1"
    assert restore_feature(f"{written},{shortened(written, feature)}") == f"{written},{feature}"


def test_a_base_form_that_would_be_mistaken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("声箱,5,5,1,名詞,一般,*,*,*,*,1箱,コエバコ,コエバコ,0/4,C2\n", encoding="utf-8")
    pyopenjtalk.mecab_dict_index(str(tmp_path / "words.csv"), str(tmp_path / "whole.dic"))
    with pytest.raises(ValueError, match="声箱"):
        shorten(tmp_path / "whole.dic", tmp_path / "short.dic")
    assert not (tmp_path / "short.dic").exists()


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: b"", lambda raw: raw[:4] + b"\x67" + raw[5:]])
def test_what_is_no_dictionary_of_this_kind_is_refused(folder: Path, tmp_path: Path, damage: Any) -> None:
    (tmp_path / "a.dic").write_bytes(damage((folder / "whole.dic").read_bytes()))
    with pytest.raises(ValueError, match=r"a\.dic"):
        Dictionary.read(tmp_path / "a.dic")


def test_another_encoding_is_refused(folder: Path, tmp_path: Path) -> None:
    raw = (folder / "whole.dic").read_bytes()
    (tmp_path / "a.dic").write_bytes(raw[: HEAD.size - 32] + b"EUC-JP".ljust(32, b"\0") + raw[HEAD.size :])
    with pytest.raises(ValueError, match="encoding"):
        Dictionary.read(tmp_path / "a.dic")


def test_taking_apart_and_putting_together_changes_nothing(folder: Path, tmp_path: Path) -> None:
    Dictionary.read(folder / "whole.dic").write(tmp_path / "same.dic")
    assert (tmp_path / "same.dic").read_bytes() == (folder / "whole.dic").read_bytes()


@pytest.mark.slow
def test_the_dictionary_that_ships_reads_real_texts_the_same(tmp_path: Path) -> None:
    shutil.copytree(WHOLE, tmp_path / "dictionary", ignore=shutil.ignore_patterns("sys.dic"))
    shorten(WHOLE / "sys.dic", tmp_path / "dictionary" / "sys.dic")
    assert (tmp_path / "dictionary" / "sys.dic").stat().st_size < 0.65 * (WHOLE / "sys.dic").stat().st_size
    before = OpenJTalk(dn_mecab=pyopenjtalk.OPEN_JTALK_DICT_DIR)
    after = FullFeatureFrontEnd(OpenJTalk(dn_mecab=str(tmp_path / "dictionary").encode()))
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        text = json.loads(line)["text"]
        assert all_said(text, after) == all_said(text, before)
