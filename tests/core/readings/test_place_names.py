"""Names of places: by the prefecture near them, by the municipality before them, and not where a person is meant."""

import random
import re
from functools import partial
from pathlib import Path

import pytest

from app.adapters.openjtalk import user_lexicon
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.common.errors import InternalError
from app.common.files.paths import find_resources_dir
from app.core.text.readings.morphs import Morph
from app.core.text.readings.place_names import MUNICIPALITIES_FILE, QUARTERS_FILE, PlaceNames

FRAMES = ("{prefecture}{name}", "{prefecture}の{name}に行きました。", "きのうは{prefecture}{name}で雨が降った。")
MUNICIPALITIES = [line.split("\t") for line in (find_resources_dir() / MUNICIPALITIES_FILE).read_text(encoding="utf-8").splitlines()]


def read(text: str) -> str:
    return OpenJTalkG2P().convert_sentence(text).reading


def test_towns_of_the_list_are_read_right_in_sentences() -> None:
    wrong = {}
    for prefecture, names, sounds in random.Random(57).sample(MUNICIPALITIES, 500):
        for frame in FRAMES:
            name, sound = names.replace(" ", ""), sounds.replace(" ", "")
            if sound not in (heard := read(frame.format(prefecture=prefecture, name=name))):
                wrong[frame, name] = heard
    assert not wrong


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("登米市は宮城県にある", "トメシワミヤギケンニアル"),
        ("下妻市役所", "シモツマシヤクショ"),
        ("丹羽郡大口町", "ニワグンオーグチチョー"),
        ("横浜市南区六ツ川", "ヨコハマシミナミクムツカワ"),
        ("東京都千代田区神田小川町", "トーキョートチヨダクカンダオガワマチ"),
        ("北海道池田町と長野県池田町", "ホッカイドーイケダチョートナガノケンイケダマチ"),
        ("東村さんと中村さん", "アズマムラサントナカムラサン"),
        ("大和町内会と大和町", "ヤマトチョーナイカイトヤマトマチ"),
        ("宮城県大和町", "ミヤギケンタイワチョー"),
        ("古河市五郎と古河市", "フルカワイチゴロートコガシ"),
        ("沖縄県東村", "オキナワケンヒガシソン"),
        ("来宮駅前と直江津駅", "キノミヤエキマエトナオエツエキ"),
        ("鎌ヶ谷市", "カマガヤシ"),
        ("町の外れの村", "マチノハズレノムラ"),
    ],
)
def test_a_place_is_read_by_what_is_near_it(text: str, reading: str) -> None:
    assert read(text) == reading


def test_every_sound_of_the_lists_can_be_spoken() -> None:
    quarters = "\n".join(map(user_lexicon._read_region, user_lexicon._list_regions())).splitlines()
    sounds = [
        row[-1].replace(" ", "") for row in (*MUNICIPALITIES, *(line.split("\t") for line in quarters)) if row[-1] and row[-1] >= "ァ"
    ]
    assert len(sounds) > 40_000
    assert [sound for sound in sounds if re.search("[^ァ-ヺー一-龠々ヶぁ-ん]", sound)] == []


def test_what_the_user_teaches_wins() -> None:
    places = PlaceNames("宮城県\t登米市\tトメシ\n", str)
    ours = Morph("登米", "登米", ("名詞",), "トヨネ", 0)
    users = Morph("登米", "登米", ("名詞",), "トヨマ", 0, is_users=True)
    suffix = Morph("市", "市", ("名詞", "接尾"), "シ", 2)
    (correction,) = places.find_corrections([ours, suffix])
    assert [(part.surface, part.reading) for part in correction.parts] == [("登米", "トメ")]
    assert not list(places.find_corrections([users, suffix]))


def test_without_what_ships_there_are_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_lexicon, "should_use_built_in_words", lambda: False)
    assert user_lexicon.find_place_names() is not user_lexicon._load_places()
    assert read("登米市") != "トメシ"


def test_a_damaged_list_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "readings").mkdir()
    (tmp_path / QUARTERS_FILE).write_bytes(b"no archive")
    monkeypatch.setattr(user_lexicon, "find_resources_dir", lambda: tmp_path)
    user_lexicon._list_regions.cache_clear()
    for read_list in (partial(user_lexicon._read_resource, MUNICIPALITIES_FILE), user_lexicon._list_regions):
        with pytest.raises(InternalError):
            read_list()
