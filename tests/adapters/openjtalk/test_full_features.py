"""What a shorter dictionary leaves out of a word comes back; what a whole one says stays as it is."""

from typing import Any

import pyopenjtalk
import pytest
from pyopenjtalk.openjtalk import OpenJTalk

from app.adapters.openjtalk.mecab_features import FullFeatureFrontEnd, restore_columns, restore_feature


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("書か,動詞,自立,*,*,五段・カ行イ音便,未然形,1く,カカ,,2/2,*", "書か,動詞,自立,*,*,五段・カ行イ音便,未然形,書く,カカ,カカ,2/2,*"),
        ("食べ,動詞,自立,*,*,一段,未然形,0る,タベ,,2/2,*", "食べ,動詞,自立,*,*,一段,未然形,食べる,タベ,タベ,2/2,*"),
        ("ゔぁー,フィラー,*,*,*,*,*,,,,1/2,*", "ゔぁー,フィラー,*,*,*,*,*,ゔぁー,ヴァー,ヴァー,1/2,*"),
        ("は,助詞,係助詞,*,*,*,*,,,ワ,0/1,*", "は,助詞,係助詞,*,*,*,*,は,ハ,ワ,0/1,*"),
        ("いって,動詞,自立,*,*,*,*,12行く,,,0/3,*", "いって,動詞,自立,*,*,*,*,行く,イッテ,イッテ,0/3,*"),
    ],
)
def test_what_is_left_out_comes_back(short: str, full: str) -> None:
    assert restore_feature(short) == full


@pytest.mark.parametrize(
    "feature",
    [
        "㐂,記号,一般,*,*,*,*,*",
        "２,名詞,数,*,*,*,*,２,ニ,ニ,1/1,C3,0",
        "箱音庵,名詞,一般,*,*,*,*,箱:音庵,ハコ:オトアン,ハコ:オトアン,0/2:1/4,C1",
    ],
)
def test_whole_features_stay_as_they_are(feature: str) -> None:
    assert restore_feature(feature) == feature
    assert restore_columns(feature.split(",")) == feature.split(",")


@pytest.mark.parametrize("text", ["何の風が吹く？１２時だ。", "㐂びを書かない(^_^)", "", "　"])
def test_with_the_whole_dictionary_the_front_end_is_itself(text: str) -> None:
    plain = OpenJTalk(dn_mecab=pyopenjtalk.OPEN_JTALK_DICT_DIR)
    same: Any = FullFeatureFrontEnd(plain)
    assert pyopenjtalk.run_frontend(text, jtalk=same) == pyopenjtalk.run_frontend(text, jtalk=plain)
    assert pyopenjtalk.run_frontend_detailed(text, jtalk=same) == pyopenjtalk.run_frontend_detailed(text, jtalk=plain)
    assert pyopenjtalk.run_mecab(text, jtalk=same) == pyopenjtalk.run_mecab(text, jtalk=plain)
    assert pyopenjtalk.run_mecab_detailed(text, jtalk=same) == pyopenjtalk.run_mecab_detailed(text, jtalk=plain)
